/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conda's version order (CEP 33).
 *
 * A version is a row of components, a component a row of atoms. Whatever is
 * missing on one side counts as the number 0, so 1.1 equals 1.1.0; words sort
 * below numbers, "post" above all of them and "dev" below every other word.
 * The atoms lie in one array of 16 byte elements: nearly every comparison is
 * one of two integers.
 */
#include <stdint.h>
#include <string.h>

#include <envbuild/str.h>
#include <envbuild/version.h>

#define MAX_LENGTH 1024
#define SHORT 40      /* of most versions: no memory is asked for */
#define U64_DIGITS 19 /* so many digits always fit */

enum { WORD, NUMBER, LONG_NUMBER, POST }; /* in their order */

struct atom {
	uint64_t key; /* the number, its length, or a word's first 8 bytes */
	uint16_t at, len; /* text of a word or long number */
	uint8_t kind;
};

struct eb_version {
	char *given;
	const char *text; /* what atoms point into */
	const struct atom *atom;
	const uint16_t *first;	  /* of component i; one more for the end */
	uint16_t n_main, n_local; /* the epoch is component 0 of main */
};

/* A row of components: the main part or the local one. */
struct row {
	const struct eb_version *v;
	size_t from, n;
};

struct span {
	const struct atom *atom;
	size_t n;
};

static const struct atom zero = { .kind = NUMBER };

/* ---- comparing ---------------------------------------------------------- */

static int compare_atom(const char *ta, const struct atom *a, const char *tb,
			const struct atom *b)
{
	size_t n;
	int c;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	n = a->len < b->len ? a->len : b->len;
	c = n ? memcmp(ta + a->at, tb + b->at, n) : 0;
	if (c == 0)
		c = (a->len > b->len) - (a->len < b->len);
	return (c > 0) - (c < 0);
}

static struct span component(const struct row *r, size_t i)
{
	const uint16_t *first = r->v->first + r->from + i;

	if (i >= r->n)
		return (struct span){ &zero, 0 };
	return (struct span){ r->v->atom + first[0], first[1] - first[0] };
}

static const struct atom *nth(const struct span *s, size_t i)
{
	return i < s->n ? s->atom + i : &zero;
}

/* The first `limit` atoms of both. */
static int compare_span(const struct row *ra, struct span a,
			const struct row *rb, struct span b, size_t limit)
{
	size_t i, n = a.n > b.n ? a.n : b.n;
	int c = 0;

	for (i = 0; i < n && i < limit && c == 0; i++)
		c = compare_atom(ra->v->text, nth(&a, i), rb->v->text,
				 nth(&b, i));
	return c;
}

/* The first `limit` components of both. */
static int compare_row(const struct row *a, const struct row *b, size_t limit)
{
	size_t i, n = a->n > b->n ? a->n : b->n;
	int c = 0;

	for (i = 0; i < n && i < limit && c == 0; i++)
		c = compare_span(a, component(a, i), b, component(b, i),
				 SIZE_MAX);
	return c;
}

static struct row main_row(const struct eb_version *v)
{
	return (struct row){ v, 0, v->n_main };
}

static struct row local_row(const struct eb_version *v)
{
	return (struct row){ v, v->n_main, v->n_local };
}

int eb_version_compare(const struct eb_version *a, const struct eb_version *b)
{
	struct row x = main_row(a), y = main_row(b);
	int c = compare_row(&x, &y, SIZE_MAX);

	if (c || !(a->n_local | b->n_local))
		return c;
	x = local_row(a);
	y = local_row(b);
	return compare_row(&x, &y, SIZE_MAX);
}

/* The prefix's last atom: a word may go on, a number has to be equal. */
static bool last_atom_fits(const char *text, const struct atom *a,
			   const char *prefix_text, const struct atom *prefix)
{
	if (prefix->kind != WORD)
		return compare_atom(text, a, prefix_text, prefix) == 0;
	return a->kind == WORD && a->len >= prefix->len &&
	       memcmp(text + a->at, prefix_text + prefix->at, prefix->len) == 0;
}

