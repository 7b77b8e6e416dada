//! `lpvdn transform`

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use lpvdn::{Model, ModelError, Space};
use lpvdn_core::{Dataset, Matrix};
use lpvdn_data::{write_npy_header, write_npy_values};

use super::{load, model_file, note_unknown};
use crate::console;
use crate::failure::Failure;
use crate::model_args::{SpaceName, TransformArgs};
use crate::output::overwrite;
use crate::parts::{parts, write_to};

pub(crate) fn run(args: &TransformArgs) -> Result<(), Failure> {
    let npy = args.out.as_deref().map_or(Ok(false), is_npy)?;
    overwrite::refuse(args.out.as_deref(), &[&args.on.data, &model_file(&args.on.model)?])?;
    let (model, data) = load(&args.on)?;
    let space = space(&model, args.space)?;
    let size = space.size(&model);
    note_unknown(&model, &data)?;
    write_to(args.out.as_deref(), |out| {
        if npy {
            write_npy_header(out, data.rows(), size)
        } else {
            write_names(out, size, space.letter(&model))
        }?;
        for rows in parts(data.rows()) {
            let codes = space.codes(&model, &data, rows)?;
            if npy { write_npy_values(out, codes.as_slice()) } else { write_csv(out, &codes) }?;
        }
        Ok(())
    })?;
    if let Some(path) = &args.out {
        let rows = console::plural(data.rows(), "code");
        console::stderr_line(&format!("{rows} of {size} numbers each are in {}", path.display()));
    }
    Ok(())
}

fn is_npy(path: &Path) -> Result<bool, Failure> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => Ok(true),
        Some("csv") => Ok(false),
        _ => {
            let place = path.display();
            Err(Failure::Usage(format!(
                "--out {place}: the name must end in .npy or .csv, which decides the format"
            )))
        }
    }
}

/// Which codes are asked for.
#[derive(Clone, Copy, PartialEq)]
enum Codes {
    /// Those that the model clusters.
    Own,
    /// o' of LPVDN, where it clusters rows.
    Embedding,
    /// The latent means of LPVDN, where it clusters others.
    Latent,
    /// Places on the map.
    Map,
}

impl Codes {
    fn size(self, model: &Model) -> usize {
        match (self, model) {
            (Codes::Map, model) => model.map().map_or(0, |map| map.axes()),
            (Codes::Embedding, Model::Lpvdn(model)) => model.network().shape().output,
            (Codes::Latent, Model::Lpvdn(model)) => model.network().shape().latent,
            _ => model.code_size(),
        }
    }

    fn codes(self, model: &Model, data: &Dataset, rows: Range<usize>) -> Result<Matrix<f32>, ModelError> {
        match (self, model) {
            (Codes::Map, model) => Ok(model.place(data, rows)?.unwrap_or_default()),
            (Codes::Embedding, Model::Lpvdn(model)) => model.transform_rows(data, rows, Space::Embedding),
            (Codes::Latent, Model::Lpvdn(model)) => model.transform_rows(data, rows, Space::Latent),
            _ => model.codes_of_rows(data, rows),
        }
    }

    /// How columns of them are called: o of the embedding, z of a latent space, d of distances to centres, x of the values that rows are compared by, m of a map.
    fn letter(self, model: &Model) -> char {
        match model {
            _ if self == Codes::Map => 'm',
            Model::KMeans(_) => 'd',
            Model::Graph(_) => 'x',
            Model::Lpvdn(_) if self == Codes::Embedding => 'o',
            Model::Lpvdn(model) if self == Codes::Own => match model.assignment().space() {
                Space::Embedding => 'o',
                Space::Latent => 'z',
                Space::Rows => 'x',
            },
            Model::Encoder(_) | Model::ClusterGan(_) | Model::Lpvdn(_) => 'z',
        }
    }
}

/// The space in which the model clusters, unless another is asked for.
fn space(model: &Model, asked: Option<SpaceName>) -> Result<Codes, Failure> {
    let embeds = matches!(model, Model::Lpvdn(model) if model.assignment().space() != Space::Latent);
    match (asked, model) {
        (None, _) => Ok(Codes::Own),
        (Some(SpaceName::Map), model) if model.map().is_some() => Ok(Codes::Map),
        (Some(SpaceName::Map), _) => Err(Failure::Failed(
            "the model has no map yet; draw one with lpvdn explore or lpvdn plot map".to_owned(),
        )),
        (Some(SpaceName::Latent), Model::Lpvdn(_)) => Ok(Codes::Latent),
        (Some(SpaceName::Latent), Model::Encoder(_) | Model::ClusterGan(_)) => Ok(Codes::Own),
        (Some(SpaceName::Embedding), _) if embeds => Ok(Codes::Embedding),
        (Some(SpaceName::Embedding), Model::Lpvdn(_)) => Err(Failure::Failed(
            "the model was fitted with alpha1 = 0, so its embedding is not trained; use --space latent"
                .to_owned(),
        )),
        (Some(_), model) => {
            let method = model.method();
            Err(Failure::Failed(format!("a model of {method} has no such space; leave --space out")))
        }
    }
}

fn write_names(out: &mut dyn Write, size: usize, letter: char) -> io::Result<()> {
    let names: Vec<String> = (0..size).map(|j| format!("{letter}{j}")).collect();
    writeln!(out, "{}", names.join(","))
}

fn write_csv(out: &mut dyn Write, codes: &Matrix<f32>) -> io::Result<()> {
    for row in codes.iter_rows() {
        for (j, value) in row.iter().enumerate() {
            write!(out, "{}{value}", if j > 0 { "," } else { "" })?;
        }
        writeln!(out)?;
    }
    Ok(())
}
