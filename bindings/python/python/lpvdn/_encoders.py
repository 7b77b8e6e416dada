"""The methods that cluster the codes of an autoencoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar

from lpvdn._base import Decoding, Sampling

Callback = Callable[[dict[str, Any]], object]


class AutoencoderKMeans(Sampling, Decoding):
    """K-means of the codes of a plain autoencoder.

    ``transform`` gives latent means, and ``inverse_transform`` decodes them. ``sample`` draws around the centres.

    Parameters
    ----------
    n_clusters : int, default=8
        K.
    recipe : {"robust", "paper"}, default="robust"
        The values of everything not given.
    layers : tuple of int, optional
        Hidden layers of the encoder; the decoder mirrors them.
    latent_dim : int, optional
        Size of the latent space.
    pretrain_epochs : int, optional
        Epochs of the plain autoencoder.
    pretrain_lr : float, optional
        Its learning rate.
    latent_penalty : float, optional
        What holds latent means near 0 meanwhile.
    batch_size : int, optional
        Rows of a step.
    n_init : int, optional
        Starts of K-means.
    init, likelihood, scale, components, missing, kinds, weights, district, verdict, random_state, n_jobs, verbose, \
warm_start, store, callbacks
        See :class:`LPVDN`.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    embedding_ : array of shape (n_samples, latent_dim)
        The latent mean of each row.
    cluster_centers_ : array of shape (n_clusters, latent_dim)
    n_clusters_, history_, quality_, effective_clusters_, verdict_, stability_, model_, n_features_in_, \
feature_names_in_
        See :class:`LPVDN`.
    """

    _method: ClassVar[str] = "ae-kmeans"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        recipe: str = "robust",
        layers: Sequence[int] | None = None,
        latent_dim: int | None = None,
        pretrain_epochs: int | None = None,
        pretrain_lr: float | None = None,
        latent_penalty: float | None = None,
        batch_size: int | None = None,
        n_init: int | None = None,
        init: str | None = None,
        likelihood: str | None = None,
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
        callbacks: Sequence[Callback] | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.recipe = recipe
        self.layers = layers
        self.latent_dim = latent_dim
        self.pretrain_epochs = pretrain_epochs
        self.pretrain_lr = pretrain_lr
        self.latent_penalty = latent_penalty
        self.batch_size = batch_size
        self.n_init = n_init
        self.init = init
        self.likelihood = likelihood
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


class VAEKMeans(Sampling, Decoding):
    """K-means of the codes of a variational autoencoder with a standard normal prior (Kingma and Welling 2014).

    ``transform`` gives latent means, and ``inverse_transform`` decodes them. ``sample`` draws around the centres.

    Parameters
    ----------
    n_clusters : int, default=8
        K.
    recipe : {"robust", "paper"}, default="robust"
        The values of everything not given.
    layers : tuple of int, optional
        Hidden layers of the encoder; the decoder mirrors them.
    latent_dim : int, optional
        Size of the latent space.
    pretrain_epochs : int, optional
        Epochs of the plain autoencoder.
    pretrain_lr : float, optional
        Its learning rate.
    latent_penalty : float, optional
        What holds latent means near 0 meanwhile.
    batch_size : int, optional
        Rows of a step.
    epochs, lr, schedule : optional
        Of the training as a variational autoencoder. There is none before, unless ``pretrain_epochs`` says so.
    divergence : float, optional
        The weight of the divergence from the prior: 0.5, in the paper's recipe 1.
    log_variance_bound : float, optional
        log σ̃² stays within ± this.
    n_init : int, optional
        Starts of K-means.
    init, likelihood, scale, components, missing, kinds, weights, district, verdict, random_state, n_jobs, verbose, \
warm_start, store, callbacks
        See :class:`LPVDN`.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    embedding_ : array of shape (n_samples, latent_dim)
        The latent mean of each row.
    cluster_centers_ : array of shape (n_clusters, latent_dim)
    n_clusters_, history_, quality_, effective_clusters_, verdict_, stability_, model_, n_features_in_, \
