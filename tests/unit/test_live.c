/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

#include <stdlib.h>
#include <time.h>

#include "event.h"
#include "live.h"
#include "out.h"
#include "plan.h"

enum { EVENTS_MAX = 8, ROWS_MAX = 40000, GRID_ROWS = 600, GRID_COLUMNS = 600 };

static struct plan plan;
static struct event events[EVENTS_MAX];
static struct report_row rows[ROWS_MAX];
static struct report_place places[10000];
static struct thread_info threads[5000];
static struct report report;
static struct live live;
static struct live_screen screen;

/* --- a terminal that knows the few sequences which a frame may have ----------------------------------------------------- */

static char grid[GRID_ROWS][GRID_COLUMNS][5]; /* a character of UTF-8 each; "": a blank, or the right half of a wide one */
static int grid_rows, grid_columns, y, x, lines_written;
static bool is_clean;
static char why[128];

static void complain(const char *text, int value)
{
	if (is_clean)
		snprintf(why, sizeof(why), "%s %d at %d,%d", text, value, y, x);
	is_clean = false;
}

/* CSI y;x H, CSI K, CSI n m (with colour only) */
static const char *take_sequence(const char *p)
{
	int numbers[2] = {0}, count = 0;
	if (p[1] != '[') {
		complain("ESC", p[1]);
		return p + 1;
	}
	for (p += 2; (*p >= '0' && *p <= '9') || *p == ';'; p++) {
		if (*p == ';')
			count++;
		else if (count < 2)
			numbers[count] = numbers[count] * 10 + (*p - '0');
	}
	if (*p == 'H' && count == 1 && numbers[0] >= 1 && numbers[0] <= grid_rows && numbers[1] >= 1 && numbers[1] <= grid_columns) {
		lines_written += numbers[1] == 1 && p[1]; /* the last one only puts the cursor there */
		y = numbers[0] - 1;
		x = numbers[1] - 1;
	} else if (*p == 'K' && !count && !numbers[0]) {
		for (int i = x; i < grid_columns; i++)
			grid[y][i][0] = '\0';
	} else if (*p != 'm' || !screen.colour || (numbers[0] && numbers[0] != 7 && numbers[0] != 1 && (numbers[0] < 30 || numbers[0] > 37))) {
		complain("sequence", *p);
	}
	return p + 1;
}

/* Those of the tests are: CJK and the like. */
static bool is_wide(const char *p)
{
	return (unsigned char)*p >= 0xe3;
}

static const char *take_character(const char *p)
{
	int length = 1;
	if ((unsigned char)*p < 0x20 || *p == 0x7f)
		complain("control", (unsigned char)*p);
	if ((*p & 0xc0) == 0x80 || (screen.ascii && *p & 0x80))
		complain("byte", (unsigned char)*p);
	while ((p[length] & 0xc0) == 0x80)
		length++;
	if (x + 1 + is_wide(p) > grid_columns) {
		complain("wraps", x);
		return p + length;
	}
	snprintf(grid[y][x++], sizeof(grid[0][0]), "%.*s", length, p);
	if (is_wide(p))
		grid[y][x++][0] = '\0';
	return p + length;
}

static size_t frame_bytes;

/* Draws; nothing but what is allowed may come. */
static bool draw(bool is_whole)
{
	static char *text;
	size_t size = live_frame_size(&screen);
	free(text);
	text = malloc(size);
	struct out out = out_memory(text, size);
	grid_rows = screen.rows < 1 ? 1 : screen.rows > GRID_ROWS ? GRID_ROWS : screen.rows;
	grid_columns = screen.columns < 1 ? 1 : screen.columns > GRID_COLUMNS ? GRID_COLUMNS : screen.columns;
	is_clean = true;
	lines_written = 0;
	y = x = 0;
	live_draw(&live, &screen, is_whole, &out);
	frame_bytes = out.used;
	if (out.used + 1 >= size)
		complain("too long", (int)out.used);
	for (const char *p = text; *p;)
		p = *p == '\x1b' ? take_sequence(p) : take_character(p);
	if (!is_clean)
		printf("# %s\n", why);
	return is_clean;
}

