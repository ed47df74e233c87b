/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are not conda environment files, recognised, so that the message
 * can say what they are. */
#include <string.h>

#include "spec_reader.h"

unsigned eb_spec_find_line(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);
	const char *p = text, *end = text + len;
	unsigned line = 1;

	while (p && (size_t)(end - p) >= n) {
		if (memcmp(p, prefix, n) == 0)
			return line;
		p = memchr(p, '\n', (size_t)(end - p));
		p += p != NULL;
		line++;
	}
	return 0;
}

static int refuse(const char *file, unsigned line, const char *what,
		  const char *hint, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\", reading as a definition: %s", file,
		   what);
	eb_err_at(err, file, line, 1);
	return hint ? eb_err_hint(err, "%s", hint) : -1;
}

/* ---- what is told by a line or by the name
 * ----------------------------------------------------- */

static const struct {
	const char *line, *what, *hint;
} by_line[] = {
	{ "# packages in environment at", "it is what \"conda list\" prints",
	  "\"conda env export\" writes an environment file" },
};

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

bool eb_spec_is_pylock(const char *file)
{
	const char *name = base_name(file);

	return strcmp(name, "pylock.toml") == 0 ||
	       (eb_starts(name, "pylock.") && eb_ends(name, ".toml"));
}

static int foreign_name(const char *file, struct eb_error *err)
{
	static const char hint[] =
		"give a conda environment file, or requirements in a file "
		"whose name ends in .txt";

	if (strcmp(base_name(file), "pyproject.toml") == 0)
		return refuse(file, 1, "it is a Python project's own file",
			      "write \"-e FOLDER\" in a requirements file or "
			      "below \"- pip:\"",
			      err);
	return refuse(file, 1, "it is TOML", hint, err);
}

int eb_spec_foreign_text(const char *text, size_t len, const char *file,
			 struct eb_error *err)
{
	for (size_t i = 0; i < sizeof by_line / sizeof *by_line; i++) {
		unsigned line = eb_spec_find_line(text, len, by_line[i].line);

		if (line)
			return refuse(file, line, by_line[i].what,
				      by_line[i].hint, err);
	}
	return eb_ends(file, ".toml") ? foreign_name(file, err) : 0;
}

/* ---- one text or a list in place of a mapping
 * -------------------------------------- */

static bool all_requirements(const char *text)
{
	struct eb_strv word EB_CLEANUP(eb_strv_release) = { 0 };
	bool pinned = false;

	eb_strv_split(&word, text, " \n");
	for (size_t i = 0; i < word.n; i++) {
		struct eb_requirement q EB_CLEANUP(
			eb_requirement_release) = { 0 };
		struct eb_error no EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

		if (i == 1000)
			break;
		if (eb_requirement_parse(word.v[i], &q, &no) < 0)
			return false;
		pinned |= strpbrk(word.v[i], "=<>~") != NULL;
	}
	return pinned;
}

static int not_a_map(struct eb_spec_reader *r)
{
	const struct eb_yaml_node *root = r->doc->root;
	const char *file = r->doc->name;

	if (eb_yaml_is_null(root))
		return refuse(file, 1, "it is empty",
			      "the smallest one is \"dependencies: [python]\"",
			      r->err);
	if (root->type == EB_YAML_SCALAR && all_requirements(root->text))
		return refuse(file, root->line,
			      "it looks like a requirements file of pip",
			      "give it a name that ends in .txt, or put its "
			      "lines below \"- pip:\" of an environment file",
			      r->err);
	eb_yaml_err(r->doc, root, r->err,
		    "\"%s\", reading as a conda environment file: it is %s, "
		    "where a mapping with \"dependencies\" is expected",
		    file, eb_spec_type(root));
	return -1;
}

/* ---- other mappings
 * ------------------------------------------------------------------- */

/* Azure's forms are read by whoever knows their file (azure.h). */
static bool is_azure(const struct eb_yaml_node *root)
{
	return eb_yaml_get(root, "build_dependencies") ||
	       eb_yaml_get(root, "conda_file") || eb_yaml_get(root, "image");
}

static const char *what_it_is(const struct eb_yaml_node *root)
{
	if (eb_yaml_get(root, "build_dependencies"))
		return "it is a python_env.yaml of MLflow";
	if (eb_yaml_get(root, "conda_file") || eb_yaml_get(root, "image"))
		return "it is an Azure ML environment";
	if (eb_yaml_get(root, "package") && eb_yaml_get(root, "requirements"))
		return "it is a recipe that a package is built from";
	if (eb_yaml_get(root, "services"))
		return "it is a compose file";
	return NULL;
}

int eb_spec_foreign_map(struct eb_spec_reader *r)
{
	const struct eb_yaml_node *root = r->doc->root;
	const char *what;

	if (root->type != EB_YAML_MAP)
		return not_a_map(r);
	what = what_it_is(root);
	if (what) {
		eb_yaml_err(r->doc, root, r->err,
			    "\"%s\", reading as a conda environment file: %s",
			    r->doc->name, what);
		return eb_err_hint(r->err, "%s",
				   is_azure(root)
					   ? "give it by its path: it is not "
					     "read from standard input or as "
					     "a part of another"
					   : "give a conda environment file: "
					     "name, channels, dependencies");
	}
	if (eb_yaml_get(root, "dependencies"))
		return 0;
	eb_yaml_err(r->doc, root, r->err,
		    "\"%s\", reading as a conda environment file: there is no "
		    "key \"dependencies\"",
		    r->doc->name);
	return eb_err_hint(r->err, "list the packages: dependencies: [python]");
}
