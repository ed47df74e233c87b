/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a form of calling a runtime work here? A container with one program
 * in it, which ends at once, is started (about 30 ms). The program is made
 * here, so that nothing is asked of the system's own.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/json.h>

#include "sandbox_bundle.h"
#include "sandbox_config.h"
#include "seccomp.h"

#define PROBE_S 20
#define LOAD 0x400000

/* exit(0) */
#if defined(__x86_64__)
#define MACHINE EM_X86_64
static const unsigned char code[] = { 0xb8, 0x3c, 0,	0,   0,
				      0x31, 0xff, 0x0f, 0x05 };
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
static const unsigned char code[] = { 0xa8, 0x0b, 0x80, 0xd2, 0, 0,
				      0x80, 0xd2, 0x01, 0,    0, 0xd4 };
#else
#error "the program that ends at once is needed for this processor"
#endif

struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned char text[sizeof code];
};

static void make_program(struct program *p)
{
	*p = (struct program){
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
					 ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_EXEC,
			    .e_machine = MACHINE,
			    .e_version = EV_CURRENT,
			    .e_entry = LOAD + offsetof(struct program, text),
			    .e_phoff = offsetof(struct program, segment),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1 },
		.segment = { .p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_vaddr = LOAD,
			     .p_paddr = LOAD,
			     .p_filesz = sizeof *p,
			     .p_memsz = sizeof *p,
			     .p_align = 0x1000 },
	};
	memcpy(p->text, code, sizeof code);
}

static int write_probe(struct eb_bundle *b, const struct eb_form_use *use,
		       struct eb_error *err)
{
	static const char *const argv[] = { "/true", NULL };
	enum eb_calls_of of = use->network == EB_NETWORK_HOST
				      ? EB_CALLS_NETWORK
				      : EB_CALLS_COMPUTE;
	eb_autojson json_t *seccomp =
		use->confined ? eb_seccomp_json(of) : NULL;
	struct eb_sandbox_kind kind = { .confined = use->confined,
					.seccomp = seccomp };
	eb_autofree char *rootfs = eb_path_join(b->dir, "rootfs");
	eb_autofree char *path = eb_path_join(rootfs, "true");
	struct eb_sandbox s = { .rootfs = rootfs,
				.argv = argv,
				.network = use->network };
	eb_autojson json_t *config = NULL;
	struct program program;

	make_program(&program);
	if (eb_mkdirs(rootfs, 0755, err) < 0 ||
	    eb_write_file(path, &program, sizeof program, 0755, err) < 0)
		return -1;
	config = eb_sandbox_config(&s, &b->form, &kind, err);
	return config ? eb_bundle_write(b, config, err) : -1;
}

static char *last_line(int fd)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	char *text, *newline;
	EB_AUTOBUF(said, EB_MAX_CONFIG);

	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    eb_read_fd(fd, "output", EB_MAX_CONFIG, &said, &err) < 0)
		return NULL;
	text = eb_strip(said.data);
	newline = strrchr(text, '\n');
	return *text ? eb_strdup(newline ? newline + 1 : text) : NULL;
}

static int not_working(const struct eb_bundle *b, int fd, bool timed_out,
		       int status, struct eb_error *err)
{
	eb_autofree char *form = eb_form_text(&b->form);
	eb_autofree char *said = eb_bundle_complaint(b);

	if (!said)
		said = last_line(fd);
	if (timed_out)
		return eb_err_set(err, EB_MACHINE, "%s: not done after %d s",
				  form, PROBE_S);
	if (said)
		return eb_err_set(err, EB_MACHINE, "%s: %s", form, said);
	return eb_err_set(err, EB_MACHINE, "%s: exit status %d", form, status);
}

int eb_form_try(const struct eb_form *f, const struct eb_form_use *use,
		const char *tmp, struct eb_error *err)
{
	struct eb_bundle b EB_CLEANUP(eb_bundle_close) = { 0 };
	struct eb_process p = { .in = EB_IO_NULL,
				.out = EB_IO_NULL,
				.err = EB_IO_FD };
	bool timed_out = false;
	int status = 0;
	eb_autofd int fd = -1;

	if (eb_bundle_open(&b, f, tmp, err) < 0 ||
	    write_probe(&b, use, err) < 0)
		return -1;
	fd = eb_unnamed_file(b.dir, err);
	if (fd < 0)
		return -1;
	p.fd_err = fd;
	eb_bundle_process(&b, &p);
	if (eb_process_start(&p, err) < 0 ||
	    eb_bundle_wait(&b, &p, PROBE_S, false, &timed_out, &status, err) <
		    0)
		return -1;
	if (status == 0 && !timed_out)
		return 0;
	return not_working(&b, fd, timed_out, status, err);
}
