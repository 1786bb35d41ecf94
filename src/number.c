/* SPDX-License-Identifier: GPL-2.0-only */
#include "number.h"

#include "event.h"
#include "reading.h"

struct number number_format(uint64_t value, int decimals, bool grouped)
{
	char reversed[sizeof(struct number)];
	int length = 0, digits = -decimals;
	do {
		if (digits == 0 && decimals)
			reversed[length++] = '.';
		else if (digits > 0 && digits % 3 == 0 && grouped)
			reversed[length++] = ',';
		reversed[length++] = (char)('0' + value % 10);
		value /= 10;
		digits++;
	} while (value || digits <= 0);

	struct number number;
	for (int i = 0; i < length; i++)
		number.text[i] = reversed[length - 1 - i];
	number.text[length] = '\0';
	return number;
}

uint64_t number_scaled(const struct event *event, uint64_t value, int decimals)
{
	const bool is_clock = event_is_clock(event);
	uint64_t scale = is_clock ? 1 : event->scale, divisor = 1;
	int exponent = (is_clock ? -6 : event->scale_exponent) + decimals;
	/* 10^19 is the largest power that fits: of a smaller scale the last digits go, behind the twelfth at least */
	for (; exponent < -19; exponent++)
		scale = scale / 10 + (scale % 10 >= 5);
	for (; exponent < 0; exponent++)
		divisor *= 10;
	for (; exponent > 0; exponent--)
		scale = scale > UINT64_MAX / 10 ? UINT64_MAX : scale * 10;
	return reading_ratio(value, divisor, scale);
}

struct number number_count(const struct event *event, uint64_t value, bool exact, bool grouped)
{
	const int most = exact ? 6 : 2, digits = event_is_clock(event) ? 6 : -event->scale_exponent;
	int decimals = digits <= 0 ? 0 : exact && digits < most ? digits : most;
	uint64_t scaled;
	while ((scaled = number_scaled(event, value, decimals)) == UINT64_MAX && decimals)
		decimals--;
	return number_format(scaled, decimals, grouped);
}

uint64_t number_percent(uint64_t part, uint64_t whole)
{
	const uint64_t percent = reading_ratio(part, whole, 10000);
	return percent - (part < whole && percent == 10000);
}

const char *number_unit(const struct event *event)
{
	return event_is_clock(event) ? "msec" : event->unit;
}
