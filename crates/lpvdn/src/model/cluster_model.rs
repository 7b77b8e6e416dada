//! What every fitted model can do, whatever its method.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use lpvdn_core::file::atomic_write;
use lpvdn_core::source::SourceError;
use lpvdn_core::summary::Summary;
use lpvdn_core::view::Unknown;
use lpvdn_core::{Batch, Dataset, Matrix, Pool, Preprocessor, View};
use serde::Serialize;
use serde_json::Value;

use super::format::FORMAT_VERSION;
use super::lpvdn::Recipe;
use super::lpvdn::fitted::DataFacts;
use super::lpvdn::hyperparams::Budget;
use super::method::Method;
use crate::error::ModelError;
use crate::map::{MapError, MapParams, RowMap};
use crate::model::seen::write_view;
use crate::tensors::{TensorFile, TensorFileError, TensorWriter};
use crate::verdict::confidence::{Confidence, euclidean};

/// Where a model comes from: its data, how that was made ready, and what made the model of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// What it remembers of its training data.
    pub(crate) data: DataFacts,
    /// How rows are seen; none where values are only scaled.
    pub(crate) view: Option<Arc<View>>,
    /// How values are scaled, after the view.
    pub(crate) preprocessor: Preprocessor,
    /// The version of lpvdn that fitted it.
    pub(crate) written_by: String,
    /// The format of the file that it was read from.
    pub(crate) format: u32,
    /// How rows were made from files, in the words of whoever made them.
    pub(crate) reading: Option<Value>,
    /// Where rows stand on a map, if there is one.
    pub(crate) map: Option<RowMap>,
    /// How sure the cluster of a row is, where the clusters were judged.
    pub(crate) confidence: Option<Confidence>,
    /// Not a part of the model: what it is used with.
    pub(crate) threads: usize,
}

impl Origin {
    /// Of a fit by this program.
    pub(crate) fn of(data: DataFacts, preprocessor: Preprocessor, threads: usize) -> Origin {
        let written_by = env!("CARGO_PKG_VERSION").to_owned();
        Origin {
            data,
            view: None,
            preprocessor,
            written_by,
            format: FORMAT_VERSION,
            reading: None,
            map: None,
            confidence: None,
            threads,
        }
    }
}

impl Origin {
    /// Adds to a file what models of all methods have.
    pub(crate) fn write_arrays<H: Serialize>(&self, file: &mut TensorWriter<H>) {
        write_view(self.view.as_deref(), file);
        self.map.iter().for_each(|map| map.write(file));
        self.confidence.iter().for_each(|confidence| confidence.write(file));
    }
}

/// Reads what a model may have, whatever its method: a map and a confidence.
pub(crate) fn read_extras(
    model: &mut dyn ClusterModel,
    file: &TensorFile<'_>,
) -> Result<(), TensorFileError> {
    let map = RowMap::read(file, model.point_size())?;
    let confidence = Confidence::read(file, (model.clusters(), model.center_size()))?;
    let origin = model.origin_mut();
    (origin.map, origin.confidence) = (map, confidence);
    Ok(())
}

/// Whether the scaling in a model file is for rows of so many columns, and of numbers.
pub(crate) fn check_scaling(preprocessor: &Preprocessor, columns: usize) -> Result<(), String> {
    let finite = match preprocessor {
        Preprocessor::None => true,
        Preprocessor::Scale { factor } | Preprocessor::Bytes { factor } => factor.is_finite(),
        // What is too large for 32 bits is read as infinity.
        Preprocessor::Standard { mean, factor, .. } => {
            mean.iter().all(|m| m.is_finite()) && factor.iter().all(|f| f.is_finite())
        }
    };
    if !finite {
        return Err("the scaling has a number that is not finite".to_owned());
    }
    match preprocessor {
        Preprocessor::Standard { mean, factor, .. } if mean.len() != columns || factor.len() != columns => {
            Err(format!("the scaling is for {} columns, the model for {columns}", mean.len()))
        }
        Preprocessor::Standard { fine, .. } if fine.iter().any(|&column| column >= columns) => {
            Err(format!("the scaling speaks of a column that is not among the {columns} of the model"))
        }
        _ => Ok(()),
    }
}

/// Runs `job` on so many threads of its own, or where it is already inside a pool on the threads of that. Never on
/// rayon's global ones, which a fork would not survive.
pub(crate) fn in_pool<R: Send>(threads: usize, job: impl FnOnce() -> R + Send) -> R {
    if rayon::current_thread_index().is_some() {
        return job();
    }
    match Pool::new(threads) {
        Ok(pool) => pool.run(job),
        // No thread to be had: this one will do.
        Err(_) => job(),
    }
}

