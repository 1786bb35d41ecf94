/* SPDX-License-Identifier: GPL-2.0-only */
/* What live.c has taken in -> a frame. */
#include "live.h"

#include <string.h>

#include "event.h"
#include "number.h"
#include "out.h"
#include "plan.h"
#include "reading.h"

/* Columns. Below SPARK_FROM of them there is no last minute, else it has a quarter; a bar of less than BAR_MIN is not worth its
 * number beside it. The last column stays empty: what is written there leaves the cursor where each terminal thinks best. */
enum { SPARK_FROM = 60, BAR_MIN = 8, LABEL_SIZE = 64, NAME_MAX_WIDTH = 24, LEVELS = 8, EIGHTHS = 8 };

/* Bytes of a line: a column takes three at most (a block; a foreign character of four is given two columns), colours and moves
 * some more. */
enum { BYTES_PER_COLUMN = 3, BYTES_PER_LINE = 160 };

static const uint64_t point_min_ns = 1000000000, hash_start = 0xcbf29ce484222325, hash_factor = 0x100000001b3; /* FNV-1a */

static const char title_style[] = "7", bar_style[] = "32", spark_style[] = "36", heading_style[] = "1";

/* A line that is being written. */
struct pen {
	const struct live_screen *screen;
	struct out out;
	int row, column, end; /* column: the next one, from 0; end: the first that is not to be used */
	bool is_loose;        /* something foreign may have taken fewer columns than it was given */
	char text[LIVE_COLUMNS_MAX * BYTES_PER_COLUMN + BYTES_PER_LINE];
};

struct frame {
	struct live *live;
	const struct live_screen *screen;
	struct out *out;
	bool is_whole;
	int rows, width; /* width: columns to be used */
	int row;         /* the next one */
	int spark;       /* columns of the last minute, at the right end; 0: none */
	struct pen pen;
};

size_t live_frame_size(const struct live_screen *screen)
{
	size_t rows = screen->rows < 1 ? 1 : screen->rows > LIVE_ROWS_MAX ? LIVE_ROWS_MAX : (size_t)screen->rows;
	size_t columns = screen->columns < 1                  ? 1
			 : screen->columns > LIVE_COLUMNS_MAX ? LIVE_COLUMNS_MAX
							      : (size_t)screen->columns;
	return rows * (columns * BYTES_PER_COLUMN + BYTES_PER_LINE) + 1;
}

/* --- a line ----------------------------------------------------------------------------------------------------------- */

static void style(struct pen *pen, const char *sgr)
{
	if (pen->screen->colour)
		out_format(&pen->out, "\x1b[%sm", sgr);
}

/* Text of ours: a byte is a column. */
static void put(struct pen *pen, const char *text)
{
	for (; *text && pen->column < pen->end; pen->column++)
		out_bytes(&pen->out, text++, 1);
}

/* A character of UTF-8, `columns` wide. */
static void put_character(struct pen *pen, const char *text, size_t length, int columns)
{
	if (pen->column + columns > pen->end)
		return;
	out_bytes(&pen->out, text, length);
	pen->column += columns;
}

/* The foreign text, as it may be shown. */
static void clean(char *text, size_t size, const char *foreign)
{
	struct out out = out_memory(text, size);
	out_clean(&out, foreign);
}

/* A character that is not ASCII may be none, one or two columns wide: room is left for two. */
static void put_foreign(struct pen *pen, const char *foreign)
{
	char text[512];
	clean(text, sizeof(text), foreign);
	for (const char *p = text; *p && pen->column < pen->end;) {
		size_t length = 1;
		while ((p[length] & 0xc0) == 0x80)
			length++;
		if (length == 1) {
			put_character(pen, *p & 0x80 ? "?" : p, 1, 1); /* the rest of a character that was cut */
		} else if (pen->screen->ascii) {
			put_character(pen, "?", 1, 1);
		} else {
			pen->is_loose = true;
			put_character(pen, p, length, 2);
		}
		p += length;
	}
}

