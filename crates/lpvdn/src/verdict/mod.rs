//! The verdict: whether clusters are more than what any data of this shape would give, and which of them are found again.
//!
//! 1. **Structure.** Random halves of the rows are divided from the rows on, each by itself, in the way that the clusters of the rows were
//!    made, and each partition is extended to all rows. The ARI between both is the stability of a halving (Lange et al. 2004). The same is
//!    done with data of the same shape that have no clusters (`nulls`): columns permuted, and a Gaussian. There is
//!    structure where the halves of the rows agree more than those of the more stable null.
//! 2. **Clusters.** Refits on halves also say how much of each cluster is found again, and how often a row keeps its company (`stability`).
//!    Where clusters are those of codes, the refits are short trainings (`short`).
//!
//! A verdict looks at some rows, follows from the seed, and is the same on any number of threads.
//!
//! | file | what it holds |
//! |---|---|
//! | `sample`, `blocks` | the rows that are looked at, and which of their columns belong together |
//! | `nulls` | data without clusters |
//! | `refits`, `short` | partitions of halves, without training and by short trainings |
//! | `stability` | which clusters and rows they find again |
//! | `confidence` | from a row's margin to the share of refits that keep it, for every row |
//! | `number` | how many clusters there are |
//! | `judgement` | from figures to words |
//! | `algorithm` | all of it in its order |

mod algorithm;
mod blocks;
pub(crate) mod confidence;
mod judgement;
mod nulls;
mod number;
mod refits;
mod sample;
mod short;
mod stability;

pub use judgement::{NullStability, Structure, Verdict};
pub use number::{NumberChoice, NumberCurve, NumberPoint};
