//! Rows by the type of their columns, through every method and back.

#[path = "common/typed.rs"]
mod typed;

use lpvdn::model::k_means::KMeansParams;
use lpvdn::{Estimator, FitControl, Method, Model, Recipe};
use lpvdn_cluster::metrics::ari;
use lpvdn_core::preprocess::Scaling;
use lpvdn_core::view::Metric;
use lpvdn_core::{CsrMatrix, Dataset, Matrix, Preprocessor, StreamKey};
use typed::{blobs, fit, k_means, table, texts};

/// A small form of a method.
fn small(method: Method, clusters: usize) -> Estimator {
    let mut estimator = Estimator::of(method, Recipe::Robust, clusters);
    match &mut estimator {
        Estimator::KMeans(params) => params.seed = 3,
        Estimator::Graph(params) => params.seed = 3,
        Estimator::Encoder(params) => {
            (params.seed, params.layers, params.latent_dim) = (3, Some(vec![12, 8]), 4);
            (params.pretrain_epochs, params.batch) = (Some(3), Some(50));
        }
        Estimator::ClusterGan(params) => {
            (params.seed, params.steps, params.layers) = (3, 20, vec![12, 12]);
            params.pretrain_epochs = Some(2);
        }
        Estimator::Lpvdn(params) => {
            let short = (**params).clone().seed(3).layers(vec![12, 8]).latent_dim(4).output_dim(3);
            **params = short.batch(50).pretrain_epochs(3).epochs(3);
        }
    }
    estimator
}

#[test]
fn every_method_sees_tables_and_texts_through_a_view_and_predicts_what_it_fitted() {
    for (data, _) in [table(240), texts(240)] {
        for method in Method::ALL {
            let fitted = fit(small(method, 2), &data, 1);
            assert!(fitted.view().is_some(), "{method}");
            let bytes = fitted.model.to_bytes().expect("bytes");
            for threads in [2, 3] {
                let again = fit(small(method, 2), &data, threads).model.to_bytes().expect("bytes");
                assert!(again == bytes, "{method} on {threads} threads");
            }
            let read = Model::from_bytes(&bytes, "model").expect("a model");
            assert!(read.to_bytes().expect("bytes") == bytes, "{method}: written again, it is another file");
            assert_eq!(read.predict(&data).expect("labels"), fitted.labels, "{method}");
            assert!(read.was_fitted_to(&data).expect("rows"), "{method}");
            // In another order, and some of them only.
            let rows: Vec<u32> = (0..240).rev().step_by(3).collect();
            let expected: Vec<u32> = rows.iter().map(|&row| fitted.labels[row as usize]).collect();
            assert_eq!(read.predict(&data.clone().of_rows(rows)).expect("labels"), expected, "{method}");
        }
    }
}

#[test]
fn what_models_make_has_the_columns_of_the_data() {
    let (data, _) = table(240);
    for method in [Method::Lpvdn, Method::Vade, Method::VariationalKMeans, Method::ClusterGan] {
        let made = fit(small(method, 2), &data, 0).model.samples(5, 1).expect("rows").expect("a generator");
        assert_eq!((made.rows(), made.cols()), (10, 44), "{method}");
        assert!(made.as_slice().iter().all(|x| x.is_finite()), "{method}");
    }
}

#[test]
fn a_category_of_forty_cities_does_not_decide_the_clusters() {
    let (data, truth) = table(600);
    let by_type = k_means(&data, 2);
    assert!(ari(&by_type.labels, &truth).expect("labels") > 0.9);
    let view = by_type.view().expect("a view");
    let lines = view.lines().join("\n");
    assert!(lines.contains("ln(1 + x / median)") && lines.contains("income"), "{lines}");
    assert!(lines.contains("city (40)"), "{lines}");
}

