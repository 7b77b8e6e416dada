//! One step of generator and encoder, and what both do after training.
//!
//! Their loss is −mean D(G(z)) + β_n·noise + β_c·class, with the two terms of [`super::cycle`] between z
//! and E(G(z)).

use lpvdn_core::{Matrix, Real};

use super::batch_norm::Normalize;
use super::critic::mean;
use super::cycle::{cycle_terms, softmax};
use super::network::{Network, Workspace};

/// How much the encoder's terms count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CycleWeights {
    /// β_n, the weight of the mean square between z_n and ẑ_n.
    pub noise: f64,
    /// β_c, the weight of the cross-entropy of z_c.
    pub class: f64,
}

/// The terms of the loss of generator and encoder, without their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GeneratorValues {
    /// −mean D(G(z))
    pub adversarial: f64,
    /// The mean over rows, and over the values of z_n, of (z_n − ẑ_n)².
    pub noise: f64,
    /// The mean over rows of the cross-entropy of z_c.
    pub class: f64,
}

impl GeneratorValues {
    /// The loss: −mean D(G(z)) + β_n·noise + β_c·class.
    pub fn loss(&self, weights: CycleWeights) -> f64 {
        self.adversarial + weights.noise * self.noise + weights.class * self.class
    }
}

impl Network {
    /// One step of generator and encoder on the codes `z`: the terms of their loss, and in `grads` the
    /// gradient with respect to the parameters [`Network::generator_and_encoder`]. The other gradients
    /// stay as they are.
    ///
    /// The generator is normalised by the statistics of the batch, toward which those in `statistics`
    /// move.
    ///
    /// # Panics
    /// When there are no codes, or when they have another width than the network.
    pub fn generator_step<T: Real>(
        &self,
        params: &[T],
        z: &Matrix<T>,
        weights: CycleWeights,
        statistics: &mut [T],
        ws: &mut Workspace<T>,
        grads: &mut [T],
    ) -> GeneratorValues {
        assert!(z.rows() > 0, "a step without codes");
        self.check_codes(z);
        let generator = self.generator_stack();
        generator.forward(params, z, &mut ws.generator, Normalize::Batch);
        generator.track(&ws.generator, statistics);
        // Critic and encoder read the same rows, and need nothing of each other.
        let Workspace { generator: made, judge, judge_slope, encoder, encoder_slope, .. } = ws;
        let fake = made.output();
        let (adversarial, (noise, class)) = rayon::join(
            || {
                let critic = self.critic_stack();
                critic.forward(params, fake, judge, Normalize::Batch);
                let (output, gradient) = judge.output_and_gradient();
                let value = -mean(output.as_slice());
                gradient.fill(T::of(-1.0 / z.rows() as f64));
                critic.backward(params, fake, judge, None, Some(judge_slope));
                value
            },
            || {
                let net = self.encoder_stack();
                net.forward(params, fake, encoder, Normalize::Batch);
                let (output, gradient) = encoder.output_and_gradient();
                let values = cycle_terms(z, output, self.shape().noise, weights, gradient);
                net.backward(params, fake, encoder, Some(&mut *grads), Some(encoder_slope));
                values
            },
        );
        let (_, gradient) = made.output_and_gradient();
        let slopes = judge_slope.as_slice().iter().zip(encoder_slope.as_slice());
        gradient.as_mut_slice().iter_mut().zip(slopes).for_each(|(g, (&a, &b))| *g = a + b);
        generator.backward(params, z, made, Some(grads), None);
        GeneratorValues { adversarial, noise, class }
    }

