/* SPDX-License-Identifier: Apache-2.0 */
/* A real registry on loopback (Debian's docker-registry), which ends with the
 * test at the latest. What it was asked is read from its access log. */
#ifndef TEST_REAL_REGISTRY_H
#define TEST_REAL_REGISTRY_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

struct real_registry {
	pid_t pid;
	char *dir;
	char host[64]; /* 127.0.0.1:PORT */
	size_t seen;   /* of the access log */
};

static inline void real_config(const char *dir)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = eb_path_join(dir, "config.yml");
	eb_autofree char *text = eb_asprintf(
		"version: 0.1\n"
		"log: {level: info, accesslog: {disabled: false}}\n"
		"storage: {filesystem: {rootdirectory: '%s/data'}, delete: "
		"{enabled: true}, maintenance: {uploadpurging: {enabled: "
		"false}}}\n"
		"validation: {manifests: {urls: {allow: ['^https://']}}}\n"
		"http: {addr: '127.0.0.1:0', secret: loopback}\n",
		dir);

	eb_mkdirs(dir, 0755, &err);
	if (eb_write_file(path, text, strlen(text), 0644, &err) < 0)
		abort();
}

static inline void real_exec(const char *dir)
{
	eb_autofree char *config = eb_path_join(dir, "config.yml");
	eb_autofree char *access = eb_path_join(dir, "access");
	eb_autofree char *log = eb_path_join(dir, "log");

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(open("/dev/null", O_RDONLY), 0) < 0 ||
	    dup2(open(access, O_WRONLY | O_CREAT | O_APPEND, 0644), 1) < 0 ||
	    dup2(open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644), 2) < 0)
		_exit(1);
	execlp("docker-registry", "docker-registry", "serve", config, NULL);
	_exit(127);
}

static inline bool real_ready(struct real_registry *r)
{
	static const char words[] = "listening on ";
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *log = eb_path_join(r->dir, "log");
	EB_AUTOBUF(text, 1 << 20);
	const char *found;

	eb_read_file(log, 1 << 20, &text, &err);
	eb_err_release(&err);
	found = strstr(text.data, words);
	if (!found)
		return false;
	found += strlen(words);
	snprintf(r->host, sizeof r->host, "%.*s",
		 (int)strspn(found, "0123456789.:"), found);
	return true;
}

static inline void real_stop(struct real_registry *r)
{
	if (r->pid > 0) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
	}
	free(r->dir);
	memset(r, 0, sizeof *r);
}

/* false: there is no such program here. `dir` is made. */
static inline bool real_start(struct real_registry *r, const char *dir)
{
	int status;

	memset(r, 0, sizeof *r);
	r->dir = eb_strdup(dir);
	real_config(dir);
	r->pid = fork();
	if (r->pid == 0)
		real_exec(dir);
	for (int i = 0; i < 500; i++) {
		if (real_ready(r))
			return true;
		if (waitpid(r->pid, &status, WNOHANG) == r->pid)
			break;
		usleep(20000);
	}
	r->pid = 0;
	real_stop(r);
	return false;
}

/* How many requests since real_forget() have METHOD and `part` in their path
 * and this status (0: any)? A line is written after its answer. */
static inline unsigned real_asked(const struct real_registry *r,
				  const char *method, const char *part,
				  int status)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = eb_path_join(r->dir, "access");
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };
	EB_AUTOBUF(text, 16 << 20);
	unsigned n = 0;

	usleep(50000);
	eb_read_file(path, 16 << 20, &text, &err);
	eb_err_release(&err);
	eb_strv_split(&line,
		      text.data + (r->seen < text.len ? r->seen : text.len),
		      "\n");
	for (size_t i = 0; i < line.n; i++) {
		eb_autofree char *verb = eb_asprintf("\"%s /", method);
		eb_autofree char *code = eb_asprintf("\" %d ", status);

		n += strstr(line.v[i], verb) && strstr(line.v[i], part) &&
		     (!status || strstr(line.v[i], code));
	}
	return n;
}

static inline void real_forget(struct real_registry *r)
{
	eb_autofree char *path = eb_path_join(r->dir, "access");
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, 16 << 20);

	usleep(50000);
	eb_read_file(path, 16 << 20, &text, &err);
	eb_err_release(&err);
	r->seen = text.len;
}

/* The file that holds a blob; caller frees. */
static inline char *real_blob(const struct real_registry *r, const char *hex)
{
	return eb_asprintf("%s/data/docker/registry/v2/blobs/sha256/%.2s/%s/"
			   "data",
			   r->dir, hex, hex);
}

#endif
