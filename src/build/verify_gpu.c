/* SPDX-License-Identifier: Apache-2.0 */
/* Frameworks that were loaded in the image and asked for GPUs. A build without
 * CUDA is a finding wherever it runs; devices can be had only where there are
 * any. */
#include <envbuild/file.h>
#include <envbuild/json.h>

#include "verify_claims.h"

#define GPU "gpu"
#define DRIVER "/dev/nvidiactl" /* there where a driver is loaded */

static void no_devices(const char *name, const char *built,
		       struct eb_findings *out)
{
	eb_finding_note(out, GPU, name,
			"is built for CUDA %s and finds no GPU: %s", built,
			eb_path_exists(DRIVER)
				? "this machine has one, which the sandbox "
				  "does not hand in"
				: "this machine has none");
}

void eb_verify_take_gpu(const json_t *line, struct eb_findings *out)
{
	const char *name = eb_json_str(line, "gpu");
	const char *why = eb_json_str(line, "why");
	const char *built = eb_json_str(line, "built");
	json_int_t devices = eb_json_int(line, "devices", 0);

	if (!name)
		eb_finding_note(out, GPU, NULL,
				"not asked for: torch, tensorflow and jax are "
				"not there");
	else if (why)
		eb_finding_add(out, GPU, name, "cannot be asked for GPUs: %s",
			       why);
	else if (!built)
		eb_finding_add(out, GPU, name,
			       "is a build for the CPU: it will use no GPU");
	else if (devices > 0)
		eb_finding_note(out, GPU, name,
				"is built for CUDA %s and finds %lld GPU%s",
				built, (long long)devices,
				devices == 1 ? "" : "s");
	else
		no_devices(name, built, out);
}
