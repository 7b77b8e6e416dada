//! Random codes.

use lpvdn_core::{Matrix, Real, StreamKey};

use super::network::Network;

/// The deviation of z_n: small, so that the clusters of z stay apart.
const NOISE: f64 = 0.1;

impl Network {
    /// Fills each row of `z` with a code: z_n ~ 0.1·N(0, I) beside a one-hot z_c, every cluster equally
    /// likely.
    ///
    /// # Panics
    /// When `z` has another width than the codes of the network.
    pub fn latent<T: Real>(&self, key: StreamKey, z: &mut Matrix<T>) {
        let shape = self.shape();
        self.check_codes(z);
        let mut stream = key.open();
        for i in 0..z.rows() {
            let (noise, cluster) = z.row_mut(i).split_at_mut(shape.noise);
            noise.iter_mut().for_each(|v| *v = T::of(NOISE * stream.normal()));
            cluster.fill(T::ZERO);
            cluster[stream.below(shape.clusters as u64) as usize] = T::ONE;
        }
    }

    /// Fills `epsilon` with the share of the true row in each mixed one: uniform on [0, 1).
    pub fn shares<T: Real>(&self, key: StreamKey, epsilon: &mut [T]) {
        let mut stream = key.open();
        epsilon.iter_mut().for_each(|e| *e = T::of(stream.uniform()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::clustergan::network::{Form, Output, Shape};

    #[test]
    fn a_code_is_small_noise_beside_one_cluster_of_all_equally_likely() {
        let form = Form::Dense { hidden: vec![4], normalized: false };
        let shape = Shape { columns: 2, noise: 3, clusters: 4, form };
        let network = Network::new(shape, Output::Identity).expect("a good shape");
        let mut z = Matrix::<f64>::zeros(8_000, 7);
        let key = StreamKey::new(1, "latent").at(1, 2, 3);
        network.latent(key, &mut z);
        let mut counts = [0; 4];
        let mut square = 0.0;
        for row in z.iter_rows() {
            let (noise, cluster) = row.split_at(3);
            square += noise.iter().map(|v| v * v).sum::<f64>() / 24_000.0;
            assert_eq!(cluster.iter().sum::<f64>(), 1.0);
            counts[cluster.iter().position(|&c| c == 1.0).expect("one cluster")] += 1;
        }
        assert!((square.sqrt() - 0.1).abs() < 0.002, "{square}");
        assert!(counts.iter().all(|c| (1_850..2_150).contains(c)), "{counts:?}");
        let mut again = Matrix::zeros(8_000, 7);
        network.latent(key, &mut again);
        assert_eq!(z, again);
        network.latent(key.at(1, 2, 4), &mut again);
        assert_ne!(z, again);
    }
}
