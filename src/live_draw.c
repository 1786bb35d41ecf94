/* SPDX-License-Identifier: GPL-2.0-only */
/* What live.c has taken in -> a frame. */
#include "live.h"

#include <string.h>

#include "event.h"
#include "number.h"
#include "out.h"
#include "pen.h"
#include "plan.h"
#include "reading.h"

/* Columns. Below SPARK_FROM of them there is no last minute, else it has a quarter; a bar of less than BAR_MIN is not worth its
 * number beside it. The last column stays empty: what is written there leaves the cursor where each terminal thinks best. */
enum { SPARK_FROM = 60, BAR_MIN = 8, LABEL_SIZE = 128, NAME_MAX_WIDTH = 24 };

/* SGR of ECMA-48 */
enum {
	STYLE_NONE = 0,
	STYLE_HEADING = 1 /* bold */,
	STYLE_TITLE = 7 /* reverse */,
	STYLE_BAR = 32 /* green */,
	STYLE_SPARK = 36 /* cyan */
};

static const uint64_t point_min_ns = 1000000000, hash_start = 0xcbf29ce484222325, hash_factor = 0x100000001b3; /* FNV-1a */

struct frame {
	struct live *live;
	struct out *out;
	bool is_whole;
	int rows, row;   /* row: the next one */
	int width, body; /* columns to be used; those that are left of the last minute */
	int spark;       /* those of the last minute; 0: there is none */
	struct pen pen;
};

static int limit(int value, int most)
{
	return value < 1 ? 1 : value > most ? most : value;
}

size_t live_frame_size(const struct live_screen *screen)
{
	size_t columns = (size_t)limit(screen->columns, LIVE_COLUMNS_MAX);
	return (size_t)limit(screen->rows, LIVE_ROWS_MAX) * (columns * PEN_BYTES_PER_COLUMN + PEN_BYTES_PER_LINE) +
	       PEN_BYTES_PER_LINE;
}

/* --- a line ----------------------------------------------------------------------------------------------------------- */

/* 0 is the oldest. */
static uint64_t point_of(const struct live *live, const struct live_series *series, int index)
{
	return series->points[(live->at + 1 - live->points_count + index + LIVE_POINTS) % LIVE_POINTS];
}

/* The newest point is in the last column; where there are more points than columns, a column is the mean of some. */
static void put_spark(struct frame *frame, const struct live_series *series, uint64_t largest)
{
	struct pen *pen = &frame->pen;
	const int points = frame->live->points_count, shown = points < frame->spark ? points : frame->spark;
	pen->end = frame->width;
	pen_move(pen, pen->end - shown);
	pen_style(pen, STYLE_SPARK);
	for (int i = 0; i < shown; i++) {
		const int first = points * i / shown, end = points * (i + 1) / shown;
		uint64_t sum = 0;
		for (int point = first; point < end; point++)
			sum = reading_sum(sum, point_of(frame->live, series, point));
		pen_level(pen, sum / (uint64_t)(end - first), largest);
	}
	pen_style(pen, STYLE_NONE);
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
	pen_begin(&frame->pen, frame->row, frame->width);
}

static void put_label(struct frame *frame, const char *text, int width)
{
	struct pen *pen = &frame->pen;
	pen->end = width < frame->body ? width : frame->body;
	pen_foreign(pen, text);
	pen_move(pen, width);
	pen->end = frame->body;
}

/* --- the blocks ------------------------------------------------------------------------------------------------------- */

static void label_of(char *text, size_t size, const struct live *live, const struct report_row *row)
{
	struct out out = out_memory(text, size);
	char scope[LABEL_SIZE / 2];
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
	static const struct number states[] = {
		[REPORT_NOT_COUNTED] = {"<not counted>"},
		[REPORT_NOT_SUPPORTED] = {"<not supported>"},
	};
	if (row->state != REPORT_COUNTED)
		return states[row->state];
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
	out_print(text, sizeof(text), "%llu more", (unsigned long long)more);
	pen_put(&frame->pen, text);
	end_line(frame);
}

