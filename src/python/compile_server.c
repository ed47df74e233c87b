/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a compile server, and talking to it. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/str.h>

#include "compile_server.h"

#define WAIT_NS 600000000000ULL /* the longest file takes seconds */

struct head {
	char letter;
	uint32_t a, b;
	int64_t c;
} __attribute__((packed));

struct answer_head {
	char letter;
	uint32_t length;
} __attribute__((packed));

/* The server ended or talks nonsense: its own words say more than ours. */
static int lost(struct eb_compile_server *s, const char *why,
		struct eb_error *err)
{
	struct eb_error end EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	s->running = false;
	if (eb_confined_wait(&s->c, &end) < 0) {
		eb_err_move(err, &end);
	} else {
		eb_err_set(err, EB_STEP, "\"%s\": %s", s->program, why);
	}
	return -1;
}

/* Drop by drop does not count as an answer either. */
static int wait_for(struct eb_compile_server *s, int fd, short event,
		    uint64_t deadline, struct eb_error *err)
{
	struct pollfd f = { fd, event, 0 };
	uint64_t now;
	int n;

	do {
		now = eb_now_ns();
		n = now < deadline
			    ? poll(&f, 1, (int)((deadline - now) / 1000000) + 1)
			    : 0;
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		return 0;
	eb_confined_kill(&s->c);
	return lost(s, "it takes too long to answer", err);
}

static int send_all(struct eb_compile_server *s, const void *p, size_t n,
		    struct eb_error *err)
{
	uint64_t deadline = eb_now_ns() + WAIT_NS;
	const char *at = p;

	while (n) {
		ssize_t done = write(s->c.fd_in, at, n);

		if (done < 0 && errno == EAGAIN) {
			if (wait_for(s, s->c.fd_in, POLLOUT, deadline, err) < 0)
				return -1;
			continue;
		}
		if (done < 0 && errno != EINTR)
			return lost(s, "it does not read its input", err);
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

static int receive(struct eb_compile_server *s, void *p, size_t n,
		   struct eb_error *err)
{
	uint64_t deadline = eb_now_ns() + WAIT_NS;
	char *at = p;

	while (n) {
		ssize_t got = read(s->c.fd_out, at, n);

		if (got < 0 && errno == EAGAIN) {
			if (wait_for(s, s->c.fd_out, POLLIN, deadline, err) < 0)
				return -1;
			continue;
		}
		if (got == 0 || (got < 0 && errno != EINTR))
			return lost(s, "its output breaks off", err);
		if (got > 0) {
			at += got;
			n -= (size_t)got;
		}
	}
	return 0;
}

/* An answer of one of the two letters; which one is returned. */
static int receive_answer(struct eb_compile_server *s, const char *letters,
			  struct eb_buf *out, struct eb_error *err)
{
	struct answer_head h;
	size_t n;

	eb_buf_reset(out);
	if (receive(s, &h, sizeof h, err) < 0)
		return -1;
	n = le32toh(h.length);
	if (!h.letter || !strchr(letters, h.letter) || n > EB_BYTECODE_MAX ||
	    eb_buf_reserve(out, n) < 0) {
		eb_confined_kill(&s->c);
		return lost(s, "its answer is none", err);
	}
	if (receive(s, out->data, n, err) < 0)
		return -1;
	out->len = n;
	out->data[n] = '\0';
	return h.letter;
}

static int send_head(struct eb_compile_server *s, char letter, uint32_t a,
		     uint32_t b, int64_t c, struct eb_error *err)
{
	struct head h = { letter, htole32(a), htole32(b),
			  (int64_t)htole64((uint64_t)c) };

	return send_all(s, &h, sizeof h, err);
}

static int launch(struct eb_compile_server *s, const char *root, const char *at,
		  const char *tmp, struct eb_events *events,
		  struct eb_error *err)
{
	/* Of all PYTHON* variables one counts: sets of constants are written
	 * in the order of their hashes. */
	eb_autofree char *libraries =
		eb_asprintf("LD_LIBRARY_PATH=%s/lib:%s/lib", at, root);
	const char *const env[] = { "PYTHONHASHSEED=0", "LC_ALL=C",
				    "PATH=/nowhere", libraries, NULL };
	const char *const argv[] = {
		s->program,	      "-S", "-B", "-s", "-W", "ignore", "-c",
		eb_compile_worker_py, NULL
	};

	s->c = (struct eb_confined){
		.root = root,
		.at = at,
		.argv = argv,
		.env = env,
		.tmp = tmp,
		.memory_mib = s->memory_mib,
		.cpu_s = s->cpu_s,
	};
	if (eb_confined_start(&s->c, events, err) < 0)
		return -1;
	s->running = true;
	fcntl(s->c.fd_in, F_SETFL, O_NONBLOCK);
	fcntl(s->c.fd_out, F_SETFL, O_NONBLOCK);
	return 0;
}

int eb_compile_server_start(struct eb_compile_server *s, const char *root,
			    const char *at, const char *python_minor,
			    const char *tmp, struct eb_events *events,
			    struct eb_error *err)
{
	EB_AUTOBUF(text, 4096);

	s->program = eb_asprintf("%s/bin/python%s", at, python_minor);
	if (launch(s, root, at, tmp, events, err) < 0 ||
	    receive_answer(s, "H", &text, err) < 0)
		return -1;
	s->ready = eb_buf_steal(&text, NULL);
	return 0;
}

int eb_compile_server_begin(struct eb_compile_server *s, struct eb_error *err)
{
	return send_head(s, 'P', 0, 0, 0, err);
}

static int send_source(struct eb_compile_server *s, const char *path,
		       uint64_t size, struct eb_stream *in,
		       struct eb_error *err)
{
	char piece[32 << 10];

	while (size) {
		size_t n = size < sizeof piece ? (size_t)size : sizeof piece;

		if (eb_stream_read_all(in, piece, n, path, err) < 0 ||
		    send_all(s, piece, n, err) < 0)
			return -1;
		size -= n;
	}
	return 0;
}

int eb_compile_server_file(struct eb_compile_server *s, const char *path,
			   int64_t mtime, uint64_t size, struct eb_stream *in,
			   struct eb_buf *answer, struct eb_error *err)
{
	size_t n = strlen(path);
	int letter;

	if (size > EB_SOURCE_MAX) {
		eb_buf_reset(answer);
		eb_buf_addf(answer, "larger than %ju bytes",
			    (uintmax_t)EB_SOURCE_MAX);
		return 0;
	}
	if (send_head(s, 'F', (uint32_t)n, (uint32_t)size, mtime, err) < 0 ||
	    send_all(s, path, n, err) < 0 ||
	    send_source(s, path, size, in, err) < 0)
		return -1;
	letter = receive_answer(s, "CX", answer, err);
	return letter < 0 ? -1 : letter == 'C';
}

int eb_compile_server_end(struct eb_compile_server *s, struct eb_error *err)
{
	EB_AUTOBUF(text, 4096);

	if (send_head(s, 'E', 0, 0, 0, err) < 0)
		return -1;
	return receive_answer(s, "D", &text, err) < 0 ? -1 : 0;
}

void eb_compile_server_stop(struct eb_compile_server *s)
{
	if (s->running)
		eb_confined_kill(&s->c);
	s->running = false;
	free(s->program);
	free(s->ready);
	s->program = s->ready = NULL;
}
