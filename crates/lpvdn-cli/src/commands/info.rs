//! `lpvdn info`

use std::io;

use lpvdn::{ClusterModel, LpvdnModel, Model};
use lpvdn_data::Reading;
use serde_json::{Value, json};

use super::{load_model, reading_of};
use crate::config;
use crate::console::{self, Words, plural};
use crate::failure::Failure;
use crate::model_args::InfoArgs;
use crate::readings;

pub(crate) fn run(args: &InfoArgs) -> Result<(), Failure> {
    let model = load_model(&args.model)?;
    // A newer program may read data in ways that this one does not know.
    let reading = reading_of(&model, &args.model).unwrap_or_default();
    let model = match model {
        Model::Lpvdn(model) => *model,
        other => return other_method(&other, reading.as_ref(), args),
    };
    // Models of earlier versions left more to the data than they say.
    let (rows, budget) = (model.data().rows, model.budget());
    let params = model.params().clone().resolved(rows, budget, model.likelihood());
    let mut settings = config::settings_of(&params)?;
    config::add_columns(&mut settings, reading.as_ref());
    let settings = config::to_toml(&settings)?;
    if args.toml {
        console::stdout(|out| write!(out, "{settings}"))
    } else if args.json {
        let facts = facts(&model, reading.as_ref());
        console::stdout(|out| writeln!(out, "{facts}"))
    } else {
        let mut words = Words::new();
        write(&mut words, &model, reading.as_ref(), &settings)
            .map_err(|e| Failure::writing("standard output", e))?;
        console::stdout_words(&words)
    }
}

/// What there is to say about a model of another method than LPVDN.
fn other_method(model: &Model, reading: Option<&Reading>, args: &InfoArgs) -> Result<(), Failure> {
    let (data, settings) = (model.data(), model.settings());
    let facts = json!({
        "method": model.method(),
        "version": model.fitted_by(),
        "format_version": model.format(),
        "rows": data.rows,
        "columns": data.columns,
        "data_fingerprint": data.fingerprint,
        "clusters": model.clusters(),
        "parameters": model.parameters(),
        "view": model.view(),
        "preprocessor": model.preprocessor(),
        "reading": readings::facts(reading),
        "settings": settings,
    });
    if args.toml {
        let (mut settings, lost) = config::settings_of_other(model)?;
        config::add_columns(&mut settings, reading);
        let text = config::to_toml(&settings)?;
        return console::stdout(|out| {
            if !lost.is_empty() {
                writeln!(out, "# Only Python and Rust can set what else differs: {}", lost.join(", "))?;
            }
            write!(out, "{text}")
        });
    }
    if args.json {
        return console::stdout(|out| writeln!(out, "{facts}"));
    }
    let mut words = Words::new();
    write_other(&mut words, model, reading).map_err(|e| Failure::writing("standard output", e))?;
    console::stdout_words(&words)
}

fn write_other(out: &mut Words, model: &Model, reading: Option<&Reading>) -> io::Result<()> {
    let (data, settings) = (model.data(), model.settings());
    let (method, version, format) = (model.method(), model.fitted_by(), model.format());
    writeln!(out, "method         {method} {version} (file format {format})")?;
    let (rows, columns) = (plural(data.rows, "row"), plural(data.columns, "column"));
    writeln!(out, "fitted to      {rows} × {columns} (fingerprint {})", data.fingerprint)?;
    write_reading(out, reading, data.rows)?;
    writeln!(out, "clusters       {}", model.clusters())?;
    writeln!(out, "parameters     {}", console::grouped(model.parameters()))?;
    write_values(out, &**model)?;
    let mut settings = settings.as_object().into_iter().flatten();
    settings.try_for_each(|(name, value)| writeln!(out, "{name:<14} {value}"))
}

/// What rows were made of, where they were pictures or texts.
fn write_reading(out: &mut Words, reading: Option<&Reading>, rows: usize) -> io::Result<()> {
    let line = readings::line(reading, rows);
    line.map_or(Ok(()), |(what, line)| writeln!(out, "{what:<14} {line}"))
}

