/* SPDX-License-Identifier: Apache-2.0 */
/* A version by PEP 440, in one pass, and its normal texts. Numbers have no
 * upper bound, so they stay text. */
#include <ctype.h>
#include <string.h>

#include <envbuild/buf.h>

#include <envbuild/pep440.h>

struct scan {
	const char *p, *end;
	struct eb_buf release, rest; /* rest: pre, post, dev, local */
	size_t canonical;	     /* of release: without trailing zeros */
	struct eb_pep440 *out;
};

static bool is_digit(const struct scan *s, const char *p)
{
	return p < s->end && *p >= '0' && *p <= '9';
}

static bool is_alnum(const struct scan *s, const char *p)
{
	return p < s->end && isalnum((unsigned char)*p) &&
	       (unsigned char)*p < 0x80;
}

/* Digits without leading zeros; "0" where there are none. */
static void number(struct scan *s, struct eb_buf *out)
{
	const char *from;

	while (is_digit(s, s->p) && *s->p == '0' && is_digit(s, s->p + 1))
		s->p++;
	from = s->p;
	while (is_digit(s, s->p))
		s->p++;
	if (s->p == from)
		eb_buf_addch(out, '0');
	else
		eb_buf_add(out, from, (size_t)(s->p - from));
}

static bool separator(struct scan *s)
{
	if (s->p == s->end || !strchr("._-", *s->p) || !*s->p)
		return false;
	s->p++;
	return true;
}

static bool word(struct scan *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->p) < n || strncasecmp(s->p, text, n) != 0)
		return false;
	s->p += n;
	return true;
}

struct spelling {
	const char *word, *normal;
};

/* [._-]? word [._-]? number? */
static bool part(struct scan *s, const struct spelling *list)
{
	const char *start = s->p;

	separator(s);
	for (; list->word; list++) {
		if (!word(s, list->word))
			continue;
		separator(s);
		eb_buf_adds(&s->rest, list->normal);
		number(s, &s->rest);
		s->out->has_suffix = true;
		return true;
	}
	s->p = start;
	return false;
}

static void pre(struct scan *s)
{
	static const struct spelling list[] = {
		{ "alpha", "a" }, { "a", "a" },	       { "beta", "b" },
		{ "b", "b" },	  { "preview", "rc" }, { "pre", "rc" },
		{ "c", "rc" },	  { "rc", "rc" },      { 0 },
	};

	part(s, list);
}

/* "1.0-1" is a post-release too. */
static void post(struct scan *s)
{
	static const struct spelling list[] = {
		{ "post", ".post" },
		{ "rev", ".post" },
		{ "r", ".post" },
		{ 0 },
	};

	if (s->p < s->end && *s->p == '-' && is_digit(s, s->p + 1)) {
		s->p++;
		eb_buf_adds(&s->rest, ".post");
		number(s, &s->rest);
		s->out->has_suffix = true;
		return;
	}
	part(s, list);
}

static void dev(struct scan *s)
{
	static const struct spelling list[] = { { "dev", ".dev" }, { 0 } };

	part(s, list);
}

static void local_segment(struct scan *s)
{
	const char *from = s->p, *p;

	while (is_alnum(s, s->p))
		s->p++;
	for (p = from; p < s->p && *p >= '0' && *p <= '9'; p++)
		;
	if (p == s->p) {
		s->p = from;
		number(s, &s->rest);
		return;
	}
	for (p = from; p < s->p; p++)
		eb_buf_addch(&s->rest, (char)tolower((unsigned char)*p));
}

static void local(struct scan *s)
{
	if (s->p == s->end || *s->p != '+' || !is_alnum(s, s->p + 1))
		return;
	s->out->has_local = true;
	s->p++;
	eb_buf_addch(&s->rest, '+');
	local_segment(s);
	while (s->p < s->end && *s->p && strchr("._-", *s->p) &&
	       is_alnum(s, s->p + 1)) {
		s->p++;
		eb_buf_addch(&s->rest, '.');
		local_segment(s);
	}
}

static void release_part(struct scan *s)
{
	size_t before = s->release.len;

	number(s, &s->release);
	s->out->n_release++;
	if (s->out->n_release == 1 || s->release.data[before] != '0')
		s->canonical = s->release.len;
}

/* epoch! and release */
static bool release(struct scan *s)
{
	if (!is_digit(s, s->p))
		return false;
	number(s, &s->release);
	if (s->p < s->end && *s->p == '!') {
		s->p++;
		if (strcmp(s->release.data, "0") == 0)
			eb_buf_reset(&s->release);
		else
			eb_buf_addch(&s->release, '!');
		if (!is_digit(s, s->p))
			return false;
		release_part(s);
	} else {
		s->out->n_release = 1;
		s->canonical = s->release.len;
	}
	while (s->p < s->end && *s->p == '.' && is_digit(s, s->p + 1)) {
		s->p++;
		eb_buf_addch(&s->release, '.');
		release_part(s);
	}
	return true;
}

static void release_scan(struct scan *s)
{
	eb_buf_release(&s->release);
	eb_buf_release(&s->rest);
}

int eb_pep440_parse(const char *text, size_t n, struct eb_pep440 *out)
{
	struct scan s EB_CLEANUP(
		release_scan) = { .p = text, .end = text + n, .out = out };

	memset(out, 0, sizeof *out);
	eb_buf_init(&s.release, EB_MAX_CONFIG);
	eb_buf_init(&s.rest, EB_MAX_CONFIG);
	word(&s, "v");
	if (!release(&s))
		return -1;
	pre(&s);
	post(&s);
	dev(&s);
	local(&s);
	if (s.p != s.end)
		return -1;
	out->text = eb_asprintf("%s%s", s.release.data, s.rest.data);
	out->canonical = eb_asprintf("%.*s%s", (int)s.canonical, s.release.data,
				     s.rest.data);
	return 0;
}

void eb_pep440_release(struct eb_pep440 *v)
{
	free(v->text);
	free(v->canonical);
	memset(v, 0, sizeof *v);
}
