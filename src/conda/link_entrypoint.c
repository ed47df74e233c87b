/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points of noarch Python packages: small programs in bin/. */
#include <string.h>

#include "link_int.h"
#include "member_paths.h"

#define SHEBANG_MAX 127 /* with its newline */

struct point {
	const char *command, *module, *function; /* point into `text` */
	char *text;
};

static int refuse(const struct eb_package *p, const char *text, const char *why,
		  struct eb_error *err)
{
	eb_autofree char *shown = eb_printable(text);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has the entry point \"%s\", which %s",
			  p->what, shown, why);
}

static bool is_start(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c & 0x80);
}

/* a.b.c, each an identifier */
static bool is_dotted_name(const char *s)
{
	bool begins = true;

	for (; *s; s++) {
		if (begins && !is_start(*s))
			return false;
		if (!begins && *s != '.' && !is_start(*s) &&
		    !(*s >= '0' && *s <= '9'))
			return false;
		begins = *s == '.';
	}
	return !begins;
}

static int check_command(const struct eb_package *p, const char *text,
			 const char *command, struct eb_error *err)
{
	if (!*command)
		return refuse(p, text, "has no command", err);
	if (*command == '.' || strpbrk(command, "/\\\n\r"))
		return refuse(p, text, "has a command that is no file name",
			      err);
	return eb_path_check(command, p->what, err);
}

/* "command = module:function" */
static int parse(const struct eb_package *p, const char *text,
		 struct point *out, struct eb_error *err)
{
	char *equals, *colon;

	out->text = eb_strdup(text);
	equals = strchr(out->text, '=');
	colon = strrchr(out->text, ':');
	if (!equals || !colon || colon < equals)
		return refuse(p, text, "is not \"command = module:function\"",
			      err);
	*equals = *colon = '\0';
	out->command = eb_strip(out->text);
	out->module = eb_strip(equals + 1);
	out->function = eb_strip(colon + 1);
	if (!is_dotted_name(out->module) || !is_dotted_name(out->function))
		return refuse(p, text, "names no Python function", err);
	return check_command(p, text, out->command, err);
}

static void add_shebang(struct eb_buf *out, const struct eb_link_target *t)
{
	eb_autofree char *python =
		eb_asprintf("%s/bin/python%s", t->prefix, t->python_minor);

	if (strlen("#!") + strlen(python) + 1 > SHEBANG_MAX ||
	    strchr(python, ' '))
		eb_buf_addf(out,
			    "#!/bin/sh\n"
			    "'''exec' \"%s\" \"$0\" \"$@\" #'''\n",
			    python);
	else
		eb_buf_addf(out, "#!%s\n", python);
}

static void add_program(struct eb_buf *out, const struct point *point)
{
	int first = (int)strcspn(point->function, ".");

	eb_buf_addf(out,
		    "# -*- coding: utf-8 -*-\n"
		    "import re\n"
		    "import sys\n"
		    "\n"
		    "from %s import %.*s\n"
		    "\n"
		    "if __name__ == '__main__':\n"
		    "    sys.argv[0] = re.sub(r'(-script\\.pyw?|\\.exe)?$', '',"
		    " sys.argv[0])\n"
		    "    sys.exit(%s())\n",
		    point->module, first, point->function, point->function);
}

static int make(const struct eb_package *p, const struct point *point,
		const struct eb_link_target *t, struct eb_entries *out,
		struct eb_error *err)
{
	eb_autofree char *path =
		eb_asprintf("%s/bin/%s", t->prefix + 1, point->command);
	struct eb_entry *e;
	EB_AUTOBUF(text, EB_MAX_TEXT);

	add_shebang(&text, t);
	add_program(&text, point);
	if (text.overflow)
		return refuse(p, point->command, "is too long", err);
	if (eb_entries_add_file(out, path, 0755,
				eb_link_mtime(t, EB_FIXED_MTIME), text.data,
				text.len, err) < 0)
		return -1;
	e = &out->entry[out->n - 1];
	e->note = eb_link_note(e, "unix_python_entry_point", NULL);
	return 0;
}

/* Of the entries with one path, m[from] to m[to - 1], the last one added. */
static struct eb_entry *last_of(const struct eb_member_paths *m, size_t from,
				size_t to)
{
	struct eb_entry *last = m->entry[from];

	for (size_t i = from + 1; i < to; i++) {
		if (m->entry[i] > last)
			last = m->entry[i];
	}
	return last;
}

/* Paths of what an entry point is written over become NULL. */
static void find_replaced(const struct eb_package *p, struct eb_entries *out,
			  size_t first, struct eb_events *events)
{
	struct eb_member_paths m EB_CLEANUP(eb_member_paths_release) = { 0 };
	size_t from, to;

	eb_member_paths_init(&m, out);
	for (from = 0; from < m.n; from = to) {
		const char *path = m.entry[from]->path;
		struct eb_entry *last;

		for (to = from + 1; to < m.n; to++) {
			if (strcmp(m.entry[to]->path, path) != 0)
				break;
		}
		last = last_of(&m, from, to);
		if (to == from + 1 || last < out->entry + first)
			continue;
		eb_detail(events,
			  "\"%s\": \"%s\" is replaced by the entry "
			  "point of that name",
			  p->what, path);
		for (size_t i = from; i < to; i++) {
			if (m.entry[i] != last)
				free(eb_steal(m.entry[i]->path));
		}
	}
}

static void drop_replaced(struct eb_entries *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++) {
		if (out->entry[i].path) {
			out->entry[n++] = out->entry[i];
			continue;
		}
		free(out->entry[i].target);
		free(out->entry[i].note);
	}
	out->n = n;
}

int eb_link_entry_points(const struct eb_package *p,
			 const struct eb_link_noarch *n,
			 const struct eb_link_target *t, struct eb_entries *out,
			 struct eb_events *events, struct eb_error *err)
{
	size_t first = out->n;

	for (size_t i = 0; i < n->entry_points.n; i++) {
		struct point point = { 0 };
		int rc = parse(p, n->entry_points.v[i], &point, err);

		if (rc == 0)
			rc = make(p, &point, t, out, err);
		free(point.text);
		if (rc < 0)
			return -1;
	}
	if (out->n == first)
		return 0;
	find_replaced(p, out, first, events);
	drop_replaced(out);
	return 0;
}
