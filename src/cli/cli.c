/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the command, reading the options, running, reporting. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "cli.h"

static const struct eb_command *find(const struct eb_command *const *commands,
				     const char *name)
{
	for (; *commands; commands++)
		if (!strcmp((*commands)->name, name))
			return *commands;
	return NULL;
}

/* Verbs of the other program, so that `envbuild x.yml` is a build. */
static bool is_verb(const char *word)
{
#define EB_NAME(name) #name,
	static const char *const verbs[] = { EB_LIGHT_COMMANDS(
		EB_NAME) EB_FULL_COMMANDS(EB_NAME) NULL };
#undef EB_NAME

	for (size_t i = 0; verbs[i]; i++)
		if (!strcmp(verbs[i], word))
			return true;
	return false;
}

/* The verb; `envbuild ENV ...` is `envbuild build ENV ...`. */
static const char *verb_of(int argc, char **argv, int *skip)
{
	const char *first = argc > 1 ? argv[1] : "help";

	*skip = argc > 1 ? 2 : 1;
	if (is_verb(first))
		return first;
	if (!strcmp(first, "-h"))
		return "help";
	*skip = 1;
	if (!strcmp(first, "--help") || !strcmp(first, "--version"))
		return "help";
	return "build";
}

/* An ENV that is left out because the options say what is meant. */
static int take_env(struct eb_cli *cli, struct eb_error *err)
{
	struct eb_strv *args = &cli->args;

	if (args->n && !*args->v[0])
		return eb_err_set(err, EB_USAGE,
				  "the name of the environment "
				  "is empty");
	if (args->n + 1 != cli->cmd->min_args ||
	    !eb_config_stands_alone(&cli->config))
		return 0;
	eb_strv_add(args, "");
	for (size_t i = args->n - 1; i > 0; i--) {
		char *last = args->v[i];

		args->v[i] = args->v[i - 1];
		args->v[i - 1] = last;
	}
	return 0;
}

static int count_args(struct eb_cli *cli, struct eb_error *err)
{
	if (cli->has_command && !cli->cmd->takes_command) {
		eb_err_set(err, EB_USAGE, "%s takes no command behind \"--\"",
			   cli->cmd->name);
		return eb_err_hint(err, "usage: envbuild %s", cli->cmd->usage);
	}
	if (cli->cmd->takes_env && take_env(cli, err) < 0)
		return -1;
	if (cli->args.n >= cli->cmd->min_args &&
	    cli->args.n <= cli->cmd->max_args)
		return 0;
	if (cli->args.n > cli->cmd->max_args)
		eb_err_set(err, EB_USAGE, "\"%s\" is one argument too many",
			   cli->args.v[cli->cmd->max_args]);
	else
		eb_err_set(err, EB_USAGE, "an argument is missing");
	return eb_err_hint(err, "usage: envbuild %s", cli->cmd->usage);
}

static const char *config_file(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (eb_starts(argv[i], "--config="))
			return argv[i] + strlen("--config=");
		if (!strcmp(argv[i], "--config") && i + 1 < argc)
			return argv[i + 1];
	}
	return NULL;
}

static void release(struct eb_cli *cli)
{
	eb_progress_free(cli->progress);
	eb_config_release(&cli->config);
	eb_strv_release(&cli->args);
	eb_strv_release(&cli->own);
	eb_strv_release(&cli->command);
}

/* Is this call one for the full program? Looked at aside, so that nothing is
 * said twice; what is wrong is said later. */
static bool is_full(const struct eb_command *cmd, int argc, char **argv,
		    int skip)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_cli cli EB_CLEANUP(release) = { .cmd = cmd };

	return cmd->is_full &&
	       eb_config_load(config_file(argc, argv), NULL, &cli.config,
			      &why) == 0 &&
	       eb_cli_parse(&cli, argc - skip, argv + skip, &why) == 0 &&
	       cmd->is_full(&cli);
}

/* The light program leaves standard input to the other one. */
static int run(struct eb_cli *cli, int argc, char **argv, int skip, bool light,
	       eb_catalog_opener *open_shared, struct eb_error *err)
{
	/* Warnings of the configuration come before --progress is known. */
	cli->progress = eb_progress_new("plain", false, false);
	cli->events = eb_progress_events(cli->progress);
	if (eb_config_load(config_file(argc, argv), cli->events, &cli->config,
			   err) < 0 ||
	    eb_cli_parse(cli, argc - skip, argv + skip, err) < 0 ||
	    count_args(cli, err) < 0)
		return -1;
	cli->config.open_shared = open_shared;
	eb_progress_free(cli->progress);
	cli->progress = eb_progress_new(cli->config.progress, cli->config.quiet,
					cli->config.verbose);
	cli->events = eb_progress_events(cli->progress);
	if (!light && eb_cli_password(cli, err) < 0)
		return -1;
	return cli->cmd->run(cli, err);
}

/* Nothing that we open may get the number of a standard stream that was
 * closed: what is printed would go there. */
static void fill_streams(void)
{
	int fd = open("/dev/null", O_RDONLY);

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = open("/dev/null", O_RDONLY);
	if (fd >= 0)
		close(fd);
}

static int failed(struct eb_cli *cli, const struct eb_error *err)
{
	const char *progress = cli->config.progress;

	eb_progress_pause(cli->progress);
	eb_report_error(err, progress && !strcmp(progress, "json"),
			eb_progress_log(cli->progress, NULL));
	return cli->cmd->failure ? cli->cmd->failure : (int)err->code;
}

int eb_cli_main(int argc, char **argv, const struct eb_command *const *commands,
		int (*fallback)(char **argv), eb_catalog_opener *open_shared)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_cli cli = { 0 };
	int skip, status;

	fill_streams();
	signal(SIGPIPE, SIG_IGN);
	cli.cmd = find(commands, verb_of(argc, argv, &skip));
	if (fallback && (!cli.cmd || is_full(cli.cmd, argc, argv, skip)))
		return fallback(argv);
	status = run(&cli, argc, argv, skip, fallback, open_shared, &err);
	if (status < 0)
		status = failed(&cli, &err);
	eb_err_release(&err);
	release(&cli);
	return status;
}

bool eb_cli_is_shared(const struct eb_cli *cli)
{
	return eb_env_is_shared(&cli->config);
}

bool eb_cli_env_is_shared(const struct eb_cli *cli)
{
	return eb_cli_is_shared(cli) && cli->args.n &&
	       !eb_env_is_path(cli->args.v[0]);
}

int eb_cli_store(struct eb_cli *cli, unsigned flags, struct eb_store **out,
		 struct eb_error *err)
{
	return eb_store_open(cli->config.cache_dir, flags, out, err);
}

char *eb_cli_reference(const struct eb_digest *manifest)
{
	char text[EB_DIGEST_TEXT];

	return eb_asprintf("store:%s", eb_digest_text(manifest, text));
}

int eb_cli_print(struct eb_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	if (putchar('\n') == EOF || fflush(stdout) == EOF || ferror(stdout))
		return eb_err_set(err, EB_MACHINE,
				  "standard output cannot be written");
	return 0;
}

int eb_cli_print_json(json_t *object, struct eb_error *err)
{
	eb_autojson json_t *j = object;
	EB_AUTOBUF(text, EB_MAX_TEXT);

	eb_json_canonical(j, &text);
	if (text.overflow)
		return eb_err_set(err, EB_MACHINE,
				  "the result is longer than %zu bytes",
				  EB_MAX_TEXT);
	return eb_cli_print(err, "%s", text.data);
}
