/* SPDX-License-Identifier: Apache-2.0 */
/* What Python's str() gives for the ints and floats of YAML 1.1. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "yaml_doc.h"

/* Sign taken off, underscores left out. */
static char *digits_of(const char *text, bool *negative)
{
	char *copy = eb_strdup(text), *to = copy;

	*negative = *text == '-';
	text += *text == '-' || *text == '+';
	for (; *text; text++)
		if (*text != '_')
			*to++ = *text;
	*to = '\0';
	return copy;
}

/* Decimal numbers of any length, least digit first: n = n * base + add */
static void times_plus(struct eb_buf *n, unsigned base, unsigned add)
{
	size_t i;

	for (i = 0; i < n->len; i++) {
		add += (unsigned)n->data[i] * base;
		n->data[i] = (char)(add % 10);
		add /= 10;
	}
	for (; add; add /= 10)
		eb_buf_addch(n, (char)(add % 10));
}

static unsigned digit_value(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

static char *decimal(const struct eb_buf *n, bool negative)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);
	size_t i;

	if (n->len == 0)
		return eb_strdup("0");
	if (negative)
		eb_buf_addch(&out, '-');
	for (i = n->len; i > 0; i--)
		eb_buf_addch(&out, (char)('0' + n->data[i - 1]));
	return eb_buf_steal(&out, NULL);
}

/* h:m:s, base 60 */
static void sexagesimal(struct eb_buf *n, const char *text)
{
	unsigned part = 0;
	bool first = true;

	for (;; text++) {
		if (*text && *text != ':') {
			if (first)
				times_plus(n, 10, digit_value(*text));
			else
				part = part * 10 + digit_value(*text);
			continue;
		}
		if (!first)
			times_plus(n, 60, part);
		if (!*text)
			return;
		first = false;
		part = 0;
	}
}

char *eb_yaml_python_int(const char *text)
{
	EB_AUTOBUF(n, EB_MAX_TEXT);
	bool negative;
	eb_autofree char *digits = digits_of(text, &negative);
	const char *d = digits;
	unsigned base = 10;

	if (strchr(d, ':')) {
		sexagesimal(&n, d);
		return decimal(&n, negative);
	}
	if (*d == '0' && d[1])
		base = d[1] == 'b' ? 2 : d[1] == 'x' ? 16 : 8;
	d += base == 10 ? 0 : base == 8 ? 1 : 2;
	if (!*d && base != 10 && base != 8)
		return eb_strdup(text); /* 0x_ is no number after all */
	for (; *d; d++)
		times_plus(&n, base, digit_value(*d));
	return decimal(&n, negative);
}

/* Python's repr(): the fewest digits that give the value back, with an
 * exponent below 1e-4 and from 1e16 on. */
static char *repr(double v)
{
	char e[40];
	int precision = 0, exponent, n;

	do
		snprintf(e, sizeof e, "%.*e", precision, v);
	while (strtod(e, NULL) != v && ++precision < 17);
	exponent = atoi(strchr(e, 'e') + 1);
	if (exponent < -4 || exponent >= 16)
		return eb_strdup(e);
	n = precision - exponent;
	if (n < 1)
		n = 1;
	return eb_asprintf("%.*f", n, v);
}

/* h:m:s.f, base 60 */
static double sexagesimal_float(const char *text)
{
	double value = 0;
	char *end;

	for (;; text = end + 1) {
		value = value * 60 + strtod(text, &end);
		if (*end != ':')
			return value;
	}
}

char *eb_yaml_python_float(const char *text)
{
	bool negative;
	eb_autofree char *digits = digits_of(text, &negative);
	double v;

	if (strcasecmp(digits, ".nan") == 0)
		return eb_strdup("nan");
	if (strcasecmp(digits, ".inf") == 0)
		return eb_strdup(negative ? "-inf" : "inf");
	v = sexagesimal_float(digits);
	if (isinf(v))
		return eb_strdup(negative ? "-inf" : "inf");
	return repr(negative ? -v : v);
}
