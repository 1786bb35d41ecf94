# SPDX-License-Identifier: GPL-2.0-only
"""The tests of live.t: live_tests.py BPERF WORK FOLDER [TEST...]. A line a fact: "ok NAME", "not ok NAME" or "skip REASON: NAME", and "# ..." for who reads a failure."""
import os, re, signal, subprocess, sys, termios, time

from screen import Program

BPERF, WORK, FOLDER = sys.argv[1:4]
EVENT = ["-e", "context-switches"]
BEFORE = b"$ one\r\n$ two\r\n"
REPORT = "Performance counter stats for"


def ok(fact, name, *more):
    print("ok" if fact else "not ok", name, flush=True)
    if not fact:
        for text in more:
            for line in str(text).split("\n"):
                print("#", line)


def live(*arguments, **keywords):
    return Program([BPERF, "--live", *arguments], before=BEFORE, **keywords)


def is_drawn(program):
    return program.screen.other is not None and any("every" in line for line in program.screen.lines())


def draws(program, name):
    """It shows an interval, with numbers."""
    ok(program.until(lambda p: is_drawn(p) and any(re.search(r"\d .*(context|cs|page|clock)", line) for line in p.screen.lines()[1:])),
       name + ": it draws", "\n".join(program.screen.lines()), program.output[-500:])


def is_restored(program):
    screen = program.screen
    return screen.other is None and screen.cursor and program.modes() == program.before


def left(program, status, name, text=REPORT):
    """It ends, with that status, and the terminal is as it was: but for the text below what stood there."""
    got = program.end()
    lines = program.screen.lines()
    ok(got == status, "%s: status %s" % (name, status), "got %s" % got, program.output[-500:])
    ok(is_restored(program), name + ": the terminal is as it was", program.screen.other is None, program.screen.cursor, program.modes(), program.before)
    ok(lines[:2] == ["$ one", "$ two"] and not any("every" in line for line in lines), name + ": what stood there stands there", "\n".join(lines))
    ok(any(text in line for line in lines[2:]), name + ": below it the report", "\n".join(lines))
    ok(not program.screen.errors and not program.screen.cuts, name + ": only what a terminal knows", program.screen.errors[:5], program.screen.cuts)
    program.close()