/* Goes on in this column, with blanks up to there. */
static void move_to(struct pen *pen, int column)
{
	if (column > pen->end)
		column = pen->end;
	if (pen->is_loose && pen->column < column) {
		out_format(&pen->out, "\x1b[K\x1b[%d;%dH", pen->row + 1, column + 1);
		pen->column = column;
		pen->is_loose = false;
	}
	while (pen->column < column)
		put(pen, " ");
}

static void put_right(struct pen *pen, const char *text, int width)
{
	move_to(pen, pen->column + width - (int)strlen(text));
	put(pen, text);
}

/* part / whole * scale, rounded, at most scale */
static int share_of(uint64_t part, uint64_t whole, int scale)
{
	uint64_t share = reading_ratio(part, whole, (uint64_t)scale);
	return share > (uint64_t)scale ? scale : (int)share;
}

/* U+2588 is the full block; down to U+258F each is an eighth narrower. */
static void put_bar(struct pen *pen, uint64_t part, uint64_t whole, int width)
{
	const int unit = pen->screen->ascii ? 1 : EIGHTHS;
	int length = share_of(part, whole, width * unit);
	for (; length >= unit && width > 0; length -= unit)
		put_character(pen, unit == 1 ? "#" : "\xe2\x96\x88", unit == 1 ? 1 : 3, 1);
	if (length > 0) {
		const char block[] = {'\xe2', '\x96', (char)(0x90 - length)};
		put_character(pen, block, sizeof(block), 1);
	}
}

/* 0 is the oldest. */
static uint64_t point_of(const struct live *live, const struct live_series *series, int index)
{
	return series->points[(live->at + 1 - live->points_count + index + LIVE_POINTS) % LIVE_POINTS];
}

/* The newest point is in the last column; where there are more points than columns, a column is the mean of some. U+2581 is the
 * lowest block, U+2588 the highest. */
static void put_spark(struct frame *frame, const struct live_series *series, uint64_t largest)
{
	struct pen *pen = &frame->pen;
	const int points = frame->live->points_count, shown = points < frame->spark ? points : frame->spark;
	move_to(pen, pen->end - shown);
	style(pen, spark_style);
	for (int i = 0; i < shown; i++) {
		const int first = points * i / shown, end = points * (i + 1) / shown;
		uint64_t sum = 0;
		for (int point = first; point < end; point++)
			sum = reading_sum(sum, point_of(frame->live, series, point));
		int level = share_of(sum / (uint64_t)(end - first), largest, LEVELS - 1);
		const char block[] = {'\xe2', '\x96', (char)(0x81 + level)};
		if (pen->screen->ascii)
			put_character(pen, &"_.:-=+*#"[level], 1, 1);
		else
			put_character(pen, block, sizeof(block), 1);
	}
	style(pen, "0");
}

static uint64_t largest_point(const struct live *live, const struct live_block *block, int first, int end)
{
	uint64_t largest = 0;
	for (int i = first; i < end; i++) {
		for (int point = 0; point < live->points_count; point++) {
			uint64_t value = point_of(live, &block->series[i], point);
			largest = value > largest ? value : largest;
		}
	}
	return largest;
}

static void begin_line(struct frame *frame)
{
	struct pen *pen = &frame->pen;
	pen->screen = frame->screen;
	pen->out = out_memory(pen->text, sizeof(pen->text));
	pen->row = frame->row;
	pen->column = 0;
	pen->end = frame->width;
	pen->is_loose = false;
}

/* What is left of the last minute, in front of it. */
static void leave_room(struct frame *frame)
{
	frame->pen.end = frame->width - (frame->spark ? frame->spark + 1 : 0);
}

/* Writes the line where it is not what stands there. One line a frame is written in any case: what others wrote on the screen (the
 * kernel on a serial console, say) does not stay. */
