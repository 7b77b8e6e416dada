//! Writes the model files that `tests/golden.rs` holds on to: one of each method, in the format that this version
//! writes, and the labels that each gives to its rows.
//!
//! Run it once for every new format, never for an old one:
//!
//! ```text
//! cargo run -p lpvdn --example golden -- crates/lpvdn/tests/fixtures/models
//! ```
//!
//! Without a folder it prints the values of the paper's recipe, as `tests/fixtures/paper.json` holds them.
#![allow(clippy::print_stdout)]

use std::path::Path;

use lpvdn::model::lpvdn::FORMAT_VERSION;
use lpvdn::{Estimator, Method, Recipe};
use serde_json::{Map, Value};

#[path = "../tests/common/golden.rs"]
mod golden;

use golden::{Kind, line_of, whole_model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(folder) = std::env::args().nth(1) else {
        let values = |method| Ok((Method::name(method).to_owned(), paper(method)?));
        let all = Method::PAPER.into_iter().map(values).collect::<Result<Map<_, _>, lpvdn::FitError>>()?;
        println!("{:#}", Value::Object(all));
        return Ok(());
    };
    for method in Method::ALL {
        let model = whole_model(method);
        let path = Path::new(&folder).join(format!("{method}-v{FORMAT_VERSION}"));
        model.save(&path.with_extension("safetensors"))?;
        let labels = line_of(&model.predict(&Kind::Table.rows())?);
        std::fs::write(path.with_extension("labels"), labels + "\n")?;
    }
    Ok(())
}

fn paper(method: Method) -> Result<Value, lpvdn::FitError> {
    Ok(Estimator::of(method, Recipe::Paper, 10).check()?.settings())
}