def bar(program, label):
    """The length of a line's bar, in eighths; -1: there is no such line."""
    for line in program.screen.lines():
        if line.startswith(label + " "):
            blocks = re.sub(r"[^\u2588-\u258f]", "", line[: program.screen.columns * 3 // 4])
            return sum(0x2590 - ord(block) for block in blocks)
    return -1


def test_burner():
    name = "a process that works on CPU 1"
    if os.cpu_count() < 2:
        print("skip there is one CPU: " + name, flush=True)
        return
    # page faults all the time
    burner = subprocess.Popen(["taskset", "-c", "1", sys.executable, "-c", "import mmap\nwhile True:\n m = mmap.mmap(-1, 1 << 20)\n for i in range(0, 1 << 20, 4096): m[i] = 1\n m.close()"])
    everyone = live("-I", "200", "-a", "-e", "cpu-clock,page-faults")
    both = live("-I", "200", "-C", "0", "-C", "1", "-e", "page-faults")
    for program, labels, what in ((everyone, ("CPU0", "CPU1"), "-a"), (both, ("cpu:0 CPU0", "cpu:1 CPU1"), "-C 0 -C 1")):
        draws(program, "%s, %s" % (name, what))
        one = program.until(lambda p: bar(p, labels[1]) > 3 * max(1, bar(p, labels[0])))
        ok(one, "%s, %s: its bar is the longest" % (name, what), "\n".join(program.screen.lines()))
        ok(program.shows(r"page-faults +.*last \d+ s"), "%s, %s: a heading" % (name, what))
        program.keys("q")
        left(program, 0, "%s, %s, q" % (name, what))
    burner.kill()
    burner.wait()


def test_ends():
    """Every way to end, side by side."""
    target = subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(0.01)"])
    os.mkfifo(FOLDER + "/control")
    shares = {"--share=auto": "", "--share=never": "unshared, "}
    for share, kind in shares.items():
        scope = ["-I", "200", share, "-a", *EVENT]
        ways = {
            kind + "q": (live(*scope), lambda p: p.keys("q"), 0),
            kind + "Ctrl-C": (live(*scope), lambda p: p.keys("\x03"), 130),
            kind + "Ctrl-\\": (live(*scope), lambda p: p.keys("\x1c"), 131),
            kind + "TERM": (live(*scope), lambda p: os.kill(p.pid, signal.SIGTERM), 143),
            kind + "HUP": (live(*scope), lambda p: os.kill(p.pid, signal.SIGHUP), 129),
            kind + "--timeout": (live(*scope, "--timeout", "1500"), None, 0),
            kind + "--interval-count": (live(*scope, "--interval-count", "5"), None, 0),
            kind + "the command's end": (live(*scope, "--", "sh", "-c", "sleep 2; exit 7"), None, 7),
            kind + "TERM, with a command": (live(*scope, "--", "sleep", "30"), lambda p: os.kill(p.pid, signal.SIGTERM), 143),
            kind + "no memory": (live(*scope), lambda p: subprocess.Popen(["strace", "-qq", "-o", os.devnull, "-p", str(p.pid), "-e", "inject=/poll:error=ENOMEM"]), 125),
        }
        if share == "--share=auto":
            ways["the process's end"] = (live("-I", "200", "-p", str(target.pid), "-e", "cpu-clock,context-switches"), lambda p: target.kill(), 0)
            ways["--control"] = (live(*scope, "--control", "fifo:" + FOLDER + "/control"), lambda p: open(FOLDER + "/control", "w").write("bad\nstop\n"), 0)
        for name, (program, end, status) in ways.items():
            draws(program, name)
        for name, (program, end, status) in ways.items():
            if end:
                end(program)
        target.wait()
        for name, (program, end, status) in ways.items():
            program.end()
            if name == "--control":
                note = "--control: unknown command 'bad'"
                ok(any(note in line for line in program.screen.lines()), "--control: a note comes behind the screen", "\n".join(program.screen.lines()))
                ok(program.output.find(note.encode()) > program.output.rfind(b"\x1b[?1049l"), "--control: not in it")
            left(program, status, name, "Out of memory" if status == 125 else REPORT)


def test_stop():
    name = "Ctrl-Z"
    program = live("-I", "200", "-a", *EVENT, jobs=True)
    draws(program, name)
    for again in ("", ", again"):
        program.keys("\x1a")
        told = program.told()
        ok(told == "stopped %d" % signal.SIGTSTP, name + again + ": it stops", told)
        program.read(0.1)
        ok(is_restored(program), name + again + ": the terminal is as it was")
        ok(program.screen.lines()[:2] == ["$ one", "$ two"], name + again + ": with what stood there", "\n".join(program.screen.lines()))
        os.kill(program.pid, signal.SIGUSR1)
        draws(program, name + again + ", fg")
    flags = program.modes()[3]
    ok(not flags & (termios.ICANON | termios.ECHO) and flags & termios.NOFLSH, name + ": keys come one by one, and unseen", flags)
    program.keys("\x1a")
    program.told()
    program.read(0.1)
    os.kill(program.pid, signal.SIGUSR2)
    before = len(program.output)
    program.read(0.7)
    ok(len(program.output) == before and is_restored(program), name + ", bg: it writes nothing", program.output[before:])
    ok(not program.ended(), name + ", bg: and goes on")
    os.kill(program.pid, signal.SIGUSR1)
    draws(program, name + ", bg, fg")
    # STOP tells nobody: what the shell writes then is gone with the next frame
    os.kill(program.job, signal.SIGSTOP)
    program.told()
    os.write(program.slave, b"\x1b[1;1H[1]+  Stopped")
    os.kill(program.pid, signal.SIGUSR1)
    draws(program, "STOP, fg")
    ok(program.until(lambda p: "Stopped" not in "".join(p.screen.lines()) and not p.screen.cursor), "STOP, fg: as if nothing had been", "\n".join(program.screen.lines()))
    program.keys("q")
    left(program, 0, name + ", q")


def test_size():
    # the first interval is far: what comes is the answer to the size
    name = "another size"
    program = live("-I", "60000", "-a", *EVENT)
    ok(program.until(is_drawn), name + ": it is there before the first interval")
    for rows, columns in ((10, 120), (5, 41), (1, 1), (200, 500), (3, 20), (0, 0), (24, 80)):
        program.size(rows, columns)
        os.kill(program.pid, signal.SIGWINCH)
        what = "every 60000 ms" if columns != 1 and columns != 20 else ""
        width = columns or 80
        ok(program.until(lambda p: any(line.endswith(what) and len(line) == width - 1 for line in p.screen.lines()) if what else p.screen.columns == columns, 2),
           "%s: %d x %d is drawn at once" % (name, rows, columns), "\n".join(program.screen.lines()[:5]))
        program.read(0.05)
        if width == 20:
            ok(program.screen.lines()[0].startswith("system on"), name + ": as much as fits", program.screen.lines())
    ok(not program.screen.errors, name + ": only what a terminal knows", program.screen.errors[:5])
    program.keys("x\x0c")  # another key; Ctrl-L
    program.read(0.2)
    ok(is_drawn(program), name + ": another key is nothing")
    program.keys("Q")
    program.end()
    ok(is_restored(program), name + ": the terminal is as it was")
    program.close()


def test_looks():
    """ASCII, colours, and names from outside."""
    hostile = "日\x1b[2J\x9b2J\u00e9"
    sleeper = subprocess.Popen([sys.executable, "-c", "import threading, time\nopen('/proc/self/comm', 'wb').write(%r)\n"
                                "threading.Thread(target=time.sleep, args=(60,)).start()\nwhile True: time.sleep(0.01)" % hostile.encode()[:15]])
    time.sleep(0.3)
    arguments = ["-I", "200", "--per-thread", "-p", str(sleeper.pid), *EVENT]
    programs = {
        "as it is": live(*arguments),
        "--ascii": live(*arguments, "--ascii"),
        "LC_ALL=C": live(*arguments, environment={"LC_ALL": "C"}),
        "LANG=de_DE": live(*arguments, environment={"LC_ALL": "", "LC_CTYPE": None, "LANG": "de_DE"}),
        "LANG=de_DE.utf8": live(*arguments, environment={"LC_ALL": None, "LC_CTYPE": None, "LANG": "de_DE.utf8"}),
        "TERM=linux": live(*arguments, environment={"TERM": "linux"}),
        "TERM=vt220": live(*arguments, environment={"TERM": "vt220"}),
        "NO_COLOR": live(*arguments, environment={"NO_COLOR": "1"}),
    }
    for name, program in programs.items():
        draws(program, name)
        program.read(0.3)
        plain = name not in ("as it is", "LANG=de_DE.utf8", "NO_COLOR")
        text = "\n".join(program.screen.lines())
        ok(all(byte < 0x80 for byte in program.output) == plain, name + (": ASCII only" if plain else ": with blocks"), text)
        ok(("??[2J??2J?-" if plain else "日?[2J??2Jé-") in text, name + ": the name, as far as it may be shown", text)
        ok(bool(program.screen.styles - {"0"}) == (name != "NO_COLOR"), name + ": colours, or none", program.screen.styles)
        program.keys("q")
        left(program, 0, name)
    sleeper.kill()
    sleeper.wait()
    for term in ("dumb", "", None):
        program = live("-a", environment={"TERM": term})
        ok(program.end() == 125 and b"cannot move its cursor" in program.output and b"\x1b" not in program.output, "TERM=%s is refused" % term, program.output)
        program.close()
    program = live("-a", "-I", "200", *EVENT, stdin="/dev/null")
    draws(program, "another standard input")
    ok(program.modes() == program.before, "another standard input: the terminal's modes are left alone")
    program.keys("\x03")
    left(program, 130, "another standard input")


def test_command():
    """It has the terminal's input, and may write there."""
    noise = "for i in 1 2 3 4 5 6 7 8 9; do echo noise; sleep 0.02; done; read line; echo \"$line\" >%s/got; exit 3" % FOLDER
    program = live("-I", "300", "-e", "task-clock,context-switches", "--", "sh", "-c", noise)
    draws(program, "a command that writes")
    ok(program.until(lambda p: is_drawn(p) and "noise" not in "".join(p.screen.lines()), 2), "a command that writes: it is drawn over at once", "\n".join(program.screen.lines()))
    ok(program.modes() == program.before, "a command that reads: the terminal's modes are its own")
    program.keys("q\n")
    program.end()
    with open(FOLDER + "/got") as got:
        ok(got.read() == "q\n", "a command that reads: it gets the keys")
    left(program, 3, "a command")


def test_hangup():
    """The terminal goes: nobody is there to be told, but it ends."""
    program = live("-I", "200", "-a", *EVENT)
    draws(program, "a hangup")
    os.close(program.slave)
    os.close(program.master)
    end = time.monotonic() + 5
    while not program.ended() and time.monotonic() < end:
        time.sleep(0.05)
    # of the signal, or, as the report cannot be written, a failure
    ok(program.status in (129, 125), "a hangup: it ends", program.status)


def waits(program):
    """How often it has slept so far."""
    with open("/proc/%d/status" % program.pid) as status:
        return int(re.search(r"\nvoluntary_ctxt_switches:\t(\d+)", status.read()).group(1))


def test_slow():
    """A terminal that takes nothing for a while: frames are left out, and the count goes on."""
    program = live("-I", "50", "-a", *EVENT, rows=200, columns=500)
    draws(program, "a slow terminal")
    program.keys("\x13")  # Ctrl-S
    program.read(0.3)
    held = len(program.output)
    program.read(0.7)
    ok(len(program.output) - held < 65536, "Ctrl-S: nothing comes", len(program.output) - held)
    before = waits(program)
    program.read(0.5)
    ok(waits(program) > before + 4, "Ctrl-S: it does not wait to write", before, waits(program))
    program.keys("\x11")
    draws(program, "Ctrl-Q")
    ok(not program.screen.errors, "Ctrl-Q: whole frames", program.screen.errors[:5])
    # nobody reads, while all is drawn again and again: each time a frame is cut off somewhere
    for number in range(6):
        for again in range(12):
            os.kill(program.pid, signal.SIGWINCH)
            time.sleep(0.01)
        program.read(0.1)
    program.read(0.3)
    ok(program.output.count(b"\x18") > 1, "nobody reads for a while: frames are cut off", program.output.count(b"\x18"))
    ok(is_drawn(program) and not program.screen.errors, "nobody reads for a while: then it is whole again", program.screen.errors[:5])
    program.keys("q")
    left(program, 0, "a slow terminal")


for test in (test_burner, test_ends, test_stop, test_size, test_looks, test_command, test_hangup, test_slow):
    if sys.argv[4:] and test.__name__ not in sys.argv[4:]:
        continue
    started = time.monotonic()
    test()
    print("# %s: %.1f s" % (test.__name__, time.monotonic() - started), file=sys.stderr)
