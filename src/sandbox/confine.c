/* SPDX-License-Identifier: Apache-2.0 */
/* Confined processes: choosing the way, waiting, killing. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>

#include "confine_state.h"

#define END_S 30 /* from the end of its input to its own */
#define SAID_MAX 2000
#define FILE_OF_COMPUTING ((uint64_t)16 << 20)
#define FILE_OF_NETWORK ((uint64_t)1 << 30)

/* Tried on ourselves and put back: the child cannot tell us. */
static bool randomised(void)
{
	int kept = personality(0xffffffff), result;

	if (kept < 0)
		return true;
	result = personality((unsigned long)kept | ADDR_NO_RANDOMIZE);
	personality((unsigned long)kept);
	return result < 0;
}

void eb_confined_limits(const struct eb_confined *c, struct eb_child_setup *s)
{
	s->confined = true;
	s->memory = (uint64_t)(c->memory_mib ? c->memory_mib : 4096) << 20;
	s->cpu_s = c->cpu_s ? c->cpu_s : 1800;
	s->file = c->network ? FILE_OF_NETWORK : FILE_OF_COMPUTING;
	s->random = c->network;
}

typedef int way_fn(struct eb_confined *c, struct eb_confined_state *s,
		   struct eb_error *err);

/* Of one pair: its ends become the next two of the state. */
static int open_pair(struct eb_confined_state *s, struct eb_confined_pipes *our)
{
	int end[2];

	if (pipe2(end, O_CLOEXEC) < 0)
		return -1;
	s->more[s->n_more++] = end[0];
	our->fd_in = end[1];
	if (pipe2(end, O_CLOEXEC) < 0)
		return -1;
	s->more[s->n_more++] = end[1];
	our->fd_out = end[0];
	return 0;
}

static int open_more(const struct eb_confined *c, struct eb_confined_state *s,
		     struct eb_error *err)
{
	unsigned i;

	for (i = 0; i < c->n_more && i < EB_CONFINED_MORE; i++)
		if (open_pair(s, &c->more[i]) < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", making pipes for it",
					    s->name);
	s->process.more_fd = s->more;
	s->process.n_more = s->n_more;
	return 0;
}

static void close_more(struct eb_confined_state *s)
{
	while (s->n_more)
		eb_cleanup_fd(&s->more[--s->n_more]);
}

static void no_pipes(const struct eb_confined *c)
{
	unsigned i;

	for (i = 0; i < c->n_more; i++) {
		eb_cleanup_fd(&c->more[i].fd_in);
		eb_cleanup_fd(&c->more[i].fd_out);
		c->more[i] = (struct eb_confined_pipes){ -1, -1 };
	}
}

static int try_way(struct eb_confined *c, way_fn *fn, struct eb_error *err)
{
	struct eb_confined_state *s = eb_calloc(1, sizeof *s);

	s->name = eb_strdup(c->argv[0]);
	s->said = eb_unnamed_file(c->tmp, err);
	s->process = (struct eb_process){ .in = EB_IO_PIPE,
					  .out = EB_IO_PIPE,
					  .err = EB_IO_FD,
					  .env = c->env,
					  .fd_err = c->fd_err > 2 ? c->fd_err
								  : s->said };
	if (s->said < 0 || open_more(c, s, err) < 0 || fn(c, s, err) < 0) {
		eb_confined_state_free(s);
		no_pipes(c);
		return -1;
	}
	close_more(s); /* it has them */
	c->fd_in = eb_steal_fd(&s->process.fd_in);
	c->fd_out = eb_steal_fd(&s->process.fd_out);
	c->state = s;
	return 0;
}

static int no_way(const struct eb_confined *c, const struct eb_buf *said,
		  struct eb_error *err)
{
	eb_err_set(err, EB_MACHINE, "no way to confine a process here: %s",
		   said->data);
	if (c->network)
		return eb_err_hint(err, "Landlock needs Linux 5.19, a runtime "
					"runc or crun; \"envbuild doctor\" "
					"shows what this machine can do");
	return eb_err_hint(err, "--pyc=none builds without it; \"envbuild "
				"doctor\" shows what this machine can do");
}

static const struct way {
	const char *name;
	way_fn *fn;
} way[] = { { "runtime", eb_confined_by_runtime },
	    { "landlock", eb_confined_by_landlock } };

#define WAYS (sizeof way / sizeof *way)

/* Of a program of the machine that is kept from the machine's files either way
 * does it, and Landlock costs 1 ms, a container 20 to 100. What computes is of
 * a package, and gets the container first: there it does not even see which
 * processes and files there are. */
static const struct way *nth_way(const struct eb_confined *c, size_t i)
{
	return &way[c->network ? WAYS - 1 - i : i];
}

