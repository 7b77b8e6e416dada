//! Gaussian mixtures against scikit-learn, and what must hold for any rows.

mod common;

use common::{blobs, close, fixture, matrix};
use lpvdn_cluster::gaussian_mixture::{
    CovarianceType, Covariances, GaussianMixtureError, GaussianMixtureParamsError, Start,
};
use lpvdn_cluster::{GaussianMixture, InputError};
use lpvdn_core::{Matrix, Pool};
use proptest::prelude::*;
use serde_json::Value;

const KINDS: [CovarianceType; 3] = [CovarianceType::Diagonal, CovarianceType::Full, CovarianceType::Tied];

#[derive(serde::Deserialize)]
struct Parts {
    weights: Vec<f64>,
    means: Vec<Vec<f64>>,
    covariances: Value,
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    rows: Vec<Vec<f32>>,
    kind: String,
    max_iter: usize,
    tol: f64,
    start: Parts,
    #[serde(flatten)]
    end: Parts,
    log_likelihood: f64,
    bic: f64,
    labels: Vec<u32>,
    responsibilities: Vec<Vec<f64>>,
    iterations: usize,
    converged: bool,
}

fn covariances(kind: &str, value: &Value) -> Covariances {
    let parse = |v: &Value| matrix(&serde_json::from_value::<Vec<Vec<f64>>>(v.clone()).expect("a matrix"));
    match kind {
        "diag" => Covariances::Diagonal(parse(value)),
        "tied" => Covariances::Tied(parse(value)),
        _ => Covariances::Full(value.as_array().expect("matrices").iter().map(parse).collect()),
    }
}

fn cells(covariances: &Covariances) -> Vec<f64> {
    match covariances {
        Covariances::Diagonal(m) | Covariances::Tied(m) => m.as_slice().to_vec(),
        Covariances::Full(all) => all.iter().flat_map(|m| m.as_slice().to_vec()).collect(),
    }
}

#[track_caller]
fn all_close(got: &[f64], want: &[f64], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    got.iter().zip(want).for_each(|(g, w)| close(*g, *w, what));
}

#[test]
fn from_the_same_start_it_goes_where_scikit_learn_goes() {
    for case in fixture::<Vec<Case>>("mixtures.json") {
        let rows = matrix(&case.rows);
        let start = covariances(&case.kind, &case.start.covariances);
        let kind = start.kind();
        let start = GaussianMixture::from_parts(case.start.weights, matrix(&case.start.means), start);
        let got = GaussianMixture::params(3)
            .covariance_type(kind)
            .max_iter(case.max_iter)
            .tol(case.tol)
            .start(Start::Given(Box::new(start.expect("a mixture"))))
            .fit(&rows)
            .expect("a fit");
        let name = &case.name;
        assert_eq!((got.iterations(), got.converged()), (case.iterations, case.converged), "{name}");
        close(got.log_likelihood(&rows).expect("a likelihood"), case.log_likelihood, name);
        close(got.bic(&rows).expect("a criterion"), case.bic, name);
        all_close(got.weights(), &case.end.weights, name);
        all_close(got.means().as_slice(), &case.end.means.concat(), name);
        all_close(&cells(got.covariances()), &cells(&covariances(&case.kind, &case.end.covariances)), name);
        assert_eq!(got.predict(&rows).expect("labels"), case.labels, "{name}");
        let gammas = got.responsibilities(&rows).expect("responsibilities");
        all_close(&gammas.as_slice()[..30], &case.responsibilities.concat(), name);
    }
}

#[test]
fn a_fit_has_the_same_bits_on_any_number_of_threads() {
    let data = blobs(5000, 4, 3, 1);
    for kind in KINDS {
        let run = |threads| {
            let params = GaussianMixture::params(4).covariance_type(kind).n_init(2).seed(3).max_iter(12);
            let pool = Pool::new(threads).expect("a pool");
            let fit = pool.run(|| params.fit(&data)).expect("a fit");
            let gammas = pool.run(|| fit.log_responsibilities(&data)).expect("responsibilities");
            (fit, gammas)
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(3));
    }
}

#[test]
fn more_iterations_never_lower_the_likelihood() {
    let data = blobs(700, 3, 5, 2);
    for kind in KINDS {
        let after = |iterations| {
            let params = GaussianMixture::params(5).covariance_type(kind).reg_covar(0.0).tol(0.0);
            let fitted = params.max_iter(iterations).fit(&data).expect("a fit");
            fitted.log_likelihood(&data).expect("a likelihood")
        };
        let path: Vec<f64> = (1..12).map(after).collect();
        assert!(path.windows(2).all(|w| w[1] >= w[0] - 1e-12), "{path:?}");
        assert!(path[10] > path[0]);
    }
}

