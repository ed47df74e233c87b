/* SPDX-License-Identifier: Apache-2.0 */
/* Files: whole reads and writes, folders, unnamed files, removal of trees.
 * Every descriptor is close-on-exec. */
#ifndef EB_FILE_H
#define EB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>

/* Adds to `out`. Refuses more than `max` bytes (EB_INPUT, names the size and
 * the limit); a regular file is refused before it is read. */
int eb_read_file(const char *path, size_t max, struct eb_buf *out,
		 struct eb_error *err);
int eb_read_fd(int fd, const char *name, size_t max, struct eb_buf *out,
	       struct eb_error *err);
int eb_write_all(int fd, const void *p, size_t n, const char *name,
		 struct eb_error *err);
/* pread that fills `n` bytes or fails. */
int eb_pread_all(int fd, void *p, size_t n, uint64_t offset, const char *name,
		 struct eb_error *err);
/* Written beside, synced, renamed: readers see the old or the new file. The
 * mode is taken as it is, without the umask. */
int eb_write_file(const char *path, const void *p, size_t n, mode_t mode,
		  struct eb_error *err);
int eb_mkdirs(const char *path, mode_t mode, struct eb_error *err);
/* An unnamed file (O_TMPFILE; where that is not to be had a named one that
 * is unlinked at once) in `dir`; read and write. -1 on error. */
int eb_unnamed_file(const char *dir, struct eb_error *err);
/* Remove a file or a whole tree, never following a link; absent is fine. */
int eb_remove_tree(const char *path, struct eb_error *err);
/* A copy of a file, or of a folder with all that is in it, at `to`, which is
 * not there, or is an empty folder: modes as they are, links as links (`from`
 * itself is followed), devices, sockets and pipes left out. At most 200,000
 * entries and 20 GiB: EB_INPUT. */
int eb_copy_tree(const char *from, const char *to, struct eb_error *err);
/* A fresh folder dir/prefixXXXXXX, mode 0700; caller frees the path. */
char *eb_make_tempdir(const char *dir, const char *prefix,
		      struct eb_error *err);
/* `size` bytes of `from`, beginning at `offset`, to where `to` stands, by
 * copy_file_range where the kernel can. Fewer there: EB_INTEGRITY. */
int eb_copy_fd(int to, int from, uint64_t offset, uint64_t size,
	       const char *name, struct eb_error *err);
/* Exclusive advisory lock on a file (made when absent). wait=false gives 0
 * when someone else has it; 1 locked (fd in *fd; closing unlocks). A signal
 * handled while it waits is EB_INTERRUPTED. */
int eb_lock_file(const char *path, bool wait, int *fd, struct eb_error *err);
bool eb_path_exists(const char *path);
/* Which network file system it lies on ("NFS"); NULL: on a local one. */
const char *eb_network_name(int fd);
/* join: caller frees */
char *eb_path_join(const char *a, const char *b);
/* $XDG_*_HOME/envbuild or the fall-back below HOME; which is "CACHE",
 * "CONFIG", "DATA", "STATE" or "RUNTIME" (NULL when that one is not set). */
char *eb_xdg_dir(const char *which);

#endif
