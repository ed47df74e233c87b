/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of a Dockerfile: lines that go on joined, comments and
 * here-documents passed by, words with the place that they stand at. */
#include <string.h>
#include <strings.h>

#include "dockerfile_read.h"

#define SPACE " \t\r"

struct raw { /* a line of the file */
	size_t at, len;
};

static bool take_raw(struct eb_docker_reader *r, struct raw *line)
{
	const char *end;

	if (r->at >= r->len)
		return false;
	end = memchr(r->text + r->at, '\n', r->len - r->at);
	line->at = r->at;
	line->len = end ? (size_t)(end - r->text) - r->at : r->len - r->at;
	r->at += line->len + 1;
	r->number++;
	return true;
}

/* Its first byte that is no space; NUL: there is none. */
static char first_byte(const struct eb_docker_reader *r, const struct raw *l)
{
	for (size_t i = 0; i < l->len; i++)
		if (!memchr(SPACE, r->text[l->at + i], strlen(SPACE)))
			return r->text[l->at + i];
	return '\0';
}

/* ---- directives -----------------------------------------------------------
 */

/* "# name=value": what it is the value of is told by the result. */
static char *directive(const struct eb_docker_reader *r, const struct raw *l,
		       char **value)
{
	eb_autofree char *line = eb_strndup(r->text + l->at, l->len);
	char *text = eb_strip(line), *eq;

	if (*text != '#')
		return NULL;
	text = eb_strip(text + 1);
	eq = strchr(text, '=');
	if (!eq ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyz"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ ") < (size_t)(eq - text))
		return NULL;
	*eq = '\0';
	*value = eb_strdup(eb_strip(eq + 1));
	return eb_strdup(eb_strip(text));
}

void eb_docker_begin(struct eb_docker_reader *r, const char *text, size_t len)
{
	struct eb_docker_reader ahead;
	bool mark = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
	struct raw line;

	*r = (struct eb_docker_reader){
		.text = text, .len = len, .at = mark ? 3 : 0, .escape = '\\'
	};
	ahead = *r;
	while (take_raw(&ahead, &line)) {
		eb_autofree char *value = NULL;
		eb_autofree char *name = directive(&ahead, &line, &value);

		if (!name)
			return;
		if (!strcasecmp(name, "escape") && strlen(value) == 1)
			r->escape = *value;
	}
}

/* ---- here-documents -------------------------------------------------------
 */

static bool takes_heredoc(const char *word)
{
	return !strcasecmp(word, "RUN") || !strcasecmp(word, "COPY") ||
	       !strcasecmp(word, "ADD");
}

/* The word that ends what begins with `word`: "<<EOF", "<<-'EOF'", "3<<EOF";
 * NULL: it begins nothing. */
static char *heredoc_end(const char *word)
{
	const char *at = word + strspn(word, "0123456789");
	char quote;
	size_t len;

	if (!eb_starts(at, "<<"))
		return NULL;
	at += 2;
	at += *at == '-';
	quote = *at == '"' || *at == '\'' ? *at : '\0';
	at += quote != '\0';
	len = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789_.-");
	if (!len || (quote && at[len] != quote))
		return NULL;
	return eb_strndup(at, len);
}

/* Where the line is that ends it, it goes on behind that. */
static void skip_heredoc(struct eb_docker_reader *r, const char *end)
{
	struct eb_docker_reader ahead = *r;
	struct raw line;

	while (take_raw(&ahead, &line)) {
		eb_autofree char *text =
			eb_strndup(r->text + line.at, line.len);

		if (strcmp(eb_strip(text), end))
			continue;
		*r = ahead;
		return;
	}
}

static void skip_heredocs(struct eb_docker_reader *r,
			  const struct eb_docker_line *l)
{
	eb_autofree char *first = eb_docker_word(l, 0);

	if (!takes_heredoc(first))
		return;
	for (size_t i = 1; i < l->n; i++) {
		eb_autofree char *word = eb_docker_word(l, i);
		eb_autofree char *end = heredoc_end(word);

		if (end)
			skip_heredoc(r, end);
	}
}

/* ---- instructions ---------------------------------------------------------
 */

/* True when it goes on. */
static bool add_raw(const struct eb_docker_reader *r, const struct raw *raw,
		    struct eb_docker_line *l)
{
	size_t n = raw->len;
	bool more;

	while (n && memchr(SPACE, r->text[raw->at + n - 1], strlen(SPACE)))
		n--;
	more = n && r->text[raw->at + n - 1] == r->escape;
	n -= more;
	if (l->text.len + n > l->alloc) {
		l->alloc = (l->text.len + n) * 2;
		l->pos = eb_realloc(l->pos, l->alloc, sizeof *l->pos);
	}
	for (size_t i = 0; i < n; i++)
		l->pos[l->text.len + i] = raw->at + i;
	eb_buf_add(&l->text, r->text + raw->at, n);
	return more;
}

static void split(struct eb_docker_line *l)
{
	const char *text = l->text.data;

	l->n = 0;
	for (size_t i = 0; i < l->text.len;) {
		size_t gap = strspn(text + i, SPACE);
		size_t len = strcspn(text + i + gap, SPACE);

		i += gap;
		if (len) {
			EB_GROW(l->word, l->n, l->words_alloc);
			l->word[l->n++] = (struct eb_docker_word){ i, len };
		}
		i += len;
	}
}

int eb_docker_next(struct eb_docker_reader *r, struct eb_docker_line *l)
{
	struct raw raw;
	bool more = true;

	if (!l->text.data)
		eb_buf_init(&l->text, EB_MAX_DOCKERFILE);
	eb_buf_reset(&l->text);
	l->number = 0;
	while (more && take_raw(r, &raw)) {
		char first = first_byte(r, &raw);

		if (!first || first == '#')
			continue;
		if (!l->number)
			l->number = r->number;
		more = add_raw(r, &raw, l);
	}
	split(l);
	if (!l->n)
		return 0;
	skip_heredocs(r, l);
	return 1;
}

char *eb_docker_word(const struct eb_docker_line *l, size_t i)
{
	return eb_strndup(l->text.data + l->word[i].at, l->word[i].len);
}

void eb_docker_line_release(struct eb_docker_line *l)
{
	if (l->text.data)
		eb_buf_release(&l->text);
	free(l->pos);
	free(l->word);
}
