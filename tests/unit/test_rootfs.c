/* SPDX-License-Identifier: Apache-2.0 */
/* Layers applied to a folder: what image-spec says of them, what tar writers
 * write, and what must never happen. */
#include <fcntl.h>
#include <sys/xattr.h>

#include <envbuild/rootfs.h>
#include <envbuild/str.h>

#include "oci_fixture.h"

#define LAYERS 4

struct layers {
	struct eb_buf tar[LAYERS];
};

static void begin(struct layers *l)
{
	size_t i;

	for (i = 0; i < LAYERS; i++)
		eb_buf_init(&l->tar[i], TAR_MAX);
}

static void release(struct layers *l)
{
	size_t i;

	for (i = 0; i < LAYERS; i++)
		eb_buf_release(&l->tar[i]);
}

/* The first n layers into FOLDER/r, which is emptied before. */
static int unpack(const struct world *w, struct layers *l, size_t n,
		  struct eb_events *events, struct eb_error *err)
{
	eb_autofree char *dir = at(w, "r");
	struct eb_digest m;
	size_t i;

	for (i = 0; i < n; i++)
		tar_end(&l->tar[i]);
	m = store_image(w, l->tar, n);
	ok(eb_remove_tree(dir, err), err);
	return eb_rootfs_unpack(w->store, &m, dir, events, err);
}

static void unpack_ok(const struct world *w, struct layers *l, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;

	ok(unpack(w, l, n, NULL, &err), &err);
	release(l);
}

/* All paths with their types, sorted, in one line. */
static void tree_is(const struct world *w, const char *expect)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = at(w, "said");
	EB_AUTOBUF(text, TAR_MAX);

	shell_ok(w, "cd r && find . -mindepth 1 -printf '%y:%P ' | tr ' ' "
		    "'\\n' | LC_ALL=C sort | tr '\\n' ' '");
	ok(eb_read_file(path, TAR_MAX, &text, &err), &err);
	assert_string_equal(eb_strip(text.data), expect);
}

static struct stat look(const struct world *w, const char *name)
{
	eb_autofree char *path = at(w, name);
	struct stat st;

	if (lstat(path, &st) < 0)
		fail_msg("%s: %s", path, strerror(errno));
	return st;
}

static void text_is(const struct world *w, const char *name, const char *expect)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = at(w, name);
	EB_AUTOBUF(text, TAR_MAX);

	ok(eb_read_file(path, TAR_MAX, &text, &err), &err);
	assert_string_equal(text.data, expect);
}

/* ---- what is right ------------------------------------------------------ */

static void test_types(void **state)
{
	struct world *w = *state;
	struct layers l;
	struct stat st;

	begin(&l);
	tar_dir(&l.tar[0], "./", 0751);
	tar_dir(&l.tar[0], "./locked/", 0500);
	tar_put(&l.tar[0], '0', "./locked/suid", 04755, NULL, "x", 1);
	tar_link(&l.tar[0], "locked/link", "/etc/passwd");
	tar_hard(&l.tar[0], "hard", "./locked/suid");
	tar_put(&l.tar[0], '6', "pipe", 0622, NULL, "", 0);
	tar_file(&l.tar[0], "/absolute//name/./f", "a");
	tar_put(&l.tar[0], '0', "old-folder/", 0755, NULL, "", 0);
	unpack_ok(w, &l, 1);
	tree_is(w, "d:absolute d:absolute/name d:locked d:old-folder "
		   "f:absolute/name/f f:hard f:locked/suid l:locked/link "
		   "p:pipe");
	st = look(w, "r");
	assert_int_equal(st.st_mode & 07777, 0751);
	assert_int_equal(st.st_mtime, 1000000000);
	st = look(w, "r/locked");
	assert_int_equal(st.st_mode & 07777, 0500);
	assert_int_equal(st.st_mtime, 1000000000);
	st = look(w, "r/hard");
	assert_int_equal(st.st_mode & 07777, 04755);
	assert_int_equal(st.st_nlink, 2);
	assert_int_equal(look(w, "r/locked/link").st_mtime, 1000000000);
	assert_int_equal(look(w, "r/pipe").st_mode & 07777, 0622);
	assert_int_equal(look(w, "r/absolute").st_mode & 07777, 0755);
}