/* What stands in a line of the terminal, without the blanks at its end. */
static const char *line(int n)
{
	static char text[GRID_COLUMNS * 4 + 1];
	int used = 0, end = 0;
	for (int i = 0; i < grid_columns; i++) {
		if (grid[n][i][0] || (i && is_wide(grid[n][i - 1]))) {
			used += snprintf(text + used, sizeof(text) - (size_t)used, "%s", grid[n][i]);
			if (strcmp(grid[n][i], " "))
				end = used;
		} else {
			text[used++] = ' ';
		}
	}
	text[end] = '\0';
	return text;
}

/* --- what is counted ---------------------------------------------------------------------------------------------------- */

static void begin(enum plan_kind kind, const char *subject, const char *names, int height, int width)
{
	live_close(&live);
	memset(&plan, 0, sizeof(plan));
	memset(grid, 0, sizeof(grid));
	plan.big_num = true;
	plan.interval_ms = 1000;
	plan.scopes_count = 1;
	plan.scopes[0] = (struct plan_scope){.kind = kind, .subject = subject};
	plan.events_count = event_parse_list(events, EVENTS_MAX, names, NULL);
	OK(plan.events_count > 0 && live_open(&live, &plan, "host") == 0, "begun for %s", names);
	report = (struct report){.plan = &plan, .rows = rows, .elapsed_ns = 1000000000, .runs = 1, .is_interval = true};
	screen = (struct live_screen){.rows = height, .columns = width, .ascii = true};
}

static struct report_row *add(int event, uint64_t value)
{
	struct report_row *r = &rows[report.rows_count++];
	*r = (struct report_row){.event = &events[event], .scope = plan.scopes, .state = REPORT_COUNTED, .value = value, .enabled = 100, .running = 100};
	return r;
}

static struct report_row *add_cpu(int event, int cpu, uint64_t value)
{
	struct report_row *r = add(event, value);
	r->place = &places[cpu];
	snprintf(places[cpu].name, sizeof(places[cpu].name), "CPU%d", cpu);
	return r;
}

static struct report_row *add_thread(int event, int index, const char *comm, uint64_t value)
{
	struct report_row *r = add(event, value);
	r->thread = &threads[index];
	threads[index].tid = index + 1;
	snprintf(threads[index].comm, sizeof(threads[index].comm), "%s", comm);
	return r;
}

/* The interval ends. */
static void take(void)
{
	report.time_ns += report.elapsed_ns;
	live_add(&live, &report);
	report.rows_count = 0;
}

static void test_share(void)
{
	begin(PLAN_SYSTEM, NULL, "cpu-clock,page-faults,cs", 10, 60);
	for (int cpu = 0; cpu < 3; cpu++)
		add_cpu(0, cpu, 1000000000);
	add_cpu(1, 0, 250);
	add_cpu(1, 1, 1000);
	add_cpu(1, 2, 0);
	for (int cpu = 0; cpu < 3; cpu++)
		add_cpu(2, cpu, 7)->state = REPORT_NOT_SUPPORTED;
	take();
	OK(draw(true), "three CPUs, narrow");
	EQ_TEXT(line(0), "system on host                       0:00:01, every 1000 ms", "the title");
	EQ_TEXT(line(1), "           page-faults", "the bars are of the first event that is no clock");
	EQ_TEXT(line(2), "CPU0   250 ############", "a quarter");
	EQ_TEXT(line(3), "CPU1 1,000 ################################################", "the largest is full");
	EQ_TEXT(line(4), "CPU2     0", "nothing");
	EQ_TEXT(line(5), "", "a blank");
	EQ_TEXT(line(6), "       3,000.00 msec cpu-clock   # 3.000 CPUs utilized", "the total of a clock");
	EQ_TEXT(line(7), "          1,250      page-faults # 416.667 /sec", "the total, with what follows from it");
	EQ_TEXT(line(8), "<not supported>      cs", "what this host has not");
	EQ_TEXT(line(9), "", "and nothing below");

	screen.columns = 81;
	screen.ascii = false;
	OK(draw(true), "wider, with blocks");
	EQ_TEXT(line(1), "           page-faults                                                  last 1 s", "the heading");
	/* 80 columns, 20 and a blank of them for the last minute, 11 for names and values: 48 for the bar; one point */
	EQ_TEXT(line(2), "CPU0   250 ████████████                                                        ▃", "a quarter");
	EQ_TEXT(line(3), "CPU1 1,000 ████████████████████████████████████████████████                    █", "full");
	EQ_TEXT(line(4), "CPU2     0                                                                     ▁", "nothing");
	add_cpu(1, 0, 330);
	add_cpu(1, 1, 1000);
	add_cpu(1, 2, 3);
	take();
	OK(draw(false), "the next second");
	EQ_TEXT(line(2), "CPU0   330 ███████████████▉                                                   ▃▃", "eighths");
	EQ_TEXT(line(4), "CPU2     3 ▏                                                                  ▁▁", "the least that shows");
	plan.big_num = false;
	OK(draw(true), "without commas");
	EQ_TEXT(line(3), "CPU1 1000 █████████████████████████████████████████████████                   ██", "... there is more room");
}

