//! The commands, one file each.

pub(crate) mod compare;
pub(crate) mod data;
pub(crate) mod evaluate;
pub(crate) mod experiment;
pub(crate) mod explore;
pub(crate) mod fit;
pub(crate) mod info;
pub(crate) mod neighbors;
pub(crate) mod plot;
pub(crate) mod predict;
pub(crate) mod subject;
pub(crate) mod transform;

use std::path::{Path, PathBuf};

use lpvdn::Model;
use lpvdn::model::lpvdn::FORMAT_VERSION;
use lpvdn_core::Dataset;
use lpvdn_core::view::Unknown;
use lpvdn_data::{Filled, Reading};

use crate::advice;
use crate::console::{shell, stderr_line};
use crate::failure::Failure;
use crate::model_args::ModelAndData;
use crate::output::{Folder, MODEL, RUN};

/// Loads a model from its file or from the output folder of a fit, and says what is to be known about the file.
fn load_model(path: &Path) -> Result<Model, Failure> {
    let file = model_file(path)?;
    let model = Model::load(&file)?;
    for notice in model.notices() {
        stderr_line(&format!(
            "note: {}: {notice}; lpvdn fit writes format {FORMAT_VERSION}, and so does lpvdn.load(…).save(…) in Python",
            shell(&file)
        ));
    }
    Ok(model)
}

fn model_file(path: &Path) -> Result<PathBuf, Failure> {
    if !path.exists() {
        let place = path.display();
        return Err(Failure::Failed(format!(
            "{place}: no such file or folder; give the output folder of lpvdn fit, or a {MODEL}"
        )));
    }
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    Folder::to_read(path)?;
    let file = path.join(MODEL);
    if file.exists() {
        return Ok(file);
    }
    let remedy = if path.join(RUN).exists() {
        format!("its run is not finished; go on with it: lpvdn fit --resume --out {}", shell(path))
    } else {
        "give the output folder of lpvdn fit".to_owned()
    };
    Err(Failure::Failed(format!("{}: there is no {MODEL} in it; {remedy}", path.display())))
}

/// Loads a model and the rows it is to be applied to.
fn load(on: &ModelAndData) -> Result<(Model, Dataset), Failure> {
    let mut model = load_model(&on.model)?;
    model.set_threads(on.how.threads.into());
    let reading = reading_of(&model, &on.model)?;
    let opened = lpvdn_data::read(&on.data, &on.how.open_options(reading))?;
    let filled = Filled::line(&opened.missing);
    advice::notes(&opened.notes).iter().chain(&filled).for_each(|note| stderr_line(&format!("note: {note}")));
    Ok((model, opened.data))
}

/// Says which values of the rows count as unknown, if any do.
fn note_unknown(model: &Model, data: &Dataset) -> Result<(), Failure> {
    let unknown = model.unknown_values(data)?;
    Unknown::line(&unknown).iter().for_each(|line| stderr_line(&format!("note: {line}")));
    Ok(())
}

/// How the rows were read that a model was fitted to, where it knows.
fn reading_of(model: &Model, path: &Path) -> Result<Option<Reading>, Failure> {
    model.reading().cloned().map(serde_json::from_value).transpose().map_err(|_| {
        let place = path.display();
        Failure::Failed(format!(
            "{place}: this program does not know how the model's data was read; use a newer lpvdn"
        ))
    })
}
