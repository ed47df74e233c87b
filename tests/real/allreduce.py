# SPDX-License-Identifier: Apache-2.0
"""Ranks of Horovod sum a tensor; each prints a line of what it got.

Rank R brings [0, 1, 2, 3] * (R + 1), so that N ranks sum to [0, 1, 2, 3] times
1 + 2 + ... + N. What a rank broadcasts, and a step of an optimizer on other
data in each rank, must leave the same in all of them.
"""
import sys

import horovod.torch as hvd
import torch


def same_everywhere(tensor):
    rows = hvd.allgather(tensor.reshape(1, -1))
    return all(torch.equal(rows[0], row) for row in rows)


def main():
    hvd.init()
    rank, size = hvd.rank(), hvd.size()
    mine = torch.arange(4, dtype=torch.float32) * (rank + 1)
    total = hvd.allreduce(mine, op=hvd.Sum)
    torch.manual_seed(rank)
    model = torch.nn.Linear(4, 1)
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    optimizer = hvd.DistributedOptimizer(
        torch.optim.SGD(model.parameters(), lr=0.1),
        named_parameters=model.named_parameters())
    before = model.weight.detach().clone()
    model(torch.rand(8, 4)).sub(rank).pow(2).mean().backward()
    optimizer.step()
    after = model.weight.detach()
    if torch.equal(before, after) or not same_everywhere(after):
        sys.exit("rank %d: the step went wrong" % rank)
    print("rank %d of %d: %s" % (rank, size, total.tolist()), flush=True)


if __name__ == "__main__":
    main()