feature_names_in_
        See :class:`LPVDN`.
    """

    _method: ClassVar[str] = "vae-kmeans"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        recipe: str = "robust",
        layers: Sequence[int] | None = None,
        latent_dim: int | None = None,
        pretrain_epochs: int | None = None,
        pretrain_lr: float | None = None,
        latent_penalty: float | None = None,
        batch_size: int | None = None,
        epochs: int | None = None,
        lr: float | None = None,
        schedule: str | dict[str, dict[str, float]] | None = None,
        divergence: float | None = None,
        log_variance_bound: float | None = None,
        n_init: int | None = None,
        init: str | None = None,
        likelihood: str | None = None,
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
        callbacks: Sequence[Callback] | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.recipe = recipe
        self.layers = layers
        self.latent_dim = latent_dim
        self.pretrain_epochs = pretrain_epochs
        self.pretrain_lr = pretrain_lr
        self.latent_penalty = latent_penalty
        self.batch_size = batch_size
        self.epochs = epochs
        self.lr = lr
        self.schedule = schedule
        self.divergence = divergence
        self.log_variance_bound = log_variance_bound
        self.n_init = n_init
        self.init = init
        self.likelihood = likelihood
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


class DEC(Decoding):
    """Deep embedded clustering (Xie, Girshick and Farhadi 2016).

    A plain autoencoder is trained first; its encoder then learns from its own sharpened assignments, until hardly a row
    changes its cluster. The encoder leaves its decoder behind: what ``inverse_transform`` decodes is only like rows.

    Parameters
    ----------
    n_clusters : int, default=8
        K.
    recipe : {"robust", "paper"}, default="robust"
        The values of everything not given.
    layers : tuple of int, optional
        Hidden layers of the encoder; the decoder mirrors them.
    latent_dim : int, optional
        Size of the latent space.
    pretrain_epochs : int, optional
        Epochs of the plain autoencoder.
    pretrain_lr : float, optional
        Its learning rate.
    latent_penalty : float, optional
        What holds latent means near 0 meanwhile.
    batch_size : int, optional
        Rows of a step.
    lr, momentum : float, optional
        Of the SGD of self-training.
    steps : int, optional
        Steps of self-training, at most.
    interval : int, optional
        Steps between two looks at all rows.
    tolerance : float, optional
        It ends where a smaller share of the rows changes its cluster between two looks.
    self_training_batch_size : int, optional
        Rows of a step of self-training.
    center_start : {"k-means", "graph", "rows", "auto"}, optional
        Where the centres start, among the pre-trained codes: where K-means puts them, as in the paper; in the middle of
        the clusters that keep nearest neighbours together; or in the middle of the initial clusters of the rows.
        "auto", the default of the robust recipe, is "graph" where the columns are samples of one signal, as pixels are,
        and rows are enough, else "rows".
    n_init : int, optional
        Starts of K-means.
    init, likelihood, scale, components, missing, kinds, weights, district, verdict, random_state, n_jobs, verbose, \
warm_start, store, callbacks
        See :class:`LPVDN`.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
    embedding_ : array of shape (n_samples, latent_dim)
        The latent mean of each row.
    cluster_centers_ : array of shape (n_clusters, latent_dim)
    n_clusters_, history_, quality_, effective_clusters_, verdict_, stability_, model_, n_features_in_, \
feature_names_in_
        See :class:`LPVDN`.
    """

    _method: ClassVar[str] = "dec"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        recipe: str = "robust",
        layers: Sequence[int] | None = None,
        latent_dim: int | None = None,
        pretrain_epochs: int | None = None,
        pretrain_lr: float | None = None,
        latent_penalty: float | None = None,
        batch_size: int | None = None,
        lr: float | None = None,
        momentum: float | None = None,
        steps: int | None = None,
        interval: int | None = None,
        tolerance: float | None = None,
        self_training_batch_size: int | None = None,
        center_start: str | None = None,
        n_init: int | None = None,
        init: str | None = None,
        likelihood: str | None = None,
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
        callbacks: Sequence[Callback] | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.recipe = recipe
        self.layers = layers
        self.latent_dim = latent_dim
        self.pretrain_epochs = pretrain_epochs
        self.pretrain_lr = pretrain_lr
        self.latent_penalty = latent_penalty
        self.batch_size = batch_size
        self.lr = lr
        self.momentum = momentum
        self.steps = steps
        self.interval = interval
        self.tolerance = tolerance
        self.self_training_batch_size = self_training_batch_size
        self.center_start = center_start
        self.n_init = n_init
        self.init = init
        self.likelihood = likelihood
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
