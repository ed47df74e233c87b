/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and times of TOML (RFC 3339): only whether they are some; they stay
 * text. */
#include <stdbool.h>
#include <stddef.h>

#include "toml_int.h"

struct date {
	const char *p, *end;
};

/* So many digits; -1 when they are not there. */
static int digits(struct date *d, int n)
{
	int value = 0;

	if (d->end - d->p < n)
		return -1;
	for (int i = 0; i < n; i++) {
		if (d->p[i] < '0' || d->p[i] > '9')
			return -1;
		value = value * 10 + d->p[i] - '0';
	}
	d->p += n;
	return value;
}

static bool one_of(struct date *d, const char *set)
{
	for (; d->p < d->end && *set; set++)
		if (*d->p == *set) {
			d->p++;
			return true;
		}
	return false;
}

static int days_of(int year, int month)
{
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	if (month == 2)
		return leap ? 29 : 28;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static bool day(struct date *d)
{
	int year = digits(d, 4), month, date;

	month = year >= 0 && one_of(d, "-") ? digits(d, 2) : -1;
	date = month >= 1 && month <= 12 && one_of(d, "-") ? digits(d, 2) : -1;
	return date >= 1 && date <= days_of(year, month);
}

/* hh:mm */
static bool minute(struct date *d)
{
	int hour = digits(d, 2), min;

	min = hour >= 0 && hour < 24 && one_of(d, ":") ? digits(d, 2) : -1;
	return min >= 0 && min < 60;
}

static bool clock_time(struct date *d)
{
	int second = minute(d) && one_of(d, ":") ? digits(d, 2) : -1;

	if (second < 0 || second > 60)
		return false;
	if (!one_of(d, "."))
		return true;
	if (digits(d, 1) < 0)
		return false;
	while (digits(d, 1) >= 0)
		;
	return true;
}

static bool offset(struct date *d)
{
	if (d->p == d->end || one_of(d, "Zz"))
		return true;
	return one_of(d, "+-") && minute(d);
}

int eb_toml_is_date(const char *s, size_t n)
{
	struct date d = { s, s + n };
	bool fits;

	if (n > 2 && s[2] == ':') {
		fits = clock_time(&d);
	} else if (n > 4 && s[4] == '-' && digits(&d, 4) >= 0) {
		d.p = s;
		fits = day(&d);
		if (fits && one_of(&d, "Tt "))
			fits = clock_time(&d) && offset(&d);
	} else {
		return 0;
	}
	return fits && d.p == d.end ? 1 : -1;
}