/* Every kind of thing is replaced by every other. */
static void put_kind(struct eb_buf *b, char kind, const char *name)
{
	if (kind == 'd') {
		eb_autofree char *inner = eb_asprintf("%s/inner", name);

		tar_dir(b, name, 0755);
		tar_file(b, inner, "i");
	} else if (kind == 'f') {
		tar_file(b, name, "f");
	} else if (kind == 'h') {
		tar_hard(b, name, "target");
	} else if (kind == 'p') {
		tar_put(b, '6', name, 0644, NULL, "", 0);
	} else {
		tar_link(b, name, "folder");
	}
}

static void test_replaced(void **state)
{
	static const char kinds[] = "dflhp", types[] = "dflfp";
	struct world *w = *state;
	size_t a, b;

	for (a = 0; a < 5; a++) {
		for (b = 0; b < 5; b++) {
			struct layers l;
			struct stat st;

			begin(&l);
			tar_file(&l.tar[0], "target", "t");
			tar_file(&l.tar[0], "folder/keep", "k");
			put_kind(&l.tar[0], kinds[a], "x");
			put_kind(&l.tar[1], kinds[b], "x");
			unpack_ok(w, &l, 2);
			text_is(w, "r/folder/keep", "k");
			text_is(w, "r/target", "t");
			st = look(w, "r/x");
			shell_ok(w, "find r/x -maxdepth 0 -printf '%y'");
			assert_true(said(w, (char[]){ types[b], '\0' }));
			assert_int_equal(
				st.st_nlink,
				kinds[b] == 'h' || kinds[b] == 'd' ? 2 : 1);
		}
	}
}

static void test_whiteouts(void **state)
{
	struct world *w = *state;
	struct layers l;

	begin(&l);
	tar_file(&l.tar[0], "a/one", "1");
	tar_file(&l.tar[0], "a/two", "2");
	tar_file(&l.tar[0], "a/sub/deep/three", "3");
	tar_file(&l.tar[0], "b/four", "4");
	tar_link(&l.tar[0], "c", "b");
	tar_file(&l.tar[1], "a/.wh.one", "");
	tar_file(&l.tar[1], "a/.wh.sub", "");
	tar_file(&l.tar[1], ".wh.c", "");
	tar_file(&l.tar[1], "a/.wh.absent", "");
	tar_file(&l.tar[1], "no/where/.wh.x", "");
	tar_file(&l.tar[1], ".wh..wh.aufs", "");
	tar_file(&l.tar[1], ".wh..wh.plnk/12.34", "x");
	tar_file(&l.tar[1], "b/.wh..wh.orph", "x");
	unpack_ok(w, &l, 2);
	tree_is(w, "d:a d:b f:a/two f:b/four");
}

/* What the layer itself has stays, before the mark and behind it. */
static void test_opaque(void **state)
{
	struct world *w = *state;
	struct layers l;

	begin(&l);
	tar_file(&l.tar[0], "a/old", "1");
	tar_file(&l.tar[0], "a/kept/old", "1");
	tar_file(&l.tar[0], "a/empty/old", "1");
	tar_file(&l.tar[0], "a/gone/old", "1");
	tar_file(&l.tar[0], "b/old", "1");
	tar_file(&l.tar[1], "a/first", "2");
	tar_file(&l.tar[1], "a/kept/new", "2");
	tar_dir(&l.tar[1], "a/empty", 0755);
	tar_file(&l.tar[1], "a/.wh..wh..opq", "");
	tar_file(&l.tar[1], "a/last", "2");
	tar_file(&l.tar[1], "b/.wh.old", "");
	tar_file(&l.tar[1], "b/old", "2");
	tar_file(&l.tar[2], "b/.wh.old", "");
	tar_hard(&l.tar[2], "b/new", "a/last");
	tar_file(&l.tar[2], "b/.wh.new", "");
	unpack_ok(w, &l, 3);
	tree_is(w, "d:a d:a/empty d:a/kept d:b f:a/first f:a/kept/new "
		   "f:a/last f:b/new");
}

static void test_opaque_root(void **state)
{
	struct world *w = *state;
	struct layers l;

	begin(&l);
	tar_dir(&l.tar[0], "x/y/z", 0700);
	tar_file(&l.tar[0], "f", "1");
	tar_file(&l.tar[1], "g", "2");
	tar_file(&l.tar[1], ".wh..wh..opq", "");
	unpack_ok(w, &l, 2);
	tree_is(w, "f:g");
}

