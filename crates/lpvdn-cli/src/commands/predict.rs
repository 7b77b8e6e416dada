//! `lpvdn predict`

use super::{load, model_file, note_unknown};
use crate::failure::Failure;
use crate::model_args::PredictArgs;
use crate::output::{LabelColumns, LabelRows, overwrite};
use crate::parts::{parts, write_to};

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    overwrite::refuse(args.out.as_deref(), &[&args.on.data, &model_file(&args.on.model)?])?;
    let (model, data) = load(&args.on)?;
    let columns =
        LabelColumns { clusters: model.clusters(), all: args.proba, ids: data.ids.as_ref(), truth: None };
    // Rows that do not fit are refused before anything is written.
    model.codes_of_rows(&data, 0..data.rows().min(1))?;
    note_unknown(&model, &data)?;
    write_to(args.out.as_deref(), |out| {
        columns.write_header(out)?;
        for rows in parts(data.rows()) {
            let codes = model.codes_of_rows(&data, rows.clone())?;
            let labels = model.labels_of(&codes);
            let confidences = model.confidences_of(&codes, &labels);
            let probabilities = args.proba.then(|| model.probabilities_of(&codes));
            let (first, probabilities) = (rows.start, probabilities.as_ref());
            LabelRows { first, labels: &labels, confidences: &confidences, probabilities }
                .write(&columns, out)?;
        }
        Ok(())
    })
}