#[test]
fn centres_are_given_on_the_scale_of_the_data() {
    let (data, truth) = table(600);
    let fitted = k_means(&data, 2);
    let Model::KMeans(model) = &fitted.model else { panic!("K-means") };
    let centers = model.centers();
    assert_eq!((centers.rows(), centers.cols()), (2, 44));
    let rich = fitted
        .labels
        .iter()
        .zip(&truth)
        .find(|(_, k)| **k == 1)
        .map(|(label, _)| *label as usize)
        .expect("one");
    let (rich, poor) = (centers.row(rich), centers.row(1 - rich));
    assert!(rich[0] > 30_000.0 && rich[0] < 120_000.0 && poor[0] > 4_000.0 && poor[0] < 16_000.0, "{rich:?}");
    let shares: f64 = rich[4..].iter().sum();
    assert!((shares - 1.0).abs() < 1e-4, "the shares of the cities: {shares}");
}

#[test]
fn texts_are_compared_by_angle_among_a_few_components() {
    let (data, truth) = texts(400);
    let fitted = k_means(&data, 2);
    let view = fitted.view().expect("a view");
    assert_eq!((view.metric(), view.columns(), view.width()), (Metric::Cosine, 140, 50));
    assert!(ari(&fitted.labels, &truth).expect("labels") > 0.95);
    // Counts are weighed, so that repeating a text changes nothing.
    let mut counts = CsrMatrix::new(140);
    let mut stream = StreamKey::new(9, "repeated").open();
    for i in 0..400 {
        let times = 1.0 + stream.below(3) as f32;
        let mut words: Vec<u32> = (0..12).map(|_| 40 * (i % 2) + stream.below(40) as u32).collect();
        words.sort_unstable();
        words.dedup();
        counts.push_row(words.into_iter().map(|word| (word, times)));
    }
    let counts = Dataset::new("counts", counts);
    let fitted = k_means(&counts, 2);
    assert!(fitted.view().expect("a view").lines()[0].contains("counts"));
    let truth: Vec<u32> = (0..400).map(|i| i % 2).collect();
    assert!(ari(&fitted.labels, &truth).expect("labels") > 0.95);
}

#[test]
fn a_text_without_known_words_gets_a_cluster() {
    let (data, _) = texts(200);
    let fitted = k_means(&data, 2);
    let mut empty = CsrMatrix::new(140);
    empty.push_row([]);
    assert_eq!(fitted.predict(&Dataset::new("empty", empty)).expect("labels").len(), 1);
}

#[test]
fn five_absurd_values_in_a_column_leave_the_other_rows_in_their_clusters() {
    let (rows, truth) = blobs(600);
    let clean = k_means(&Dataset::from(rows.clone()), 3).labels;
    assert!(ari(&clean, &truth).expect("labels") > 0.9);
    for absurd in [1e9_f32, -1e9, 3.4e38] {
        let mut broken = rows.clone();
        let places = [3, 100, 222, 401, 599];
        places.iter().for_each(|&i| broken.row_mut(i)[2] = absurd);
        let labels = k_means(&Dataset::from(broken), 3).labels;
        let others = |labels: &[u32]| -> Vec<u32> {
            labels.iter().enumerate().filter(|(i, _)| !places.contains(i)).map(|(_, l)| *l).collect()
        };
        let same = ari(&others(&labels), &others(&clean)).expect("labels");
        assert!(same > 0.985, "{absurd}: {same}");
    }
}

#[test]
fn rates_next_to_shares_are_standardised() {
    let mut stream = StreamKey::new(12, "rates").open();
    let rows = Matrix::from_fn(300, 20, |i, j| {
        let rate = 0.01 + 0.004 * ((i + j) % 3) as f64 + 0.0005 * stream.normal();
        (if j < 10 { rate } else { stream.uniform() }) as f32
    });
    let fitted = k_means(&Dataset::from(rows), 3);
    let truth: Vec<u32> = (0..300).map(|i| i % 3).collect();
    assert!(ari(&fitted.labels, &truth).expect("labels") > 0.95);
    assert!(fitted.view().expect("a view").lines()[0].contains("standardised"));
}