static void end_line(struct frame *frame)
{
	struct live *live = frame->live;
	uint64_t hash = hash_start;
	for (const char *p = frame->pen.text; *p; p++)
		hash = (hash ^ (unsigned char)*p) * hash_factor;
	if (frame->is_whole || hash != live->drawn[frame->row] ||
	    live->frames % (unsigned)frame->rows == (unsigned)frame->row)
		out_format(frame->out, "\x1b[%d;1H%s\x1b[K", frame->row + 1, frame->pen.text);
	live->drawn[frame->row++] = hash;
}

/* --- the blocks ------------------------------------------------------------------------------------------------------- */

static void label_of(char *text, size_t size, const struct live *live, const struct report_row *row)
{
	struct out out = out_memory(text, size);
	char scope[LABEL_SIZE];
	report_scope(scope, sizeof(scope), row->scope);
	const bool is_bare = !row->place && !row->thread && !row->cgroup && !row->program;
	if (is_bare || live->plan->scopes_count > 1)
		out_text(&out, scope);
	if (!is_bare && live->plan->scopes_count > 1)
		out_text(&out, " ");
	if (row->cgroup)
		out_text(&out, row->cgroup);
	if (row->program)
		out_format(&out, "%s-%u", row->program->name, row->program->id);
	if (row->thread && row->thread->tid)
		out_format(&out, "%s-%d", row->thread->comm, (int)row->thread->tid);
	else if (row->thread)
		out_text(&out, "others");
	if (row->place)
		out_format(&out, "%s%s", row->cgroup ? " " : "", row->place->name);
}

static struct number count_text(const struct live *live, const struct event *event, const struct report_row *row)
{
	if (row->state != REPORT_COUNTED)
		return row->state == REPORT_NOT_COUNTED ? (struct number){"<not counted>"}
							: (struct number){"<not supported>"};
	return number_count(event, row->value, false, live->plan->big_num);
}

static struct number value_text(const struct live *live, int line)
{
	if (live->lines.rows[line].state != REPORT_COUNTED)
		return (struct number){"-"};
	return live->is_ipc ? number_format(live->lines.series[line].now, 2, false)
			    : count_text(live, live->bar_event, &live->lines.rows[line]);
}

static void wider(int *width, int other, int most)
{
	other = other > most ? most : other;
	*width = *width > other ? *width : other;
}

/* The next one that is not shown: in order, or, where there is no room for all, the largest. */
static int next_line(struct live_block *lines, bool in_order)
{
	int next = -1;
	for (int i = 0; i < lines->count; i++) {
		if (lines->series[i].is_shown)
			continue;
		if (next < 0 || (!in_order && lines->series[i].now > lines->series[next].now))
			next = i;
	}
	lines->series[next].is_shown = true;
	return next;
}

static void put_more(struct frame *frame, uint64_t more)
{
	char text[32];
	begin_line(frame);
	out_print(text, sizeof(text), "%llu more", (unsigned long long)more);
	put(&frame->pen, text);
	end_line(frame);
}

/* How many of a block's lines are drawn where there are so many rows: the last one may have to say how many more there are. */
static int fitting(const struct live_block *block, int rows)
{
	if (block->count <= rows && !block->dropped)
		return block->count;
	return rows < 1 ? 0 : rows - 1 < block->count ? rows - 1 : block->count;
}

static void put_heading(struct frame *frame, int column)
{
	struct live *live = frame->live;
	uint64_t point_ns = live->plan->interval_ms * 1000000U;
	char text[48];
	begin_line(frame);
	leave_room(frame);
	style(&frame->pen, heading_style);
	move_to(&frame->pen, column);
	put_foreign(&frame->pen, live->is_ipc ? "insn per cycle" : live->bar_event->name);
	frame->pen.end = frame->width;
	if (point_ns < point_min_ns)
		point_ns = point_min_ns;
	out_print(text, sizeof(text), "last %llu s",
		  (unsigned long long)((uint64_t)live->points_count * point_ns / point_min_ns));
	if (frame->spark) {
		move_to(&frame->pen, frame->width - frame->spark);
		put_right(&frame->pen, text, frame->spark);
	}
	style(&frame->pen, "0");
	end_line(frame);
}