#[test]
fn more_starts_find_a_likelihood_at_least_as_high() {
    let data = blobs(300, 2, 9, 8);
    let score = |n_init, seed| {
        let fitted = GaussianMixture::params(9).n_init(n_init).seed(seed).fit(&data).expect("a fit");
        fitted.log_likelihood(&data).expect("a likelihood")
    };
    let pairs: Vec<(f64, f64)> = (0..6).map(|seed| (score(1, seed), score(6, seed))).collect();
    assert!(pairs.iter().all(|(one, six)| six >= one), "{pairs:?}");
    assert!(pairs.iter().any(|(one, six)| six > one), "{pairs:?}");
}

#[test]
fn full_covariances_find_what_diagonal_ones_cannot() {
    // Two crossing lines: same means and same variances, other correlations.
    let mut s = lpvdn_core::StreamKey::new(1, "cross").open();
    let mut rows = Matrix::zeros(800, 2);
    for i in 0..800 {
        let (t, noise) = (3.0 * s.normal() as f32, 0.1 * s.normal() as f32);
        rows.row_mut(i).copy_from_slice(&[t, if i % 2 == 0 { t + noise } else { noise - t }]);
    }
    let truth: Vec<u32> = (0..800).map(|i| i % 2).collect();
    let correlated = |sign: f64| Matrix::from_vec(vec![1.0, 0.3 * sign, 0.3 * sign, 1.0], 2, 2);
    let full = Covariances::Full(vec![correlated(1.0), correlated(-1.0)]);
    let start = GaussianMixture::from_parts(vec![0.5; 2], Matrix::zeros(2, 2), full).expect("a mixture");
    let fit =
        GaussianMixture::params(2).covariance_type(CovarianceType::Full).start(Start::Given(start.into()));
    let labels = fit.fit(&rows).expect("a fit").predict(&rows).expect("labels");
    assert!(lpvdn_cluster::metrics::accuracy(&truth, &labels).expect("a score") > 0.95);
}

#[test]
fn degenerate_rows_give_finite_mixtures() {
    let equal = Matrix::from_fn(50, 3, |_, j| j as f32);
    let few = Matrix::from_fn(60, 2, |i, j| (i % 2 * (j + 1)) as f32 * 1e4);
    let line = Matrix::from_fn(60, 2, |i, _| i as f32);
    let huge = Matrix::from_fn(60, 2, |i, j| if i == j { 1e15 } else { i as f32 * 1e-18 });
    for (name, data) in [("equal", equal), ("few", few), ("line", line), ("huge", huge)] {
        for kind in KINDS {
            for reg_covar in [1e-6, 0.0] {
                let params = GaussianMixture::params(4).covariance_type(kind).reg_covar(reg_covar);
                let fitted = params.fit(&data).expect("a fit");
                let what = format!("{name} {kind:?} {reg_covar}");
                let finite = |x: &[f64]| x.iter().all(|v| v.is_finite());
                assert!(finite(fitted.weights()) && finite(fitted.means().as_slice()), "{what}");
                assert!(finite(&cells(fitted.covariances())), "{what}");
                close(fitted.weights().iter().sum(), 1.0, &what);
                assert!(fitted.log_likelihood(&data).expect("a likelihood").is_finite(), "{what}");
                let gammas = fitted.responsibilities(&data).expect("responsibilities");
                gammas.iter_rows().for_each(|g| close(g.iter().sum(), 1.0, &what));
            }
        }
    }
}

#[test]
fn a_row_far_from_everything_still_has_responsibilities() {
    let fitted = GaussianMixture::params(3).fit(&blobs(200, 2, 3, 3)).expect("a fit");
    let far = Matrix::from_vec(vec![1e12, -1e12, 0.0, 0.0], 2, 2);
    let gammas = fitted.responsibilities(&far).expect("responsibilities");
    close(gammas.row(0).iter().sum(), 1.0, "far");
    assert!(fitted.log_densities(&far).expect("densities")[0] < -1e20);
}

#[test]
fn a_density_too_small_for_its_logarithm_still_gives_responsibilities() {
    let narrow = Covariances::Diagonal(Matrix::from_fn(2, 1, |_, _| 1e-300));
    let mixture = GaussianMixture::from_parts(vec![0.5; 2], Matrix::zeros(2, 1), narrow).expect("a mixture");
    let far = Matrix::from_vec(vec![1e10], 1, 1);
    assert_eq!(mixture.responsibilities(&far).expect("responsibilities").as_slice(), [0.5, 0.5]);
}

#[test]
fn a_component_that_loses_every_row_returns_to_their_mean() {
    let rows = Matrix::from_vec(vec![0.0, 1.0, 2.0, 5.0], 4, 1);
    let means = Matrix::from_vec(vec![2.0, 1e12], 2, 1);
    let ones = Covariances::Diagonal(Matrix::from_fn(2, 1, |_, _| 1.0));
    let start = GaussianMixture::from_parts(vec![0.5; 2], means, ones).expect("a mixture");
    let params = GaussianMixture::params(2).start(Start::Given(start.into())).max_iter(1);
    let fitted = params.fit(&rows).expect("a fit");
    assert_eq!(fitted.means().as_slice(), [2.0, 2.0]);
    assert!(fitted.weights()[1] > 0.0 && fitted.weights()[1] < 1e-12);
}