/* How many of a block's lines are drawn where there are so many rows: the last one may have to say how many more there are. */
static int fitting(const struct live_block *block, int rows)
{
	if (block->count <= rows && !block->dropped)
		return block->count;
	return rows < 1 ? 0 : rows - 1 < block->count ? rows - 1 : block->count;
}

/* What the bars are of, and how long the last minute is. */
static void put_heading(struct frame *frame, int column)
{
	const struct live *live = frame->live;
	const uint64_t interval_ns = live->plan->interval_ms * 1000000U;
	const uint64_t point_ns = interval_ns < point_min_ns ? point_min_ns : interval_ns;
	struct pen *pen = &frame->pen;
	char text[48];
	pen_style(pen, STYLE_HEADING);
	pen->end = frame->body;
	pen_move(pen, column);
	pen_foreign(pen, live->is_ipc ? "insn per cycle" : live->bar_event->name);
	out_print(text, sizeof(text), "last %llu s",
		  (unsigned long long)((uint64_t)live->points_count * point_ns / point_min_ns));
	pen->end = frame->width;
	if (frame->spark) {
		pen_move(pen, frame->width - frame->spark);
		pen_right(pen, text, frame->spark);
	}
	pen_style(pen, STYLE_NONE);
	end_line(frame);
}

/* What the lines that are shown have in common. */
struct lines {
	int count, shown[LIVE_ROWS_MAX]; /* indices */
	int label, value, bar;           /* columns; value 0: it is not shown */
	uint64_t full;                   /* of which the bar is full */
	uint64_t largest;                /* likewise of the last minute */
};

static void choose_lines(struct frame *frame, struct lines *chosen, int rows)
{
	struct live *live = frame->live;
	struct live_block *lines = &live->lines;
	char text[LABEL_SIZE];
	*chosen = (struct lines){.count = fitting(lines, rows), .full = live->is_ipc ? 100 : 0};
	for (int i = 0; i < lines->count; i++)
		lines->series[i].is_shown = false;
	for (int i = 0; i < chosen->count; i++) {
		const int line = chosen->shown[i] = next_line(lines, chosen->count == lines->count);
		const uint64_t now = lines->series[line].now;
		label_of(text, sizeof(text), live, &lines->rows[line]);
		wider(&chosen->label, (int)strlen(text), frame->body / 3);
		wider(&chosen->value, (int)strlen(value_text(live, line).text), frame->body);
		chosen->full = now > chosen->full ? now : chosen->full;
	}
	chosen->largest = largest_point(live, lines, 0, lines->count);
	chosen->bar = frame->body - chosen->label - chosen->value - 2;
	if (chosen->bar < BAR_MIN) {
		chosen->bar += chosen->value + 1;
		chosen->value = 0;
	}
}

static void put_lines(struct frame *frame, int rows)
{
	struct live *live = frame->live;
	const struct live_block *lines = &live->lines;
	struct pen *pen = &frame->pen;
	struct lines chosen;
	char text[LABEL_SIZE];
	choose_lines(frame, &chosen, rows - 1);
	put_heading(frame, frame->body - chosen.bar);
	for (int i = 0; i < chosen.count; i++) {
		const int line = chosen.shown[i];
		label_of(text, sizeof(text), live, &lines->rows[line]);
		put_label(frame, text, chosen.label);
		pen_put(pen, " ");
		if (chosen.value)
			pen_right(pen, value_text(live, line).text, chosen.value);
		pen_move(pen, frame->body - chosen.bar);
		pen_style(pen, STYLE_BAR);
		pen_bar(pen, lines->series[line].now, chosen.full, chosen.bar);
		pen_style(pen, STYLE_NONE);
		put_spark(frame, &lines->series[line], chosen.largest);
		end_line(frame);
	}
	if (chosen.count < lines->count || lines->dropped)
		put_more(frame, (uint64_t)(lines->count - chosen.count) + lines->dropped);
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
	char text[LABEL_SIZE];
	pen->end = frame->body;
	if (widths->label) {
		label_of(text, sizeof(text), frame->live, row);
		put_label(frame, text, widths->label);
		pen_put(pen, " ");
	}
	pen_right(pen, count_text(frame->live, row->event, row).text, widths->count);
	pen_put(pen, " ");
	const int column = pen->column + widths->unit + (widths->unit > 0);
	pen_foreign(pen, number_unit(row->event));
	pen_move(pen, column);
	pen_foreign(pen, row->event->name);
	pen_move(pen, column + widths->name + 1);
	if (metric.unit) {
		out_print(text, sizeof(text), "# %s%s %s ", number_format(metric.value, metric.decimals, false).text,
			  metric.is_percent ? "%" : "", metric.unit);
		pen_put(pen, text);
	}
	if (row->running < row->enabled) {
		out_print(text, sizeof(text), "(%s%%)",
			  number_format(number_percent(row->running, row->enabled), 2, false).text);
		pen_put(pen, text);
	}
	put_spark(frame, &totals->series[index], largest_point(frame->live, totals, index, index + 1));
	end_line(frame);
}