static void put_lines(struct frame *frame, int rows)
{
	struct live *live = frame->live;
	struct live_block *lines = &live->lines;
	const int count = fitting(lines, rows - 1), body = frame->width - (frame->spark ? frame->spark + 1 : 0);
	int shown[LIVE_ROWS_MAX], label = 0, value = 0;
	uint64_t full = live->is_ipc ? 100 : 0;
	char text[2 * LABEL_SIZE];
	for (int i = 0; i < lines->count; i++)
		lines->series[i].is_shown = false;
	for (int i = 0; i < count; i++) {
		const int line = shown[i] = next_line(lines, count == lines->count);
		label_of(text, sizeof(text), live, &lines->rows[line]);
		wider(&label, (int)strlen(text), body / 3);
		wider(&value, (int)strlen(value_text(live, line).text), body);
		full = lines->series[line].now > full ? lines->series[line].now : full;
	}
	int bar = body - label - value - 2;
	if (bar < BAR_MIN) {
		bar += value + 1;
		value = 0;
	}
	put_heading(frame, body - bar);
	const uint64_t largest = largest_point(live, lines, 0, lines->count);
	for (int i = 0; i < count; i++) {
		struct pen *pen = &frame->pen;
		begin_line(frame);
		pen->end = label < pen->end ? label : pen->end;
		label_of(text, sizeof(text), live, &lines->rows[shown[i]]);
		put_foreign(pen, text);
		move_to(pen, label);
		leave_room(frame);
		if (value) {
			move_to(pen, label + 1);
			put_right(pen, value_text(live, shown[i]).text, value);
		}
		move_to(pen, body - bar);
		style(pen, bar_style);
		put_bar(pen, lines->series[shown[i]].now, full, bar);
		style(pen, "0");
		pen->end = frame->width;
		put_spark(frame, &lines->series[shown[i]], largest);
		end_line(frame);
	}
	if (count < lines->count || lines->dropped)
		put_more(frame, (uint64_t)(lines->count - count) + lines->dropped);
}

/* Widths of the columns of totals. */
struct widths {
	int label, count, unit, name;
};

static void put_total(struct frame *frame, int index, const struct widths *widths)
{
	const struct live_block *totals = &frame->live->totals;
	const struct report_row *row = &totals->rows[index];
	const struct metric metric = totals->series[index].metric;
	struct pen *pen = &frame->pen;
	char text[2 * LABEL_SIZE];
	begin_line(frame);
	leave_room(frame);
	const int end = pen->end;
	if (widths->label) {
		pen->end = widths->label < end ? widths->label : end;
		label_of(text, sizeof(text), frame->live, row);
		put_foreign(pen, text);
		move_to(pen, widths->label);
		pen->end = end;
		put(pen, " ");
	}
	put_right(pen, count_text(frame->live, row->event, row).text, widths->count);
	put(pen, " ");
	int column = pen->column + widths->unit + (widths->unit > 0);
	put_foreign(pen, number_unit(row->event));
	move_to(pen, column);
	put_foreign(pen, row->event->name);
	move_to(pen, column + widths->name + 1);
	if (metric.unit) {
		out_print(text, sizeof(text), "# %s %s ", number_format(metric.value, metric.decimals, false).text,
			  metric.unit);
		put(pen, text);
	}
	if (row->running < row->enabled) {
		out_print(text, sizeof(text), "(%s%%)",
			  number_format(reading_ratio(row->running, row->enabled, 10000), 2, false).text);
		put(pen, text);
	}
	pen->end = frame->width;
	put_spark(frame, &totals->series[index], largest_point(frame->live, totals, index, index + 1));
	end_line(frame);
}