    /// What is clustered: [ẑ_n, softmax(ẑ_c)] of each row of `x`.
    ///
    /// # Panics
    /// When the rows have another width than the network.
    pub fn encode<'w, T: Real>(
        &self,
        params: &[T],
        x: &Matrix<T>,
        ws: &'w mut Workspace<T>,
    ) -> &'w Matrix<T> {
        self.check_rows(x);
        self.encoder_stack().forward(params, x, &mut ws.encoder, Normalize::Batch);
        let (codes, output) = (&mut ws.codes, ws.encoder.output());
        codes.set_rows(x.rows());
        codes.as_mut_slice().copy_from_slice(output.as_slice());
        for i in 0..x.rows() {
            softmax(&mut codes.row_mut(i)[self.shape().noise..]);
        }
        codes
    }

    /// G(z), normalised by the running `statistics`, so that a row depends on its own code alone.
    ///
    /// # Panics
    /// When the codes have another width than the network.
    pub fn generate<'w, T: Real>(
        &self,
        params: &[T],
        statistics: &[T],
        z: &Matrix<T>,
        ws: &'w mut Workspace<T>,
    ) -> &'w Matrix<T> {
        self.check_codes(z);
        self.generator_stack().forward(params, z, &mut ws.generator, Normalize::Running(statistics));
        ws.generator.output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use crate::model::clustergan::network::test_networks;
    use lpvdn_core::StreamKey;

    const WEIGHTS: CycleWeights = CycleWeights { noise: 3.0, class: 0.7 };

    #[test]
    fn a_generator_step_has_the_gradient_of_its_loss_and_writes_no_other() {
        for (network, params) in test_networks() {
            let mut z = Matrix::zeros(5, network.shape().code());
            network.latent(StreamKey::new(6, "z"), &mut z);
            let statistics = network.init_statistics();
            let evaluate = |params: &[f64], grads: &mut [f64]| {
                let (mut ws, mut statistics) = (network.workspace(), statistics.clone());
                network.generator_step(params, &z, WEIGHTS, &mut statistics, &mut ws, grads).loss(WEIGHTS)
            };
            let mut grads = vec![f64::NAN; params.len()];
            evaluate(&params, &mut grads);
            let range = network.generator_and_encoder();
            assert!((0..grads.len()).all(|i| grads[i].is_nan() != range.contains(&i)));
            let (mut at, mut unused) = (params.clone(), grads.clone());
            for part in [network.generator(), network.encoder()] {
                assert_gradient("generator step", &params[part.clone()], &grads[part.clone()], |moved| {
                    at[part.clone()].copy_from_slice(moved);
                    evaluate(&at, &mut unused)
                });
                at.copy_from_slice(&params);
            }
        }
    }

    #[test]
    fn a_code_ends_in_probabilities() {
        for (network, params) in test_networks() {
            let mut s = StreamKey::new(7, "rows").open();
            let x = Matrix::from_fn(6, network.shape().columns, |_, _| s.normal());
            let mut ws = network.workspace();
            let codes = network.encode(&params, &x, &mut ws).clone();
            assert_eq!((codes.rows(), codes.cols()), (6, network.shape().code()));
            for (row, logits) in codes.iter_rows().zip(ws.encoder.output().iter_rows()) {
                let (noise, classes) = row.split_at(network.shape().noise);
                assert_eq!(noise, &logits[..noise.len()]);
                assert!(classes.iter().all(|&p| p > 0.0));
                assert!((classes.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let ratio = (logits[noise.len()] - logits[noise.len() + 1]).exp();
                assert!((classes[0] / classes[1] - ratio).abs() < 1e-10 * ratio);
            }
        }
    }

    #[test]
    fn what_is_generated_for_a_code_does_not_depend_on_the_codes_beside_it() {
        for (network, params) in test_networks() {
            let mut z = Matrix::zeros(6, network.shape().code());
            network.latent(StreamKey::new(8, "z"), &mut z);
            let (mut ws, mut statistics) = (network.workspace(), network.init_statistics());
            let mut grads = params.clone();
            network.generator_step(&params, &z, WEIGHTS, &mut statistics, &mut ws, &mut grads);
            let moved = statistics != network.init_statistics::<f64>();
            assert_eq!(moved, !statistics.is_empty());
            let all = network.generate(&params, &statistics, &z, &mut ws).clone();
            let one = Matrix::from_vec(z.row(4).to_vec(), 1, z.cols());
            let alone = network.generate(&params, &statistics, &one, &mut ws);
            assert_eq!(alone.row(0), all.row(4));
            assert_ne!(all.row(3), all.row(4));
        }
    }
}
