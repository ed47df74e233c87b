/* SPDX-License-Identifier: Apache-2.0 */
/* The store under many: threads, processes, kills, full and read-only disks,
 * network file systems. */
#include "store_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/wait.h>

/* A blob, its list and its row: what a build does for every part. */
static int write_item(struct eb_store *s, unsigned who, unsigned i,
		      struct eb_error *err)
{
	struct eb_item item = { .kind = EB_ITEM_PART, .compressor = "test" };
	eb_autofree char *text = eb_asprintf("blob %u of %u", i, who);
	eb_autofree char *bulk = eb_malloc(300000);
	struct eb_blob_writer *w = NULL;
	EB_AUTOBUF(list, 10000);

	memset(bulk, (int)(i + who), 300000);
	item.key = digest_of(text);
	if (eb_blob_begin(s, &w, err) < 0)
		return -1;
	if (eb_blob_write(w, text, strlen(text), err) < 0 ||
	    eb_blob_write(w, bulk, 300000, err) < 0) {
		eb_blob_abort(w);
		return -1;
	}
	if (eb_blob_commit(w, NULL, text, &item.blob, &item.size, err) < 0)
		return -1;
	eb_store_item_header(&item, &list);
	if (eb_store_put(s, list.data, list.len, &item.paths, err) < 0)
		return -1;
	return eb_store_put_item(s, &item, err);
}

static int find_written(struct eb_store *s, unsigned who, unsigned i)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *text = eb_asprintf("blob %u of %u", i, who);
	struct eb_digest key = digest_of(text);
	struct eb_item item;
	int found =
		eb_store_find_item(s, EB_ITEM_PART, &key, "test", &item, &err);

	must(found, &err);
	return found;
}

struct thread {
	struct eb_store *s;
	unsigned who;
	struct eb_error err;
};

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	unsigned i;

	for (i = 0; i < 40 && !eb_err_is_set(&t->err); i++)
		write_item(t->s, t->who, i, &t->err);
	return NULL;
}

static void two_threads(void **state)
{
	struct thread t[2] = { { open_store(state, 0), 0, EB_ERROR_INIT },
			       { NULL, 1, EB_ERROR_INIT } };
	struct eb_store_report r;
	pthread_t id[2];
	unsigned i, k;

	t[1].s = t[0].s;
	for (k = 0; k < 2; k++)
		assert_int_equal(
			pthread_create(&id[k], NULL, thread_main, &t[k]), 0);
	for (k = 0; k < 2; k++) {
		pthread_join(id[k], NULL);
		must(eb_err_is_set(&t[k].err) ? -1 : 0, &t[k].err);
		for (i = 0; i < 40; i++)
			assert_int_equal(find_written(t[0].s, k, i), 1);
	}
	r = check_store(t[0].s, true);
	assert_int_equal(r.blobs, 160);
	assert_int_equal(r.bad + r.missing + r.unknown, 0);
	eb_store_close(t[0].s);
}

static int child_main(const char *dir, unsigned who, unsigned n)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = NULL;
	unsigned i;

	if (eb_store_open(dir, 0, &s, &err) < 0)
		goto failed;
	for (i = 0; i < n; i++)
		if (write_item(s, i % 2 ? who : 99, i, &err) < 0)
			goto failed;
	eb_store_close(s);
	return 0;
failed:
	fprintf(stderr, "%s\n", err.message);
	return 1;
}

static pid_t start(const char *dir, unsigned who, unsigned n)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(child_main(dir, who, n));
	return pid;
}

/* Half of what each writes the others write too. */
static void ten_processes(void **state)
{
	struct eb_store_report r;
	struct eb_store *s;
	pid_t pid[10];
	unsigned i, k;
	int status;

	for (k = 0; k < 10; k++)
		pid[k] = start(*state, k, 12);
	for (k = 0; k < 10; k++) {
		assert_int_equal(waitpid(pid[k], &status, 0), pid[k]);
		assert_int_equal(status, 0);
	}
	s = open_store(state, 0);
	for (k = 0; k < 10; k++)
		for (i = 0; i < 12; i++)
			assert_int_equal(find_written(s, i % 2 ? k : 99, i), 1);
	r = check_store(s, true);
	assert_int_equal(r.blobs, 2 * (6 + 10 * 6));
	assert_int_equal(r.bad + r.missing + r.unknown, 0);
	eb_store_close(s);
}

