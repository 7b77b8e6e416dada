"""ClusterGAN."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar

from lpvdn._base import Decoding, Sampling


class ClusterGAN(Sampling, Decoding):
    """A generative adversarial network with clusters in its latent space (Mukherjee et al. 2019).

    The code of a row, which ``transform`` gives, is what the encoder makes of it: [ẑ_n, softmax ẑ_c].
    ``inverse_transform`` gives such codes to the generator.

    Parameters
    ----------
    n_clusters : int, default=8
        K.
    recipe : {"robust", "paper"}, default="robust"
        The values of everything not given.
    layers : tuple of int, optional
        Hidden layers of the fully connected networks.
    image : (height, width, channels), optional
        Rows are such images, and the networks convolutional.
    noise_dim : int, optional
        Values of z_n.
    steps, critic_steps : int, optional
        Steps of the generator, and of the critic for each of them.
    batch_size : int, optional
        Rows of a step.
    lr : float, optional
        Learning rate.
    schedule : "constant" or dict, optional
        How the rate falls, as for :class:`LPVDN`; an epoch is 500 steps.
    noise_weight, class_weight : float, optional
        β_n and β_c, the weights of the encoder's two terms.
    class_start : {"random", "graph", "rows", "auto"}, optional
        What decides which rows a class of the generator stands for: chance, the default of the paper's recipe; the
        clusters that neighbours form among the codes of a plain autoencoder ("graph"), the default of the robust one;
        or the initial clustering of the rows. "auto" is "graph" where the columns are samples of one signal, as pixels
        are, and rows are enough, else "rows".
    guided_steps : int, optional
        With "graph" and "rows", the steps in which the encoder also learns those clusters, with the weight β_c; by
        default a quarter of all.
    pretrain_epochs, pretrain_lr : optional
        With "graph", the training of that autoencoder, which is otherwise that of :class:`AutoencoderKMeans`. Epochs
        by the number of rows, by default.
    n_init : int, optional
        Starts of each clustering of codes.
    scale, components, missing, kinds, weights, district, verdict, random_state, n_jobs, verbose, warm_start, store, \
callbacks
        See :class:`LPVDN`.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    embedding_ : array of shape (n_samples, noise_dim + n_clusters)
        The code of each row.
    cluster_centers_ : array of shape (n_clusters, noise_dim + n_clusters)
    n_clusters_, history_, quality_, effective_clusters_, verdict_, stability_, model_, n_features_in_, \
feature_names_in_
        See :class:`LPVDN`.
    """

    _method: ClassVar[str] = "clustergan"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        recipe: str = "robust",
        layers: Sequence[int] | None = None,
        image: Sequence[int] | None = None,
        noise_dim: int | None = None,
        steps: int | None = None,
        critic_steps: int | None = None,
        batch_size: int | None = None,
        lr: float | None = None,
        schedule: str | dict[str, Any] | None = None,
        noise_weight: float | None = None,
        class_weight: float | None = None,
        class_start: str | None = None,
        guided_steps: int | None = None,
        pretrain_epochs: int | None = None,
        pretrain_lr: float | None = None,
        n_init: int | None = None,
        scale: str | None = None,
        components: int | None = None,
        missing: str | None = None,
        kinds: Mapping[str, str] | None = None,
        weights: Mapping[str, float] | None = None,
        district: int | None = None,
        verdict: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int | bool = 0,
        warm_start: bool = False,
        store: str | PathLike[str] | None = None,
        callbacks: Sequence[Callable[[dict[str, Any]], object]] | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.recipe = recipe
        self.layers = layers
        self.image = image
        self.noise_dim = noise_dim
        self.steps = steps
        self.critic_steps = critic_steps
        self.batch_size = batch_size
        self.lr = lr
        self.schedule = schedule
        self.noise_weight = noise_weight
        self.class_weight = class_weight
        self.class_start = class_start
        self.guided_steps = guided_steps
        self.pretrain_epochs = pretrain_epochs
        self.pretrain_lr = pretrain_lr
        self.n_init = n_init
        self.scale = scale
        self.components = components
        self.missing = missing
        self.kinds = kinds
        self.weights = weights
        self.district = district
        self.verdict = verdict
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start
        self.store = store
        self.callbacks = callbacks