/// A fitted model: it turns rows into codes, and codes into clusters.
///
/// Labels and probabilities live in the space of the codes, so the most probable cluster of a row is its
/// label. The code of a row does not depend on the rows beside it.
pub trait ClusterModel: Send + Sync {
    /// The method.
    fn method(&self) -> Method;
    /// K
    fn clusters(&self) -> usize;
    /// The seed of its fit.
    fn seed(&self) -> u64;
    /// The recipe of its parameters.
    fn recipe(&self) -> Recipe;
    /// Batch, steps and epochs of its training.
    fn budget(&self) -> Budget;
    /// How many numbers were fitted.
    fn parameters(&self) -> usize;
    /// The numbers of a code.
    fn code_size(&self) -> usize;
    /// Where it comes from.
    fn origin(&self) -> &Origin;
    /// The same, to be changed.
    fn origin_mut(&mut self) -> &mut Origin;
    /// The parameters it was fitted with, as they are written to files.
    fn settings(&self) -> Value;
    /// The codes of some rows, on the threads of the pool that this runs in.
    ///
    /// # Errors
    /// Rows of another width, cells that are not numbers, rows that cannot be read.
    fn encode(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError>;
    /// The cluster of each of these codes.
    fn labels_of(&self, codes: &Matrix<f32>) -> Vec<u32>;
    /// The probability of each cluster for each of these codes.
    fn probabilities_of(&self, codes: &Matrix<f32>) -> Matrix<f32>;
    /// The numbers of the middle of a cluster among the codes; 0 where codes are distances to it already.
    fn center_size(&self) -> usize {
        self.code_size()
    }
    /// The distance of these codes to the middle of each cluster, which is given.
    fn distances_to(&self, codes: &Matrix<f32>, centers: &Matrix<f32>) -> Matrix<f32> {
        euclidean(codes, centers)
    }
    /// How sure the cluster of each of these codes is: the share of refits on parts of the training rows that would agree. Where the
    /// clusters were not judged, the probability of the cluster by the rule that assigns it.
    fn confidences_of(&self, codes: &Matrix<f32>, labels: &[u32]) -> Vec<f32> {
        let Some(confidence) = &self.origin().confidence else {
            let probabilities = self.probabilities_of(codes);
            return labels.iter().enumerate().map(|(i, &k)| probabilities.row(i)[k as usize]).collect();
        };
        let distances = self.distances_to(codes, confidence.centers());
        labels.iter().enumerate().map(|(i, &k)| confidence.of(distances.row(i), k)).collect()
    }
    /// Whether [`confidences_of`](ClusterModel::confidences_of) comes from refits.
    fn knows_confidence(&self) -> bool {
        self.origin().confidence.is_some()
    }
    /// The numbers of what a map is drawn by.
    fn point_size(&self) -> usize {
        self.code_size()
    }
    /// What a map is drawn by: the latent means, or the codes where a method has no others.
    ///
    /// # Errors
    /// As for [`encode`](ClusterModel::encode).
    fn points(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        self.encode(data, rows)
    }
    /// The bytes of the model file.
    ///
    /// # Errors
    /// What writing to memory can bring.
    fn to_bytes(&self) -> std::io::Result<Vec<u8>>;

    /// What it remembers of its training data.
    fn data(&self) -> &DataFacts {
        &self.origin().data
    }
    /// How rows are seen, by the type of their columns; none where values are only scaled.
    fn view(&self) -> Option<&View> {
        self.origin().view.as_deref()
    }
    /// How values are scaled, after the view where there is one.
    fn preprocessor(&self) -> &Preprocessor {
        &self.origin().preprocessor
    }
    /// How values are scaled, where they are pixels or the like; none of a model with a view.
    fn pixels(&self) -> Option<&Preprocessor> {
        self.view().is_none().then(|| self.preprocessor())
    }
    /// What one unit of the values that the method compares is in each column of the data.
    fn units(&self) -> Vec<f64> {
        let unit = |factor: f32| if factor == 0.0 { 0.0 } else { f64::from(1.0 / factor) };
        let columns = self.data().columns;
        match (self.view(), self.preprocessor()) {
            (Some(view), _) => view.units(),
            (None, Preprocessor::None | Preprocessor::Bytes { .. }) => vec![1.0; columns],
            (None, Preprocessor::Scale { factor }) => vec![unit(*factor); columns],
            // A constant column stays one.
            (None, Preprocessor::Standard { factor, .. }) => factor.iter().map(|f| unit(*f)).collect(),
        }
    }
    /// What is done with values, in a few words.
    fn scaling_in_words(&self) -> String {
        self.view().map_or_else(|| self.preprocessor().in_words(), View::in_words)
    }
    /// Some rows as the method compares them: through the view, and scaled.
    ///
    /// # Errors
    /// Rows of another width, rows that cannot be read.
    fn scaled_rows(&self, data: &Dataset, rows: &[u32]) -> Result<Batch, ModelError> {
        let seen = self.origin().seen(data)?;
        let mut batch = Batch::for_source(seen.source.as_ref());
        self.preprocessor().gather(seen.source.as_ref(), rows, &mut batch)?;
        Ok(batch)
    }
    /// The values of some rows that count as unknown, by their columns: they lie absurdly far from those that the view
    /// was fitted to. All rows are read where there can be any.
    ///
    /// # Errors
    /// Rows of another width, rows that cannot be read.
    fn unknown_values(&self, data: &Dataset) -> Result<Vec<Unknown>, ModelError> {
        let Some(view) = self.view() else { return Ok(Vec::new()) };
        let (name, found, wanted) = (data.name.clone(), data.cols(), view.columns());
        if found != wanted {
            return Err(ModelError::Columns { name, found, wanted });
        }
        Ok(in_pool(self.threads(), || view.unknown(data.source.as_ref()))?)
    }
    /// The version of lpvdn that fitted it.
    fn fitted_by(&self) -> &str {
        &self.origin().written_by
    }
    /// The format of the file that it was read from; of a model that was not, the one that is written.
    fn format(&self) -> u32 {
        self.origin().format
    }
    /// What the user should know about the file that it was read from.
    fn notices(&self) -> Vec<String> {
        match self.format() {
            1 => vec![
                "model format 1: no checksum protects its header, where settings and scaling are".to_owned(),
            ],
            _ => Vec::new(),
        }
    }
    /// What [`set_reading`](ClusterModel::set_reading) was given.
    fn reading(&self) -> Option<&Value> {
        self.origin().reading.as_ref()
    }
    /// Keeps in the model how its rows were made from files, so that other files can be read alike. It
    /// means nothing to the model itself.
    fn set_reading(&mut self, reading: Value) {
        self.origin_mut().reading = Some(reading);
    }
    /// The threads that its methods use; 0, the start, means one for each core.
    fn threads(&self) -> usize {
        self.origin().threads
    }
    /// Sets the threads. The results do not depend on them.
    fn set_threads(&mut self, threads: usize) {
        self.origin_mut().threads = threads;
    }

    /// The codes of some of the rows, so that those of all need not be in memory at once.
    ///
    /// # Errors
    /// As for [`encode`](ClusterModel::encode).
    ///
    /// # Panics
    /// If `data` has no such rows.
    fn codes_of_rows(&self, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        assert!(rows.end <= data.rows(), "rows {rows:?} of {}", data.rows());
        in_pool(self.threads(), || self.encode(data, rows))
    }

    /// The codes of all rows.
    ///
    /// # Errors
    /// As for [`encode`](ClusterModel::encode).
    fn codes(&self, data: &Dataset) -> Result<Matrix<f32>, ModelError> {
        self.codes_of_rows(data, 0..data.rows())
    }

    /// The cluster of each row.
    ///
    /// # Errors
    /// As for [`encode`](ClusterModel::encode).
    fn predict(&self, data: &Dataset) -> Result<Vec<u32>, ModelError> {
        let codes = self.codes(data)?;
        Ok(in_pool(self.threads(), || self.labels_of(&codes)))
    }

    /// The probability of each cluster for each row.
    ///
    /// # Errors
    /// As for [`encode`](ClusterModel::encode).
    fn predict_proba(&self, data: &Dataset) -> Result<Matrix<f32>, ModelError> {
        let codes = self.codes(data)?;
        Ok(in_pool(self.threads(), || self.probabilities_of(&codes)))
    }

    /// Whether these are the rows that it was fitted to, by their fingerprint: reads all of them.
    ///
    /// # Errors
    /// Rows that cannot be read.
    fn was_fitted_to(&self, data: &Dataset) -> Result<bool, SourceError> {
        if (data.rows(), data.cols()) != (self.data().rows, self.data().columns) {
            return Ok(false);
        }
        let summary = in_pool(self.threads(), || Summary::of(data.source.as_ref()))?;
        Ok(&DataFacts::of(&summary) == self.data())
    }

    /// Where rows stand on a map, if [`fit_map`](ClusterModel::fit_map) has drawn one.
    fn map(&self) -> Option<&RowMap> {
        self.origin().map.as_ref()
    }

    /// Draws a map by these rows, which becomes a part of the model. `go_on` hears the share that is done, and says
    /// whether to go on.
    ///
    /// # Errors
    /// As for [`encode`](ClusterModel::encode); an interruption.
    fn fit_map(
        &mut self,
        data: &Dataset,
        params: &MapParams,
        go_on: &mut (dyn FnMut(f64) -> bool + Send),
    ) -> Result<(), MapError> {
        let map =
            in_pool(self.threads(), || RowMap::fit(&self.points(data, 0..data.rows())?, params, go_on))?;
        self.origin_mut().map = Some(map);
        Ok(())
    }

    /// The places of some rows on the map, where there is one.
    ///
    /// # Errors
    /// As for [`encode`](ClusterModel::encode).
    fn place(&self, data: &Dataset, rows: Range<usize>) -> Result<Option<Matrix<f32>>, ModelError> {
        let Some(map) = self.map() else { return Ok(None) };
        in_pool(self.threads(), || Ok(Some(map.place(&self.points(data, rows)?))))
    }

    /// Writes the model file.
    ///
    /// # Errors
    /// Naming the path.
    fn save(&self, path: &Path) -> Result<(), ModelError> {
        let write = || atomic_write(path, |w| w.write_all(&self.to_bytes()?));
        write().map_err(|cause| ModelError::Write { path: path.display().to_string(), cause })
    }
}
