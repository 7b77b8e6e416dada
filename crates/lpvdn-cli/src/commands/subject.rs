//! A model and the rows it is shown with.

use std::path::{Path, PathBuf};

use lpvdn::Model;
use lpvdn_core::Dataset;
use lpvdn_data::{OpenOptions, Opened};

use super::{load_model, reading_of};
use crate::advice;
use crate::config;
use crate::console::{shell, stderr_line};
use crate::failure::Failure;
use crate::model_args::ModelWithData;
use crate::output::RUN;
use crate::settings::Settings;

/// A model with rows.
pub(crate) struct Subject {
    pub(crate) model: Model,
    pub(crate) data: Dataset,
    /// The beginnings of documents, where rows are documents.
    pub(crate) texts: Option<Vec<String>>,
    /// The folder of the fit, where the model is in one.
    pub(crate) folder: Option<PathBuf>,
    /// Whether these are the rows that it was fitted to.
    pub(crate) fitted: bool,
    /// What the user should know about the reading.
    pub(crate) notes: Vec<String>,
}

impl Subject {
    /// Without rows being named, they are those of the fit. Of documents, `snippets` characters are kept.
    pub(crate) fn load(on: &ModelWithData, snippets: Option<usize>) -> Result<Subject, Failure> {
        let mut model = load_model(&on.model)?;
        model.set_threads(on.how.threads.into());
        let reading = reading_of(&model, &on.model)?;
        let folder = on.model.is_dir().then(|| on.model.clone());
        let (path, mut options) = match &on.data {
            Some(path) => (path.clone(), on.how.open_options(reading)),
            None => fitted_rows(on, reading)?,
        };
        options.snippets = snippets;
        let Opened { data, texts, notes, .. } = lpvdn_data::read(&path, &options)?;
        let fitted = model.was_fitted_to(&data)?;
        if on.data.is_none() && !fitted {
            stderr_line(&format!(
                "warning: {} has other values than when the model was fitted to it",
                shell(&path)
            ));
        }
        let notes = advice::notes(&notes);
        Ok(Subject { model, data, texts, folder, fitted, notes })
    }
}

/// The rows that the model in a folder was fitted to, and how they were read.
fn fitted_rows(
    on: &ModelWithData,
    reading: Option<lpvdn_data::Reading>,
) -> Result<(PathBuf, OpenOptions), Failure> {
    let run = on.model.join(RUN);
    let place = on.model.display();
    if !run.is_file() {
        return Err(Failure::Failed(format!(
            "{place}: which rows the model was fitted to is not known here; name them after the model"
        )));
    }
    let settings = config::read(&run)?;
    let path = settings.data.clone().unwrap_or_else(|| PathBuf::from("digits"));
    if path.as_os_str() == "-" {
        return Err(Failure::Failed(format!(
            "{place}: the model was fitted to standard input, which is gone; name the rows after the model"
        )));
    }
    // The fit may have been started elsewhere, and the data been moved since.
    let missing = path.components().count() > 1 && !path.exists();
    if missing {
        return Err(Failure::Failed(format!(
            "{}: the model in {} was fitted to it, and it is not there; name the rows after the model",
            path.display(),
            shell(Path::new(&on.model))
        )));
    }
    Ok((path, options_of(&settings, on, reading)))
}

/// As the fit read them, with what is asked for here going before that.
fn options_of(settings: &Settings, on: &ModelWithData, reading: Option<lpvdn_data::Reading>) -> OpenOptions {
    let (fitted, asked) = (settings.open_options(), on.how.open_options(reading));
    let mut options = OpenOptions::default();
    options.label_column = asked.label_column.or(fitted.label_column);
    options.id_column = asked.id_column.or(fitted.id_column);
    options.classes = if asked.classes.is_empty() { fitted.classes } else { asked.classes };
    options.text_field = asked.text_field.or(fitted.text_field);
    options.text_column = asked.text_column.or(fitted.text_column);
    // The rows of the fit are without those that it left out.
    options.empty_text = fitted.empty_text;
    options.image_size = asked.image_size.or(fitted.image_size);
    options.image_color = asked.image_color.or(fitted.image_color);
    options.image_fit = asked.image_fit.or(fitted.image_fit);
    options.on_error = on.how.on_error.unwrap_or(fitted.on_error);
    options.format = asked.format.or(fitted.format);
    options.header = on.how.header.map_or(fitted.header, Into::into);
    options.memory = asked.memory.or(fitted.memory);
    options.temp_limit = asked.temp_limit.or(fitted.temp_limit);
    options.missing = fitted.missing;
    options.reading = asked.reading;
    options
}
