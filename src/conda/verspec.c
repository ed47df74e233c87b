/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Version constraints: terms joined by "," (and) and "|" (or), with
 * parentheses. The tree lies in two arrays; a node's children are linked by
 * their index, so that matching allocates nothing and most constraints are
 * one row of terms.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "once_text.h"
#include "verspec_term.h"
#include <envbuild/buf.h>
#include <envbuild/str.h>

#define MAX_LENGTH 4096
#define MAX_DEPTH 32
#define END UINT16_MAX

enum node_kind { LEAF, AND, OR };

struct node {
	uint8_t kind;
	uint16_t term;	      /* of a leaf */
	uint16_t child, next; /* indexes, or END */
};

struct eb_verspec {
	struct node *node;
	struct eb_term *term;
	size_t n_nodes, nodes_alloc, n_terms, terms_alloc;
	uint16_t root;
	char *given;
	char *text, *normal; /* made when they are asked for */
};

struct parser {
	struct eb_verspec *spec;
	const char *whole, *at;
	unsigned depth;
	struct eb_error *err;
};

static int bad(const struct parser *p, const char *why)
{
	return eb_err_set(p->err, EB_INPUT, "version constraint \"%s\": %s",
			  p->whole, why);
}

/* ---- parsing ------------------------------------------------------------ */

static int parse_row(struct parser *p, enum node_kind kind);

static int add_node(struct eb_verspec *s, enum node_kind kind)
{
	EB_GROW(s->node, s->n_nodes, s->nodes_alloc);
	s->node[s->n_nodes] = (struct node){ kind, 0, END, END };
	return (int)s->n_nodes++;
}

/* A regular expression goes to its "$"; everything else to a delimiter. */
static size_t term_length(const char *s)
{
	const char *dollar = *s == '^' ? strchr(s, '$') : NULL;

	return dollar ? (size_t)(dollar - s) + 1 : strcspn(s, "()|,");
}

static int parse_leaf(struct parser *p)
{
	struct eb_verspec *s = p->spec;
	size_t n = term_length(p->at);
	eb_autofree char *text = eb_strndup(p->at, n);
	int node;

	if (n == 0)
		return bad(p, "a term is missing");
	EB_GROW(s->term, s->n_terms, s->terms_alloc);
	if (eb_term_parse(text, &s->term[s->n_terms], p->err) < 0)
		return -1;
	p->at += n;
	node = add_node(s, LEAF);
	s->node[node].term = s->n_terms++;
	return node;
}

static int parse_operand(struct parser *p)
{
	int node;

	if (*p->at != '(')
		return parse_leaf(p);
	if (p->depth++ == MAX_DEPTH)
		return bad(p, "too many parentheses");
	p->at++;
	node = parse_row(p, OR);
	if (node < 0)
		return -1;
	if (*p->at != ')')
		return bad(p, "a \")\" is missing");
	p->at++;
	p->depth--;
	return node;
}

/* Append to a row; a row of the same kind gives its own children. */
static void append(struct eb_verspec *s, int row, int node)
{
	uint16_t *link = &s->node[row].child;

	while (*link != END)
		link = &s->node[*link].next;
	*link = s->node[node].kind == s->node[row].kind ? s->node[node].child
							: (uint16_t)node;
}

/* kind OR: and-rows joined by "|"; AND: operands joined by ",". A row of one
 * is what it holds. */
static int parse_row(struct parser *p, enum node_kind kind)
{
	char sign = kind == OR ? '|' : ',';
	int row = -1, first, node;

	first = kind == OR ? parse_row(p, AND) : parse_operand(p);
	while (first >= 0 && *p->at == sign) {
		if (row < 0) {
			row = add_node(p->spec, kind);
			append(p->spec, row, first);
		}
		p->at++;
		node = kind == OR ? parse_row(p, AND) : parse_operand(p);
		if (node < 0)
			return -1;
		append(p->spec, row, node);
	}
	return row < 0 ? first : row;
}

