/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landlock rules. The kernel's structures are spelled out here, because the
 * headers of the oldest system that we build on end at version 2.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "landlock.h"

#define GET_VERSION 1U
#define PATH_BENEATH 1

#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_REMOVE (3ULL << 4)
#define FS_MAKE_FOLDER (1ULL << 7)
#define FS_MAKE_FILE (1ULL << 8)
#define FS_MAKE_LINK (1ULL << 12)
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)

#define BIND_TCP 1
#define CONNECT_TCP 2

#define READ (FS_READ_FILE | FS_READ_DIR)
#define WRITE                                                               \
	(READ | FS_WRITE_FILE | FS_REMOVE | FS_MAKE_FOLDER | FS_MAKE_FILE | \
	 FS_MAKE_LINK | FS_REFER | FS_TRUNCATE)
#define OF_A_FILE (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)

struct ruleset {
	uint64_t fs, net, scoped;
};

struct path_rule {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

int eb_landlock_abi(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, GET_VERSION);
}

/* Everything that a version knows is handled, which means refused unless a
 * rule allows it: 13 rights at first, then moving files, truncating, TCP,
 * calls on devices, signals and sockets to outside. */
static size_t ask_for(int abi, bool network, struct ruleset *r)
{
	r->fs = (1ULL << 13) - 1;
	if (abi >= 2)
		r->fs |= 1ULL << 13;
	if (abi >= 3)
		r->fs |= 1ULL << 14;
	if (abi >= 5)
		r->fs |= 1ULL << 15;
	if (abi >= 4)
		r->net = network ? BIND_TCP : BIND_TCP | CONNECT_TCP;
	if (abi >= 6)
		r->scoped = 3;
	return abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
}

/* Rights that fit a folder may not be given to a file. */
static int allow(int rules, const char *path, uint64_t rights,
		 struct eb_error *err)
{
	eb_autofd int fd = open(path, O_PATH | O_CLOEXEC);
	struct path_rule rule = { .allowed = rights, .parent = fd };
	struct stat st;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "Landlock, allowing \"%s\"", path);
	if (!S_ISDIR(st.st_mode))
		rule.allowed &= OF_A_FILE;
	if (syscall(SYS_landlock_add_rule, rules, PATH_BENEATH, &rule, 0) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "Landlock, allowing \"%s\"", path);
	return 0;
}

static int allow_all(int rules, const char *const *path, uint64_t rights,
		     struct eb_error *err)
{
	for (; path && *path; path++)
		if (allow(rules, *path, rights, err) < 0)
			return -1;
	return 0;
}

/* A program of its own folder, with the loader that it names. */
static int allow_program(int rules, const char *program, struct eb_error *err)
{
	eb_autofree char *loader = eb_elf_interpreter(program);

	if (allow(rules, program, FS_READ_FILE | FS_EXECUTE, err) < 0)
		return -1;
	return loader ? allow(rules, loader, FS_READ_FILE | FS_EXECUTE, err)
		      : 0;
}

static int fill(int rules, uint64_t known, const struct eb_landlock *l,
		struct eb_error *err)
{
	static const char *const devices[] = { "/dev/zero", "/dev/random",
					       "/dev/urandom", NULL };

	if (allow_all(rules, l->read, READ, err) < 0 ||
	    allow_all(rules, l->execute, READ | FS_EXECUTE, err) < 0)
		return -1;
	if (l->write &&
	    (allow(rules, l->write, WRITE & known, err) < 0 ||
	     allow_all(rules, devices, FS_READ_FILE, err) < 0 ||
	     allow(rules, "/dev/null",
		   (FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE) & known,
		   err) < 0))
		return -1;
	return l->program ? allow_program(rules, l->program, err) : 0;
}

int eb_landlock_rules(const struct eb_landlock *l, struct eb_error *err)
{
	struct ruleset ask = { 0, 0, 0 };
	eb_autofd int rules = -1;
	int abi = eb_landlock_abi();

	if (abi < 1)
		return eb_err_errno(err, EB_MACHINE, abi < 0 ? errno : ENOSYS,
				    "Landlock, asking the kernel for it");
	if (l->write && abi < 2)
		return eb_err_set(err, EB_MACHINE,
				  "Landlock of this kernel (version %d) cannot "
				  "let files be moved between folders",
				  abi);
	rules = (int)syscall(SYS_landlock_create_ruleset, &ask,
			     ask_for(abi, l->network, &ask), 0);
	if (rules < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "Landlock, making rules");
	fcntl(rules, F_SETFD, FD_CLOEXEC);
	if (fill(rules, ask.fs, l, err) < 0)
		return -1;
	return eb_steal_fd(&rules);
}

static char *read_text(int fd, const Elf64_Phdr *p, struct eb_error *err)
{
	eb_autofree char *text = NULL;

	if (p->p_filesz < 2 || p->p_filesz > 4096)
		return NULL;
	text = eb_calloc(p->p_filesz + 1, 1);
	if (eb_pread_all(fd, text, p->p_filesz, p->p_offset, "program", err) <
	    0)
		return NULL;
	return eb_steal(text);
}

char *eb_elf_interpreter(const char *path)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr h;
	Elf64_Phdr p;
	unsigned i;

	if (fd < 0 || eb_pread_all(fd, &h, sizeof h, 0, path, &err) < 0 ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof p)
		return NULL;
	for (i = 0; i < h.e_phnum; i++) {
		if (eb_pread_all(fd, &p, sizeof p, h.e_phoff + i * sizeof p,
				 path, &err) < 0)
			return NULL;
		if (p.p_type == PT_INTERP)
			return read_text(fd, &p, &err);
	}
	return NULL;
}