static void random_nap(unsigned most_us)
{
	unsigned r = 0;

	assert_int_equal(getrandom(&r, sizeof r, 0), sizeof r);
	usleep(r % most_us);
}

static unsigned left_in_tmp(void **state)
{
	eb_autofree char *path = eb_asprintf("%s/tmp", (char *)*state);
	eb_autofree char *command = eb_asprintf("ls -A %s | wc -l", path);
	FILE *p = popen(command, "re");
	unsigned n = 99;

	assert_int_equal(fscanf(p, "%u", &n), 1);
	pclose(p);
	return n;
}

/* With `begun` it has written two when this returns; without it may be killed
 * before it has opened its store. */
static pid_t write_for_ever(void **state, unsigned flags, unsigned k,
			    bool begun)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s;
	unsigned i = 0;
	int ends[2];
	pid_t pid;
	char one;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		s = open_store(state, flags);
		while (write_item(s, k, i++, &err) == 0)
			if (i == 2 && write(ends[1], "", 1) != 1)
				break;
		_exit(1);
	}
	close(ends[1]);
	if (begun)
		assert_int_equal(read(ends[0], &one, 1), 1);
	close(ends[0]);
	return pid;
}

static void killed(void **state, unsigned flags)
{
	struct eb_store_report r;
	struct eb_store *s;
	unsigned k;
	int status;
	pid_t pid;

	for (k = 0; k < 20; k++) {
		pid = write_for_ever(state, flags, k, k % 2 == 1);
		random_nap(40000);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		s = open_store(state, flags);
		r = check_store(s, true);
		assert_int_equal(r.bad, 0);
		assert_int_equal(r.missing, 0);
		assert_int_equal(left_in_tmp(state), 0);
		eb_store_close(s);
	}
	assert_true(r.blobs > 10); /* of those that had begun */
}

static void killed_at_any_moment(void **state)
{
	killed(state, 0);
}

static void killed_on_a_network(void **state)
{
	killed(state, EB_STORE_NETWORK);
}

static void network_file_system(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, EB_STORE_NETWORK);
	eb_autofree char *wal =
		eb_asprintf("%s/index.sqlite-wal", (char *)*state);
	struct eb_digest d = digest_of("some definition");
	struct said said = { 0 };
	unsigned i;
	int fd;

	said.events = eb_events_new(hear, &said);
	must(write_item(s, 1, 1, &err), &err);
	assert_int_equal(find_written(s, 1, 1), 1);
	assert_int_equal(left_in_tmp(state), 0);
	assert_false(eb_path_exists(wal));
	for (i = 0; i < 2; i++) {
		must(eb_store_lock_build(s, &d, said.events, &fd, &err), &err);
		close(fd);
	}
	assert_int_equal(said.lines.n, 1);
	assert_int_equal(count_said(&said, *state), 1);
	eb_events_free(said.events);
	eb_strv_release(&said.lines);
	eb_store_close(s);
}