/* Links of the image are followed inside the image. */
static void test_through_links(void **state)
{
	struct world *w = *state;
	struct layers l;

	begin(&l);
	tar_link(&l.tar[0], "lib", "usr/lib");
	tar_link(&l.tar[0], "abs", "/usr/lib");
	tar_link(&l.tar[0], "up", "../../../../usr/lib");
	tar_link(&l.tar[0], "usr/local", "share/../lib");
	tar_file(&l.tar[0], "lib/a", "a");
	tar_file(&l.tar[1], "abs/b", "b");
	tar_file(&l.tar[1], "up/sub/c", "c");
	tar_dir(&l.tar[1], "usr/share", 0755);
	tar_file(&l.tar[1], "usr/local/d", "d");
	tar_file(&l.tar[2], "up/.wh.a", "");
	tar_hard(&l.tar[2], "e", "lib/b");
	tar_dir(&l.tar[2], "lib", 0755);
	tar_file(&l.tar[2], "lib/own", "o");
	unpack_ok(w, &l, 3);
	tree_is(w, "d:lib d:usr d:usr/lib d:usr/lib/sub d:usr/share f:e "
		   "f:lib/own f:usr/lib/b f:usr/lib/d f:usr/lib/sub/c l:abs "
		   "l:up l:usr/local");
}

/* A folder's mode and time are those of its last entry, also when others
 * wrote into it later, and not those of one that is gone. */
static void test_folder_times(void **state)
{
	struct world *w = *state;
	struct layers l;

	begin(&l);
	tar_dir(&l.tar[0], "a", 0700);
	tar_dir(&l.tar[0], "b", 0711);
	tar_file(&l.tar[1], "a/f", "1");
	tar_file(&l.tar[1], ".wh.b", "");
	tar_file(&l.tar[2], "b/f", "1");
	unpack_ok(w, &l, 3);
	assert_int_equal(look(w, "r/a").st_mode & 07777, 0700);
	assert_int_equal(look(w, "r/a").st_mtime, 1000000000);
	assert_int_equal(look(w, "r/b").st_mode & 07777, 0755);
	assert_int_equal(look(w, "r/b").st_mtime, 315532800);
}

static void test_deep(void **state)
{
	struct world *w = *state;
	struct layers l;
	char path[4096];
	int i;

	begin(&l);
	for (i = 0; i < 2000; i++)
		memcpy(path + 2 * i, "d/", 2);
	strcpy(path + 4000, "f");
	tar_pax(&l.tar[0], "path", path);
	tar_file(&l.tar[0], "x", "1");
	path[3999] = '\0';
	tar_link(&l.tar[0], "link", "d/d/d/d");
	tar_file(&l.tar[0], "other", "1");
	tar_file(&l.tar[1], ".wh.d", "");
	unpack_ok(w, &l, 2);
	tree_is(w, "f:other l:link");
}

static void test_xattrs(void **state)
{
	struct world *w = *state;
	struct layers l;
	eb_autofree char *file = at(w, "r/f"), *dir = at(w, "r/d");
	char value[16] = "";

	begin(&l);
	tar_pax(&l.tar[0], "SCHILY.xattr.user.envbuild", "v\xff=1");
	tar_file(&l.tar[0], "f", "1");
	tar_pax(&l.tar[0], "SCHILY.xattr.user.envbuild", "dir");
	tar_dir(&l.tar[0], "d", 0555);
	tar_pax(&l.tar[0], "SCHILY.xattr.trusted.overlay.opaque", "y");
	tar_dir(&l.tar[0], "e", 0755);
	unpack_ok(w, &l, 1);
	if (getxattr(file, "user.envbuild", value, sizeof value) < 0 &&
	    errno == ENOTSUP)
		skip();
	assert_memory_equal(value, "v\xff=1", 4);
	assert_int_equal(getxattr(dir, "user.envbuild", value, sizeof value),
			 3);
	free(dir);
	dir = at(w, "r/e");
	assert_int_equal(
		getxattr(dir, "trusted.overlay.opaque", value, sizeof value),
		-1);
}

static void test_owners(void **state)
{
	struct world *w = *state;
	struct layers l;
	struct stat st;

	if (geteuid() != 0)
		skip();
	begin(&l);
	tar_pax(&l.tar[0], "uid", "4000000");
	tar_file(&l.tar[0], "f", "1");
	tar_pax(&l.tar[0], "gid", "3000000");
	tar_link(&l.tar[0], "l", "/nowhere");
	tar_put(&l.tar[0], '3', "null", 0666, NULL, "", 0);
	unpack_ok(w, &l, 1);
	st = look(w, "r/f");
	assert_int_equal(st.st_uid, 4000000);
	st = look(w, "r/l");
	assert_int_equal(st.st_gid, 3000000);
}

