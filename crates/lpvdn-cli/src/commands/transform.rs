//! `lpvdn transform`

use std::io::{self, Write};
use std::path::Path;

use lpvdn::{LpvdnModel, Space};
use lpvdn_core::Matrix;
use lpvdn_data::{write_npy_header, write_npy_values};

use super::load;
use crate::args::{SpaceName, TransformArgs};
use crate::console;
use crate::failure::Failure;
use crate::parts::{parts, write_to};

pub(crate) fn run(args: &TransformArgs) -> Result<(), Failure> {
    let npy = args.out.as_deref().map_or(Ok(false), is_npy)?;
    let (model, data) = load(&args.on)?;
    let space = space(&model, args.space)?;
    let shape = model.network().shape();
    let size = if space == Space::Latent { shape.latent } else { shape.output };
    write_to(args.out.as_deref(), |out| {
        if npy { write_npy_header(out, data.rows(), size) } else { write_names(out, size, space) }?;
        for rows in parts(data.rows()) {
            let codes = model.transform_rows(&data, rows, space)?;
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

/// The space in which the model clusters, unless another is asked for.
fn space(model: &LpvdnModel, asked: Option<SpaceName>) -> Result<Space, Failure> {
    let own = model.assignment().space();
    match asked {
        None => Ok(own),
        Some(SpaceName::Latent) => Ok(Space::Latent),
        Some(SpaceName::Embedding) if own == Space::Embedding => Ok(own),
        Some(SpaceName::Embedding) => Err(Failure::Failed(
            "the model was fitted with alpha1 = 0, so its embedding is not trained; use --space latent"
                .to_owned(),
        )),
    }
}

fn write_names(out: &mut dyn Write, size: usize, space: Space) -> io::Result<()> {
    let letter = if space == Space::Latent { 'z' } else { 'o' };
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
