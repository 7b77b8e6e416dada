//! The clusters that training starts from, and what the encoder learns of them.
//!
//! guidance = mean_i −log softmax(ẑ_c(x_i))·c_i, over true rows x_i of the clusters c_i
//!
//! It is the class term of [`super::cycle`] with true rows in the place of made ones. The generator learns from the
//! encoder then which class is to make which rows.

use lpvdn_core::{Matrix, Real};

use super::batch_norm::Normalize;
use super::cycle::cycle_terms;
use super::generator::CycleWeights;
use super::network::{Network, Workspace};

impl Network {
    /// The encoder on the true rows `x` of the `clusters`: the value, and in `grads` the gradient of `weight` times it
    /// with respect to the parameters [`Network::encoder`]. The other gradients stay as they are. `z` gives room for
    /// the clusters as codes.
    ///
    /// # Panics
    /// When there are no rows, not as many clusters or one that is not below K, or when rows or codes have another width
    /// than the network.
    pub fn guided_step<T: Real>(
        &self,
        params: &[T],
        (x, clusters): (&Matrix<T>, &[u32]),
        weight: f64,
        z: &mut Matrix<T>,
        ws: &mut Workspace<T>,
        grads: &mut [T],
    ) -> f64 {
        assert!(x.rows() > 0, "a step without rows");
        assert_eq!(x.rows(), clusters.len(), "a cluster for each row");
        let noise = self.shape().noise;
        self.check_rows(x);
        self.check_codes(z);
        z.set_rows(x.rows());
        z.fill(T::ZERO);
        for (i, &cluster) in clusters.iter().enumerate() {
            z.row_mut(i)[noise..][cluster as usize] = T::ONE;
        }
        let net = self.encoder_stack();
        net.forward(params, x, &mut ws.encoder, Normalize::Batch);
        let (output, gradient) = ws.encoder.output_and_gradient();
        let weights = CycleWeights { noise: 0.0, class: weight };
        let (_, value) = cycle_terms(z, output, noise, weights, gradient);
        net.backward(params, x, &mut ws.encoder, Some(grads), None);
        value
    }
}

/// What training keeps beside the parameters: what normalises the generator, and behind it the starting cluster of
/// each row, if it is guided.
pub(super) fn kept_with(statistics: Vec<f32>, clusters: &[u32]) -> Option<Matrix<f32>> {
    let mut all = statistics;
    // Exact: there are fewer than 2²⁴ clusters.
    all.extend(clusters.iter().map(|&cluster| cluster as f32));
    let columns = all.len();
    (columns > 0).then(|| Matrix::from_vec(all, 1, columns))
}

/// Both parts of it.
pub(super) fn kept_parts(kept: &mut Option<Matrix<f32>>, statistics: usize) -> (&mut [f32], &[f32]) {
    match kept {
        Some(all) => {
            let (statistics, clusters) = all.as_mut_slice().split_at_mut(statistics);
            (statistics, clusters)
        }
        None => (&mut [], &[]),
    }
}

#[cfg(test)]
mod tests {
    use lpvdn_core::StreamKey;

    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use crate::model::clustergan::network::test_networks;

    #[test]
    fn a_guided_step_has_the_gradient_of_its_loss_and_writes_no_other() {
        for (network, params) in test_networks() {
            let mut s = StreamKey::new(7, "rows").open();
            let x = Matrix::from_fn(5, network.shape().columns, |_, _| s.uniform());
            let clusters: Vec<u32> = (0..5).map(|i| i % network.shape().clusters as u32).collect();
            // What stood there before is gone.
            let mut z = Matrix::from_fn(9, network.shape().code(), |_, _| 3.0);
            let evaluate = |params: &[f64], z: &mut Matrix<f64>, grads: &mut [f64]| {
                let mut ws = network.workspace();
                0.7 * network.guided_step(params, (&x, &clusters), 0.7, z, &mut ws, grads)
            };
            let mut grads = vec![f64::NAN; params.len()];
            evaluate(&params, &mut z, &mut grads);
            let part = network.encoder();
            assert!((0..grads.len()).all(|i| grads[i].is_nan() != part.contains(&i)));
            let (mut at, mut unused) = (params.clone(), grads.clone());
            assert_gradient("guided step", &params[part.clone()], &grads[part.clone()], |moved| {
                at[part.clone()].copy_from_slice(moved);
                evaluate(&at, &mut z, &mut unused)
            });
        }
    }

    #[test]
    fn what_is_kept_comes_apart_again() {
        let mut kept = kept_with(Vec::new(), &[]);
        assert_eq!(kept, None);
        assert_eq!(kept_parts(&mut kept, 0), (&mut [][..], &[][..]));
        kept = kept_with(vec![0.5, 0.25], &[7, 0, 3]);
        assert_eq!(kept_parts(&mut kept, 2), (&mut [0.5, 0.25][..], &[7.0, 0.0, 3.0][..]));
    }
}