static void hear(void *data, const struct eb_event *ev)
{
	eb_buf_addf(data, "%s\n", ev->text ? ev->text : "");
}

/* As another user, in a process of its own: exit status 0 when all is well. */
static int unpack_as_other(const struct world *w)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = at(w, "store");
	struct world own = *w;
	struct layers l;
	struct eb_events *events;
	EB_AUTOBUF(heard, EB_MAX_TEXT);
	int got;

	if (setresgid(65534, 65534, 65534) < 0 ||
	    setresuid(65534, 65534, 65534) < 0 ||
	    eb_store_open(dir, 0, &own.store, &err) < 0)
		return 2;
	begin(&l);
	tar_dir(&l.tar[0], "dev", 0555);
	tar_put(&l.tar[0], '3', "dev/null", 0666, NULL, "", 0);
	tar_put(&l.tar[0], '4', "dev/sda", 0666, NULL, "", 0);
	tar_file(&l.tar[1], "dev/file", "1");
	tar_dir(&l.tar[1], "closed", 0);
	tar_put(&l.tar[1], '0', "closed/f", 0, NULL, "x", 1);
	events = eb_events_new(hear, &heard);
	got = unpack(&own, &l, 2, events, &err);
	eb_events_free(events);
	release(&l);
	eb_store_close(own.store);
	if (got < 0)
		return 3;
	return strstr(heard.data, "devices") && !strstr(heard.data, "dev/sda")
		       ? 0
		       : 4;
}

static void test_not_root(void **state)
{
	struct world *w = *state;
	int status;
	pid_t pid;

	if (geteuid() != 0)
		skip();
	eb_store_close(w->store);
	w->store = NULL;
	shell_ok(w, "chown -R 65534:65534 .");
	pid = fork();
	if (pid == 0)
		_exit(unpack_as_other(w));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(WIFEXITED(status), 1);
	tree_is(w, "d:closed d:dev f:closed/f f:dev/file");
	assert_int_equal(look(w, "r/closed").st_mode & 07777, 0);
	assert_int_equal(look(w, "r/dev").st_mode & 07777, 0555);
	assert_int_equal(look(w, "r/dev/file").st_uid, 65534);
}

/* A device of the host that an image names is not made to run in it. */
static void test_no_devices(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = at(w, "r");
	struct eb_digest m;
	struct layers l;

	if (geteuid() != 0) {
		print_message("skipped: not root, so no devices\n");
		skip();
	}
	begin(&l);
	tar_dir(&l.tar[0], "dev", 0755);
	tar_put(&l.tar[0], '3', "dev/null", 0666, NULL, "", 0);
	tar_put(&l.tar[0], '4', "sda", 0666, NULL, "", 0);
	tar_put(&l.tar[0], '6', "pipe", 0666, NULL, "", 0);
	tar_end(&l.tar[0]);
	m = store_image(w, l.tar, 1);
	ok(eb_remove_tree(dir, &err), &err);
	ok(eb_rootfs_unpack_for_run(w->store, &m, dir, NULL, &err), &err);
	release(&l);
	assert_int_equal(look(w, "r/pipe").st_mode, S_IFIFO | 0666);
	shell_ok(w, "test ! -e r/sda && test ! -e r/dev/null");
}

/* ---- what tar programs write -------------------------------------------- */

static const char make_tree[] =
	"rm -rf t r1 && mkdir -p t/sub t/empty && cd t && echo a >a && "
	"ln a sub/hard && ln -s ../a sub/link && ln -s /etc/hosts abs && "
	"d=sub/$(printf '%0120d' 1)/$(printf '%0120d' 2) && mkdir -p $d && "
	"echo long >$d/$(printf '%0200d' 3) && ln -s $d $d/back && "
	"ln a $d/hard && printf 'u' >'\303\244\303\266 \377' && "
	"truncate -s 3000000 holes && printf x | dd of=holes bs=1 "
	"seek=1000000 conv=notrunc status=none && printf yy | dd of=holes bs=1 "
	"seek=2500000 conv=notrunc status=none && truncate -s 100000 all-hole "
	"&& head -c 300000 /dev/urandom >noise && chmod 640 noise && "
	"touch -d '2001-02-03 04:05:06.789' a noise && touch -d 1969-06-01 "
	"empty && chmod 1777 empty && mkfifo pipe && chown -h 12:34 a abs sub "
	"&& ";

