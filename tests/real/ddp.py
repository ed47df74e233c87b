# SPDX-License-Identifier: Apache-2.0
"""Two ranks train three steps with DistributedDataParallel over gloo.

Each sees other data; after every step both must have the same parameters,
which are not those of the step before. Prints a line for each rank and step.
"""
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

RANKS, STEPS = 2, 3


def flat(model):
    return torch.cat([p.detach().reshape(-1) for p in model.parameters()])


def train(rank, place):
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group("gloo", init_method="file://" + place, rank=rank,
                            world_size=RANKS)
    torch.manual_seed(rank)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = flat(model)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = model(torch.rand(8, 4)).sub(rank).pow(2).mean()
        loss.backward()
        optimizer.step()
        mine = flat(model)
        all_of = [torch.empty_like(mine) for _ in range(RANKS)]
        dist.all_gather(all_of, mine)
        if not all(torch.equal(one, mine) for one in all_of):
            sys.exit("rank %d, step %d: other parameters" % (rank, step))
        if torch.equal(mine, before):
            sys.exit("rank %d, step %d: nothing was learnt" % (rank, step))
        before = mine
        print("rank %d step %d loss %.6f parameters %s"
              % (rank, step, loss.item(), mine.tolist()), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(os.path.join(folder, "store"),), nprocs=RANKS)
