#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks what bperf-mini wrote against what its formats are said to be (bperf-mini(8), FORMATS; perf-stat(1), CSV FORMAT;
RFC 4180; RFC 8259; OpenMetrics 1.0). Written from the descriptions, with nothing of the program.

Usage: check.py csv SEP FILE          with --csv-header
       check.py json [--perf] FILE    --perf: perf's keys only, as many as its own check allows
       check.py openmetrics [--several] FILE
       check.py text FILE
       check.py folder FOLDER         each of its files, by what its name ends with: .csv .json .prom .txt, and before that .tab
                                      and .ab (the separator), .perf, .several, .killed, .same (a .csv and a .json of this name say
                                      the same): a line each, "right: NAME" or "wrong: NAME WHY"
FILE may be cut off in its last line where --killed is given. Exit status: 0 right, 1 not (a line says where).
"""
import json
import os
import re
import sys

NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
PLACES = ["cpu", "core", "die", "socket", "node"]
FIELDS = ["interval", "scope", *PLACES, "counters", "thread", "program", "program-id", "program-runs", "counter-value", "unit",
          "event", "cgroup", "variance", "event-runtime", "pcnt-running", "metric-value", "metric-unit"]
ALWAYS = ["counter-value", "unit", "event", "event-runtime", "pcnt-running", "metric-value", "metric-unit"]
LEFT_OUT = {"interval", "metric-value", "metric-unit"}
# of perf's tools/perf/tests/shell/lib/perf_json_output_lint.py
PERFS = set(FIELDS) - {"scope", "program", "program-id", "program-runs", "variance"}


class Wrong(Exception):
    pass


def need(condition, *what):
    if not condition:
        raise Wrong(" ".join(str(w) for w in what))


def read(path, killed):
    data = open(path, "rb").read()
    if killed:
        data = data[:data.rfind(b"\n") + 1]
    need(data, "nothing in it")
    need(data.endswith(b"\n"), "the last line has no end")
    need(b"\r" not in data and b"\0" not in data, "CR or NUL")
    return data.decode("utf-8")  # strict


def number(text, name, most=None):
    need(NUMBER.fullmatch(text), name, "is no number:", repr(text))
    need(most is None or float(text) <= most, name, "is too large:", text)


# --- CSV --------------------------------------------------------------------------------------------------------------

def csv_line(line, separator):
    fields, at = [], 0
    while True:
        if line[at:at + 1] == '"':
            text, at = "", at + 1
            while True:
                end = line.index('"', at)
                text += line[at:end]
                at = end + 1
                if line[at:at + 1] != '"':
                    break
                text += '"'
                at += 1
            need(at == len(line) or line.startswith(separator, at), "text behind a closing quote:", line)
        else:
            end = line.find(separator, at)
            end = len(line) if end < 0 else end
            text, at = line[at:end], end
            need('"' not in text, "a quote in a field without:", line)
        fields.append(text)
        if at == len(line):
            return fields
        at += len(separator)


def check_row(row):
    """A dictionary of texts; a field that has nothing is empty."""
    value = row["counter-value"]
    if value not in ("<not counted>", "<not supported>"):
        number(value, "counter-value", 2 ** 64)
    need(row["event"], "no event")
    number(row["event-runtime"], "event-runtime")
    number(row["pcnt-running"], "pcnt-running", 100)
    need(re.fullmatch(r"\d+\.\d\d", row["pcnt-running"]), "pcnt-running has not two decimals:", row)
    need(bool(row["metric-value"]) == bool(row["metric-unit"]), "half a metric:", row)
    for name in "metric-value", "counters", "program-id", "program-runs":
        if row.get(name):
            number(row[name], name)
    if row.get("variance"):
        need(row["variance"].endswith("%"), "variance without %:", row)
        number(row["variance"][:-1], "variance")
    if row.get("cpu"):
        need(re.fullmatch(r"CPU\d+", row["cpu"]), "cpu:", row)


def csv_rows(path, separator, killed=False):
    lines = read(path, killed).split("\n")[:-1]
    names = csv_line(lines[0], separator)
    need([n for n in FIELDS if n in names] == names, "names that are none, or in another order:", names)
    need(set(ALWAYS) <= set(names) and len(set(PLACES) & set(names)) <= 1, "names:", names)
    rows, last = [], 0.0
    for line in lines[1:]:
        fields = csv_line(line, separator)
        need(len(fields) == len(names), len(fields), "fields for", len(names), "names:", line)
        row = dict(zip(names, fields))
        check_row(row)
        if "interval" in row and row["interval"] != "summary":
            need(re.fullmatch(r"\d+\.\d{9}", row["interval"]), "interval:", line)
            last = float(row["interval"])
        rows.append(row)
    need(rows, "no rows")
    return rows


# --- JSON -------------------------------------------------------------------------------------------------------------

def no_constant(text):
    raise Wrong("no JSON: " + text)


def pairs(items):
    need(len({k for k, _ in items}) == len(items), "a key twice:", items)
    return dict(items)


def json_rows(path, perf=False, killed=False):
    rows, full = [], None
    for line in read(path, killed).split("\n")[:-1]:
        need(line.startswith("{") and line.endswith("}"), "no object:", line)
        row = json.loads(line, parse_constant=no_constant, object_pairs_hook=pairs, parse_float=str, parse_int=str)
        names = [n for n in row if n != "state"]
        need([n for n in FIELDS if n in names] == names, "keys that are none, or in another order:", line)
        need(set(ALWAYS) - LEFT_OUT <= set(names), "a key is missing:", line)
        need(full is None or set(names) - LEFT_OUT == full, "other keys than in the row before:", line)
        full = set(names) - LEFT_OUT
        need((row["counter-value"] is None) == (row.get("state") in ("not counted", "not supported")), "state:", line)
        need("state" not in row or row["counter-value"] is None, "state:", line)
        for name in "unit", "event", "counter-value", "thread", "cgroup", "scope", "metric-unit", *PLACES:
            raw = re.search('"%s" : (.)' % name, line)
            need(not raw or raw[1] in '"n', name, "is no text:", line)
        for name in "interval", "counters", "variance", "event-runtime", "pcnt-running", "metric-value", "program-id", "program-runs":
            raw = re.search('"%s" : (.)' % name, line)
            need(not raw or raw[1] in "0123456789n", name, "is no number:", line)
        if perf:
            need(set(row) <= PERFS, "not perf's:", line)
            own = len(set(names) & {"interval", "thread", "cgroup", *PLACES, "counters"})
            need(None not in [v for k, v in row.items() if k != "counter-value"], "null:", line)
            need("cpu" not in row or row["cpu"].isdigit(), "cpu:", line)
            need(len(row) - own in (5, 7), "perf has 5 or 7 keys beside", own, line)
        rows.append(row)
    need(rows, "no rows")
    for row in rows:
        text = {n: "" if v is None else v for n, v in row.items()}
        text.setdefault("metric-value", "")
        text.setdefault("metric-unit", "")
        text["counter-value"] = text["counter-value"] or "<%s>" % text["state"]
        if text.get("variance"):
            text["variance"] += "%"
        if text.get("cpu"):
            text["cpu"] = "CPU" + text["cpu"]
        text.pop("state", None)
        check_row(text)
        row["text"] = text
    return rows


def same(csv_path, json_path):
    times = ("duration_time", "user_time", "system_time")
    csv = csv_rows(csv_path, ",")
    objects = [row["text"] for row in json_rows(json_path)]
    if csv[-1]["event"] not in times:
        objects = [row for row in objects if row["event"] not in times]
    need(len(csv) == len(objects), len(csv), "rows and", len(objects), "objects")
    for row, text in zip(csv, objects):
        if "interval" in row:
            text.setdefault("interval", "summary")
        # a line of CSV has no newlines in it
        need({n: v.replace("\n", "?") for n, v in text.items()} == row, row, "is not", text)


# --- OpenMetrics ------------------------------------------------------------------------------------------------------

METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
# realnumber of the ABNF
REAL = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?inf(inity)?|nan", re.I)
SUFFIXES = {"gauge": [""], "unknown": [""], "counter": ["_total", "_created"], "info": ["_info"]}


def sample(line):
    name = METRIC.match(line)
    need(name, "no metric's name:", line)
    at, labels = name.end(), {}
    if line[at:at + 1] == "{":
        at += 1
        while line[at:at + 1] != "}":
            label = LABEL.match(line, at)
            need(label, "no label at", at, line)
            need(label[1] not in labels and not label[1].startswith("__"), "label", label[1], line)
            labels[label[1]] = label[2]
            at = label.end()
            if line[at:at + 1] == ",":
                at += 1
                need(line[at:at + 1] != "}", "a comma too many:", line)
            else:
                need(line[at:at + 1] == "}", "no end of the labels:", line)
        at += 1
    need(line[at:at + 1] == " ", "no space before the value:", line)
    value = line[at + 1:]
    # a time behind it would be right, but node_exporter's textfile collector wants none
    need(REAL.fullmatch(value), "no number, or more than one:", line)
    return name[0], labels, value


def exposition(lines):
    families, samples, present = {}, {}, None
    for line in lines:
        need(line, "an empty line")
        if line.startswith("#"):
            words = line.split(" ", 3)
            need(len(words) == 4 and words[0] == "#" and words[1] in ("TYPE", "UNIT", "HELP"), "what is this:", line)
            _, what, name, rest = words
            need(METRIC.fullmatch(name), "no metric's name:", line)
            if name != present:
                need(name not in families, "family", name, "comes twice")
                for other, kept in families.items():
                    mine, others = {name + s for s in ("", "_total", "_created")}, {other + s for s in SUFFIXES[kept["TYPE"]] + [""]}
                    need(not mine & others, "names that clash:", name, other)
                families[name] = {"samples": 0}
                present = name
            family = families[name]
            need(what not in family and not family["samples"], what, "twice or too late:", line)
            family[what] = rest
            if what == "TYPE":
                need(rest in SUFFIXES, "type", rest)
            elif what == "UNIT":
                need(name.endswith("_" + rest), "the unit is not in the name:", line)
            else:
                need(not re.search(r'\\[^\\n"]', rest), "escapes:", line)
            continue
        name, labels, value = sample(line)
        need(present is not None, "a sample before its family:", line)
        family = families[present]
        need({"TYPE", "HELP"} <= set(family), "no TYPE or HELP:", present)
        need(name in [present + s for s in SUFFIXES[family["TYPE"]]], "a sample of another family:", line)
        family["samples"] += 1
        key = name, tuple(sorted((k, v) for k, v in labels.items() if v))
        need(key not in samples, "twice:", line)
        samples[key] = value
        if set(labels) - {"session"}:
            of_what = {"kind"} if name.startswith("bperf_overhead_") else {"scope", "event"}
            need(of_what <= set(labels), "labels:", line)
        need(re.fullmatch(r"[0-9]+(\.[0-9]+)?", value), "a value that is no count:", line)
    for name, family in families.items():
        need(family["samples"], "a family without samples:", name)
        need(("UNIT" in family) == name.endswith(("_seconds", "_ratio")), "unit of", name)
    need("bperf_elapsed_seconds" in (name for name, _ in samples), "no time")
    return samples


def openmetrics(path, several=False, killed=False):
    text = read(path, killed)
    if killed:
        text = text[:text.rfind("# EOF\n") + 6]
    need(text.endswith("\n# EOF\n"), "no # EOF at the end")
    parts = text.split("# EOF\n")[:-1]
    need(several or len(parts) == 1, len(parts), "ends")
    before = {}
    for part in parts:
        samples = exposition(part.split("\n")[:-1])
        for key, value in samples.items():
            need(key[0] == "bperf_level" or float(before.get(key, 0)) <= float(value), key, "went back from", before.get(key), "to", value)
        before = samples


def text_report(path, killed=False):
    text = read(path, killed)
    need("time elapsed" in text or re.search(r"^# +time", text, re.M), "no times")
    need(not re.search(r"\b(inf|nan)\b|-0\b|-nan", text), "inf, nan or -0")
    need(not re.search(r"[\0-\x09\x0b-\x1f\x7f\x80-\x9f]", text), "control characters")


def folder(path):
    for name in sorted(os.listdir(path)):
        _, *words, kind = name.split(".")
        killed, file = "killed" in words, os.path.join(path, name)
        try:
            if "same" in words and kind == "csv":
                same(file, file[:-3] + "json")
            if kind == "csv":
                csv_rows(file, "\t" if "tab" in words else "ab" if "ab" in words else ",", killed)
            elif kind == "json":
                json_rows(file, "perf" in words, killed)
            elif kind == "prom":
                openmetrics(file, "several" in words, killed)
            else:
                text_report(file, killed)
            print("right:", name)
        except (Wrong, ValueError) as wrong:
            print("wrong:", name, str(wrong).replace("\n", " "))


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    killed = "--killed" in options
    try:
        if words[0] == "csv" and len(words) == 3:
            csv_rows(words[2], words[1], killed)
        elif words[0] == "json" and len(words) == 2:
            json_rows(words[1], "--perf" in options, killed)
        elif words[0] == "openmetrics" and len(words) == 2:
            openmetrics(words[1], "--several" in options, killed)
        elif words[0] == "text" and len(words) == 2:
            text_report(words[1], killed)
        elif words[0] == "folder" and len(words) == 2:
            folder(words[1])
        else:
            sys.exit(__doc__)
    except (Wrong, ValueError) as wrong:
        print(f"{' '.join(words)}: {wrong}")
        sys.exit(1)


main()