/* The same tree from our reader as from the program that wrote it. */
static void compare_by(const struct world *w, const char *write,
		       const char *read)
{
	static const char list[] =
		"find . -mindepth 1 -printf '%P %y %m %U %G %s %l %T@ %n\\n' | "
		"sed 's/\\.0*$//; s/ d \\([0-9]*\\) \\([0-9]*\\) "
		"\\([0-9]*\\) [0-9]*/ d \\1 \\2 \\3/' | LC_ALL=C sort";
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *make = eb_asprintf("%s%s", make_tree, write);
	eb_autofree char *same = eb_asprintf(
		"(cd r1 && %s) >one; (cd r && %s) >two; diff one two && "
		"diff -r --no-dereference r1 r -x pipe",
		list, list);
	eb_autofree char *path = at(w, "t.tar");
	struct layers l;

	shell_ok(w, make);
	shell_ok(w, "mkdir r1");
	shell_ok(w, read);
	begin(&l);
	ok(eb_read_file(path, TAR_MAX, &l.tar[0], &err), &err);
	unpack_ok(w, &l, 1);
	shell_ok(w, same);
}

static void compare(const struct world *w, const char *write)
{
	compare_by(w, write, "tar -C r1 --xattrs -xpf t.tar");
}

static void test_gnu_tar(void **state)
{
	struct world *w = *state;

	if (geteuid() != 0)
		skip();
	compare(w, "tar --format=gnu -cf ../t.tar .");
	compare(w, "tar --format=gnu -S -cf ../t.tar .");
	compare(w, "tar --format=oldgnu -S -cf ../t.tar .");
	compare(w, "tar --format=pax -cf ../t.tar .");
	compare(w, "tar --format=pax -S -cf ../t.tar .");
	compare(w, "tar --format=pax --sparse-version=0.0 -S -cf ../t.tar .");
	compare(w, "tar --format=pax --sparse-version=0.1 -S -cf ../t.tar .");
}

/* Names and times that ustar and v7 can hold. */
static void test_old_tar(void **state)
{
	struct world *w = *state;

	if (geteuid() != 0)
		skip();
	compare(w, "touch empty && rm -r sub && d=sub/$(printf '%080d/%060d' 1 "
		   "2) && "
		   "mkdir -p $d && echo 1 >$d/f && "
		   "tar --format=ustar -cf ../t.tar .");
	compare(w, "touch empty && rm -r sub pipe && tar --format=v7 -cf "
		   "../t.tar .");
}

static void test_bsdtar(void **state)
{
	struct world *w = *state;

	need_program(w, "bsdtar");
	if (geteuid() != 0)
		skip();
	compare_by(w, "bsdtar -cf ../t.tar .", "bsdtar -C r1 -xpf t.tar");
	compare_by(w, "bsdtar --format=gnutar -cf ../t.tar .",
		   "bsdtar -C r1 -xpf t.tar");
}

/* umoci applies the same layers to the same tree. */
static void test_as_umoci(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = at(w, "r");
	struct eb_digest m, d;
	struct layers l;

	need_program(w, "umoci");
	begin(&l);
	tar_link(&l.tar[0], "lib", "usr/lib");
	tar_file(&l.tar[0], "usr/lib/a", "a");
	tar_file(&l.tar[0], "usr/lib/b", "b");
	tar_file(&l.tar[0], "etc/one/x", "x");
	tar_hard(&l.tar[0], "etc/y", "etc/one/x");
	tar_file(&l.tar[1], "lib/c", "c");
	tar_file(&l.tar[1], "lib/.wh.a", "");
	tar_file(&l.tar[1], "etc/one/.wh..wh..opq", "");
	tar_file(&l.tar[1], "etc/one/z", "z");
	tar_file(&l.tar[2], "etc/one", "now a file");
	tar_end(&l.tar[0]);
	tar_end(&l.tar[1]);
	tar_end(&l.tar[2]);
	make_layout(w, "l", l.tar, 3, "");
	release(&l);
	ok(import(w, "oci", "l", &m, &d, &err), &err);
	ok(eb_rootfs_unpack(w->store, &m, dir, NULL, &err), &err);
	/* umoci wants a tag */
	shell_ok(w, "sed -i 's/}\\]}$/,\"annotations\":{\"org.opencontainers."
		    "image.ref.name\":\"t\"}}]}/' l/index.json && "
		    "umoci raw unpack --rootless --image l:t u && "
		    "diff -r --no-dereference u r && test $(find u | wc -l) = "
		    "$(find r | wc -l)");
	tree_is(w, "d:etc d:usr d:usr/lib f:etc/one f:etc/y f:usr/lib/b "
		   "f:usr/lib/c l:lib");
}

