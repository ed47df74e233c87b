/* SPDX-License-Identifier: Apache-2.0 */
/* Registries refuse to move a tag that must stay, each in words of its own. */
#include "registry_int.h"

static bool is_refusal(long status)
{
	return status == 400 || status == 403 || status == 405 ||
	       status == 409 || status == 412;
}

bool eb_call_is_immutable(struct eb_call *c)
{
	static const char *const words[] = {
		"immutable", /* ECR, Harbor, Artifact Registry, Hub, Quay */
		"cannot be overwritten",
		"ImageTagAlreadyExists",
		"tag already exists",
	};
	size_t i;

	if (!is_refusal(c->r.status))
		return false;
	for (i = 0; i < sizeof words / sizeof *words; i++) {
		if (eb_call_says(c, words[i]))
			return true;
	}
	/* Azure's, of a locked tag as of a locked repository */
	if (eb_call_has_code(c, "OPERATION_DISALLOWED") ||
	    eb_call_says(c, "operation is disallowed")) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_remote there;
		int rc = eb_manifest_head(c->repo, c->ref, &there, &err);

		eb_err_release(&err);
		return rc > 0;
	}
	return false;
}
