"""LPVDN, and VaDE, which is LPVDN without two of its terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from lpvdn import _input
from lpvdn._base import Decoding, Sampling
from lpvdn._settings import check, word
from lpvdn._threads import threads_of

Callback = Callable[[dict[str, Any]], object]
SPACE = word("embedding", "latent")


class _MixturePrior(Sampling):
    """Models with a Gaussian mixture as the prior of their latent space."""

    def responsibilities(self, X: Any) -> NDArray[Any]:
        """γ at the latent mean: the share of each component of the mixture prior in each row.

        Of :class:`LPVDN` column k is the k-th component of the prior, not cluster k: its clusters are found in o'. The
        probabilities of clusters are :meth:`predict_proba`.
        """
        rows = self._checked(X)
        return _input.like(self.model_.responsibilities(_input.native(rows), threads_of(self)), rows)


class LPVDN(_MixturePrior):
    """Locality Preserving Variational Discriminative Network (Luo et al., AAAI 2021).

    A variational autoencoder with a Gaussian-mixture prior models the global structure of the data, a discriminator
    makes its codes robust, a t-SNE-like network keeps neighbours together, and what neighbours hold together are the
    clusters.

    What is ``None`` is left to the recipe, and to the number of rows.

    Parameters
    ----------
    n_clusters : int, "auto" or (from, to), default=8
        K. With ``"auto"`` or a range it is chosen without labels; ``n_clusters_`` is what was chosen.
    recipe : {"robust", "paper"}, default="robust"
        The values of everything not given: those for data nobody tuned for, or those of the paper.
    space : {"embedding", "latent"}, default="embedding"
        What ``transform`` gives: o', or the latent mean, which can be decoded. Clusters, ``embedding_`` and
        ``kneighbors`` do not depend on it.
    restarts : int, default=1
        Candidates that are trained briefly, with successive seeds, to choose one of them without labels.
    layers : tuple of int, optional
        Hidden layers of the encoder; the decoder mirrors them.
    latent_dim, output_dim : int, optional
        Sizes of the latent space and of o'.
    discriminator_layers, locality_layers : tuple of int, optional
        Hidden layers of the network of L_MI and of that of L_LP.
    pretrain_epochs, epochs, settle_epochs : int, optional
        Epochs of the plain autoencoder, of all terms together, and of the locality net alone on the final codes.
    pretrain_lr, lr : float, optional
        Learning rates.
    schedule : "constant" or dict, optional
        How the rate falls: ``{"step": {"every": 10, "factor": 0.95}}`` or ``{"cosine": {"floor": 0.02}}``.
    batch_size : int, optional
        Rows of a step.
    alpha0, alpha1 : float, optional
        Weights of L_MI and L_LP; 0 leaves a term out.
    perplexity : float, optional
        Of the affinities of L_LP, as a share of the batch, where they do not come from a graph.
    affinities : {"latent", "rows", "both", "latent-graph", "row-graph", "both-graphs"}, optional
        Between which points neighbourhoods are measured.
    neighbors, company, refresh : int, optional
        Of a graph: neighbours of a row, how many of them it brings into a batch, and epochs between two measurements.
    divergence, latent_penalty : float, optional
        Weight of the divergence from the prior, and what holds latent means near 0 in pre-training.
    negatives : {"shift", "independent"}, optional
        False rows of L_MI.
    scale_locality_net : bool, optional
        Whether α1 scales the locality net's own gradient.
    log_variance_bound : float, optional
        log σ̃² stays within ± this.
    init : {"fan-in", "xavier"}, optional
        How weights start.
    prior_start : {"em", "graph", "rows", "auto"}, optional
        Where the mixture prior starts on the pre-trained codes: by expectation–maximisation, from the clusters that
        keep neighbours among the codes together, or from the initial clustering of the rows. "auto" is "graph"
        where the columns are samples of one signal, as pixels are, and rows are enough, else "rows".
    mixture_starts, n_init : int, optional
        Starts of the mixture prior, and of the final clustering.
    clustering : {"auto", "leiden", "graph", "k-means", "gaussian-mixture"}, optional
        What becomes the clusters. ``"auto"``, if not given: of signals (pixels, and other columns that are all
        measured on one scale) a partition of o', of other rows a partition of the rows as they are, chosen among
        several without labels. The others divide o'.
    likelihood : {"bernoulli", "gaussian"}, optional
        What the decoder's output means; by the data if not given.
    scale : {"by-type", "auto", "none", "max", "standard", "norm"}, optional
        How values are scaled; by type if not given: numbers are standardised, skewed amounts after a logarithm, sparse
        rows go through a truncated SVD, pixels stay what they are. With ``recipe="paper"`` it is "auto", which looks at
        all values together. "none", "max" and "norm" scale dense and sparse rows alike.
    components : int, optional
        Components of the truncated SVD of sparse rows, at most as many as there are rows and columns; a row in eight,
        20 to 100, if not given. Rows that do not go through an SVD have none, and are refused with it.
    missing : {"error", "mean", "median", "most-frequent", "category"}, optional
        What stands for missing values; they are an error if it is not given. ``"category"``: among words, to be missing
        is a category of its own; among numbers, the mean stands for it.
    kinds : mapping of str to {"number", "linear", "log", "category", "date", "boolean", "ignore"}, optional
        What columns of a data frame are to be read as, by their names; recognised if it is not given.
    weights : mapping of str to float, optional
        How much columns of a data frame count, next to the others, which have 1.
    district : int, optional
        Rows that are shuffled, searched for neighbours and clustered together, at most.
    verdict : {"auto", "none"}, default="auto"
        Whether the clusters are judged after the fit: ``verdict_`` says whether they are more than what data without
        any would give, with a warning where they are not. It does not change the model.
    random_state : int, RandomState, Generator or None, default=None
        A number is the seed of the program ``lpvdn``: it gives the same model.
    n_jobs : int, optional
        Threads, never more than one a core. The result does not depend on them.
    verbose : int or bool, default=0
        Whether progress is shown.
    warm_start : bool, default=False
        Whether what earlier fits computed is kept: a fit of the same rows that differs only in what comes after
        pre-training does not pre-train again, and one that was interrupted goes on. The model is the same either way.
        A seed that was drawn is kept until ``random_state`` is another one.
    store : path, optional
        A folder in which trainings are kept for other estimators and for the program (``--store``).
    callbacks : list of callable, optional
        Called with a dict for each event of the fit; ``{"event": "epoch", "phase": …, "loss": …}`` is one. An exception
        stops the fit.

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        The cluster of each row.
    embedding_ : array of shape (n_samples, code_size)
        The code of each row in which the clusters were found: o'; with ``clustering="auto"`` and rows that are no
        signals, the values that rows are compared by; the latent mean where L_LP is left out.
    cluster_centers_ : array of shape (n_clusters, code_size)
        The middle of each cluster in that space. Clusters of ``"graph"`` and ``"leiden"`` need not be round.
    n_clusters_ : int
    history_ : list of dict
        The terms of the loss in each epoch.
    quality_ : dict
        How well the clusters are apart: silhouette, Calinski–Harabasz, Davies–Bouldin.
    effective_clusters_ : float
        How many clusters are really in use.
    verdict_ : Verdict or None
        Whether the clusters are more than what data without any would give: ``str(verdict_)`` is a sentence,
        ``verdict_.structure`` a word. It looks at some rows and follows from the seed.
    stability_ : array of shape (n_clusters,)
        The share of each cluster that refits find again; NaN where it is not known.
    search_ : dict
        The candidates, where there was a choice.
    model_ : Model
        The fitted model.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        Where the rows came with names of strings.

    Examples
    --------
    >>> from lpvdn import LPVDN
    >>> from sklearn.datasets import load_digits
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = LPVDN(n_clusters=10, layers=(32,), pretrain_epochs=3, epochs=3, random_state=0).fit(X)
    >>> model.labels_.shape, model.transform(X[:5]).shape
    ((1797,), (5, 10))
    """

    _method: ClassVar[str] = "lpvdn"

    def __init__(
        self,
        n_clusters: int | Literal["auto"] | tuple[int, int] = 8,
        *,
        recipe: str = "robust",
        space: str = "embedding",
        restarts: int = 1,
        layers: Sequence[int] | None = None,
        latent_dim: int | None = None,
        output_dim: int | None = None,
        discriminator_layers: Sequence[int] | None = None,
        locality_layers: Sequence[int] | None = None,
        pretrain_epochs: int | None = None,
        epochs: int | None = None,
        settle_epochs: int | None = None,
        pretrain_lr: float | None = None,
        lr: float | None = None,
        schedule: str | dict[str, dict[str, float]] | None = None,
        batch_size: int | None = None,
        alpha0: float | None = None,
        alpha1: float | None = None,
        perplexity: float | None = None,
        affinities: str | None = None,
        neighbors: int | None = None,
        company: int | None = None,
        refresh: int | None = None,
        divergence: float | None = None,
        latent_penalty: float | None = None,
        negatives: str | None = None,
        scale_locality_net: bool | None = None,
        log_variance_bound: float | None = None,
        init: str | None = None,
        prior_start: str | None = None,
        mixture_starts: int | None = None,
        n_init: int | None = None,
        clustering: str | None = None,
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
        self.space = space
        self.restarts = restarts
        self.layers = layers
        self.latent_dim = latent_dim
        self.output_dim = output_dim
        self.discriminator_layers = discriminator_layers
        self.locality_layers = locality_layers
        self.pretrain_epochs = pretrain_epochs
        self.epochs = epochs
        self.settle_epochs = settle_epochs
        self.pretrain_lr = pretrain_lr
        self.lr = lr
        self.schedule = schedule
        self.batch_size = batch_size
        self.alpha0 = alpha0
        self.alpha1 = alpha1
        self.perplexity = perplexity
        self.affinities = affinities
        self.neighbors = neighbors
        self.company = company
        self.refresh = refresh
        self.divergence = divergence
        self.latent_penalty = latent_penalty
        self.negatives = negatives
        self.scale_locality_net = scale_locality_net
        self.log_variance_bound = log_variance_bound
        self.init = init
        self.prior_start = prior_start
        self.mixture_starts = mixture_starts
        self.n_init = n_init
        self.clustering = clustering
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

    @property
    def _gives_latent(self) -> bool:
        check(type(self).__name__, "space", SPACE, self.space)
        return self.space == "latent"

    @property
    def inverse_transform(self) -> Callable[[Any], NDArray[Any]]:
        """Rows from latent vectors, through the decoder: only of what ``transform`` gives with ``space="latent"``."""
        if not self._gives_latent:
            raise AttributeError(
                "o' cannot be decoded: the locality net that makes it of latent means has no inverse. Use "
                'space="latent": then transform gives latent means, and inverse_transform decodes them'
            )
        return self._decoded


class VaDE(_MixturePrior, Decoding):
    """Variational deep embedding (Jiang et al. 2017): a variational autoencoder with a Gaussian-mixture prior.

    It is LPVDN without L_MI and L_LP. Parameters and attributes mean what they mean there; ``embedding_`` and what
    ``transform`` gives are latent means, and ``inverse_transform`` decodes them.

    Parameters
    ----------
    n_clusters : int, "auto" or (from, to), default=8
        K.
    recipe, restarts, layers, latent_dim, pretrain_epochs, epochs, pretrain_lr, lr, schedule, batch_size, divergence, \