/* ---- what is refused ---------------------------------------------------- */

/* One or two members; the second through the first. */
static const struct {
	char type;
	const char *name, *link;
	char type2;
	const char *name2, *link2;
	const char *why;
} hostile[] = {
	{ '0', "../x", "", 0, "", "", "leave the image" },
	{ '0', "a/../../x", "", 0, "", "", "leave the image" },
	{ '0', "/../x", "", 0, "", "", "leave the image" },
	{ '5', "..", "", 0, "", "", "leave the image" },
	{ '2', "..", "x", 0, "", "", "leave the image" },
	{ '1', "x", "../said", 0, "", "", "leave the image" },
	{ '1', "x", "/etc/hostname", 0, "", "", "not there" },
	{ '1', "x", "x", 0, "", "", "not there" },
	{ '5', "d", "", '1', "x", "d", "to a folder" },
	{ '2', "l", "../said", '1', "x", "l/y", "not there" },
	{ '0', "f", "", '0', "f/x", "", "no folder" },
	{ '2', "l", "l", '0', "l/x", "", "symbolic links" },
	{ '0', ".wh.", "", 0, "", "", "whiteout of nothing" },
	{ '0', ".wh..", "", 0, "", "", "whiteout of nothing" },
	{ '0', "d/.wh...", "", 0, "", "", "whiteout of nothing" },
	{ '0', ".wh.d/x", "", 0, "", "", "in a whiteout" },
	{ '0', "a/.wh.d/x/y", "", 0, "", "", "in a whiteout" },
	{ '0', ".", "", 0, "", "", "be the root" },
	{ '2', "./", "x", 0, "", "", "be the root" },
	{ '2', "x", "", 0, "", "", "link to nowhere" },
	{ '1', "x", "", 0, "", "", "link to nowhere" },
	{ '0', "", "", 0, "", "", "without a name" },
	{ 'Z', "x", "", 0, "", "", "unknown type" },
	{ 'M', "x", "", 0, "", "", "unknown type" },
};

static void test_hostile(void **state)
{
	struct world *w = *state;
	size_t i;

	shell_ok(w, "echo secret >said");
	for (i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		struct eb_error err = EB_ERROR_INIT;
		eb_autofree char *dir = at(w, "r");
		struct layers l;

		begin(&l);
		tar_file(&l.tar[0], "first", "1");
		tar_put(&l.tar[0], hostile[i].type, hostile[i].name, 0644,
			hostile[i].link, "", 0);
		if (hostile[i].type2)
			tar_put(&l.tar[0], hostile[i].type2, hostile[i].name2,
				0644, hostile[i].link2, "", 0);
		bad(unpack(w, &l, 1, NULL, &err), &err, EB_INPUT,
		    hostile[i].why);
		assert_false(eb_path_exists(dir));
		release(&l);
	}
	text_is(w, "said", "secret\n");
}

/* Links that point out, written through in every way: all of it lands in the
 * image, and what is outside stays as it was. */
static void test_escapes(void **state)
{
	struct world *w = *state;
	struct layers l;

	shell_ok(w, "mkdir out && echo secret >out/file && ln -s ../out side");
	begin(&l);
	tar_link(&l.tar[0], "up", "../out");
	tar_file(&l.tar[0], "up/file", "mine");
	tar_link(&l.tar[0], "f", "../out/file");
	tar_file(&l.tar[0], "f", "mine");
	tar_link(&l.tar[0], "g", "../out/file");
	tar_file(&l.tar[1], "g", "mine");
	tar_link(&l.tar[1], "chain", "up/../../out");
	tar_file(&l.tar[1], "chain/new", "mine");
	tar_file(&l.tar[2], "up/.wh.file", "");
	tar_link(&l.tar[2], "h", "../out");
	tar_file(&l.tar[3], "h/.wh..wh..opq", "");
	tar_link(&l.tar[3], "i", "../../../../../../../../tmp");
	tar_file(&l.tar[3], "i/x", "mine");
	unpack_ok(w, &l, 4);
	text_is(w, "out/file", "secret\n");
	tree_is(w, "d:out d:tmp f:f f:g f:tmp/x l:chain l:h l:i l:up");
	shell_ok(w, "test \"$(ls out)\" = file");
}

static void raw_fails(const struct world *w, struct layers *l,
		      enum eb_code code, const char *why)
{
	struct eb_error err = EB_ERROR_INIT;

