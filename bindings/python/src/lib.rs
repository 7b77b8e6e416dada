//! The compiled part of the Python package: rows in, calls to the library, arrays out.
//!
//! | file | what it holds |
//! |---|---|
//! | `rows`, `sparse` | NumPy arrays and SciPy's sparse rows as sources of rows, without copying |
//! | `frame` | data frames, column by column, as sources of rows |
//! | `params` | settings in Python's words to the parameters of a method |
//! | `job` | work on a thread of its own, while Python's thread listens for events and signals |
//! | `fit` | a fit |
//! | `unfinished` | fits that were asked to stop and have not done so yet |
//! | `model` | a fitted model |
//! | `explore` | the page on which clusters are seen |
//! | `mixture` | Gaussian mixtures of rows |
//! | `measure` | metrics and nearest neighbours |
//! | `errors` | errors of the library as Python's exceptions |
//!
//! Everything that a user sees (estimators, checks of arguments, words) is Python, in `python/lpvdn`.

mod arrays;
mod errors;
mod explore;
mod fit;
mod frame;
mod job;
mod measure;
mod mixture;
mod model;
mod params;
mod rows;
mod sparse;
mod unfinished;

use pyo3::prelude::*;

#[pymodule]
mod _lpvdn {
    #[pymodule_export]
    use super::fit::{Fitted, fit};
    #[pymodule_export]
    use super::frame::{Frame, is_id_name, value_names, written_number};
    #[pymodule_export]
    use super::measure::{external_scores, internal_scores, neighbors, silhouettes};
    #[pymodule_export]
    use super::mixture::{mixture_densities, mixture_fit};
    #[pymodule_export]
    use super::model::Model;

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use super::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
