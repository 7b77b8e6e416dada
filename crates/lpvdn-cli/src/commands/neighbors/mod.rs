//! `lpvdn neighbors`

mod found;
mod queries;
mod show;

use lpvdn_core::Pool;

use super::subject::Subject;
use crate::console::{self, shell};
use crate::failure::Failure;
use crate::model_args::NeighborsArgs;

/// The characters of a document that are shown.
const SNIPPET: usize = 60;

pub(crate) fn run(args: &NeighborsArgs) -> Result<(), Failure> {
    let subject = Subject::load(&args.on, Some(SNIPPET))?;
    let codes = subject.model.codes(&subject.data)?;
    let queries = queries::read(&subject, &codes, args)?;
    let pool = Pool::new(args.on.how.threads.into()).map_err(|e| Failure::Failed(e.to_string()))?;
    let found =
        pool.run(|| found::find(&codes, &queries, args.count.map(|count| count as usize), args.search))?;
    let clusters = pool.run(|| subject.model.labels_of(&codes));
    let shown = show::Shown { subject: &subject, queries: &queries, found: &found, clusters: &clusters };
    if let Some(path) = &args.sheet {
        shown.sheet(path)?;
        console::stderr_line(&format!("the pictures are in {}", shell(path)));
    }
    if args.json { shown.json() } else { shown.table() }
}