static void test_ipc(void)
{
	begin(PLAN_SYSTEM, NULL, "cycles,instructions,cs", 8, 60);
	for (int event = 0; event < 3; event++) {
		for (int cpu = 0; cpu < 2; cpu++)
			add_cpu(event, cpu, event == 1 ? 500 : 1000);
	}
	rows[3].value = 2000;
	take();
	OK(draw(true), "cycles and instructions");
	EQ_TEXT(line(1), "          insn per cycle", "are shown as one");
	EQ_TEXT(line(2), "CPU0 0.50 ############", "half an instruction");
	EQ_TEXT(line(3), "CPU1 2.00 #################################################", "two");
	EQ_TEXT(line(5), "2,000 cycles", "totals");
	EQ_TEXT(line(6), "2,500 instructions # 1.25 insn per cycle", "... with the metric of all");
	EQ_TEXT(line(7), "2,000 cs", "... and what is neither");
	add_cpu(0, 0, 1000);
	add_cpu(0, 1, 0)->state = REPORT_NOT_COUNTED;
	add_cpu(1, 0, 250);
	add_cpu(1, 1, 0)->state = REPORT_NOT_COUNTED;
	take();
	OK(draw(false), "a CPU without a counter");
	EQ_TEXT(line(2), "CPU0 0.25 ############", "a bar is full with 1 at least");
	EQ_TEXT(line(3), "CPU1    -", "no number");
	EQ_TEXT(line(7), "<not supported> cs", "what has no row");
}

static void test_percent(void)
{
	begin(PLAN_PROCESS, "7", "branches,branch-misses", 4, 60);
	add(0, 1000);
	add(1, 25);
	take();
	OK(draw(true), "a percentage");
	EQ_TEXT(line(3), "   25 branch-misses # 2.50% of all branches", "...");
}

/* The first interval shows no cycles: until there are some, it is a share. */
static void test_late_ipc(void)
{
	begin(PLAN_SYSTEM, NULL, "cycles,instructions", 6, 40);
	for (int event = 0; event < 2; event++) {
		add_cpu(event, 0, 0)->state = REPORT_NOT_COUNTED;
		add_cpu(event, 1, 0)->state = REPORT_NOT_COUNTED;
	}
	take();
	OK(draw(true), "nothing was counted");
	EQ_TEXT(line(1), "       cycles", "the first event");
	for (int event = 0; event < 2; event++) {
		add_cpu(event, 0, 3)->state = REPORT_NOT_COUNTED;
		add_cpu(event, 1, 5);
	}
	take();
	OK(draw(false), "now one CPU was");
	EQ_TEXT(line(1), "          insn per cycle", "instructions per cycle");
	EQ_TEXT(line(2), "CPU0    -", "none");
	EQ_TEXT(line(3), "CPU1 1.00 #############################", "one");
}