static void begin(struct eb_confined *c)
{
	unsigned i;

	c->fd_in = c->fd_out = -1;
	for (i = 0; i < c->n_more; i++)
		c->more[i] = (struct eb_confined_pipes){ -1, -1 };
	c->state = NULL;
	c->randomised = c->network || randomised();
}

int eb_confined_start(struct eb_confined *c, struct eb_events *events,
		      struct eb_error *err)
{
	const char *chosen = getenv("ENVBUILD_CONFINE");
	size_t i;
	EB_AUTOBUF(said, EB_MAX_TEXT);

	begin(c);
	for (i = 0; i < WAYS; i++) {
		struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		const struct way *w = nth_way(c, i);

		if (chosen && *chosen && strcmp(chosen, w->name) != 0)
			continue;
		if (try_way(c, w->fn, &why) == 0) {
			eb_detail(events, "\"%s\" runs confined by %s",
				  c->argv[0], c->way);
			return 0;
		}
		eb_buf_addf(&said, "%s%s", said.len ? "; " : "", why.message);
	}
	if (!said.len)
		eb_buf_addf(&said, "ENVBUILD_CONFINE is \"%s\"", chosen);
	return no_way(c, &said, err);
}

char *eb_confined_path(const struct eb_confined *c, const char *inside)
{
	size_t n = strlen(c->at);

	if (!c->way || strcmp(c->way, "landlock") != 0 ||
	    strncmp(inside, c->at, n) != 0)
		return eb_strdup(inside);
	return eb_asprintf("%s%s", c->root, inside + n);
}

/* The last lines, at most SAID_MAX bytes, each separated by "; ". */
static char *last_words(const struct eb_confined_state *s)
{
	eb_autofree char *text = NULL;
	off_t size = lseek(s->said, 0, SEEK_END);
	off_t from = size > SAID_MAX ? size - SAID_MAX : 0;
	ssize_t n;
	char *p;

	text = eb_calloc(SAID_MAX + 1, 1);
	n = pread(s->said, text, SAID_MAX, from);
	if (n <= 0)
		return s->bundled ? eb_bundle_complaint(&s->bundle) : NULL;
	text[n] = '\0';
	p = eb_strip(text);
	if (from && strchr(p, '\n'))
		p = strchr(p, '\n') + 1;
	p = eb_printable(p);
	for (char *line = strchr(p, '\n'); line; line = strchr(line, '\n'))
		*line = ' ';
	return p;
}

static int judge(const struct eb_confined_state *s, int status, bool timed_out,
		 struct eb_error *err)
{
	eb_autofree char *words = NULL;

	if (status == 0 && !timed_out)
		return 0;
	words = last_words(s);
	if (timed_out)
		return eb_err_set(err, EB_STEP,
				  "\"%s\" does not end when its input does",
				  s->name);
	return eb_err_set(err, EB_STEP, "\"%s\" ended with status %d%s%s",
			  s->name, status, words ? ": " : "",
			  words ? words : "");
}

/* Until it has ended, however that came; the state is gone then. */
static int finish(struct eb_confined *c, bool killed, struct eb_error *err)
{
	struct eb_confined_state *s = c->state;
	bool timed_out = false;
	int status = 0, result;

	c->status = -1;
	eb_cleanup_fd(&c->fd_in);
	eb_cleanup_fd(&c->fd_out);
	c->fd_in = c->fd_out = -1;
	if (!s)
		return 0;
	if (killed)
		eb_bundle_kill(s->bundled ? &s->bundle : NULL, &s->process);
	result = eb_bundle_wait(s->bundled ? &s->bundle : NULL, &s->process,
				END_S, false, &timed_out, &status, err);
	if (result == 0 && !killed && !timed_out)
		c->status = status;
	if (result == 0 && !killed)
		result = judge(s, status, timed_out, err);
	if (result < 0 && s->bundled)
		eb_form_forget(); /* asked again next time */
	eb_confined_state_free(s);
	c->state = NULL;
	return result;
}

int eb_confined_wait(struct eb_confined *c, struct eb_error *err)
{
	return finish(c, false, err);
}

/* That it ends by a signal now says nothing about the way it ran. */
void eb_confined_kill(struct eb_confined *c)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	finish(c, true, &err);
}

void eb_confined_state_free(struct eb_confined_state *s)
{
	eb_process_kill(&s->process);
	close_more(s);
	eb_cleanup_fd(&s->said);
	if (s->bundled)
		eb_bundle_close(&s->bundle);
	eb_strv_release(&s->argv);
	free(s->rootfs);
	free(s->name);
	free(s->setup.filter.filter);
	free(s);
}