/* The second waits, says so, and has the lock when the first is gone. */
static void one_build_at_a_time(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest d = digest_of("d"), other = digest_of("other");
	struct said said = { 0 };
	int go[2], fd, fd2, status;
	pid_t pid;
	char c;

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct eb_store *own = open_store(state, 0);

		must(eb_store_lock_build(own, &d, NULL, &fd, &err), &err);
		c = 'x';
		if (write(go[1], &c, 1) != 1)
			_exit(1);
		usleep(200000);
		must(write_item(own, 7, 7, &err), &err);
		_exit(0);
	}
	assert_int_equal(read(go[0], &c, 1), 1);
	said.events = eb_events_new(hear, &said);
	must(eb_store_lock_build(s, &other, said.events, &fd2, &err), &err);
	assert_int_equal(said.lines.n, 0);
	must(eb_store_lock_build(s, &d, said.events, &fd, &err), &err);
	assert_int_equal(count_said(&said, "same definition"), 1);
	assert_int_equal(said.lines.n, 1);
	assert_int_equal(find_written(s, 7, 7), 1);
	close(fd);
	close(fd2);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(go[0]);
	close(go[1]);
	eb_events_free(said.events);
	eb_strv_release(&said.lines);
	eb_store_close(s);
}

/* In a mount namespace of its own; exit status 77: not to be had here. */
static int in_namespace(int (*fn)(const char *dir), const char *dir)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (unshare(CLONE_NEWNS) < 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
			_exit(77);
		_exit(fn(dir));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int said_right(struct eb_error *err, const char *dir)
{
	int right = err->code == EB_MACHINE && strstr(err->message, dir) &&
		    strstr(err->message, "No space left on device") &&
		    strstr(err->message, "MB of a blob were written") &&
		    err->hint && strstr(err->hint, "cache gc");

	if (!right)
		fprintf(stderr, "%s\n", err->message ? err->message : "none");
	eb_err_release(err);
	return right;
}

static int fill_disk(const char *dir)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store_report r;
	struct eb_store *s = NULL;
	eb_autofree char *block = eb_calloc(1, 1 << 20);
	struct eb_blob_writer *w = NULL;
	unsigned i;

	if (mount("none", dir, "tmpfs", 0, "size=8m") < 0)
		return 77;
	if (eb_store_open(dir, 0, &s, &err) < 0 ||
	    write_item(s, 1, 1, &err) < 0 || eb_blob_begin(s, &w, &err) < 0)
		return 1;
	for (i = 0; i < 20 && eb_blob_write(w, block, 1 << 20, &err) == 0; i++)
		;
	eb_blob_abort(w);
	if (!said_right(&err, dir))
		return 2;
	if (write_item(s, 1, 2, &err) < 0) /* the room is free again */
		return 3;
	if (eb_store_check(s, true, false, NULL, &r, &err) < 0 ||
	    r.blobs != 4 || r.bad + r.missing + r.unknown)
		return 4;
	eb_store_close(s);
	return 0;
}

static void disk_full(void **state)
{
	int status = in_namespace(fill_disk, *state);

	if (status == 77) {
		print_message("no mount namespace here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static int look_only(const char *dir)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = NULL;
	struct eb_image_row got;
	struct eb_digest lock = digest_of("lock");
	int found;

	if (mount(dir, dir, NULL, MS_BIND, NULL) < 0 ||
	    mount(NULL, dir, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) < 0)
		return 77;
	if (eb_store_open(dir, 0, &s, &err) == 0)
		return 1;
	if (err.code != EB_MACHINE || !strstr(err.message, dir))
		return 2;
	eb_err_release(&err);
	if (eb_store_open(dir, EB_STORE_READONLY, &s, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return 3;
	}
	found = eb_store_find_image(s, &lock, NULL, &got, &err);
	if (found != 1)
		return 4;
	eb_store_close(s);
	return 0;
}

static void read_only_disk(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_image_row row = { .lock = digest_of("lock"),
				    .compressor = "test",
				    .manifest = put_text(s, "manifest"),
				    .config = put_text(s, "config") };
	int status;

	must(eb_store_put_image(s, &row, NULL, 0, &err), &err);
	eb_store_close(s);
	status = in_namespace(look_only, *state);
	if (status == 77) {
		print_message("no mount namespace here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_threads),
		TEST(ten_processes),
		TEST(killed_at_any_moment),
		TEST(killed_on_a_network),
		TEST(network_file_system),
		TEST(one_build_at_a_time),
		TEST(disk_full),
		TEST(read_only_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