static void test_sparkline(void)
{
	begin(PLAN_PROCESS, "7", "cs", 2, 81);
	for (int i = 0; i < 8; i++) {
		add(0, (uint64_t)i * 100);
		take();
	}
	OK(draw(true), "eight seconds of one event");
	EQ_TEXT(line(0), "pid:7 on host                                             0:00:08, every 1000 ms", "the title");
	EQ_TEXT(line(1), "700 cs                                                                  _.:-=+*#", "from nothing to the most");
	screen.ascii = false;
	OK(draw(true), "in blocks");
	EQ_TEXT(line(1), "700 cs                                                                  ▁▂▃▄▅▆▇█", "... likewise");
	screen.ascii = true;
	for (int i = 0; i < 52; i++) {
		add(0, 1400);
		take();
	}
	OK(draw(false), "a minute in 20 columns");
	EQ_TEXT(line(1), "1,400 cs                                                    .:+#################", "a column is three seconds");
	for (int i = 0; i < 59; i++) {
		add(0, 0);
		take();
	}
	OK(draw(false), "the ring is full");
	EQ_TEXT(line(1), "0 cs                                                        :___________________", "the oldest went");
	add(0, 0);
	take();
	OK(draw(false), "... and the last of it");
	EQ_TEXT(line(1), "0 cs                                                        ____________________", "nothing is flat");
	screen.columns = 300;
	memset(grid, 0, sizeof(grid));
	OK(draw(true), "very wide");
	OK(strlen(line(1)) == 299 && strspn(line(1) + 239, "_") == 60, "a column a second, 60 of them");

	begin(PLAN_PROCESS, "7", "cs", 2, 81);
	plan.interval_ms = 250;
	report.elapsed_ns = 250000000;
	for (int i = 0; i < 8; i++) {
		add(0, i < 4 ? (uint64_t)i * 2 : 7);
		take();
	}
	OK(draw(true), "quarters of a second");
	EQ_INT(live.points_count, 2, "are put together");
	EQ_U64(live.totals.series[0].points[1], 12, "the first second's sum");
	EQ_U64(live.totals.series[0].points[2], 28, "the next");
	EQ_TEXT(line(1), "7 cs                                                                          -#", "and so they stand");

	begin(PLAN_PROCESS, "7", "cs", 2, 81);
	const uint64_t lengths[] = {999000000, 1001000000, 998000000, 1000000000, 3000000000, 1000000000};
	for (int i = 0; i < 6; i++) {
		report.elapsed_ns = lengths[i];
		add(0, lengths[i] / 1000000);
		take();
	}
	EQ_INT(live.points_count, 6, "intervals that are not quite a second are points all the same");
	for (int i = 1; i <= 6; i++)
		EQ_U64(live.totals.series[0].points[i], 1000, "... as what a second has");

	begin(PLAN_PROCESS, "7", "cs", 4, 81);
	plan.interval_ms = 10000;
	report.elapsed_ns = 10000000000;
	for (int i = 0; i < 3; i++) {
		add_thread(0, 0, "a", 10);
		add_thread(0, 1, "b", 10);
		take();
	}
	OK(draw(true), "ten seconds each");
	EQ_TEXT(line(1) + 60, "           last 30 s", "are told as such");
}

/* The hashes: only what changed is written, and one line more. */
static void test_changes(void)
{
	begin(PLAN_SYSTEM, NULL, "cs", 24, 80);
	for (int cpu = 0; cpu < 10; cpu++)
		add_cpu(0, cpu, 100);
	take();
	OK(draw(true) && lines_written == 24, "all lines first");
	OK(draw(false) && lines_written == 1, "one, if nothing changed");
	OK(draw(false) && lines_written == 1, "... and again");
	OK(draw(true) && lines_written == 24, "all, if it must be");
	memset(grid, 0, sizeof(grid));
	for (int i = 0; i < 24; i++)
		draw(false);
	OK(!strncmp(line(11), "CPU9 100 #######", 16) && !strncmp(line(0), "system", 6), "what others wrote over goes within so many frames as there are lines");
	for (int second = 0; second < 30; second++) {
		for (int cpu = 0; cpu < 10; cpu++)
			add_cpu(0, cpu, cpu == 3 ? 50 : 100);
		take();
		draw(false);
	}
	OK(frame_bytes < 1500, "10 CPUs: %zu bytes a second, for 9600 baud less than two", frame_bytes);
}

