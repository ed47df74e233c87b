/* SPDX-License-Identifier: Apache-2.0 */
/* The pip section for a resolver. */
#include <string.h>

#include "spec_pip_files.h"

static int add(void *data, const struct eb_requirement *q,
	       const struct eb_pip_place *at, struct eb_error *err)
{
	return eb_pip_set_add(data, q->raw, at->constraint, at->dir, at->file,
			      at->line, at->column, err);
}

int eb_spec_pip_set(const struct eb_spec *spec, struct eb_pip_set *out,
		    struct eb_error *err)
{
	memset(out, 0, sizeof *out);
	if (eb_pip_visit(spec, add, out, err) < 0 ||
	    (!out->remote.n && eb_pip_set_check(out, err) < 0)) {
		eb_pip_set_release(out);
		return -1;
	}
	return 0;
}

int eb_spec_no_python(const struct eb_spec *spec, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\": there is a pip section, and no package brings the "
		   "Python that it is for",
		   spec->file);
	eb_err_hint(err, "add \"python\", with the version that is meant "
			 "(python=3.11), to the dependencies");
	return spec->n_pip
		       ? eb_err_at(err, eb_spec_place(spec, spec->pip_at),
				   spec->pip_at[0].line, spec->pip_at[0].column)
		       : -1;
}
