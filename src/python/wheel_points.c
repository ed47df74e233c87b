/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_points.txt: the programs that a wheel asks for (entry points
 * specification; facts 4.5).
 */
#include <ctype.h>
#include <string.h>

#include "wheel_int.h"

#define POINTS_MAX 10000

enum section { OTHER, CONSOLE, GUI };

struct parsed {
	struct eb_wheel_point p;
	enum section section;
	size_t number;
};

struct parser {
	const struct eb_wheel *w;
	struct parsed *found;
	size_t n, alloc;
};

static void release_point(struct eb_wheel_point *p)
{
	free(p->command);
	free(p->module);
	free(p->function);
	*p = (struct eb_wheel_point){ 0 };
}

void eb_wheel_points_release(struct eb_wheel_points *p)
{
	for (size_t i = 0; i < p->n; i++)
		release_point(&p->point[i]);
	free(p->point);
	*p = (struct eb_wheel_points){ 0 };
}

static bool is_start(char c)
{
	return c == '_' || isalpha((unsigned char)c) || (c & 0x80);
}

/* a.b.c, each an identifier: it is written into a program. */
static bool is_dotted_name(const char *s)
{
	bool begins = true;

	for (; *s; s++) {
		if (begins ? !is_start(*s)
			   : *s != '.' && !is_start(*s) &&
				     !isdigit((unsigned char)*s))
			return false;
		begins = *s == '.';
	}
	return !begins;
}

static bool is_file_name(const char *s)
{
	if (!*s || !strcmp(s, ".") || !strcmp(s, ".."))
		return false;
	for (; *s; s++) {
		if (strchr("/\\", *s) || iscntrl((unsigned char)*s))
			return false;
	}
	return true;
}

static int refuse(const struct parser *p, const char *line, const char *why,
		  struct eb_error *err)
{
	return eb_wheel_bad(p->w, err, "has the entry point \"%s\", which %s",
			    line, why);
}

/* Extras behind the function do not matter for starting it. */
static int cut_extras(char *value)
{
	char *bracket = strchr(value, '[');

	if (!bracket)
		return 0;
	if (!eb_ends(value, "]"))
		return -1;
	*bracket = '\0';
	return 0;
}

/* command = module:function [extras] */
static int parse_point(struct parser *p, const char *line, enum section section,
		       struct eb_error *err)
{
	eb_autofree char *copy = eb_strdup(line);
	char *equals = strchr(copy, '='), *command, *value, *colon;
	struct parsed *to;

	if (!equals)
		return refuse(p, line, "has no \"=\"", err);
	*equals = '\0';
	command = eb_strip(copy);
	value = eb_strip(equals + 1);
	if (!is_file_name(command))
		return refuse(p, line, "has a command that is no file name",
			      err);
	if (eb_path_check(command, p->w->what, err) < 0)
		return -1;
	colon = strchr(value, ':');
	if (cut_extras(value) < 0 || !colon)
		return refuse(p, line, "is not \"command = module:function\"",
			      err);
	*colon = '\0';
	if (!is_dotted_name(eb_strip(value)) ||
	    !is_dotted_name(eb_strip(colon + 1)))
		return refuse(p, line, "names no Python function", err);
	if (p->n == POINTS_MAX)
		return eb_wheel_bad(p->w, err, "has more than %d entry points",
				    POINTS_MAX);
	EB_GROW(p->found, p->n, p->alloc);
	to = &p->found[p->n];
	*to = (struct parsed){ .section = section, .number = p->n++ };
	to->p.command = eb_strdup(command);
	to->p.module = eb_strdup(eb_strip(value));
	to->p.function = eb_strdup(eb_strip(colon + 1));
	return 0;
}

static enum section section_of(const char *line)
{
	if (strcmp(line, "[console_scripts]") == 0)
		return CONSOLE;
	return strcmp(line, "[gui_scripts]") == 0 ? GUI : OTHER;
}

static int parse_text(struct parser *p, char *text, struct eb_error *err)
{
	enum section section = OTHER;
	char *save = NULL;

	for (char *line = strtok_r(text, "\r\n", &save); line;
	     line = strtok_r(NULL, "\r\n", &save)) {
		line = eb_strip(line);
		if (!*line || strchr("#;", *line))
			continue;
		if (*line == '[')
			section = section_of(line);
		else if (section != OTHER &&
			 parse_point(p, line, section, err) < 0)
			return -1;
	}
	return 0;
}

/* Of those with one command the last one counts, and gui before console. */
static int by_command(const void *a, const void *b)
{
	const struct parsed *x = a, *y = b;
	int order = strcmp(x->p.command, y->p.command);

	if (order)
		return order;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void add(struct eb_wheel_points *to, struct eb_wheel_point p)
{
	EB_GROW(to->point, to->n, to->alloc);
	to->point[to->n++] = p;
}

static void take_last(struct parser *p, struct eb_wheel_points *to)
{
	if (p->n)
		qsort(p->found, p->n, sizeof *p->found, by_command);
	for (size_t i = 0; i < p->n; i++) {
		if (i + 1 < p->n && strcmp(p->found[i].p.command,
					   p->found[i + 1].p.command) == 0)
			release_point(&p->found[i].p);
		else
			add(to, p->found[i].p);
	}
	p->n = 0;
}

int eb_wheel_read_points(struct eb_wheel *w, struct eb_error *err)
{
	struct parser p = { .w = w };
	eb_autofree char *text = NULL;
	size_t len;
	int rc = eb_wheel_member(w, "entry_points.txt", &text, &len, err);

	if (rc <= 0)
		return rc;
	if (!eb_utf8_valid(text, len))
		return eb_wheel_bad(w, err,
				    "has an entry_points.txt that is not "
				    "UTF-8");
	rc = parse_text(&p, text, err);
	if (rc == 0)
		take_last(&p, &w->points);
	for (size_t i = 0; i < p.n; i++)
		release_point(&p.found[i].p);
	free(p.found);
	return rc;
}

bool eb_wheel_points_have(const struct eb_wheel_points *p, const char *command)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(command, p->point[middle].command);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}
