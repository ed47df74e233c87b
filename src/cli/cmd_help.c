/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild help, --help, --version. */
#include <string.h>

#include "cli.h"

/* Light commands know the others' lines from here: one table of words. */
static const char *const lines[][2] = {
	{ "[build] ENV",
	  "resolve, build what is missing, push, print the image" },
	{ "lock ENV", "resolve only, print the lock" },
	{ "check ENV", "is the image there? exit 0 hit, 1 miss" },
	{ "plan ENV", "what a build would do: layers, sizes, steps" },
	{ "explain ENV", "why this base and CUDA, why no newer version" },
	{ "lint ENV", "problems that can be known before a build" },
	{ "hash ENV", "definition hash, lock hash where known" },
	{ "list, show NAME", "environments that have names" },
	{ "clone ENV NEWNAME",
	  "the same under another name; nothing is built" },
	{ "register ENV --name NAME", "keep a definition under a name" },
	{ "save ENV DIR, load DIR", "a definition as Azure ML's files" },
	{ "label NAME:VERSION LABEL", "give a label to a version" },
	{ "archive|restore NAME[:VERSION]", "hide it from lists, or not" },
	{ "run ENV|IMAGE [-- COMMAND]", "run a command in the image" },
	{ "verify ENV|IMAGE|LOCK",
	  "does it hold what it says? exit 1 with findings" },
	{ "push IMAGE HOST/REPOSITORY[:TAG]", "an image to a registry" },
	{ "pull IMAGE", "from a registry to the store, or --output" },
	{ "inspect IMAGE", "what an image is" },
	{ "cache path|list|check|gc",
	  "the local store; gc --registry: the team's" },
	{ "doctor", "what this machine can do" },
	{ "help", "this text" },
};

static const char *const options[][2] = {
	{ "--conda-package, --pip-package", "one more line each; without ENV "
					    "they are all of it" },
	{ "--python X.Y", "the line python=X.Y, likewise" },
	{ "--from-prefix DIR", "instead of ENV: what conda installed there" },
	{ "--environment NAME", "of a pixi.lock, where it is not \"default\"" },
	{ "--category NAME", "of a conda-lock.yml, where it is not \"main\"" },
	{ "--base REF", "HOST/REPOSITORY[:TAG], oci:DIR[:TAG], "
			"oci-archive:FILE, docker-archive:FILE, rootfs:TAR, "
			"scratch" },
	{ "--dockerfile FILE, --context DIR",
	  "a base that buildah makes of them" },
	{ "--build-arg NAME=VALUE", "for its ARG lines" },
	{ "--gpu, --cpu, --allow-cpu", "what is meant; without: the packages "
				       "say it" },
	{ "--cuda X.Y, --experimental-cuda", "the CUDA; early builds count" },
	{ "--driver N, --gpu-arch LIST", "of the hosts, the oldest" },
	{ "--arch NAME", "of the hosts' CPUs, the least: x86_64_v3, zen4" },
	{ "--base-family FAMILY", "nvidia, azureml, debian, ubuntu" },
	{ "--registry HOST/PREFIX", "the team's repository; --no-push: none" },
	{ "--shared", "names are those of the team's catalogue there" },
	{ "--tag TAG|REF", "another tag, or a copy; may be repeated" },
	{ "--username N --password-stdin", "the login of the registry" },
	{ "--timeout TIME, --plain-http", "of a small request; beyond "
					  "loopback, too" },
	{ "--ca-file FILE", "certificates to trust" },
	{ "--channel NAME|URL", "before those of the file; may be repeated" },
	{ "--pin SPEC", "binds that package where it comes in" },
	{ "--platform OS/ARCH", "linux/amd64, linux/arm64" },
	{ "--lock FILE", "build from it; --update-lock renews it" },
	{ "--output PLACE", "oci:DIR, oci-archive:FILE, docker-archive:FILE, "
			    "rootfs:DIR" },
	{ "--format FORM", "of lock: explicit, conda-lock; of save: v1, v2" },
	{ "--reference-file FILE", "write the reference there too" },
	{ "--refresh, --max-age TIME", "solve anew (when the lock is older)" },
	{ "--as-of DATE", "as the channels and indexes were then" },
	{ "--pip-replace needed|never", "conda's packages, by the pip "
					"section" },
	{ "--no-build-isolation PROJECT", "built in the environment itself" },
	{ "--build-base REF",
	  "where sources are built: a base with a compiler" },
	{ "--apt LIST|FILE", "system packages, by the base's own apt" },
	{ "--build-env [PROJECT:]NAME=VALUE", "for what is built from source" },
	{ "--offline", "nothing from the network" },
	{ "--pyc compile|none", "bytecode" },
	{ "--post-link run|skip|error", "packages' post-link scripts" },
	{ "--naming azureml", "where Azure's scripts look for it, too" },
	{ "--activation env|entrypoint|none", "where conda activation goes" },
	{ "--compression gzip|zstd[:N]", "of the layers" },
	{ "--cache-dir DIR, --jobs N", "the store; packages at once" },
	{ "--limit NAME=VALUE", "`doctor` lists them" },
	{ "--config FILE", "instead of the user's configuration" },
	{ "--progress auto|plain|json|none", "how progress is shown" },
	{ "--json, -q, -v", "one object; quiet; the cost of each stage" },
};

static int print_table(const char *const (*row)[2], size_t n,
		       struct eb_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (eb_cli_print(err, "  %-33s %s", row[i][0], row[i][1]) < 0)
			return -1;
	return 0;
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	if (eb_cli_own(cli, "version"))
		return eb_cli_print(err, "envbuild %s", EB_VERSION);
	if (eb_cli_print(err, "usage: envbuild COMMAND [OPTION]...\n") < 0 ||
	    print_table(lines, sizeof lines / sizeof *lines, err) < 0 ||
	    eb_cli_print(err, "\noptions:") < 0 ||
	    print_table(options, sizeof options / sizeof *options, err) < 0)
		return -1;
	return eb_cli_print(err, "\nman envbuild tells more");
}

static const struct eb_cli_option own[] = { { "version", NULL },
					    { "help", NULL },
					    { 0 } };

const struct eb_command eb_cmd_help = {
	.name = "help",
	.usage = "help",
	.summary = "the commands and options",
	.own = own,
	.max_args = 1,
	.run = run,
};
