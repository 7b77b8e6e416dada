//! One step of the critic D.
//!
//! Its loss is mean D(G(z)) − mean D(x) + P, with the penalty P of [`super::penalty`]. Without P and for a
//! slope of at most 1, its negative is a lower bound of the Wasserstein distance between what G makes and
//! the data.

use lpvdn_core::{Matrix, Real};
use rayon::prelude::*;

use super::batch_norm::Normalize;
use super::network::{Network, Workspace};
use super::penalty::gradient_penalty;

/// The terms of the critic's loss.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CriticValues {
    /// mean D(x)
    pub real: f64,
    /// mean D(G(z))
    pub fake: f64,
    /// λ·mean (‖∇D(x̂)‖ − 1)²
    pub penalty: f64,
}

impl CriticValues {
    /// The loss: mean D(G(z)) − mean D(x) + the penalty.
    pub fn loss(&self) -> f64 {
        self.fake - self.real + self.penalty
    }

    /// The distance that the critic sees: mean D(x) − mean D(G(z)).
    pub fn distance(&self) -> f64 {
        self.real - self.fake
    }
}

impl Network {
    /// One step of the critic on the rows `x` and as many codes `z`, mixed with the shares `epsilon` of
    /// the true rows: the terms of its loss, and in `grads` the gradient with respect to the parameters
    /// [`Network::critic`]. The other gradients stay as they are.
    ///
    /// The generator runs as in training, normalised by the statistics of the batch.
    ///
    /// # Panics
    /// When there are no rows, or not as many of each, or when they have another width than the network.
    pub fn critic_step<T: Real>(
        &self,
        params: &[T],
        x: &Matrix<T>,
        z: &Matrix<T>,
        epsilon: &[T],
        ws: &mut Workspace<T>,
        grads: &mut [T],
    ) -> CriticValues {
        let n = x.rows();
        assert!(n > 0, "a step without rows");
        self.check_rows(x);
        self.check_codes(z);
        assert_eq!((z.rows(), epsilon.len()), (n, n), "codes and shares for {n} rows");
        self.generator_stack().forward(params, z, &mut ws.generator, Normalize::Batch);
        gather(ws, x, epsilon);
        let (critic, pairs) = (self.critic_stack(), &ws.pairs);
        critic.forward(params, pairs, &mut ws.pairs_critic, Normalize::Batch);
        let (output, gradient) = ws.pairs_critic.output_and_gradient();
        let (fake, real) = output.as_slice().split_at(n);
        let (fake, real) = (mean(fake), mean(real));
        let share = 1.0 / n as f64;
        let (d_fake, d_real) = gradient.as_mut_slice().split_at_mut(n);
        d_fake.fill(T::of(share));
        d_real.fill(T::of(-share));
        critic.backward(params, pairs, &mut ws.pairs_critic, Some(&mut *grads), None);
        let penalty = gradient_penalty(critic, params, &ws.mixed, &mut ws.penalty, grads);
        CriticValues { real, fake, penalty }
    }
}

/// [G(z); x] one above the other, and x̂ = εx + (1 − ε)G(z).
fn gather<T: Real>(ws: &mut Workspace<T>, x: &Matrix<T>, epsilon: &[T]) {
    let (n, columns) = (x.rows(), x.cols());
    let fake = ws.generator.output();
    ws.pairs.set_rows(2 * n);
    let (above, below) = ws.pairs.as_mut_slice().split_at_mut(n * columns);
    above.copy_from_slice(fake.as_slice());
    below.copy_from_slice(x.as_slice());
    ws.mixed.set_rows(n);
    ws.mixed.as_mut_slice().par_chunks_mut(columns).enumerate().for_each(|(i, mixed)| {
        let share = epsilon[i];
        for ((m, &x), &g) in mixed.iter_mut().zip(x.row(i)).zip(fake.row(i)) {
            *m = share * x + (T::ONE - share) * g;
        }
    });
}

/// The mean, summed in double precision.
pub(super) fn mean<T: Real>(values: &[T]) -> f64 {
    values.iter().map(|v| v.f64()).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use crate::model::clustergan::network::test_networks;
    use lpvdn_core::StreamKey;

    #[test]
    fn a_critic_step_has_the_gradient_of_its_loss_and_writes_no_other() {
        for (network, params) in test_networks() {
            let mut s = StreamKey::new(4, "critic").open();
            let x = Matrix::from_fn(3, network.shape().columns, |_, _| s.uniform());
            let (mut z, mut epsilon) = (Matrix::zeros(3, network.shape().code()), [0.0; 3]);
            network.latent(StreamKey::new(5, "z"), &mut z);
            network.shares(StreamKey::new(5, "epsilon"), &mut epsilon);
            let evaluate = |params: &[f64], grads: &mut [f64]| {
                network.critic_step(params, &x, &z, &epsilon, &mut network.workspace(), grads).loss()
            };
            let mut grads = vec![f64::NAN; params.len()];
            evaluate(&params, &mut grads);
            let range = network.critic();
            assert!((0..grads.len()).all(|i| grads[i].is_nan() != range.contains(&i)));
            let (mut at, mut unused) = (params.clone(), grads.clone());
            assert_gradient("critic", &params[range.clone()], &grads[range.clone()], |critic| {
                at[range.clone()].copy_from_slice(critic);
                evaluate(&at, &mut unused)
            });
        }
    }

    #[test]
    #[should_panic(expected = "rows have 192 columns")]
    fn images_that_are_too_long_are_not_read_in_part() {
        let (network, params) = test_networks().remove(2);
        let (x, z) = (Matrix::zeros(1, 384), Matrix::zeros(1, network.shape().code()));
        network.critic_step(&params, &x, &z, &[0.5], &mut network.workspace(), &mut params.clone());
    }
}