	bad(unpack(w, l, 1, NULL, &err), &err, code, why);
	release(l);
	begin(l);
}

/* Archives that are wrong as archives. */
static void test_malformed(void **state)
{
	struct world *w = *state;
	struct layers l;
	char long_name[300], *end;
	struct eb_buf *b = &l.tar[0];

	memset(long_name, 'n', 299);
	long_name[299] = '\0';
	begin(&l);
	eb_buf_add(b, "not a tar at all", 16);
	tar_pad(b);
	raw_fails(w, &l, EB_INPUT, "not a tar archive");
	tar_file(b, "f", "text");
	b->data[3] ^= 1;
	raw_fails(w, &l, EB_INPUT, "not a tar archive");
	tar_file(b, "f", "text");
	tar_file(b, "g", "text");
	b->data[1024] ^= 1;
	raw_fails(w, &l, EB_INPUT, "no header at byte 1024");
	tar_pax(b, "path", "");
	tar_pax(b, "path", long_name);
	tar_file(b, "f", "");
	raw_fails(w, &l, EB_INPUT, "longer than 255");
	tar_put(b, 'x', "pax", 0644, NULL, "99 path=f\n", 10);
	raw_fails(w, &l, EB_INPUT, "malformed");
	tar_put(b, 'x', "pax", 0644, NULL, "10 path=fg", 10);
	raw_fails(w, &l, EB_INPUT, "malformed");
	tar_put(b, 'x', "pax", 0644, NULL, "4 =\n", 4);
	raw_fails(w, &l, EB_INPUT, "malformed");
	tar_put(b, 'x', "pax", 0644, NULL, "11 path=a\0\n", 11);
	raw_fails(w, &l, EB_INPUT, "\"path\"");
	tar_pax(b, "size", "-1");
	raw_fails(w, &l, EB_INPUT, "\"size\"");
	tar_pax(b, "size", "99999999999999999999");
	raw_fails(w, &l, EB_INPUT, "\"size\"");
	tar_pax(b, "mtime", "1.2.3");
	raw_fails(w, &l, EB_INPUT, "\"mtime\"");
	tar_pax(b, "uid", "4294967295");
	raw_fails(w, &l, EB_INPUT, "\"uid\"");
	tar_file(b, "f", "text");
	end = b->data + 124;
	octal(end, 12, 5000);
	tar_sum(b->data);
	raw_fails(w, &l, EB_INTEGRITY, "breaks off");
	tar_file(b, "f", "text");
	memset(b->data + 124, 0xff, 12);
	tar_sum(b->data);
	raw_fails(w, &l, EB_INPUT, "size");
	tar_file(b, "f", "text");
	memcpy(b->data + 100, "rwxr-xr", 7);
	tar_sum(b->data);
	raw_fails(w, &l, EB_INPUT, "mode");
	tar_put(b, 'x', "pax", 0644, NULL, "", 0);
	octal(b->data + 124, 12, 2 << 20);
	tar_sum(b->data);
	raw_fails(w, &l, EB_INPUT, "more than 1 MiB");
	release(&l);
}

static void sparse_fails(const struct world *w, const char *map,
			 const char *size, const char *why)
{
	struct layers l;

	begin(&l);
	tar_pax(&l.tar[0], "GNU.sparse.map", map);
	tar_pax(&l.tar[0], "GNU.sparse.size", size);
	tar_file(&l.tar[0], "f", "text");
	raw_fails(w, &l, EB_INPUT, why);
	release(&l);
}

static void test_bad_sparse(void **state)
{
	struct world *w = *state;
	struct layers l;

	sparse_fails(w, "0,5", "100", "map");
	sparse_fails(w, "0,3", "100", "map");
	sparse_fails(w, "50,2,40,2", "100", "map");
	sparse_fails(w, "0,3,2,1", "100", "map");
	sparse_fails(w, "98,4", "100", "map");
	sparse_fails(w, "0,4,9", "100", "map");
	sparse_fails(w, "0,x", "100", "map");
	sparse_fails(w, "18446744073709551615,4", "100", "map");
	sparse_fails(w, "0,4", "1099511627776", "64 GiB");
	begin(&l);
	tar_pax(&l.tar[0], "GNU.sparse.major", "1");
	tar_file(&l.tar[0], "f", "1\n0\n");
	raw_fails(w, &l, EB_INPUT, "map");
	tar_pax(&l.tar[0], "GNU.sparse.major", "1");
	tar_file(&l.tar[0], "f", "99999999999\n");
	raw_fails(w, &l, EB_INPUT, "map");
	release(&l);
}

