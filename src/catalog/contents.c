/* SPDX-License-Identifier: Apache-2.0 */
/* What is in an environment: package lines and the name of its base. */
#include <ctype.h>
#include <string.h>

#include <envbuild/yaml.h>

#include "contents.h"
#include "contents_base.h"

/* conda's and older names of what one claims. */
static const char *usual_name(const char *name)
{
	static const struct {
		const char *name, *usual;
	} list[] = {
		{ "pytorch", "torch" },
		{ "pytorch-cpu", "torch" },
		{ "pytorch-gpu", "torch" },
		{ "tensorflow-gpu", "tensorflow" },
		{ "tensorflow-cpu", "tensorflow" },
		{ "py-xgboost", "xgboost" },
		{ "sklearn", "scikit-learn" },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!strcmp(name, list[i].name))
			return list[i].usual;
	return name;
}

static void set_version(struct eb_content *c, const char *text)
{
	size_t n = strcspn(text, "+,;|= ");

	while (n && strchr(".*", text[n - 1]))
		n--;
	c->version = eb_strndup(text, n);
	n = strcspn(text, ",; ");
	c->local =
		memchr(text, '+', n)
			? eb_strndup(strchr(text, '+') + 1,
				     (size_t)(text + n - strchr(text, '+')) - 1)
			: eb_strdup("");
}

/* "name[extras] op version" of conda or pip; a channel before it is left. */
static void add_line(struct eb_contents *out, const char *line)
{
	const char *p = strstr(line, "::");
	struct eb_content c = { .line = eb_strdup(line) };
	size_t n;

	p = p ? p + 2 : line;
	n = strcspn(p, " [=<>~!;@");
	c.name = eb_strndup(p, n);
	eb_lower(c.name);
	for (char *u = c.name; *u; u++)
		if (*u == '_')
			*u = '-';
	p += n;
	n = *p == '[' ? strcspn(p, "]") : 0;
	c.extras = n ? eb_strndup(p + 1, n - 1) : eb_strdup("");
	p += n + (n && p[n] == ']');
	p += strspn(p, " ");
	n = strspn(p, "=<>~!");
	c.op = eb_strndup(p, n);
	p += n;
	set_version(&c, n ? p + strspn(p, " ") : "");
	EB_GROW(out->item, out->n, out->alloc);
	out->item[out->n++] = c;
}

static void add_list(struct eb_contents *out, const struct eb_yaml_node *list)
{
	for (size_t i = 0; list && list->type == EB_YAML_LIST && i < list->n;
	     i++) {
		const struct eb_yaml_node *n = list->item[i];

		if (n->type == EB_YAML_SCALAR)
			add_line(out, n->text);
		else if (n->type == EB_YAML_MAP)
			add_list(out, eb_yaml_get(n, "pip"));
	}
}

/* Of a conda file, or of a requirements file. What cannot be read has nothing
 * in it: a reader of definitions says what is wrong. */
static void add_definition(struct eb_contents *out, const struct eb_named *e)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	struct eb_error ignored = EB_ERROR_INIT;
	EB_CLEANUP(eb_strv_release) struct eb_strv lines = { 0 };

	if (eb_ends(e->file, ".txt")) {
		eb_strv_split(&lines, e->text, "\n");
		for (size_t i = 0; i < lines.n; i++)
			if (isalnum((unsigned char)*lines.v[i]))
				add_line(out, lines.v[i]);
		return;
	}
	if (eb_yaml_parse(e->text, strlen(e->text), e->name, &doc, &ignored) ==
		    0 &&
	    doc->root->type == EB_YAML_MAP)
		add_list(out, eb_yaml_get(doc->root, "dependencies"));
	eb_err_release(&ignored);
}

const struct eb_content *eb_contents_find(const struct eb_contents *c,
					  const char *name)
{
	name = usual_name(name);
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(usual_name(c->item[i].name), name) &&
		    *c->item[i].version)
			return &c->item[i];
	return NULL;
}

void eb_contents_of(const struct eb_named *e, struct eb_contents *out)
{
	const struct eb_content *python;

	*out = (struct eb_contents){ .base = eb_named_option(e, "base") };
	if (e->text)
		add_definition(out, e);
	for (size_t i = 0; i < e->known.n; i++)
		add_line(out, e->known.v[i]);
	if (out->base)
		eb_contents_base(out);
	python = eb_contents_find(out, "python");
	if (python || e->python) {
		free(out->python);
		out->python = eb_strdup(python ? python->version : e->python);
	}
}

void eb_contents_release(struct eb_contents *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->item[i].name);
		free(c->item[i].extras);
		free(c->item[i].op);
		free(c->item[i].version);
		free(c->item[i].local);
		free(c->item[i].line);
	}
	free(c->item);
	free(c->python);
	free(c->os);
	free(c->cuda);
	free(c->mpi);
	*c = (struct eb_contents){ 0 };
}

/* "cu101" is 10.1, "cu92" 9.2: the last digit is the minor. */
static char *of_local(const char *local)
{
	size_t n;

	if (!eb_starts(local, "cu") || !isdigit((unsigned char)local[2]))
		return NULL;
	n = strspn(local + 2, "0123456789");
	return n < 2 ? NULL
		     : eb_asprintf("%.*s.%c", (int)n - 1, local + 2,
				   local[2 + n - 1]);
}

char *eb_content_cuda(const struct eb_content *c)
{
	static const char *const toolkits[] = { "cudatoolkit", "pytorch-cuda",
						"cuda-version" };
	const char *extra = strstr(c->extras, "cuda");
	char *cuda = of_local(c->local);

	for (size_t i = 0; !cuda && i < 3; i++)
		if (!strcmp(c->name, toolkits[i]) && *c->version)
			return eb_version_head(c->version, 2);
	if (!cuda && extra && isdigit((unsigned char)extra[4]))
		return eb_strndup(extra + 4, strspn(extra + 4, "0123456789."));
	return cuda;
}

bool eb_content_is_gpu(const struct eb_content *c)
{
	static const char *const names[] = {
		"torch",	"xgboost",	  "cudatoolkit",
		"cuda-version", "tensorflow-gpu", "pytorch-gpu",
		"pytorch-cuda", "cupy",		  "jax-cuda12-plugin"
	};

	if (strstr(c->extras, "cuda") || eb_starts(c->local, "cu") ||
	    eb_starts(c->name, "nvidia-"))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(c->name, names[i]))
			return !eb_starts(c->local, "cpu");
	return false;
}

char *eb_version_head(const char *version, unsigned n)
{
	const char *p = version;

	while (*p && (*p != '.' || --n))
		p++;
	return eb_strndup(version, (size_t)(p - version));
}

int eb_version_heads(const char *a, const char *b)
{
	while (*a && *b) {
		char *end_a, *end_b;
		unsigned long x = strtoul(a, &end_a, 10);
		unsigned long y = strtoul(b, &end_b, 10);

		if (end_a == a || end_b == b)
			return 0;
		if (x != y)
			return x < y ? -1 : 1;
		if (*end_a != '.' || *end_b != '.')
			return 0;
		a = end_a + 1;
		b = end_b + 1;
	}
	return 0;
}