#[test]
fn pixels_divided_by_255_are_the_bytes_to_the_bit() {
    let mut stream = StreamKey::new(13, "pixels").open();
    let bytes = Matrix::from_fn(200, 64, |i, j| if (i + j) % 3 == 0 { 255 } else { stream.below(200) as u8 });
    let floats = Matrix::from_fn(200, 64, |i, j| f32::from(bytes.row(i)[j]) / 255.0);
    let doubles = Matrix::from_fn(200, 64, |i, j| f64::from(bytes.row(i)[j]) / 255.0);
    for method in [Method::KMeans, Method::Lpvdn] {
        let expected = fit(small(method, 3), &Dataset::from(bytes.clone()), 0);
        assert!(matches!(expected.preprocessor(), Preprocessor::Scale { .. }) && expected.view().is_none());
        for rows in [Dataset::from(floats.clone()), Dataset::from(doubles.clone())] {
            let fitted = fit(small(method, 3), &rows, 0);
            assert_eq!(fitted.labels, expected.labels, "{method}");
            assert_eq!(fitted.embedding, expected.embedding, "{method}");
        }
    }
}

#[test]
fn vectors_of_equal_length_are_compared_by_angle() {
    let mut stream = StreamKey::new(14, "vectors").open();
    let mut rows =
        Matrix::from_fn(200, 32, |i, j| (if j % 2 == i % 2 { 2.0 } else { 0.0 } + stream.normal()) as f32);
    for i in 0..200 {
        let length = rows.row(i).iter().map(|x| x * x).sum::<f32>().sqrt();
        rows.row_mut(i).iter_mut().for_each(|x| *x *= 3.0 / length);
    }
    let fitted = k_means(&Dataset::from(rows.clone()), 2);
    assert_eq!(fitted.view().expect("a view").metric(), Metric::Cosine);
    // Twice as long, the same angles, the same labels.
    rows.as_mut_slice().iter_mut().for_each(|x| *x *= 2.0);
    assert_eq!(fitted.predict(&Dataset::from(rows)).expect("labels"), fitted.labels);
}

#[test]
fn a_cell_that_is_no_number_is_named_as_it_stands_in_the_data() {
    let (data, _) = table(120);
    let fitted = k_means(&data, 2);
    let mut rows = Matrix::from_fn(3, 44, |i, j| f32::from(u8::from(j == 2 || j == 4 + i)));
    rows.row_mut(1)[1] = f32::NAN;
    let mut broken = Dataset::new("new", rows.clone());
    broken.columns = Some((0..44).map(|j| format!("c{j}")).collect());
    let error = fitted.predict(&broken).expect_err("no number").to_string();
    assert!(error.contains("row 2") && error.contains("\"c1\"") && error.contains("NaN"), "{error}");
    rows.row_mut(1)[1] = f32::INFINITY;
    let error = fitted.predict(&Dataset::new("new", rows)).expect_err("no number").to_string();
    assert!(error.contains("inf"), "{error}");
    let narrow = Dataset::from(Matrix::<f32>::zeros(3, 43));
    assert!(fitted.predict(&narrow).expect_err("narrow").to_string().contains("43 columns"));
    // Among terms, too, where one value would be spread over all components.
    let (texts, _) = texts(120);
    let fitted = k_means(&texts, 2);
    let mut broken = CsrMatrix::new(140);
    broken.push_row([(5, 0.5), (17, f32::NAN)]);
    let error = fitted.predict(&Dataset::new("new", broken)).expect_err("no number").to_string();
    assert!(error.contains("17") && error.contains("NaN"), "{error}");
}