static void test_target(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *full = at(w, "full"), *file = at(w, "full/f");
	eb_autofree char *empty = at(w, "empty");
	struct eb_digest m, none = { { 7 } };
	struct layers l;

	shell_ok(w, "mkdir full empty && echo 1 >full/f");
	begin(&l);
	tar_file(&l.tar[0], "a/b", "1");
	tar_file(&l.tar[1], "../x", "1");
	tar_end(&l.tar[0]);
	tar_end(&l.tar[1]);
	m = store_image(w, l.tar, 2);
	bad(eb_rootfs_unpack(w->store, &m, full, NULL, &err), &err, EB_INPUT,
	    "not empty");
	bad(eb_rootfs_unpack(w->store, &m, file, NULL, &err), &err, EB_INPUT,
	    "opening");
	/* what was there stays there, and is empty again */
	bad(eb_rootfs_unpack(w->store, &m, empty, NULL, &err), &err, EB_INPUT,
	    "leave the image");
	shell_ok(w, "test -d empty && test -z \"$(ls -A empty)\"");
	bad(eb_rootfs_unpack(w->store, &none, empty, NULL, &err), &err,
	    EB_INTEGRITY, "");
	m = store_image(w, l.tar, 1);
	release(&l);
	ok(eb_rootfs_unpack(w->store, &m, empty, NULL, &err), &err);
	text_is(w, "empty/a/b", "1");
}

/* Bytes changed at random, checksums mended so that more of it is read: it
 * ends well or in an error that says something, and nothing leaves the
 * folder. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void mutate(struct eb_buf *b, uint32_t *seed)
{
	uint32_t n = 1 + next_random(seed) % 4;
	size_t i;

	while (n--)
		b->data[next_random(seed) % b->len] = (char)next_random(seed);
	for (i = 0; i + 512 <= b->len; i += 512) {
		if (memcmp(b->data + i + 257, "ustar", 5) == 0)
			tar_sum(b->data + i);
	}
}

static void fill(struct layers *l)
{
	struct eb_buf *b = &l->tar[0];

	tar_dir(b, "d/", 0755);
	tar_file(b, "d/f", "text");
	tar_link(b, "d/l", "../d");
	tar_hard(b, "h", "d/f");
	tar_pax(b, "GNU.sparse.map", "0,2,10,2");
	tar_pax(b, "GNU.sparse.size", "20");
	tar_file(b, "s", "text");
	tar_pax(b, "SCHILY.xattr.user.a", "b");
	tar_put(b, '0', "d/l/x", 0644, NULL, "y", 1);
	tar_file(&l->tar[1], "d/.wh.f", "");
	tar_file(&l->tar[1], "d/.wh..wh..opq", "");
	tar_file(&l->tar[1], "n/x", "1");
}

static void test_random(void **state)
{
	struct world *w = *state;
	uint32_t seed = 20260101;
	int i, good = 0;

	for (i = 0; i < 400; i++) {
		struct eb_error err = EB_ERROR_INIT;
		struct layers l;

		begin(&l);
		fill(&l);
		mutate(&l.tar[i % 2], &seed);
		if (unpack(w, &l, 2, NULL, &err) == 0)
			good++;
		else
			assert_true(err.message && *err.message);
		eb_err_release(&err);
		release(&l);
	}
	print_message("%d of %d were unpacked all the same\n", good, i);
	shell_ok(w, "ls -A | grep -vx -e r -e store -e said | wc -l");
	assert_true(said(w, "0"));
}

#define IN_WORLD(test) \
	cmocka_unit_test_setup_teardown(test, make_world, remove_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_types),	     IN_WORLD(test_replaced),
		IN_WORLD(test_whiteouts),    IN_WORLD(test_opaque),
		IN_WORLD(test_opaque_root),  IN_WORLD(test_through_links),
		IN_WORLD(test_folder_times), IN_WORLD(test_deep),
		IN_WORLD(test_xattrs),	     IN_WORLD(test_owners),
		IN_WORLD(test_not_root),     IN_WORLD(test_gnu_tar),
		IN_WORLD(test_no_devices),   IN_WORLD(test_old_tar),
		IN_WORLD(test_bsdtar),	     IN_WORLD(test_as_umoci),
		IN_WORLD(test_hostile),	     IN_WORLD(test_escapes),
		IN_WORLD(test_malformed),    IN_WORLD(test_bad_sparse),
		IN_WORLD(test_target),	     IN_WORLD(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
