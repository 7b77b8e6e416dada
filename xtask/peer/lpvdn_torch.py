"""The time of one joint training step of LPVDN in PyTorch: what `cargo xtask peer` compares our step with.

It is written as a PyTorch user writes it who cares about speed: a fused Adam, one graph per step, no copies, the
perplexity search of all rows at once and outside of the graph. It computes what `crates/lpvdn/benches/step.rs`
times, with the same networks, terms and batch; the equations are numbered in `crates/lpvdn/src/loss`.

The rows are random numbers: unlike ours, the time of a dense step does not depend on them. Gathering the rows of a
batch is not timed here, and it is in ours.

Prints one JSON line. Needs torch: xtask/peer/requirements.txt
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import statistics
import time

import torch
import torch.nn.functional as F  # noqa: N812 (the usual name)
from torch import Tensor, nn

COLUMNS = 784
CLUSTERS = 10
LATENT = 10
OUTPUT = 10
# The paper's perplexity, as a share of the batch.
PERPLEXITY = 0.01
# Halvings of the interval in which the precision of a row lies.
SEARCH_STEPS = 30
LEARNING_RATE = 2e-3
# Steps at the start that are not timed.
WARM_UP = 3
TINY = 1e-20


def mlp(*widths: int) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers[:-1])


class Lpvdn(nn.Module):
    """The paper's networks, and the mixture of Gaussians in the latent space."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = mlp(COLUMNS, 500, 500, 2000, 2 * LATENT)
        self.decoder = mlp(LATENT, 2000, 500, 500, COLUMNS)
        self.discriminator = mlp(LATENT + COLUMNS, 256, 1)
        self.locality = mlp(LATENT, 256, 256, 256, OUTPUT)
        self.log_weights = nn.Parameter(torch.zeros(CLUSTERS))
        self.means = nn.Parameter(torch.zeros(CLUSTERS, LATENT))
        self.log_variances = nn.Parameter(torch.zeros(CLUSTERS, LATENT))

    def loss(self, x: Tensor, negatives: Tensor, alpha0: float, alpha1: float) -> Tensor:
        """L_G + alpha0 L_MI + alpha1 L_LP. A term that has no weight is not computed."""
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        z = mean + torch.exp(log_variance / 2) * torch.randn_like(mean)
        total = self.reconstruction(z, x) + self.divergence(z, mean, log_variance)
        if alpha0 > 0:
            total = total + alpha0 * self.mutual_information(z, x, negatives)
        if alpha1 > 0:
            total = total + alpha1 * self.locality_preserving(mean)
        return total

    def reconstruction(self, z: Tensor, x: Tensor) -> Tensor:
        """The first part of L_G: the cross-entropy of a row and its reconstruction."""
        return F.binary_cross_entropy_with_logits(self.decoder(z), x, reduction="sum") / len(x)

    def divergence(self, z: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
        """The second part of L_G: the divergence of the posterior from the mixture."""
        log_weights = torch.log_softmax(self.log_weights, dim=0)
        variances = self.log_variances.exp()
        log_density = (math.log(2 * math.pi) + self.log_variances + (z[:, None] - self.means) ** 2 / variances).sum(2)
        log_gamma = torch.log_softmax(log_weights - log_density / 2, dim=1)
        gamma = log_gamma.exp()
        spread = (log_variance[:, None] - self.log_variances).exp() + (mean[:, None] - self.means) ** 2 / variances
        gaussian = (gamma * (self.log_variances + spread).sum(2)).sum() / 2
        categorical = (gamma * (log_gamma - log_weights)).sum()
        return (gaussian + categorical - (1 + log_variance).sum() / 2) / len(z)

    def mutual_information(self, z: Tensor, x: Tensor, negatives: Tensor) -> Tensor:
        """L_MI: the discriminator tells true pairs of code and row from false ones."""
        true = self.discriminator(torch.cat([z, x], dim=1))
        false = self.discriminator(torch.cat([z, negatives], dim=1))
        return (F.softplus(-true).mean() + F.softplus(false).mean()) / 2

    def locality_preserving(self, mean: Tensor) -> Tensor:
        """L_LP: the divergence of the affinities of the outputs from those of the latent means."""
        p = affinities(mean.detach())
        outputs = self.locality(mean)
        distances = torch.cdist(outputs, outputs, compute_mode="use_mm_for_euclid_dist")
        w = (1 - torch.eye(len(mean))) / (1 + distances.pow(2))
        q = (w / w.sum()).clamp_min(TINY)
        return (p * (p.clamp_min(TINY).log() - q.log())).sum()


@torch.no_grad()
def affinities(mean: Tensor) -> Tensor:
    """Symmetric affinities of a batch. The precision of each row is searched by bisection, all rows at once."""
    rows = len(mean)
    goal = math.log(max(2.0, PERPLEXITY * rows))
    itself = torch.eye(rows, dtype=torch.bool)
    distances = torch.cdist(mean, mean) ** 2
    # The nearest other at 0, so that no sum of a row vanishes.
    distances = distances - distances.masked_fill(itself, math.inf).min(dim=1, keepdim=True).values
    low, high, precision = torch.zeros(rows), torch.full((rows,), math.inf), torch.ones(rows)
    for _ in range(SEARCH_STEPS):
        p = torch.exp(-distances * precision[:, None]).masked_fill_(itself, 0.0)
        sums = p.sum(dim=1)
        entropy = sums.log() + precision * (distances * p).sum(dim=1) / sums
        too_wide = entropy > goal
        low = torch.where(too_wide, precision, low)
        high = torch.where(too_wide, high, precision)
        precision = torch.where(high.isinf(), 2 * precision, (low + high) / 2)
    p = p / sums[:, None]
    return (p + p.T) / (2 * rows)


def step_milliseconds(options: argparse.Namespace) -> float:
    """The median over the timed steps."""
    model = Lpvdn()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, fused=True)
    x, negatives = torch.rand(options.batch, COLUMNS), torch.rand(options.batch, COLUMNS)
    times = []
    for _ in range(WARM_UP + options.steps):
        start = time.perf_counter()
        loss = model.loss(x, negatives, options.alpha0, options.alpha1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        times.append(time.perf_counter() - start)
    if not math.isfinite(loss.item()):
        raise SystemExit(f"the loss is {loss.item()}: a step that diverged is not worth timing")
    return 1e3 * statistics.median(times[WARM_UP:])


def main() -> None:
    parser = argparse.ArgumentParser(description="The time of one training step of LPVDN in PyTorch.")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=800)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--alpha0", type=float, default=1.0)
    parser.add_argument("--alpha1", type=float, default=1e-4)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    print(json.dumps({"step_ms": step_milliseconds(options)}))


if __name__ == "__main__":
    main()