fn facts(model: &LpvdnModel, reading: Option<&Reading>) -> Value {
    let shape = model.network().shape();
    let b = model.budget();
    json!({
        "method": model.method(),
        "version": model.fitted_by(),
        "format_version": model.format(),
        "rows": model.data().rows,
        "columns": model.data().columns,
        "data_fingerprint": model.data().fingerprint,
        "clusters": model.clusters(),
        "parameters": model.network().layout().len(),
        "pretrain_epochs": b.pretrain_epochs,
        "epochs": b.epochs,
        "settle_epochs": b.settle_epochs,
        "steps": b.steps,
        "batch": b.batch,
        "likelihood": model.likelihood(),
        "view": model.view(),
        "preprocessor": model.preprocessor(),
        "reading": readings::facts(reading),
        "network": {
            "encoder": chain(shape.columns, &shape.layers, 2 * shape.latent),
            "decoder": chain(shape.latent, &reversed(&shape.layers), shape.columns),
            "discriminator": chain(shape.columns + shape.latent, &shape.discriminator, 1),
            "locality": chain(shape.latent, &shape.locality, shape.output),
        },
        "settings": model.params(),
    })
}

/// How values are scaled; by type, a line for each kind of columns.
fn write_values(out: &mut Words, model: &dyn ClusterModel) -> io::Result<()> {
    writeln!(out, "values         {}", model.scaling_in_words())?;
    let lines = model.view().map(lpvdn_core::View::lines).unwrap_or_default();
    lines.iter().try_for_each(|line| writeln!(out, "               {line}"))
}

fn reversed(layers: &[usize]) -> Vec<usize> {
    layers.iter().rev().copied().collect()
}

fn chain(input: usize, layers: &[usize], output: usize) -> Vec<usize> {
    [&[input], layers, &[output]].concat()
}

fn write(out: &mut Words, model: &LpvdnModel, reading: Option<&Reading>, settings: &str) -> io::Result<()> {
    let shape = model.network().shape();
    let arrows = |sizes: Vec<usize>| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" → ");
    let data = model.data();
    let b = model.budget();
    writeln!(
        out,
        "method         {} {} (file format {})",
        model.method(),
        model.fitted_by(),
        model.format()
    )?;
    writeln!(
        out,
        "fitted to      {} × {} (fingerprint {})",
        plural(data.rows, "row"),
        plural(data.columns, "column"),
        data.fingerprint
    )?;
    write_reading(out, reading, data.rows)?;
    writeln!(out, "clusters       {}", model.clusters())?;
    writeln!(out, "parameters     {}", console::grouped(model.network().layout().len()))?;
    writeln!(
        out,
        "encoder        {} (mean and log-variance)",
        arrows(chain(shape.columns, &shape.layers, 2 * shape.latent))
    )?;
    writeln!(out, "decoder        {}", arrows(chain(shape.latent, &reversed(&shape.layers), shape.columns)))?;
    writeln!(out, "discriminator  {}", arrows(chain(shape.columns + shape.latent, &shape.discriminator, 1)))?;
    writeln!(out, "locality net   {}", arrows(chain(shape.latent, &shape.locality, shape.output)))?;
    write_values(out, model)?;
    writeln!(out, "likelihood     {}", format!("{:?}", model.likelihood()).to_lowercase())?;
    writeln!(
        out,
        "trained for    {} of pre-training, {} of training{}, {} of at most {} each",
        plural(b.pretrain_epochs, "epoch"),
        b.epochs,
        if b.settle_epochs > 0 { format!(", {} of settling", b.settle_epochs) } else { String::new() },
        plural(b.steps, "step"),
        plural(b.batch, "row")
    )?;
    writeln!(out)?;
    writeln!(out, "# Settings, for `lpvdn fit --config` (--toml prints these alone)")?;
    out.lines(settings);
    Ok(())
}