latent_penalty, log_variance_bound, init, prior_start, mixture_starts, n_init, likelihood, scale, components, missing, \
kinds, weights, district, verdict, random_state, n_jobs, verbose, warm_start, store, callbacks
        See :class:`LPVDN`.

    Attributes
    ----------
    labels_, embedding_, cluster_centers_, n_clusters_, history_, quality_, effective_clusters_, verdict_, stability_, \
search_, model_, n_features_in_, feature_names_in_
        See :class:`LPVDN`.
    """

    _method: ClassVar[str] = "vade"

    def __init__(
        self,
        n_clusters: int | Literal["auto"] | tuple[int, int] = 8,
        *,
        recipe: str = "robust",
        restarts: int = 1,
        layers: Sequence[int] | None = None,
        latent_dim: int | None = None,
        pretrain_epochs: int | None = None,
        epochs: int | None = None,
        pretrain_lr: float | None = None,
        lr: float | None = None,
        schedule: str | dict[str, dict[str, float]] | None = None,
        batch_size: int | None = None,
        divergence: float | None = None,
        latent_penalty: float | None = None,
        log_variance_bound: float | None = None,
        init: str | None = None,
        prior_start: str | None = None,
        mixture_starts: int | None = None,
        n_init: int | None = None,
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
        self.restarts = restarts
        self.layers = layers
        self.latent_dim = latent_dim
        self.pretrain_epochs = pretrain_epochs
        self.epochs = epochs
        self.pretrain_lr = pretrain_lr
        self.lr = lr
        self.schedule = schedule
        self.batch_size = batch_size
        self.divergence = divergence
        self.latent_penalty = latent_penalty
        self.log_variance_bound = log_variance_bound
        self.init = init
        self.prior_start = prior_start
        self.mixture_starts = mixture_starts
        self.n_init = n_init
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
