//! The terms of the objective, one file each: the equation with its number in the paper, the value,
//! the gradient, and a finite-difference test of it.
//!
//! | file | term | what it does |
//! |---|---|---|
//! | [`reconstruction`] | first part of L_G | the decoder's output against the row |
//! | [`mixture`] | second part of L_G | the code against the Gaussian-mixture prior |
//! | [`mutual_information`] | L_MI | a discriminator tells true pairs of row and code from false ones |
//! | [`affinities`] | P of L_LP | neighbourhoods among the latent means |
//! | [`graph`] | P of L_LP | neighbourhoods among all rows, and batches that hold them |
//! | [`locality`] | L_LP | the same neighbourhoods after the locality net |
//! | [`standard_normal`] | VAE | the code against a standard normal prior |
//! | [`self_training`] | DEC | assignments against a sharper version of themselves |
//!
//! All values are sums over columns and means over rows. Gradients are of value × `weight`.

pub mod affinities;
pub mod graph;
pub mod locality;
pub mod mixture;
pub mod mutual_information;
pub mod reconstruction;
pub mod self_training;
pub mod standard_normal;
mod sums;

#[cfg(test)]
pub(crate) mod finite_difference;
