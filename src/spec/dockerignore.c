/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of a .dockerignore: read, cleaned as Go's filepath.Clean does, and
 * matched. */
#include <string.h>

#include <envbuild/dockerfile.h>
#include <envbuild/mem.h>

#define MAX_RULES 10000
#define MAX_STEPS 100000 /* of one match, so that no rule takes for ever */

/* ---- paths ----------------------------------------------------------------
 */

/* The part goes behind the others; ".." takes one of them away, where there is
 * one. */
static void add_part(struct eb_strv *parts, const char *part, bool rooted)
{
	if (!*part || !strcmp(part, "."))
		return;
	if (strcmp(part, "..")) {
		eb_strv_add(parts, part);
	} else if (parts->n && strcmp(parts->v[parts->n - 1], "..")) {
		free(parts->v[--parts->n]);
		parts->v[parts->n] = NULL;
	} else if (!rooted) {
		eb_strv_add(parts, part);
	}
}

/* Without its slash at the begin: paths count from the context. */
static char *cleaned(const char *path)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv all = { 0 }, parts = { 0 };
	char *out = eb_calloc(strlen(path) + 2, 1), *to = out;

	eb_strv_split(&all, path, "/");
	for (size_t i = 0; i < all.n; i++)
		add_part(&parts, all.v[i], *path == '/');
	for (size_t i = 0; i < parts.n; i++) {
		if (i)
			*to++ = '/';
		to = stpcpy(to, parts.v[i]);
	}
	if (!parts.n)
		strcpy(out, *path == '/' ? "/" : ".");
	return out;
}

/* ---- patterns -------------------------------------------------------------
 */

/* Bytes of the character at `s`, which is not at its end. */
static size_t rune(const char *s)
{
	size_t n = 1;

	if (((unsigned char)*s & 0xc0) == 0xc0)
		while (((unsigned char)s[n] & 0xc0) == 0x80 && n < 4)
			n++;
	return n;
}

/* One end of a range; NULL: there is none. */
static const char *class_end(const char *p, const char **from)
{
	if (*p == '\\')
		p++;
	else if (*p == '-' || *p == ']')
		return NULL;
	*from = p;
	return *p ? p + rune(p) : NULL;
}

static int compare(const char *a, const char *b)
{
	size_t n = rune(a), m = rune(b);
	int d = memcmp(a, b, n < m ? n : m);

	return d ? d : (int)n - (int)m;
}

/* Behind the class at `p` ("["); NULL: it is none. `c` may be NULL. */
static const char *in_class(const char *p, const char *c, bool *hit)
{
	bool no = *++p == '^', found = false;
	unsigned ranges = 0;

	for (p += no; *p != ']' || !ranges; ranges++) {
		const char *low, *high;

		p = class_end(p, &low);
		if (!p)
			return NULL;
		high = low;
		if (*p == '-') {
			p = class_end(p + 1, &high);
			if (!p)
				return NULL;
		}
		found |= c && compare(low, c) <= 0 && compare(c, high) <= 0;
	}
	*hit = found != no;
	return p + 1;
}

static bool is_pattern(const char *p)
{
	bool hit;

	while (*p) {
		if (*p == '[')
			p = in_class(p, NULL, &hit);
		else if (*p == '\\' && !*++p)
			return false;
		else
			p++;
		if (!p)
			return false;
	}
	return true;
}

static bool match(const char *p, const char *s, unsigned *steps);

/* Any number of folders; at the end of a pattern, whatever. */
static bool match_across(const char *p, const char *s, unsigned *steps)
{
	p += 2;
	p += *p == '/';
	if (!*p)
		return true;
	for (;;) {
		if (match(p, s, steps))
			return true;
		s = strchr(s, '/');
		if (!s || *steps > MAX_STEPS)
			return false;
		s++;
	}
}

static bool match_star(const char *p, const char *s, unsigned *steps)
{
	for (;; s++) {
		if (match(p + 1, s, steps))
			return true;
		if (!*s || *s == '/' || *steps > MAX_STEPS)
			return false;
	}
}

static bool match(const char *p, const char *s, unsigned *steps)
{
	while (*p) {
		bool hit;

		if (++*steps > MAX_STEPS)
			return false;
		if (*p == '*')
			return p[1] == '*' ? match_across(p, s, steps)
					   : match_star(p, s, steps);
		if (!*s)
			return false;
		if (*p == '[') {
			p = in_class(p, s, &hit);
			if (!p || !hit)
				return false;
			s += rune(s);
		} else if (*p == '?') {
			if (*s == '/')
				return false;
			p++;
			s += rune(s);
		} else {
			p += *p == '\\' && p[1];
			if (*p++ != *s++)
				return false;
		}
	}
	return !*s;
}

/* It, or a folder that it is in. */
static bool rule_matches(const char *rule, const char *path)
{
	eb_autofree char *part = eb_strdup(path);
	unsigned steps = 0;

	for (;;) {
		char *slash;

		if (match(rule, part, &steps))
			return true;
		slash = strrchr(part, '/');
		if (!slash || steps > MAX_STEPS)
			return false;
		*slash = '\0';
	}
}

bool eb_dockerignore_matches(const struct eb_dockerignore *ig, const char *path)
{
	for (size_t i = ig->rule.n; i; i--) {
		const char *rule = ig->rule.v[i - 1];
		bool back = *rule == '!';

		if (rule_matches(rule + back, path))
			return !back;
	}
	return false;
}

/* ---- reading --------------------------------------------------------------
 */

static int wrong(const char *file, size_t line, const char *text,
		 const char *why, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\" %s", text, why);
	return eb_err_at(err, file, (unsigned)line, 1);
}

static int add_rule(struct eb_dockerignore *out, char *text, const char *file,
		    size_t line, struct eb_error *err)
{
	bool back = *text == '!';
	const char *path = eb_strip(text + back);
	eb_autofree char *clean = *path ? cleaned(path) : NULL;

	if (!clean)
		return wrong(file, line, "!", "takes nothing back", err);
	if (!is_pattern(clean))
		return wrong(file, line, text, "is no pattern", err);
	if (out->rule.n == MAX_RULES)
		return wrong(file, line, text, "is one rule of too many", err);
	eb_strv_addf(&out->rule, "%s%s", back ? "!" : "", clean);
	out->takes_back |= back;
	return 0;
}

int eb_dockerignore_parse(const char *text, size_t len, const char *file,
			  struct eb_dockerignore *out, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };
	bool mark = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);

	*out = (struct eb_dockerignore){ 0 };
	eb_strv_split(&line, text + (mark ? 3 : 0), "\n");
	for (size_t i = 0; i < line.n; i++) {
		char *rule = line.v[i];

		if (*rule == '#' || !*(rule = eb_strip(rule)))
			continue;
		if (add_rule(out, rule, file, i + 1, err) < 0) {
			eb_dockerignore_release(out);
			return -1;
		}
	}
	return 0;
}

void eb_dockerignore_release(struct eb_dockerignore *ig)
{
	eb_strv_release(&ig->rule);
	*ig = (struct eb_dockerignore){ 0 };
}