#[test]
fn every_bad_parameter_has_its_own_error() {
    use GaussianMixtureParamsError as E;
    let params = || GaussianMixture::params(2);
    assert_eq!(GaussianMixture::params(0).check(), Err(E::NoComponents));
    assert_eq!(params().n_init(0).check(), Err(E::NoStarts));
    assert_eq!(params().max_iter(0).check(), Err(E::NoIterations));
    assert_eq!(params().tol(-1.0).check(), Err(E::Tolerance(-1.0)));
    assert_eq!(params().reg_covar(f64::INFINITY).check(), Err(E::Regularisation(f64::INFINITY)));
    let one = || Covariances::Diagonal(Matrix::from_vec(vec![1.0], 1, 1));
    let single = GaussianMixture::from_parts(vec![1.0], Matrix::zeros(1, 1), one()).expect("a mixture");
    let start = Start::Given(single.into());
    let error = E::StartComponents { expected: 2, found: 1 };
    assert_eq!(params().start(start.clone()).check(), Err(error));
    let full = GaussianMixture::params(1).covariance_type(CovarianceType::Full).start(start.clone());
    assert_eq!(full.check(), Err(E::StartCovariances));
    let columns = GaussianMixture::params(1).start(start).fit(&Matrix::zeros(4, 3)).unwrap_err();
    assert_eq!(columns, InputError::Columns { expected: 1, found: 3 }.into());
    let rows = GaussianMixture::params(2).fit(&Matrix::zeros(0, 3)).unwrap_err();
    assert_eq!(rows, GaussianMixtureError::Input(InputError::NoRows));
}

#[test]
fn parts_that_make_no_mixture_are_errors() {
    use GaussianMixtureParamsError as E;
    let ones = |k, d| Matrix::from_fn(k, d, |_, _| 1.0);
    let diagonal = |m| Covariances::Diagonal(m);
    let new = |w: &[f64], means, c| GaussianMixture::from_parts(w.to_vec(), means, c).unwrap_err();
    let half = [0.5, 0.5];
    let shape = |part, expected, found| E::Shape { part, expected, found };
    assert_eq!(new(&[], ones(0, 2), diagonal(ones(0, 2))), E::NoComponents);
    assert_eq!(new(&[1.0], ones(2, 2), diagonal(ones(2, 2))), shape("weights", (2, 1), (1, 1)));
    assert_eq!(new(&half, ones(2, 2), diagonal(ones(2, 3))), shape("covariances", (2, 2), (2, 3)));
    assert!(matches!(new(&[0.5, 0.6], ones(2, 2), diagonal(ones(2, 2))), E::Weights(_)));
    assert!(matches!(new(&[1.0, 0.0], ones(2, 2), diagonal(ones(2, 2))), E::Weights(_)));
    let mut bad = ones(2, 2);
    bad.row_mut(1)[0] = f64::NAN;
    assert_eq!(new(&half, bad.clone(), diagonal(ones(2, 2))), E::Mean { component: 1 });
    assert_eq!(new(&half, ones(2, 2), diagonal(bad)), E::Covariance { component: 1 });
    let singular = Covariances::Full(vec![ones(2, 2); 2]);
    assert_eq!(new(&half, ones(2, 2), singular), E::Covariance { component: 0 });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn responsibilities_add_up_to_1_and_predict_takes_the_largest(seed in 0_u64..1000, n in 8_usize..80) {
        let data = blobs(n, 2, 3, seed);
        let fitted = GaussianMixture::params(3).seed(seed).fit(&data).unwrap();
        let (gammas, logs) =
            (fitted.responsibilities(&data).unwrap(), fitted.log_responsibilities(&data).unwrap());
        for (i, label) in fitted.predict(&data).unwrap().into_iter().enumerate() {
            close(gammas.row(i).iter().sum(), 1.0, "a sum");
            prop_assert!(gammas.row(i).iter().all(|g| *g <= gammas.row(i)[label as usize]));
            gammas.row(i).iter().zip(logs.row(i)).for_each(|(g, l)| close(*g, l.exp(), "a logarithm"));
        }
    }
}

#[test]
fn a_fit_that_is_asked_to_stop_does_so() {
    let rows = Matrix::from_fn(40, 1, |i, _| (i % 7) as f32);
    let params = GaussianMixture::params(2).tol(0.0).check().expect("good");
    let stopped = params.fit_until(&rows, &std::sync::atomic::AtomicBool::new(true));
    assert_eq!(stopped, Err(GaussianMixtureError::Stopped));
    let fitted = params.fit_until(&rows, &std::sync::atomic::AtomicBool::new(false));
    assert_eq!(fitted, params.fit(&rows));
}
