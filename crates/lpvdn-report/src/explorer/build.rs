//! A page from a model and its rows.

use std::io::{self, Write};

use lpvdn::Model;
use lpvdn_core::{Dataset, Matrix, Pool, StreamKey};

use super::Blobs;
use super::blobs::{IDS, RowBlobs, TEXTS, column_name, pictures_at_once};
use super::cards::Subjects;
use super::error::ExploreError;
use super::features::ColumnMeans;
use super::manifest::{Chunked, Column, Kind, Manifest, MapFacts, PictureChunks, VERSION};
use super::page::{served_page, write_page};
use super::rows::Rows;
use super::story::{Limits, Story};
use super::thumbnail::Thumbnail;
use super::{facts, scores};
use crate::drawn::Drawn;

/// Columns on a page, at most: those that tell clusters apart.
const MOST_COLUMNS: usize = 64;
/// Values of all columns on a page, at most.
const MOST_VALUES: usize = 16_000_000;
/// Numbers of all codes on a page, at most: without them it finds no neighbours.
const MOST_CODES: usize = 32_000_000;

/// A page: everything small in a [`Manifest`], everything else in [blobs](Explorer::blob).
pub struct Explorer {
    manifest: Manifest,
    blobs: RowBlobs,
}

impl Explorer {
    /// A page of a model and rows, which need not be those it was fitted to. The model must have a
    /// [map](lpvdn::ClusterModel::fit_map).
    ///
    /// # Errors
    /// Rows that the model cannot encode, a model without a map.
    pub fn new(
        model: &Model,
        data: &Dataset,
        story: Story,
        limits: Limits,
    ) -> Result<Explorer, ExploreError> {
        let pool = Pool::new(model.threads()).map_err(ExploreError::Threads)?;
        let (manifest, blobs) = pool.run(|| build(model, data, story, limits))?;
        Ok(Explorer { manifest, blobs: blobs(pool) })
    }

    /// Everything small.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Writes a file that needs nothing but itself.
    ///
    /// # Errors
    /// What reading the rows and writing the page bring.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_page(&self.manifest, &self.blobs, out)
    }

    /// The page for a server, which has the [blobs](Explorer::blob).
    ///
    /// # Errors
    /// A manifest that cannot be written.
    pub fn served_page(&self) -> io::Result<Vec<u8>> {
        served_page(&self.manifest)
    }

    /// One of the blobs, `None` where there is none of that name.
    ///
    /// # Errors
    /// What reading the rows brings.
    pub fn blob(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.blobs.get(name)
    }
}

type WithPool = Box<dyn FnOnce(Pool) -> RowBlobs + Send>;