static void put_totals(struct frame *frame, int rows)
{
	const struct live *live = frame->live;
	const struct live_block *totals = &live->totals;
	const int count = fitting(totals, rows);
	struct widths widths = {0};
	char text[2 * LABEL_SIZE];
	for (int i = 0; i < count; i++) {
		const struct report_row *row = &totals->rows[i];
		label_of(text, sizeof(text), live, row);
		if (live->plan->scopes_count > 1 || row->cgroup || row->program)
			wider(&widths.label, (int)strlen(text), frame->width / 3);
		wider(&widths.count, (int)strlen(count_text(live, row->event, row).text), frame->width);
		wider(&widths.unit, (int)strlen(number_unit(row->event)), NAME_MAX_WIDTH);
		wider(&widths.name, (int)strlen(row->event->name), NAME_MAX_WIDTH);
	}
	for (int i = 0; i < count; i++)
		put_total(frame, i, &widths);
	if (count < totals->count || totals->dropped)
		put_more(frame, (uint64_t)(totals->count - count) + totals->dropped);
}

/* --- the whole -------------------------------------------------------------------------------------------------------- */

static void put_title(struct frame *frame)
{
	const struct live *live = frame->live;
	const struct plan *plan = live->plan;
	const uint64_t seconds = live->elapsed_ns / point_min_ns;
	struct pen *pen = &frame->pen;
	char text[LABEL_SIZE];
	begin_line(frame);
	style(pen, title_style);
	for (int i = 0; i < plan->scopes_count; i++) {
		report_scope(text, sizeof(text), &plan->scopes[i]);
		put(pen, i ? ", " : "");
		put_foreign(pen, text);
	}
	if (live->host && *live->host) {
		put(pen, " on ");
		put_foreign(pen, live->host);
	}
	out_print(text, sizeof(text), "%llu:%02llu:%02llu, every %llu ms", (unsigned long long)(seconds / 3600),
		  (unsigned long long)(seconds / 60 % 60), (unsigned long long)(seconds % 60),
		  (unsigned long long)plan->interval_ms);
	if (pen->column + (int)strlen(text) < pen->end)
		move_to(pen, pen->end - (int)strlen(text));
	else
		put(pen, " ");
	put(pen, text);
	style(pen, "0");
	end_line(frame);
}

void live_draw(struct live *live, const struct live_screen *screen, bool is_whole, struct out *out)
{
	static struct frame frame;
	frame = (struct frame){.live = live, .screen = screen, .out = out, .is_whole = is_whole};
	frame.rows = screen->rows < 1 ? 1 : screen->rows > LIVE_ROWS_MAX ? LIVE_ROWS_MAX : screen->rows;
	frame.width = (screen->columns > LIVE_COLUMNS_MAX ? LIVE_COLUMNS_MAX : screen->columns) - 1;
	if (frame.width < 0)
		frame.width = 0;
	if (frame.width >= SPARK_FROM)
		frame.spark = frame.width / 4 < LIVE_POINTS ? frame.width / 4 : LIVE_POINTS;
	live->frames++;

	const int room = frame.rows - 1;
	/* one line says no more than the totals, but of a CPU */
	const bool has_lines = live->lines.count > 1 || (live->lines.count && live->lines.rows[0].place);
	const int lines = has_lines ? 1 + live->lines.count + (live->lines.dropped > 0) : 0;
	int totals = live->totals.count + (live->totals.dropped > 0);
	if (lines + totals > room) {
		const int least = room / 3 > room - lines ? room / 3 : room - lines;
		totals = totals < least ? totals : least;
	}
	put_title(&frame);
	if (has_lines && room - totals > 1)
		put_lines(&frame, room - totals < lines ? room - totals : lines);
	if (totals > 0 && frame.row + totals < frame.rows) {
		begin_line(&frame);
		end_line(&frame);
	}
	if (totals > 0)
		put_totals(&frame, totals);
	while (frame.row < frame.rows) {
		begin_line(&frame);
		end_line(&frame);
	}
}
