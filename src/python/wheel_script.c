/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in bin/: those of entry points, and scripts that ask for the
 * interpreter of whoever installs them (facts 4.4, 4.5). */
#include <string.h>

#include "wheel_int.h"

#define SHEBANG_MAX 127 /* with its newline */
#define ASKS "#!python"

/* A first line that is too long for the kernel, or has a blank, goes through
 * the shell, for which the next two are a command and for Python a string. */
static void add_shebang(struct eb_buf *out, const struct eb_wheel_target *t)
{
	eb_autofree char *python = eb_asprintf("%s/bin/python", t->prefix);

	if (strlen("#!") + strlen(python) + 1 <= SHEBANG_MAX &&
	    !strchr(python, ' '))
		eb_buf_addf(out, "#!%s\n", python);
	else
		eb_buf_addf(out,
			    "#!/bin/sh\n"
			    "'''exec' \"%s\" \"$0\" \"$@\"\n"
			    "' '''\n",
			    python);
}

static int add_launcher(const struct eb_wheel *w,
			const struct eb_wheel_point *p,
			const struct eb_wheel_target *t, struct eb_entries *out,
			struct eb_error *err)
{
	eb_autofree char *path =
		eb_asprintf("%s/bin/%s", t->prefix + 1, p->command);
	int first = (int)strcspn(p->function, ".");
	EB_AUTOBUF(text, EB_MAX_METADATA);

	add_shebang(&text, t);
	eb_buf_addf(&text,
		    "import sys\n"
		    "from %s import %.*s\n"
		    "if __name__ == '__main__':\n"
		    "    sys.exit(%s())\n",
		    p->module, first, p->function, p->function);
	if (text.overflow)
		return eb_wheel_bad(w, err,
				    "has an entry point that is too "
				    "long");
	return eb_entries_add_file(out, path, 0755, eb_wheel_mtime(t),
				   text.data, text.len, err);
}

int eb_wheel_add_launchers(const struct eb_wheel *w,
			   const struct eb_wheel_points *points,
			   const struct eb_wheel_target *t,
			   struct eb_entries *out, struct eb_error *err)
{
	for (size_t i = 0; i < points->n; i++) {
		if (add_launcher(w, &points->point[i], t, out, err) < 0)
			return -1;
	}
	return 0;
}

int eb_wheel_add_script(const struct eb_wheel *w,
			const struct eb_zipdir_member *m, const char *path,
			const struct eb_wheel_target *t, struct eb_entries *out,
			struct eb_error *err)
{
	eb_autofree char *content = NULL;
	char head[sizeof ASKS - 1];
	const char *rest;
	size_t got;
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (eb_zipdir_peek(&w->zip, m, head, sizeof head, &got, err) < 0)
		return -1;
	if (got < sizeof head || memcmp(head, ASKS, sizeof head) != 0)
		return 0;
	if (eb_wheel_text(w, m, &content, err) < 0)
		return -1;
	rest = memchr(content, '\n', (size_t)m->size);
	rest = rest ? rest + 1 : content + m->size;
	add_shebang(&text, t);
	eb_buf_add(&text, rest, (size_t)(content + m->size - rest));
	if (text.overflow)
		return eb_wheel_bad(w, err,
				    "has a script \"%s\" that is too "
				    "long",
				    m->name);
	if (eb_entries_add_file(out, path, 0755, eb_wheel_mtime(t), text.data,
				text.len, err) < 0)
		return -1;
	return 1;
}
