/* SPDX-License-Identifier: Apache-2.0 */
/* Is a file on another machine? */
#include <stdint.h>
#include <sys/vfs.h>

#include <envbuild/file.h>

static const struct {
	uint32_t magic;
	const char *name;
} network[] = {
	{ 0x00006969, "NFS" },	  { 0x0000517b, "SMB" },
	{ 0xff534d42, "CIFS" },	  { 0xfe534d42, "SMB" },
	{ 0x65735546, "FUSE" },	  { 0x01021997, "9p" },
	{ 0x00c36400, "Ceph" },	  { 0x5346414f, "AFS" },
	{ 0x6b414653, "AFS" },	  { 0x0bd00bd0, "Lustre" },
	{ 0x47504653, "GPFS" },	  { 0x19830326, "BeeGFS" },
	{ 0x01161970, "GFS2" },	  { 0x7461636f, "OCFS2" },
	{ 0x73757245, "Coda" },	  { 0x013111a8, "IBRIX" },
	{ 0x0bd00bd1, "Lustre" }, { 0x786f4256, "vboxsf" },
};

const char *eb_network_name(int fd)
{
	struct statfs st;
	size_t i;

	if (fstatfs(fd, &st) < 0)
		return NULL;
	for (i = 0; i < sizeof network / sizeof *network; i++)
		if ((uint32_t)st.f_type == network[i].magic)
			return network[i].name;
	return NULL;
}