static void test_many(void)
{
	begin(PLAN_SYSTEM, NULL, "cs,faults", 12, 40);
	for (int event = 0; event < 2; event++) {
		for (int cpu = 0; cpu < 300; cpu++)
			add_cpu(event, cpu, (uint64_t)(cpu == 250 ? 1000 : cpu == 7 ? 2000 : cpu));
	}
	take();
	OK(draw(true), "300 CPUs in twelve lines");
	EQ_TEXT(line(1), "             cs", "heading");
	EQ_TEXT(line(2), "CPU7   2,000 ##########################", "the largest first");
	EQ_TEXT(line(3), "CPU250 1,000 #############", "the second");
	EQ_TEXT(line(4), "CPU299   299 ####", "the third");
	EQ_TEXT(line(8), "CPU295   295 ####", "the last");
	EQ_TEXT(line(9), "293 more", "the rest is told");
	EQ_TEXT(line(10), "47,593 cs", "the totals have all of them");
	EQ_TEXT(line(11), "47,593 faults", "... each");

	begin(PLAN_PROCESS, "1", "cs,faults,migrations,dummy", 50, 120);
	plan.per_thread = true;
	clock_t start = clock();
	for (int second = 0; second < 3; second++) {
		for (int event = 0; event < 4; event++) {
			for (int i = 0; i < 4096; i++)
				add_thread(event, i, "t", (uint64_t)i);
			struct report_row *rest = add_thread(event, 4096, "", 17);
			threads[4096].tid = 0;
			rest->thread = &threads[4096];
		}
		take();
		OK(draw(second == 0), "4097 threads");
	}
	OK(clock() - start < 5 * CLOCKS_PER_SEC, "... in time");
	OK(!strncmp(line(2), "t-4096 4,095 ####", 17), "the largest first, wherever it is: %s", line(2));
	EQ_TEXT(line(45), "4054 more", "the rest is told");
	EQ_INT(strncmp(line(46), "8,386,577 cs", 12), 0, "%s", line(46));

	begin(PLAN_SYSTEM, NULL, "cs", 6, 40);
	for (int cpu = 0; cpu < 9000; cpu++)
		add_cpu(0, cpu, (uint64_t)cpu % 8000);
	take();
	OK(draw(true), "more CPUs than there can be");
	EQ_TEXT(line(2), "CPU7999 7,999 #########################", "the largest of the first");
	EQ_TEXT(line(4), "8998 more", "all others are told");
	EQ_TEXT(line(5), "32,495,500 cs", "... and in the total");

	begin(PLAN_SYSTEM, NULL, "cs,faults,migrations,dummy", 4, 40);
	for (int event = 0; event < 4; event++)
		add_cpu(event, 0, 1);
	take();
	OK(draw(true), "more totals than lines");
	EQ_TEXT(line(3), "4 more", "... are told, too");
}

static void test_threads(void)
{
	begin(PLAN_PROCESS, "7", "cs", 8, 60);
	add_thread(0, 0, "first", 1);
	take();
	OK(draw(true), "one thread");
	EQ_TEXT(line(2), "1 cs", "is no more than the total");
	add_thread(0, 0, "first", 1);
	add_thread(0, 1, "born", 2);
	take();
	OK(draw(false), "another one");
	EQ_TEXT(line(2), "first-1 1 #########################", "in the order of their birth");
	EQ_TEXT(line(3), "born-2  2 #################################################", "...");
	add_thread(0, 1, "new name", 2);
	take();
	OK(draw(false), "a thread without a row");
	EQ_TEXT(line(2), "first-1    -", "has no number");
	EQ_TEXT(line(3), "new name-2 2 ##############################################", "a name may change");
}

