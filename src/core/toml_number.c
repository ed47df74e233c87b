/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of TOML, and what begins like one: dates and times. */
#include <inttypes.h>
#include <string.h>

#include "toml_int.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits with single underscores between, without them into `out`; how many,
 * 0 when there are none or an underscore is in a wrong place. */
static size_t digits(const char **p, struct eb_buf *out)
{
	size_t n = 0;

	while (is_digit(**p) || (**p == '_' && n && is_digit((*p)[1]))) {
		if (**p != '_') {
			eb_buf_addch(out, **p);
			n++;
		}
		++*p;
	}
	return n;
}

static bool fraction(const char **p, struct eb_buf *out)
{
	if (**p == '.') {
		eb_buf_addch(out, *(*p)++);
		if (!digits(p, out))
			return false;
	}
	if (**p != 'e' && **p != 'E')
		return true;
	eb_buf_addch(out, *(*p)++);
	if (**p == '+' || **p == '-')
		eb_buf_addch(out, *(*p)++);
	return digits(p, out) > 0;
}

/* The number as JSON has it: no plus in front, no underscores. */
static bool decimal(const char *p, struct eb_buf *out)
{
	size_t sign;

	if (*p == '-')
		eb_buf_addch(out, '-');
	if (*p == '-' || *p == '+')
		p++;
	sign = out->len;
	if (!digits(&p, out))
		return false;
	if (out->data[sign] == '0' && out->len > sign + 1)
		return false;
	return fraction(&p, out) && !*p;
}

static json_t *read_decimal(struct eb_toml *t, const char *at, const char *word)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	json_t *number;

	if (!decimal(word, &text) || text.overflow) {
		eb_toml_bad(t, at, "\"%.40s\" is no value", word);
		return NULL;
	}
	number = json_loadb(text.data, text.len, JSON_DECODE_ANY, NULL);
	if (number)
		return number;
	if (strpbrk(text.data, ".eE"))
		return json_string(word); /* beyond what a double holds */
	eb_toml_bad(t, at, "\"%.40s\" does not fit into 64 bits", word);
	return NULL;
}

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Behind 0x, 0o, 0b. */
static json_t *read_base(struct eb_toml *t, const char *at, const char *word,
			 int base)
{
	uint64_t value = 0;

	for (const char *p = word + 2; *p || p == word + 2; p++) {
		int digit;

		if (*p == '_' && p > word + 2 && p[-1] != '_' && p[1])
			continue;
		digit = digit_of(*p);
		if (digit >= base) {
			eb_toml_bad(t, at, "\"%.40s\" is no value", word);
			return NULL;
		}
		if (value > (uint64_t)INT64_MAX / (unsigned)base) {
			value = UINT64_MAX;
			break;
		}
		value = value * (unsigned)base + (unsigned)digit;
	}
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	eb_toml_bad(t, at, "\"%.40s\" does not fit into 64 bits", word);
	return NULL;
}

static bool is_special(const char *word)
{
	if (*word == '+' || *word == '-')
		word++;
	return strcmp(word, "inf") == 0 || strcmp(word, "nan") == 0;
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c && strchr("_+-.:", c));
}

/* The bytes of a number or date; a date may have a blank before its time. */
static size_t length(const struct eb_toml *t)
{
	size_t n = 0, left = (size_t)(t->end - t->p);

	while (n < left && is_word(t->p[n]))
		n++;
	if (n == 10 && left > 13 && t->p[10] == ' ' && is_digit(t->p[11]) &&
	    eb_toml_is_date(t->p, n) > 0)
		for (n++; n < left && is_word(t->p[n]); n++)
			;
	return n;
}

json_t *eb_toml_number(struct eb_toml *t)
{
	const char *at = t->p;
	size_t n = length(t);
	eb_autofree char *word = eb_strndup(at, n);
	int date = eb_toml_is_date(at, n);

	t->p += n;
	if (n == 0)
		eb_toml_bad(t, at, "a value belongs here");
	else if (date < 0)
		eb_toml_bad(t, at, "\"%.40s\" is no date or time", word);
	if (n == 0 || date < 0)
		return NULL;
	if (date > 0 || is_special(word))
		return json_string(word);
	if (word[0] == '0' && word[1] && strchr("xob", word[1]))
		return read_base(t, at, word,
				 word[1] == 'x'	  ? 16
				 : word[1] == 'o' ? 8
						  : 2);
	return read_decimal(t, at, word);
}
