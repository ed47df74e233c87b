/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: one file a command, each exporting one struct.
 *
 * To add a command: write src/cli/cmd_NAME.c with a `const struct eb_command
 * eb_cmd_NAME`, add the name to EB_LIGHT_COMMANDS or EB_FULL_COMMANDS below
 * and a section to man/envbuild.1. A light command may use nothing that needs
 * libcurl, libarchive or libsolv (tests/lint/symbols looks).
 */
#ifndef EB_CLI_H
#define EB_CLI_H

#include <jansson.h>
#include <stdbool.h>

#include <envbuild/build.h>
#include <envbuild/config.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/registry.h>
#include <envbuild/store.h>
#include <envbuild/str.h>

#define EB_LIGHT_COMMANDS(X) \
	X(check)             \
	X(hash)              \
	X(lint)              \
	X(cache)             \
	X(list)              \
	X(show)              \
	X(clone)             \
	X(register)          \
	X(label)             \
	X(archive)           \
	X(restore)           \
	X(load)              \
	X(save)              \
	X(help)
#define EB_FULL_COMMANDS(X) \
	X(build)            \
	X(lock)             \
	X(plan)             \
	X(explain)          \
	X(run)              \
	X(verify)           \
	X(push)             \
	X(pull)             \
	X(inspect)          \
	X(doctor)

/* Light commands by name, too, for calls of them that need what the light
 * program has not (is_full below): the full program looks here first. */
#define EB_REGISTRY_COMMANDS(X) \
	X(check_registry) X(cache_registry) X(clone_registry) X(lint_index)

struct eb_cli {
	struct eb_config config;
	struct eb_strv args;	/* what is not an option */
	struct eb_strv own;	/* the command's own options: name, value */
	struct eb_strv command; /* behind "--" */
	bool has_command;
	struct eb_progress *progress;
	struct eb_events *events;
	const struct eb_command *cmd;
};

struct eb_cli_option { /* an option that one command alone has */
	const char *name;
	const char *value; /* what its value is called, NULL: a flag;
			    * "[...]": one behind "=" or none */
};

struct eb_command {
	const char *name;
	const char *usage; /* "check ENV [--max-age TIME]" */
	const char *summary;
	const struct eb_cli_option *own; /* ends with a NULL name */
	unsigned min_args, max_args;
	bool takes_env; /* first, and options may stand for it: then it is "" */
	bool takes_command; /* behind "--" */
	int failure;	    /* status of our own failures; 0: by the error */
	/* Of a light command: does this call need the full program? */
	bool (*is_full)(const struct eb_cli *cli);
	/* Exit status, or -1 with err. */
	int (*run)(struct eb_cli *cli, struct eb_error *err);
};

#define EB_DECLARE(name) extern const struct eb_command eb_cmd_##name;
EB_LIGHT_COMMANDS(EB_DECLARE)
EB_FULL_COMMANDS(EB_DECLARE)
EB_REGISTRY_COMMANDS(EB_DECLARE)
#undef EB_DECLARE

/* The whole program. `commands` ends with NULL; `fallback` is called for a
 * verb that is none of them, and for a call that needs the full program (NULL:
 * this is it). `open_shared` may be NULL. */
int eb_cli_main(int argc, char **argv, const struct eb_command *const *commands,
		int (*fallback)(char **argv), eb_catalog_opener *open_shared);

/* Parse into cli: config by table, own options, the rest. */
int eb_cli_parse(struct eb_cli *cli, int argc, char **argv,
		 struct eb_error *err);
/* The value of an own option, NULL when it was not given; of a repeated one
 * the last. A flag has "". */
const char *eb_cli_own(const struct eb_cli *cli, const char *name);

/* Does the call speak to the team's catalogue? The second: if its first
 * argument is a name. */
bool eb_cli_is_shared(const struct eb_cli *cli);
bool eb_cli_env_is_shared(const struct eb_cli *cli);
int eb_cli_store(struct eb_cli *cli, unsigned flags, struct eb_store **out,
		 struct eb_error *err);
/* The password of --password-stdin, into the configuration: at most 64 KiB, a
 * newline at its end is none of it. Nothing when it was not asked for, or was
 * read before. */
int eb_cli_password(struct eb_cli *cli, struct eb_error *err);
/* The client that the options ask for, with that password (team.h,
 * eb_config_registry). */
int eb_cli_registry(struct eb_cli *cli, const char *login_host, bool single,
		    struct eb_registry **out, struct eb_error *err);
/* "store:sha256:..." */
char *eb_cli_reference(const struct eb_digest *manifest);
/* A line on standard output, flushed and checked. */
int eb_cli_print(struct eb_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* One JSON object on standard output; takes the reference. */
int eb_cli_print_json(json_t *object, struct eb_error *err);

/* --- progress.c ------------------------------------------------------------
 */
enum eb_progress_mode {
	EB_PROGRESS_NONE,
	EB_PROGRESS_PLAIN,
	EB_PROGRESS_LIVE,
	EB_PROGRESS_JSON
};
struct eb_progress;
/* `mode` as --progress has it; auto is live on a terminal, else plain. */
struct eb_progress *eb_progress_new(const char *mode, bool quiet, bool verbose);
struct eb_events *eb_progress_events(struct eb_progress *p);
/* From here on everything is also written to a log file; NULL where no log
 * can be kept. Its path. */
const char *eb_progress_log(struct eb_progress *p, const char *title);
void eb_progress_pause(struct eb_progress *p); /* clear the live lines */
unsigned eb_progress_warnings(const struct eb_progress *p);
void eb_progress_free(struct eb_progress *p);

/* Error to standard error, in words or as a JSON line. */
void eb_report_error(const struct eb_error *err, bool json, const char *log);

#endif