bool eb_version_starts_with(const struct eb_version *v,
			    const struct eb_version *prefix)
{
	struct row a = main_row(v), b = main_row(prefix);
	struct span x, y;
	size_t last;

	if (prefix->n_local) {
		if (compare_row(&a, &b, SIZE_MAX))
			return false;
		a = local_row(v);
		b = local_row(prefix);
	}
	last = b.n - 1;
	if (compare_row(&a, &b, last))
		return false;
	x = component(&a, last);
	y = component(&b, last);
	last = y.n - 1;
	return compare_span(&a, x, &b, y, last) == 0 &&
	       last_atom_fits(v->text, nth(&x, last), prefix->text,
			      nth(&y, last));
}

/* ---- parsing ------------------------------------------------------------ */

struct parser {
	const char *given;
	char *text; /* lower case, "_" made "." where it separates */
	struct atom *atom;
	uint16_t *first;
	size_t n_atoms, n_components;
	struct eb_error *err;
};

static int bad(const struct parser *p, const char *why)
{
	return eb_err_set(p->err, EB_INPUT, "version \"%s\": %s", p->given,
			  why);
}

static const char *wrong_byte(const char *s)
{
	while ((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
	       (*s && strchr("*.+!_", *s)))
		s++;
	return *s ? s : NULL;
}

/* Dashes are taken for "_" where there is no "_". */
static int check_bytes(struct parser *p)
{
	eb_autofree char *shown = NULL, *wrong = NULL;
	const char *at;
	char *dash;
	size_t n = 1;

	if (wrong_byte(p->text) && !strchr(p->text, '_'))
		for (dash = p->text; (dash = strchr(dash, '-'));)
			*dash = '_';
	at = wrong_byte(p->text);
	if (!at)
		return 0;
	while (((unsigned char)at[n] & 0xc0) == 0x80) /* the rest of UTF-8 */
		n++;
	wrong = eb_strndup(at, n);
	shown = eb_printable(wrong);
	return eb_err_set(p->err, EB_INPUT,
			  "version \"%s\": the character \"%s\" is not allowed",
			  p->given, shown);
}

static void add_word(struct parser *p, char *start, size_t n)
{
	struct atom a = { .kind = WORD, .at = start - p->text, .len = n };
	size_t i;

	if (n == 4 && memcmp(start, "post", 4) == 0) {
		p->atom[p->n_atoms++] = (struct atom){ .kind = POST };
		return;
	}
	if (n == 3 && memcmp(start, "dev", 3) == 0)
		memcpy(start, "DEV", 3);
	for (i = 0; i < 8; i++)
		a.key = a.key << 8 | (i < n ? (unsigned char)start[i] : 0);
	p->atom[p->n_atoms++] = a;
}

static void add_number(struct parser *p, char *start, size_t n)
{
	struct atom a = { .kind = NUMBER };
	size_t i;

	for (; n > 1 && *start == '0'; n--)
		start++;
	if (n > U64_DIGITS) {
		a = (struct atom){ .kind = LONG_NUMBER,
				   .key = n,
				   .at = start - p->text,
				   .len = n };
	} else {
		for (i = 0; i < n; i++)
			a.key = a.key * 10 + (uint64_t)(start[i] - '0');
	}
	p->atom[p->n_atoms++] = a;
}

static int byte_class(char c)
{
	return c >= '0' && c <= '9' ? 0 : c == '*' ? 1 : 2;
}

static int add_component(struct parser *p, char *s, char *end)
{
	size_t n;

	if (s == end)
		return bad(p, "a component is empty");
	p->first[p->n_components++] = p->n_atoms;
	if (byte_class(*s))
		p->atom[p->n_atoms++] = zero;
	for (; s < end; s += n) {
		for (n = 1; s + n < end && byte_class(s[n]) == byte_class(*s);)
			n++;
		if (byte_class(*s))
			add_word(p, s, n);
		else
			add_number(p, s, n);
	}
	return 0;
}

static int add_components(struct parser *p, char *s, char *end)
{
	char *stop;

	for (;; s = stop + 1) {
		stop = memchr(s, '.', end - s);
		if (add_component(p, s, stop ? stop : end) < 0)
			return -1;
		if (!stop)
			return 0;
	}
}

static void separate(char *s, char *end)
{
	for (; s < end; s++)
		if (*s == '_')
			*s = '.';
}

static int parse_epoch(struct parser *p, char **rest)
{
	static char none[] = "0";
	char *mark = strchr(p->text, '!'), *s;

	if (!mark) {
		p->first[p->n_components++] = 0;
		add_number(p, none, 1);
		return 0;
	}
	if (strchr(mark + 1, '!'))
		return bad(p, "more than one \"!\"");
	if (mark == p->text)
		return bad(p, "no epoch before \"!\"");
	for (s = p->text; s < mark; s++)
		if (byte_class(*s))
			return bad(p, "the epoch is no number");
	*rest = mark + 1;
	return add_component(p, p->text, mark);
}

/* An "_" at the end of the main part belongs to the last component: this
 * puts 1.0.1_ before 1.0.1a. */
static int parse_main_and_local(struct parser *p, char *s, size_t *n_main)
{
	char *end = s + strlen(s), *plus = strchr(s, '+');
	char *stop = plus ? plus : end;

	if (plus && strchr(plus + 1, '+'))
		return bad(p, "more than one \"+\"");
	if (stop == s)
		return bad(p, plus ? "nothing before \"+\""
				   : "nothing behind \"!\"");
	separate(s, stop[-1] == '_' ? stop - 1 : stop);
	if (add_components(p, s, stop) < 0)
		return -1;
	*n_main = p->n_components;
	if (!plus)
		return 0;
	separate(plus + 1, end);
	return add_components(p, plus + 1, end);
}

/* One block: the struct, atoms, index, both texts. */
static struct eb_version *pack(const struct parser *p, size_t n_main)
{
	size_t atoms = p->n_atoms * sizeof *p->atom;
	size_t index = (p->n_components + 1) * sizeof *p->first;
	size_t text = strlen(p->text) + 1, given = strlen(p->given) + 1;
	struct eb_version *v =
		eb_malloc(sizeof *v + atoms + index + text + given);
	char *at = (char *)(v + 1);

	p->first[p->n_components] = p->n_atoms;
	v->atom = memcpy(at, p->atom, atoms);
	v->first = memcpy(at + atoms, p->first, index);
	v->text = memcpy(at + atoms + index, p->text, text);
	v->given = memcpy(at + atoms + index + text, p->given, given);
	v->n_main = n_main;
	v->n_local = p->n_components - n_main;
	return v;
}

/* Every byte gives at most two atoms and one component; the epoch and the
 * end of the index come on top. */
struct room {
	struct atom *atom;
	uint16_t *first;
	char *given, *lower; /* n + 1 bytes */
};

static struct eb_version *parse(const char *text, size_t n, struct room room,
				struct eb_error *err)
{
	struct parser p = { .err = err,
			    .atom = room.atom,
			    .first = room.first };
	size_t n_main = 0;
	char *rest;

	memcpy(room.given, text, n + 1);
	p.given = eb_strip(room.given);
	p.text = rest = strcpy(room.lower, p.given);
	eb_lower(p.text);
	if (!*p.given) {
		bad(&p, "it is empty");
		return NULL;
	}
	if (check_bytes(&p) < 0 || parse_epoch(&p, &rest) < 0 ||
	    parse_main_and_local(&p, rest, &n_main) < 0)
		return NULL;
	return pack(&p, n_main);
}

static struct eb_version *parse_short(const char *text, size_t n,
				      struct eb_error *err)
{
	struct atom atom[2 * SHORT + 2];
	uint16_t first[SHORT + 3];
	char given[SHORT + 1], lower[SHORT + 1];

	return parse(text, n, (struct room){ atom, first, given, lower }, err);
}

struct eb_version *eb_version_parse(const char *text, struct eb_error *err)
{
	eb_autofree char *given = NULL, *lower = NULL;
	eb_autofree struct atom *atom = NULL;
	eb_autofree uint16_t *first = NULL;
	size_t n = strlen(text);

	if (n <= SHORT)
		return parse_short(text, n, err);
	if (n > MAX_LENGTH) {
		eb_err_set(err, EB_INPUT,
			   "version \"%.40s...\": longer than "
			   "%d bytes",
			   text, MAX_LENGTH);
		return NULL;
	}
	given = eb_malloc(n + 1);
	lower = eb_malloc(n + 1);
	atom = eb_malloc((2 * n + 2) * sizeof *atom);
	first = eb_malloc((n + 3) * sizeof *first);
	return parse(text, n, (struct room){ atom, first, given, lower }, err);
}

void eb_version_free(struct eb_version *v)
{
	free(v);
}

const char *eb_version_text(const struct eb_version *v)
{
	return v->given;
}