static void test_scopes(void)
{
	begin(PLAN_SYSTEM, NULL, "cs", 12, 60);
	plan.scopes_count = 3;
	plan.scopes[1] = (struct plan_scope){.kind = PLAN_PROCESS, .subject = "99"};
	plan.scopes[2] = (struct plan_scope){.kind = PLAN_CGROUPS, .subject = "web,db"};
	events[1] = events[2] = events[0]; /* a copy for each scope */
	add_cpu(0, 0, 60);
	add_cpu(0, 1, 40);
	add(1, 30)->scope = &plan.scopes[1];
	struct report_row *r = add(2, 20);
	r->scope = &plan.scopes[2];
	r->cgroup = "web";
	r = add(2, 10);
	r->scope = &plan.scopes[2];
	r->cgroup = "db";
	r->running = 25;
	take();
	OK(draw(true), "three scopes");
	EQ_TEXT(line(0), "system, pid:99, cgroup:web,db on host 0:00:01, every 1000 m", "the title, cut");
	EQ_TEXT(line(2), "system CPU0       60 ######################################", "CPUs");
	EQ_TEXT(line(4), "pid:99            30 ###################", "a process");
	EQ_TEXT(line(5), "cgroup:web,db web 20 #############", "a group");
	EQ_TEXT(line(8), "system            100 cs", "the total of CPUs");
	EQ_TEXT(line(9), "pid:99             30 cs", "... of a process");
	EQ_TEXT(line(10), "cgroup:web,db web  20 cs", "groups may contain each other: no total of them");
	EQ_TEXT(line(11), "cgroup:web,db db   10 cs (25.00%)", "the share of the time");
}

/* Whatever the names, and whatever the size: nothing but what is allowed, within the screen. */
static void test_hostile(void)
{
	static const char *const names[] = {"\x1b[2J\x1b]0;x\a", "\xc2\x9b\x32J", "\xff\xfe", "日本語日本語日本語", "e\xcc\x81\xcc\x81", "ü", "a\nb\rc\td", "\x7f\x80",
					    "\xf0\x9f\x98\x80\xf0\x9f\x98\x80", ""};
	static const int sizes[][2] = {{0, 0}, {1, 1}, {-1, -5}, {1, 200}, {200, 1}, {2, 2}, {3, 3}, {5, 20}, {24, 59}, {24, 60}, {24, 61}, {24, 62}, {24, 80}, {25, 132}, {200, 500},
				       {600, 600}, {100000, 100000}, {65535, 7}, {4, 65535}};
	for (int style = 0; style < 4; style++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			begin(PLAN_PROCESS, "7", "cycles,instructions,cpu-clock", sizes[i][0], sizes[i][1]);
			plan.scopes[0].subject = names[i % 10];
			live.host = names[(i + 1) % 10];
			screen.ascii = style & 1;
			screen.colour = style & 2;
			snprintf(events[0].name, sizeof(events[0].name), "%s%s", names[(i + 2) % 10], names[3]);
			snprintf(events[2].unit, sizeof(events[2].unit), "%s", names[(i + 4) % 10]);
			bool ok = draw(true);
			for (int second = 0; second < 3; second++) {
				for (int event = 0; event < 3; event++) {
					for (int n = 0; n < 20; n++) {
						struct report_row *r = add_thread(event, n, names[n % 10], n % 3 ? (uint64_t)n << (n * 3) : UINT64_MAX);
						r->cgroup = n % 2 ? names[(n + 5) % 10] : "a/very/long/name/of/a/cgroup/that/does/not/fit/into/anything/at/all/日本語日本語日本語日本語";
						r->running = (uint64_t)n;
						r->state = (enum report_state)(n % 7 % 3);
					}
				}
				take();
				ok &= draw(second == 1);
			}
			OK(ok, "%d x %d%s%s", sizes[i][0], sizes[i][1], screen.ascii ? ", ASCII" : "", screen.colour ? ", colour" : "");
		}
	}
	begin(PLAN_PROCESS, "7", "cs", 5, 40);
	add_thread(0, 0, "日本", 1);
	add_thread(0, 1, "\x1b[2J", 1);
	take();
	OK(draw(true), "names in ASCII");
	EQ_TEXT(line(2), "?\?-1     1 ############################", "what is none");
	EQ_TEXT(line(3), "?[2J-2   1 ############################", "what a terminal would obey");
	screen.ascii = false;
	OK(draw(true), "names as they are");
	EQ_TEXT(line(2), "日本-1   1 ████████████████████████████", "two columns each: the bars begin in the same one");
	EQ_TEXT(line(3), "?[2J-2   1 ████████████████████████████", "...");
	snprintf(threads[0].comm, sizeof(threads[0].comm), "üé");
	OK(draw(false), "a name that takes fewer columns");
	EQ_TEXT(line(2), "üé-1   1 ██████████████████████████████", "... nor does it matter");
}