fn build(
    model: &Model,
    all: &Dataset,
    mut story: Story,
    limits: Limits,
) -> Result<(Manifest, WithPool), ExploreError> {
    let drawn_rows = draw(all.rows(), limits.rows);
    let data = drawn_rows.as_ref().map_or_else(|| all.clone(), |rows| all.clone().of_rows(rows.clone()));
    if let (Some(rows), Some(texts)) = (&drawn_rows, &mut story.texts) {
        *texts = rows.iter().filter_map(|&row| texts.get(row as usize).cloned()).collect();
    }
    let rows = Rows::of(model, &data)?;
    let drawn = Drawn::of(&data, model.pixels()).filter(|_| story.texts.is_none());
    let pictures =
        drawn.map(|drawn| (drawn, Thumbnail::within(drawn.shape, data.rows(), limits.picture_bytes)));
    let kind = match (&pictures, &story.texts) {
        (Some(_), _) => Kind::Pictures,
        (None, Some(_)) => Kind::Texts,
        (None, None) => Kind::Table,
    };
    let means = match kind {
        // A single point of an image tells nothing.
        Kind::Pictures => None,
        Kind::Texts | Kind::Table => Some(ColumnMeans::of(&data, &rows.clusters, model.clusters())?),
    };
    let most = (MOST_VALUES / data.rows().max(1)).clamp(1, MOST_COLUMNS);
    let columns = means.as_ref().map_or(Vec::new(), |means| means.telling(most));
    let name = |j: usize| column_name(&data, j);
    let subjects = Subjects {
        model,
        data: &data,
        rows: &rows,
        kind,
        means: means.as_ref(),
        columns: &columns,
        name: &name,
    };
    let cards = subjects.cards()?;
    let with_codes = rows.codes.as_slice().len() <= MOST_CODES;
    if !with_codes {
        story.notes.push(
            "The codes of so many rows are too large for a page, so it finds no neighbours.".to_owned(),
        );
    }
    let mut held = held_rows(&data, &rows, drawn_rows.as_deref(), with_codes);
    if let (Some((drawn, small)), Some(generated)) = (&pictures, &cards.generated) {
        let whole: Vec<u8> = drawn.bytes_of(generated).collect();
        let samples = whole.chunks_exact(generated.cols().max(1)).flat_map(|row| small.of(row)).collect();
        held.push(("samples".to_owned(), samples));
    }
    held.extend(column_blobs(&data, &columns)?);
    let manifest = Manifest {
        version: VERSION,
        served: false,
        title: data.name.clone(),
        program: format!("lpvdn {}", env!("CARGO_PKG_VERSION")),
        method: model.method().to_string(),
        kind,
        rows: data.rows(),
        rows_total: all.rows(),
        notes: story.notes,
        picture: pictures.map(|(_, small)| {
            let shape = small.shape();
            let (width, height, channels) = (shape.width, shape.height, shape.channels);
            PictureChunks { width, height, channels, chunk: pictures_at_once(small.bytes()) }
        }),
        text: story.texts.as_ref().map(|_| Chunked { chunk: TEXTS }),
        ids: data.ids.as_ref().map(|_| Chunked { chunk: IDS }),
        columns: columns.iter().map(|&j| Column { name: name(j) }).collect(),
        columns_total: data.cols(),
        map: MapFacts { axes: rows.places.cols(), about: facts::about_map(model) },
        code_size: if with_codes { rows.codes.cols() } else { 0 },
        code_name: facts::code_name(model).to_owned(),
        labels: data.labels.as_ref().map(|labels| labels.names.clone()),
        clusters: cards.cards,
        metrics: scores::metrics(&data, &rows),
        confusion: scores::confusion(&data, &rows.clusters, model.clusters()),
        verdict: story.verdict,
        stability: story.stability,
        warnings: story.warnings,
        training: story.training,
        facts: facts::facts(model),
        settings: facts::settings(model),
        command: story.command,
    };
    let texts = story.texts;
    Ok((manifest, Box::new(move |pool| RowBlobs { data, held, pictures, texts, pool })))
}

/// The rows of the page, where they are not all: in their own order.
fn draw(rows: usize, most: usize) -> Option<Vec<u32>> {
    (rows > most).then(|| {
        let mut drawn: Vec<u32> = (0..rows as u32).collect();
        StreamKey::new(0, "page").open().shuffle(&mut drawn);
        drawn.truncate(most);
        drawn.sort_unstable();
        drawn
    })
}

/// What every view of the page needs.
fn held_rows(data: &Dataset, rows: &Rows, drawn: Option<&[u32]>, with_codes: bool) -> Vec<(String, Vec<u8>)> {
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let integers = |values: &[u32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let mut held = vec![
        ("map".to_owned(), floats(rows.places.as_slice())),
        ("cluster".to_owned(), integers(&rows.clusters)),
        ("confidence".to_owned(), floats(&rows.confidence)),
        ("margin".to_owned(), floats(&rows.margin)),
        ("outlier".to_owned(), floats(&rows.outlier)),
    ];
    if let Some(labels) = &data.labels {
        held.push(("label".to_owned(), integers(&labels.codes)));
    }
    if let Some(drawn) = drawn {
        held.push(("number".to_owned(), integers(drawn)));
    }
    if with_codes {
        held.push(("codes".to_owned(), floats(rows.codes.as_slice())));
    }
    held
}

/// The columns, all read in one go.
fn column_blobs(data: &Dataset, columns: &[usize]) -> Result<Vec<(String, Vec<u8>)>, ExploreError> {
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let mut place = vec![None; data.cols()];
    columns.iter().enumerate().for_each(|(at, &j)| place[j] = Some(at));
    let mut values = Matrix::<f32>::zeros(columns.len(), data.rows());
    lpvdn_core::source::for_each_block(data.source.as_ref(), 1_024, |start, batch| {
        for i in 0..batch.rows() {
            batch.for_each_in_row(i, |j, value| {
                if let Some(at) = place[j] {
                    values.row_mut(at)[start + i] = value;
                }
            });
        }
        Ok(())
    })?;
    let blob = |(at, row): (usize, &[f32])| {
        (format!("column/{at}"), row.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
    };
    Ok(values.iter_rows().enumerate().map(blob).collect())
}