/* Blanks mean nothing, but they may not join two words. */
static int squeeze(struct parser *p, char *s)
{
	char *to = s;
	char before;

	for (; *s; s++) {
		if (strchr("'\"", *s) || iscntrl((unsigned char)*s))
			return bad(p, "a character is not allowed");
		if (*s != ' ') {
			*to++ = *s;
			continue;
		}
		before = to == p->at ? ' ' : to[-1];
		while (s[1] == ' ')
			s++;
		if (isalnum((unsigned char)before) &&
		    isalnum((unsigned char)s[1]))
			return bad(p, "a blank within it");
	}
	*to = '\0';
	return 0;
}

/* ---- texts -------------------------------------------------------------- */

static void add_text(const struct eb_verspec *s, uint16_t i, bool in_and,
		     struct eb_buf *out)
{
	const struct node *n = &s->node[i];
	bool wrap = in_and && n->kind == OR;
	uint16_t c;

	if (n->kind == LEAF) {
		eb_buf_adds(out, s->term[n->term].text);
		return;
	}
	eb_buf_adds(out, wrap ? "(" : "");
	for (c = n->child; c != END; c = s->node[c].next) {
		if (c != n->child)
			eb_buf_addch(out, n->kind == OR ? '|' : ',');
		add_text(s, c, n->kind == AND, out);
	}
	eb_buf_adds(out, wrap ? ")" : "");
}

static char *normal_text(const struct eb_verspec *s, uint16_t i, bool in_and);

/* "*" takes a row of "|" over and says nothing in one of ",". */
static void drop_any(struct eb_strv *parts, enum node_kind kind)
{
	size_t i, kept = 0;

	if (!eb_strv_has(parts, "*") || parts->n == 1)
		return;
	for (i = 0; i < parts->n; i++) {
		if ((strcmp(parts->v[i], "*") == 0) == (kind == OR))
			parts->v[kept++] = parts->v[i];
		else
			free(parts->v[i]);
	}
	parts->n = kept;
	parts->v[kept] = NULL;
}

static char *join_normal(struct eb_strv *parts, enum node_kind kind,
			 bool in_and)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);
	bool wrap;
	size_t i;

	eb_strv_sort(parts);
	eb_strv_unique(parts);
	drop_any(parts, kind);
	wrap = in_and && kind == OR && parts->n > 1;
	eb_buf_adds(&out, wrap ? "(" : "");
	for (i = 0; i < parts->n; i++)
		eb_buf_addf(&out, "%s%s",
			    i == 0	 ? ""
			    : kind == OR ? "|"
					 : ",",
			    parts->v[i]);
	eb_buf_adds(&out, wrap ? ")" : "");
	return eb_buf_steal(&out, NULL);
}

static char *normal_text(const struct eb_verspec *s, uint16_t i, bool in_and)
{
	struct eb_strv parts EB_CLEANUP(eb_strv_release) = { 0 };
	const struct node *n = &s->node[i];
	uint16_t c;

	if (n->kind == LEAF)
		return eb_strdup(s->term[n->term].normal);
	for (c = n->child; c != END; c = s->node[c].next)
		eb_strv_take(&parts, normal_text(s, c, n->kind == AND));
	return join_normal(&parts, n->kind, in_and);
}

/* A row that shrank to one term may be part of the row around it: read again
 * until nothing changes; each time it gets shorter, or sorted. */
static char *settled(char *normal, const char *from)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_verspec_free_ptr) struct eb_verspec *again = NULL;

	if (!strchr(normal, '(') || strcmp(normal, from) == 0)
		return normal;
	again = eb_verspec_parse(normal, EB_STRICT, &ignored);
	if (!again)
		return normal;
	free(normal);
	return eb_strdup(eb_verspec_normal(again));
}

/* MatchSpec reads "=" before a version that stands alone in its own way; left
 * are those that have a star within. */
static char *kept_from_matchspec(char *normal)
{
	char *row = eb_asprintf("*,%s", normal);

	free(normal);
	return row;
}

static char *make_normal(const struct eb_verspec *s)
{
	char *normal = settled(normal_text(s, s->root, false), s->given);

	return normal[0] == '=' && !strpbrk(normal, ",|")
		       ? kept_from_matchspec(normal)
		       : normal;
}

