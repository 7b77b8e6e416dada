//! `lpvdn predict`

use lpvdn_data::atomic_write;

use super::load;
use crate::args::PredictArgs;
use crate::console;
use crate::failure::Failure;
use crate::output::write_labels;

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    let (model, data) = load(&args.on)?;
    let codes = model.codes(&data)?;
    let (labels, probabilities) = (model.labels_of(&codes), model.probabilities_of(&codes));
    match &args.out {
        None => console::stdout(|w| write_labels(w, &labels, &probabilities, args.proba, None)),
        Some(path) => Ok(atomic_write(path, |w| write_labels(w, &labels, &probabilities, args.proba, None))?),
    }
}