static void put_totals(struct frame *frame, int rows)
{
	const struct live *live = frame->live;
	const struct live_block *totals = &live->totals;
	const int count = fitting(totals, rows);
	struct widths widths = {0};
	char text[LABEL_SIZE];
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
	const unsigned long long seconds = live->elapsed_ns / point_min_ns;
	struct pen *pen = &frame->pen;
	char text[LABEL_SIZE];
	pen_style(pen, STYLE_TITLE);
	for (int i = 0; i < plan->scopes_count; i++) {
		report_scope(text, sizeof(text), &plan->scopes[i]);
		pen_put(pen, i ? ", " : "");
		pen_foreign(pen, text);
	}
	if (live->host && *live->host) {
		pen_put(pen, " on ");
		pen_foreign(pen, live->host);
	}
	out_print(text, sizeof(text), "%llu:%02llu:%02llu, every %llu ms", seconds / 3600, seconds / 60 % 60, seconds % 60,
		  (unsigned long long)plan->interval_ms);
	pen_put(pen, " ");
	pen_right(pen, text, pen->end - pen->column);
	pen_style(pen, STYLE_NONE);
	end_line(frame);
}

/* How the rows below the title are shared out: the lines with their heading, and the totals, which get a third at least. */
static void put_blocks(struct frame *frame)
{
	const struct live_block *lines = &frame->live->lines, *totals = &frame->live->totals;
	const int room = frame->rows - 1;
	/* one line says no more than the totals, but of a CPU */
	const bool has_lines = lines->count > 1 || (lines->count && lines->rows[0].place);
	const int for_lines = has_lines ? 1 + lines->count + (lines->dropped > 0) : 0;
	int for_totals = totals->count + (totals->dropped > 0);
	if (for_lines + for_totals > room) {
		const int least = room / 3 > room - for_lines ? room / 3 : room - for_lines;
		for_totals = for_totals < least ? for_totals : least;
	}
	if (has_lines && room - for_totals > 1)
		put_lines(frame, room - for_totals < for_lines ? room - for_totals : for_lines);
	if (for_totals > 0 && frame->row + for_totals < frame->rows)
		end_line(frame);
	if (for_totals > 0)
		put_totals(frame, for_totals);
}

void live_draw(struct live *live, const struct live_screen *screen, bool is_whole, struct out *out)
{
	static struct frame frame;
	frame.live = live;
	frame.out = out;
	frame.is_whole = is_whole;
	frame.rows = limit(screen->rows, LIVE_ROWS_MAX);
	frame.row = 0;
	frame.width = limit(screen->columns, LIVE_COLUMNS_MAX) - 1;
	frame.spark = frame.width < SPARK_FROM ? 0 : limit(frame.width / 4, LIVE_POINTS);
	frame.body = frame.spark ? frame.width - frame.spark - 1 : frame.width;
	frame.pen.ascii = screen->ascii;
	frame.pen.colour = screen->colour;
	live->frames++;
	pen_begin(&frame.pen, 0, frame.width);
	put_title(&frame);
	put_blocks(&frame);
	while (frame.row < frame.rows)
		end_line(&frame);
	/* what a command, or the echo of a key, writes there is drawn over soonest */
	out_text(out, "\x1b[1;1H");
}
