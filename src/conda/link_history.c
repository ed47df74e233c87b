/* SPDX-License-Identifier: Apache-2.0 */
/* What conda keeps of an environment as a whole (CEP 32): its history with
 * one entry, and the state with its variables. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/link.h>

/* "+CHANNEL/SUBDIR::NAME-VERSION-BUILD" */
static void add_package(struct eb_strv *lines, const struct eb_record *r)
{
	eb_strv_addf(lines, "+%s/%s::%s-%s-%s", r->channel ? r->channel : "",
		     r->subdir ? r->subdir : "", r->name, r->version, r->build);
}

void eb_link_history(const struct eb_record *const *records, size_t n,
		     const struct eb_strv *requested, struct eb_buf *out)
{
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv specs EB_CLEANUP(eb_strv_release) = { 0 };

	for (size_t i = 0; i < n; i++)
		add_package(&lines, records[i]);
	eb_strv_sort(&lines);
	eb_strv_copy(&specs, requested);
	eb_strv_sort(&specs);
	eb_strv_unique(&specs);
	eb_buf_adds(out, "==> 1980-01-01 00:00:00 <==\n"
			 "# cmd: envbuild\n");
	for (size_t i = 0; i < lines.n; i++)
		eb_buf_addf(out, "%s\n", lines.v[i]);
	eb_buf_adds(out, "# update specs: [");
	for (size_t i = 0; i < specs.n; i++) {
		eb_buf_adds(out, i ? ", " : "");
		eb_buf_add_json(out, specs.v[i]);
	}
	eb_buf_adds(out, "]\n");
}

void eb_link_state(const struct eb_strv *names, const struct eb_strv *values,
		   struct eb_buf *out)
{
	eb_autojson json_t *j = json_object();
	json_t *env = json_object();

	if (!j || !env)
		eb_oom();
	for (size_t i = 0; i < names->n; i++) {
		if (json_object_set_new(env, names->v[i],
					json_string(values->v[i])) < 0)
			eb_oom();
	}
	if (json_object_set_new(j, "version", json_integer(1)) < 0 ||
	    json_object_set_new(j, "env_vars", env) < 0)
		eb_oom();
	eb_json_pretty(j, out);
}