static void test_extremes(void)
{
	begin(PLAN_SYSTEM, NULL, "cs", 6, 60);
	plan.events_count = 0;
	OK(draw(true), "before the first interval");
	EQ_TEXT(line(0), "system on host                       0:00:00, every 1000 ms", "the title");
	take();
	OK(draw(true), "without events");
	EQ_TEXT(line(1), "", "there is nothing");

	begin(PLAN_SYSTEM, NULL, "cs", 6, 60);
	report.elapsed_ns = 0;
	add_cpu(0, 0, UINT64_MAX);
	add_cpu(0, 1, UINT64_MAX);
	take();
	OK(draw(true), "an interval of no length, and as much as there can be");
	report.elapsed_ns = UINT64_MAX;
	report.time_ns = 0;
	add_cpu(0, 0, UINT64_MAX);
	add_cpu(0, 1, 1);
	take();
	OK(draw(true), "the longest");
	EQ_TEXT(line(0), "system on host                 5124095:34:33, every 1000 ms", "its title");
	EQ_TEXT(line(5), "18,446,744,073,709,551,615 cs", "a sum that does not fit is the largest number");
	screen.colour = true;
	OK(draw(true), "with colours");
	screen.colour = false;
	live_close(&live);
	live_close(&live);
}

/* What is reported at the end: of all CPUs. */
static void test_join(void)
{
	begin(PLAN_SYSTEM, NULL, "cs,faults", 6, 60);
	for (int event = 0; event < 2; event++) {
		for (int group = 0; group < 2; group++) {
			for (int cpu = 0; cpu < 3; cpu++) {
				struct report_row *r = add_cpu(event, cpu, (uint64_t)(1 << cpu) << (4 * group));
				r->cgroup = group ? "b" : "a";
				r->state = cpu == 1 ? REPORT_COUNTED : REPORT_NOT_COUNTED;
			}
		}
		add_thread(event, 0, "t", 1000);
		add_thread(event, 1, "t", 2000);
	}
	EQ_INT(report_join(rows, report.rows_count), 8, "CPUs become one, threads do not");
	static const uint64_t values[] = {7, 0x70, 1000, 2000};
	for (int i = 0; i < 8; i++) {
		EQ_U64(rows[i].value, values[i % 4], "row %d: the sum", i);
		OK(rows[i].event == &events[i / 4] && !rows[i].place, "... of its event, of no place");
		EQ_INT(rows[i].state, REPORT_COUNTED, "... counted, as one of them was");
		EQ_U64(rows[i].running, i % 4 < 2 ? 300 : 100, "... with their times");
	}
	EQ_TEXT(rows[1].cgroup, "b", "... of its group");
	EQ_INT(report_join(rows, 0), 0, "of none there is none");
}

int main(void)
{
	test_share();
	test_ipc();
	test_late_ipc();
	test_percent();
	test_sparkline();
	test_changes();
	test_many();
	test_threads();
	test_scopes();
	test_hostile();
	test_extremes();
	test_join();
	return test_done();
}