#[test]
fn weights_and_transforms_that_were_asked_for_count() {
    let (mut data, _) = table(300);
    let lines = |data: &Dataset| k_means(data, 2).view().expect("a view").lines().join("\n");
    assert!(lines(&data).contains("ln("));
    if let Some(groups) = &mut data.groups {
        groups[0].transform = Some(lpvdn_core::Transform::Identity);
    }
    assert!(!lines(&data).contains("ln("));
    // A city that weighs a hundred columns decides.
    if let Some(groups) = &mut data.groups {
        groups[3].weight = 100.0;
    }
    let fitted = k_means(&data, 40);
    let Model::KMeans(model) = &fitted.model else { panic!("K-means") };
    let cities = (0..40).filter(|&k| model.centers().row(k)[4..].iter().any(|share| *share > 0.99)).count();
    assert!(cities >= 35, "{cities}");
}

#[test]
fn the_other_scalings_know_no_types() {
    let (data, _) = table(120);
    for scale in [Scaling::Auto, Scaling::Standard, Scaling::None] {
        let params = KMeansParams { scale, ..KMeansParams::new(2) };
        assert!(fit(Estimator::KMeans(params), &data, 0).view().is_none());
    }
    assert!(fit(Estimator::of(Method::KMeans, Recipe::Paper, 2), &data, 0).view().is_none());
}

