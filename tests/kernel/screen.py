# SPDX-License-Identifier: GPL-2.0-only
"""A terminal for tests: a program on a pty, and a screen that knows the few sequences which bperf-mini --live may use.
Whatever else comes is an error, kept in `errors`."""
import codecs, ctypes, fcntl, os, pty, re, select, signal, struct, termios, time

SEQUENCE = re.compile(r"\x1b\[(\?)?([0-9;]*)([A-Za-z])")


class Screen:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.grid = self.blank()
        self.other = None  # the normal screen, while the other one is shown
        self.saved = None
        self.y = self.x = 0
        self.cursor = True
        self.styles = set()
        self.errors = []
        self.cuts = 0  # sequences and characters that were cut off, and not by CAN
        self.text = ""  # what is left of a sequence that is not whole yet
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def blank(self):
        return [[" "] * self.columns for _ in range(self.rows)]

    def resize(self, rows, columns):
        def fit(grid):
            grid = [(line + [" "] * columns)[:columns] for line in grid][:rows]
            return grid + [[" "] * columns for _ in range(rows - len(grid))]

        self.grid = fit(self.grid)
        self.other = self.other and fit(self.other)
        self.rows, self.columns = rows, columns
        self.y, self.x = min(self.y, rows - 1), min(self.x, columns - 1)

    def lines(self):
        return ["".join(line).rstrip() for line in self.grid]

    def feed(self, data):
        self.text += self.decoder.decode(data)
        while self.text:
            if self.text[0] == "\ufffd":
                if len(self.text) == 1:
                    return
                self.cuts += self.text[1] != "\x18"
                self.text = self.text[1:]
                continue
            if self.text[0] != "\x1b":
                self.character(self.text[0])
                self.text = self.text[1:]
                continue
            match = SEQUENCE.match(self.text)
            if match:
                self.sequence(*match.groups())
                self.text = self.text[match.end():]
                continue
            begun = re.match(r"\x1b(\[[?0-9;]*)?", self.text).end()
            if begun == len(self.text):
                return
            if self.text[begun] in "\x18\x1b":  # CAN, or another one: what was begun is nothing
                self.cuts += self.text[begun] != "\x18"
                self.text = self.text[begun:]
            else:
                self.errors.append("unknown: %r" % self.text[:8])
                self.text = self.text[1:]

    def newline(self):
        if self.y == self.rows - 1:
            self.grid = self.grid[1:] + [[" "] * self.columns]
        else:
            self.y += 1

    def character(self, c):
        if c == "\n":
            self.newline()
        elif c == "\r":
            self.x = 0
        elif c == "\b":
            self.x = max(0, self.x - 1)
        elif c == "\t":
            self.x = min(self.columns - 1, self.x // 8 * 8 + 8)
        elif c in "\a\x18":
            pass
        elif ord(c) < 32 or 127 <= ord(c) < 160:
            self.errors.append("control %r" % c)
        else:
            if self.x == self.columns:
                self.x = 0
                self.newline()
                if self.other:
                    self.errors.append("a line that wraps")
            self.grid[self.y][self.x] = c
            self.x += 1

    def sequence(self, private, numbers, letter):
        values = [int(n) for n in numbers.split(";") if n]
        whole = (private or "") + numbers + letter
        if private:
            if whole == "?25h" or whole == "?25l":
                self.cursor = letter == "h"
            elif whole == "?1049h" and not self.other:
                self.saved, self.other, self.grid = (self.y, self.x), self.grid, self.blank()
            elif whole == "?1049l" and self.other:
                self.grid, self.other = self.other, None
                self.y, self.x = min(self.saved[0], self.rows - 1), min(self.saved[1], self.columns - 1)
            else:
                self.errors.append("private %s" % whole)
        elif letter == "H" and len(values) == 2:
            if not 1 <= values[0] <= self.rows or not 1 <= values[1] <= self.columns:
                self.errors.append("outside: %s" % whole)
            self.y, self.x = min(values[0], self.rows) - 1, min(values[1], self.columns) - 1
        elif whole == "K":
            for x in range(self.x, self.columns):
                self.grid[self.y][x] = " "
        elif whole == "2J":
            self.grid = self.blank()
        elif letter == "m":
            self.styles.add(numbers)
        else:
            self.errors.append("sequence %s" % whole)


def die_with_parent():
    """Nothing outlives a test that was killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


class Program:
    """A program in a session on a terminal of its own. With jobs=True it is a job: it has a process group of its own in the
    foreground, and the leader of the session tells in `jobs` of its stops and its end."""

    def __init__(self, argv, rows=24, columns=80, environment=None, jobs=False, before=b"", stdin=None):
        self.screen = Screen(rows, columns)
        self.master, slave = pty.openpty()
        self.name = os.ttyname(slave)
        self.size(rows, columns, tell=False)
        self.read_end, write_end = os.pipe()
        self.before = termios.tcgetattr(slave)
        if before:
            os.write(slave, before)
        self.status = None
        self.output = b""
        env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8")
        env.pop("NO_COLOR", None)
        env.update(environment or {})
        env = {name: value for name, value in env.items() if value is not None}
        self.pid = os.fork()
        if self.pid == 0:
            try:
                die_with_parent()
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                if jobs:
                    self.lead(argv, env, slave, write_end, stdin)
                self.execute(argv, env, slave, stdin)
            finally:
                os._exit(99)
        self.slave = slave
        os.close(write_end)
        self.job = self.pid
        if jobs:
            self.job = int(self.told())

    @staticmethod
    def execute(argv, env, slave, stdin):
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTTOU, signal.SIGTSTP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        fd = os.open(stdin, os.O_RDONLY) if stdin else slave
        for to, of in ((0, fd), (1, slave), (2, slave)):
            os.dup2(of, to)
        os.execvpe(argv[0], argv, env)

    def lead(self, argv, env, slave, write_end, stdin):
        """What a shell does for a job: "fg" and "bg" come as USR1 and USR2."""
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        job = os.fork()
        if job == 0:
            die_with_parent()
            os.setpgid(0, 0)
            os.tcsetpgrp(slave, os.getpid())
            os.close(write_end)
            self.execute(argv, env, slave, stdin)

        def put(foreground):
            os.tcsetpgrp(slave, job if foreground else os.getpgrp())
            os.killpg(job, signal.SIGCONT)

        signal.signal(signal.SIGUSR1, lambda *_: put(True))
        signal.signal(signal.SIGUSR2, lambda *_: put(False))
        os.write(write_end, b"%d\n" % job)
        while True:
            status = os.waitpid(job, os.WUNTRACED)[1]
            if os.WIFSTOPPED(status):
                os.tcsetpgrp(slave, os.getpgrp())
                os.write(write_end, b"stopped %d\n" % os.WSTOPSIG(status))
                continue
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

    def told(self, seconds=10):
        """A line of the session's leader."""
        text = b""
        end = time.monotonic() + seconds
        while not text.endswith(b"\n"):
            self.read(0.02)
            if select.select([self.read_end], [], [], 0)[0]:
                more = os.read(self.read_end, 1)
                if not more:
                    break
                text += more
            elif time.monotonic() > end:
                break
        return text.decode().strip()

    def size(self, rows, columns, tell=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.screen.resize(rows or 24, columns or 80)

    def read(self, seconds):
        """What comes for so long."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if not select.select([self.master], [], [], max(0, left))[0]:
                return
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            self.output += data
            self.screen.feed(data)

    def until(self, condition, seconds=10):
        end = time.monotonic() + seconds
        while not condition(self):
            if time.monotonic() > end or self.ended():
                return bool(condition(self))
            self.read(0.05)
        return True

    def shows(self, text, seconds=10):
        return self.until(lambda p: re.search(text, "\n".join(p.screen.lines())), seconds)

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def end(self, seconds=10):
        """Its exit status; None: it does not end (it is killed then)."""
        end = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < end:
            self.read(0.05)
        if not self.ended():
            os.kill(self.job, signal.SIGKILL)
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -1
        self.read(0.05)
        return self.status if self.status >= 0 else None

    def keys(self, keys):
        os.write(self.master, keys.encode())

    def modes(self):
        return termios.tcgetattr(self.slave)

    def close(self):
        for fd in (self.master, self.slave, self.read_end):
            os.close(fd)
