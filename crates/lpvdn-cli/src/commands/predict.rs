//! `lpvdn predict`

use lpvdn_data::atomic_write;

use super::load;
use crate::args::PredictArgs;
use crate::console;
use crate::failure::Failure;
use crate::output::LabelRows;

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    let (model, data) = load(&args.on)?;
    let codes = model.codes(&data)?;
    let (labels, probabilities) = (model.labels_of(&codes), model.probabilities_of(&codes));
    let ids = data.ids.as_deref();
    let rows =
        LabelRows { labels: &labels, probabilities: &probabilities, all: args.proba, ids, truth: None };
    match &args.out {
        None => console::stdout(|w| rows.write(w)),
        Some(path) => Ok(atomic_write(path, |w| rows.write(w))?),
    }
}