#[test]
fn rows_that_differ_in_nothing_that_counts_are_refused_or_clustered_but_never_panic() {
    // All but one cell are equal; columns of which some are constant; as many clusters as rows.
    let mut one = Matrix::<f32>::zeros(20, 3);
    one.row_mut(4)[1] = 1.0;
    let two = Matrix::from_fn(2, 5, |i, j| (i * j) as f32);
    let wide = Matrix::from_fn(4, 100, |i, j| ((i * 31 + j * 7) % 5) as f32 - 2.0);
    for (rows, clusters) in [(one, 2), (two, 2), (wide, 4)] {
        let estimator = Estimator::KMeans(KMeansParams::new(clusters));
        let result = estimator.check().expect("good").fit(&Dataset::from(rows), &mut FitControl::default());
        if let Ok(fitted) = result {
            assert!(fitted.embedding.as_slice().iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn a_table_with_one_large_steady_column_is_no_embedding() {
    // The weather: a pressure around 1013 makes all rows nearly equally long.
    let mut stream = StreamKey::new(15, "weather").open();
    let rows = Matrix::from_fn(300, 18, |i, j| {
        let noise = stream.normal();
        (if j == 0 { 1013.0 + 5.0 * noise } else { 6.0 * ((i + j) % 2) as f64 + noise - 3.0 }) as f32
    });
    let fitted = k_means(&Dataset::from(rows), 2);
    assert_eq!(fitted.view().expect("a view").metric(), Metric::Euclidean);
    let truth: Vec<u32> = (0..300).map(|i| i % 2).collect();
    assert!(ari(&fitted.labels, &truth).expect("labels") > 0.95);
}

#[test]
fn pictures_that_were_written_as_pairs_stay_pictures() {
    let mut stream = StreamKey::new(16, "pairs").open();
    let dense =
        Matrix::from_fn(
            120,
            100,
            |i, j| {
                if (i + j) % 5 == 0 { (100 + stream.below(155)) as f32 } else { 0.0 }
            },
        );
    let fitted = k_means(&Dataset::new("pairs", CsrMatrix::from_dense(&dense)), 5);
    assert!(fitted.view().is_none());
    assert!(matches!(fitted.preprocessor(), Preprocessor::Scale { .. }));
}

#[test]
fn one_column_on_another_scale_does_not_decide_for_twenty() {
    let value = |i: usize, j: usize| {
        let noise = (i as f64 * 1.7 + j as f64 * 2.3).sin() + (i as f64 * 0.31 * (j + 1) as f64).cos();
        let class = if j < 8 { 3.0 * (i % 2) as f64 } else { 0.0 };
        if j == 20 { 1010.0 + 20.0 * noise } else { class + noise }
    };
    let rows = Matrix::from_fn(400, 21, |i, j| value(i, j) as f32);
    let fitted = fit(small(Method::KMeans, 2), &Dataset::new("sensors", rows), 1);
    let lines = fitted.view().expect("a view").lines();
    assert!(lines.iter().all(|line| !line.contains("on one scale")), "{lines:?}");
    let same = (0..400).filter(|&i| (fitted.labels[i] == fitted.labels[0]) == (i % 2 == 0)).count();
    assert!(same > 390, "{same} of 400");
    // Without it, the others share a scale.
    let rows = Matrix::from_fn(400, 20, |i, j| value(i, j) as f32);
    let fitted = fit(small(Method::KMeans, 2), &Dataset::new("sensors", rows), 1);
    let lines = fitted.view().expect("a view").lines();
    assert!(lines.iter().any(|line| line.contains("on one scale")), "{lines:?}");
}

fn with_components(components: usize) -> Estimator {
    Estimator::KMeans(KMeansParams { components: Some(components), seed: 1, ..KMeansParams::new(2) })
}

fn refused(estimator: Estimator, data: &Dataset) -> String {
    let valid = estimator.check().expect("good parameters");
    valid.fit(data, &mut FitControl::default()).expect_err("refused").to_string()
}

#[test]
fn texts_have_as_many_components_as_are_asked_for_on_any_number_of_threads() {
    let (data, _) = texts(400);
    for components in [1, 7, 140] {
        let of = |threads| {
            let fitted = fit(with_components(components), &data, threads);
            assert_eq!(fitted.view().expect("a view").width(), components);
            fitted.model.to_bytes().expect("bytes")
        };
        let one = of(1);
        assert!(one == of(2) && one == of(3), "{components}");
        let read = Model::from_bytes(&one, "model").expect("a model");
        assert_eq!(read.settings()["components"], components);
        assert!(read.to_bytes().expect("bytes") == one);
    }
}

#[test]
fn a_number_of_components_that_is_not_possible_is_refused() {
    let (data, _) = texts(400);
    let message = refused(with_components(141), &data);
    assert!(message.contains("at most 140") && message.contains("400 rows"), "{message}");
    let (few, _) = texts(30);
    assert!(refused(with_components(31), &few).contains("at most 30"));
    for components in [0, 65_537] {
        let message = with_components(components).check().expect_err("refused").to_string();
        assert!(message.contains("components must be between 1 and 65536"), "{message}");
    }
    let scaled = KMeansParams { components: Some(5), scale: Scaling::Auto, ..KMeansParams::new(2) };
    assert!(scaled.check().expect_err("refused").to_string().contains("by-type"));
}

#[test]
fn components_of_data_without_terms_are_refused() {
    let pixels = Dataset::new("pixels", Matrix::from_fn(60, 64, |i, j| ((i * j) % 17) as f32));
    for data in [table(240).0, pixels] {
        let message = refused(with_components(5), &data);
        assert!(message.contains("only texts and sparse counts have components"), "{message}");
    }
}

#[test]
fn every_method_takes_a_number_of_components() {
    let (data, _) = texts(240);
    for method in Method::ALL {
        let mut estimator = small(method, 2);
        let components = match &mut estimator {
            Estimator::KMeans(params) => &mut params.components,
            Estimator::Graph(params) => &mut params.components,
            Estimator::Encoder(params) => &mut params.components,
            Estimator::ClusterGan(params) => &mut params.components,
            Estimator::Lpvdn(params) => &mut params.components,
        };
        *components = Some(9);
        assert_eq!(fit(estimator, &data, 0).view().expect("a view").width(), 9, "{method}");
    }
}

#[test]
fn a_fit_that_is_stopped_while_components_are_computed_ends() {
    let (data, _) = texts(240);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let mut told = Vec::new();
    let mut observer = |event: &lpvdn::Event<'_>| told.push(format!("{event:?}"));
    let mut control =
        FitControl { stop: Some(&stop), observer: Some(&mut observer), ..FitControl::default() };
    let ended = with_components(9).check().expect("parameters").fit(&data, &mut control);
    assert!(matches!(ended, Err(lpvdn::FitError::Interrupted { checkpoint: None })));
    assert!(told.is_empty(), "the plan comes after the view: {told:?}");
}
