/* SPDX-License-Identifier: Apache-2.0 */
/* The order of versions (PEP 440). */
#include <ctype.h>
#include <string.h>

#include "pep440_key.h"

/* ---- cut into parts --------------------------------------------------------
 */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct eb_pep440_slice digits(const char **p)
{
	struct eb_pep440_slice s = { *p, 0 };

	while (is_digit(**p)) {
		++*p;
		s.n++;
	}
	return s;
}

static struct eb_pep440_slice behind(const char **p, const char *word)
{
	if (!eb_starts(*p, word))
		return (struct eb_pep440_slice){ 0 };
	*p += strlen(word);
	return digits(p);
}

static void read_pre(const char **p, struct eb_pep440_key *k)
{
	if (**p != 'a' && **p != 'b' && **p != 'r')
		return;
	k->pre_kind = **p;
	k->pre = behind(p, k->pre_kind == 'a'	? "a"
			   : k->pre_kind == 'b' ? "b"
						: "rc");
}

/* The text is normal, so every part is where it belongs. */
static void cut(struct eb_pep440_key *k)
{
	const char *p = k->text, *mark = strchr(p, '!');

	if (mark) {
		k->epoch = (struct eb_pep440_slice){ p, (size_t)(mark - p) };
		p = mark + 1;
	}
	k->release.p = p;
	while (is_digit(*p) || (*p == '.' && is_digit(p[1])))
		p++;
	k->release.n = (size_t)(p - k->release.p);
	read_pre(&p, k);
	k->post = behind(&p, ".post");
	k->dev = behind(&p, ".dev");
	if (*p == '+')
		k->local = (struct eb_pep440_slice){ p + 1, strlen(p + 1) };
}

int eb_pep440_key_read(const char *s, size_t n, struct eb_pep440_key *out)
{
	struct eb_pep440 v EB_CLEANUP(eb_pep440_release) = { 0 };

	memset(out, 0, sizeof *out);
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	if (eb_pep440_parse(s, n, &v) < 0)
		return -1;
	out->text = eb_steal(v.text);
	cut(out);
	return 0;
}

void eb_pep440_key_release(struct eb_pep440_key *k)
{
	free(k->text);
	memset(k, 0, sizeof *k);
}

/* ---- comparing -------------------------------------------------------------
 */

static int sign(long n)
{
	return (n > 0) - (n < 0);
}

/* Without leading zeros; none is 0. */
static int number_order(struct eb_pep440_slice a, struct eb_pep440_slice b)
{
	static const struct eb_pep440_slice zero = { "0", 1 };

	a = a.n ? a : zero;
	b = b.n ? b : zero;
	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	return sign(memcmp(a.p, b.p, a.n));
}

/* The next piece up to a dot; empty at the end. */
static struct eb_pep440_slice next(struct eb_pep440_slice *list)
{
	const char *dot = list->n ? memchr(list->p, '.', list->n) : NULL;
	struct eb_pep440_slice piece = { list->p, list->n };

	if (dot)
		piece.n = (size_t)(dot - list->p);
	list->p += piece.n + (dot != NULL);
	list->n -= piece.n + (dot != NULL);
	return piece;
}

static int release_order(const struct eb_pep440_key *a,
			 const struct eb_pep440_key *b)
{
	struct eb_pep440_slice x = a->release, y = b->release;
	int order = 0;

	while (!order && (x.n || y.n))
		order = number_order(next(&x), next(&y));
	return order;
}

/* A lone .devN comes first, then a, b, rc, then the final one and its posts. */
static int stage(const struct eb_pep440_key *k)
{
	if (k->pre_kind)
		return k->pre_kind;
	return k->dev.n && !k->post.n ? 0 : 'z';
}

/* What is not there is below all (`absent` -1) or above all (1). */
static int maybe_order(struct eb_pep440_slice a, struct eb_pep440_slice b,
		       int absent)
{
	if (!a.n || !b.n)
		return !a.n == !b.n ? 0 : a.n ? -absent : absent;
	return number_order(a, b);
}

/* Numbers are above words. */
static int local_piece_order(struct eb_pep440_slice a, struct eb_pep440_slice b)
{
	bool x = true, y = true;
	size_t least = a.n < b.n ? a.n : b.n;
	int order;

	for (size_t i = 0; i < a.n; i++)
		x = x && is_digit(a.p[i]);
	for (size_t i = 0; i < b.n; i++)
		y = y && is_digit(b.p[i]);
	if (x != y)
		return x ? 1 : -1;
	if (x)
		return number_order(a, b);
	order = sign(memcmp(a.p, b.p, least));
	return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int local_order(struct eb_pep440_slice a, struct eb_pep440_slice b)
{
	int order = 0;

	while (!order && a.n && b.n)
		order = local_piece_order(next(&a), next(&b));
	return order ? order : (a.n > 0) - (b.n > 0);
}

static int front_order(const struct eb_pep440_key *a,
		       const struct eb_pep440_key *b)
{
	int order = number_order(a->epoch, b->epoch);

	return order ? order : release_order(a, b);
}

static int public_order(const struct eb_pep440_key *a,
			const struct eb_pep440_key *b)
{
	int order = front_order(a, b);

	order = order ? order : sign(stage(a) - stage(b));
	order = order ? order : number_order(a->pre, b->pre);
	order = order ? order : maybe_order(a->post, b->post, -1);
	return order ? order : maybe_order(a->dev, b->dev, 1);
}

int eb_pep440_key_compare(const struct eb_pep440_key *a,
			  const struct eb_pep440_key *b)
{
	int order = public_order(a, b);

	return order ? order : local_order(a->local, b->local);
}

bool eb_pep440_key_same(const struct eb_pep440_key *a,
			const struct eb_pep440_key *b, enum eb_pep440_same what)
{
	if (what == EB_SAME_PUBLIC)
		return public_order(a, b) == 0;
	return front_order(a, b) == 0 && a->pre_kind == b->pre_kind &&
	       number_order(a->pre, b->pre) == 0;
}

size_t eb_pep440_key_numbers(const struct eb_pep440_key *k)
{
	size_t n = 1;

	for (size_t i = 0; i < k->release.n; i++)
		n += k->release.p[i] == '.';
	return n;
}

bool eb_pep440_key_prefix(const struct eb_pep440_key *a,
			  const struct eb_pep440_key *b, size_t n)
{
	struct eb_pep440_slice x = a->release, y = b->release;

	if (number_order(a->epoch, b->epoch) != 0)
		return false;
	while (n-- > 0)
		if (number_order(next(&x), next(&y)) != 0)
			return false;
	return true;
}