/* A term that stands alone is written without "=" and "==". */
static char *make_text(const struct eb_verspec *s)
{
	const struct node *root = &s->node[s->root];
	const struct eb_term *t = &s->term[root->term];
	EB_AUTOBUF(out, EB_MAX_TEXT);

	if (root->kind == LEAF && t->text[0] == '=')
		return eb_strdup(t->text[1] == '=' ? t->text + 2 : t->normal);
	add_text(s, s->root, false, &out);
	return eb_buf_steal(&out, NULL);
}

/* ---- the interface ------------------------------------------------------ */

static int parse(struct parser *p)
{
	int root = parse_row(p, OR);

	if (root < 0)
		return -1;
	if (*p->at == ')')
		return bad(p, "a \"(\" is missing");
	if (*p->at)
		return bad(p, "an operator is missing between two terms");
	p->spec->root = root;
	return 0;
}

struct eb_verspec *eb_verspec_parse(const char *text, enum eb_strictness how,
				    struct eb_error *err)
{
	EB_CLEANUP(eb_verspec_free_ptr) struct eb_verspec *s = NULL;
	eb_autofree char *copy = NULL;
	struct parser p = { .err = err };

	if (strlen(text) > MAX_LENGTH) {
		eb_err_set(err, EB_INPUT,
			   "version constraint \"%.40s...\": "
			   "longer than %d bytes",
			   text, MAX_LENGTH);
		return NULL;
	}
	copy = eb_strdup(text);
	p.whole = text;
	p.at = eb_strip(copy);
	s = p.spec = eb_calloc(1, sizeof *s);
	s->given = eb_strdup(text);
	if (!*p.at && how == EB_LENIENT)
		p.at = "*";
	else if (squeeze(&p, (char *)p.at) < 0)
		return NULL;
	if (parse(&p) < 0)
		return NULL;
	return eb_steal(s);
}

void eb_verspec_free(struct eb_verspec *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_terms; i++)
		eb_term_release(&s->term[i]);
	free(s->term);
	free(s->node);
	free(s->given);
	free(s->text);
	free(s->normal);
	free(s);
}

static bool match_node(const struct eb_verspec *s, const struct node *n,
		       const struct eb_version *v)
{
	bool found;
	uint16_t c;

	if (n->kind == LEAF)
		return eb_term_match(&s->term[n->term], v);
	for (c = n->child; c != END; c = s->node[c].next) {
		found = match_node(s, &s->node[c], v);
		if (found == (n->kind == OR))
			return found;
	}
	return n->kind == AND;
}

bool eb_verspec_match(const struct eb_verspec *s, const struct eb_version *v)
{
	return match_node(s, &s->node[s->root], v);
}

static bool is_bound(const struct eb_term *t)
{
	switch (t->op) {
	case EB_TERM_ANY:
	case EB_TERM_EQ:
	case EB_TERM_LT:
	case EB_TERM_LE:
	case EB_TERM_GT:
	case EB_TERM_GE: return true;
	default: return false;
	}
}

int eb_verspec_row(const struct eb_verspec *s, const struct eb_term **term,
		   int most)
{
	const struct node *root = &s->node[s->root];
	uint16_t c = root->kind == LEAF ? s->root : root->child;
	int n = 0;

	if (root->kind == OR)
		return -1;
	for (; c != END; c = root->kind == LEAF ? END : s->node[c].next) {
		if (s->node[c].kind != LEAF || n == most)
			return -1;
		term[n] = &s->term[s->node[c].term];
		if (!is_bound(term[n++]))
			return -1;
	}
	return n;
}

const char *eb_verspec_text(const struct eb_verspec *s)
{
	char **place = (char **)&s->text;
	char *text = eb_once_text(place);

	return text ? text : eb_once_keep(place, make_text(s));
}

const char *eb_verspec_normal(const struct eb_verspec *s)
{
	char **place = (char **)&s->normal;
	char *text = eb_once_text(place);

	return text ? text : eb_once_keep(place, make_normal(s));
}
