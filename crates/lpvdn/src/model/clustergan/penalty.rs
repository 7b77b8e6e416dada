//! The gradient penalty (Gulrajani et al. 2017), which keeps the critic's slope near 1:
//!
//! P = λ·mean_i (‖g_i‖ − 1)², g_i = ∇D(x̂_i), x̂_i = ε_i·x_i + (1 − ε_i)·G(z_i)
//!
//! Its gradient with respect to the weights is one of second order, and yet costs no more than another
//! pass. The critic is a_l = h_{l−1}·W_l + b_l with h_0 = x̂ and h_l = m_l∘a_l, where m_l is 1 or the leak,
//! as a_l is positive or not; its last m is 1. The pass back from D is
//!
//! δ_L = 1, δ_{l−1} = m_{l−1}∘(δ_l·W_lᵀ), g = δ_1·W_1ᵀ.
//!
//! Between the kinks the masks m do not change, and g is a product of masks and weights. With
//! v_i = ∂P/∂g_i = (2λ/n)·(1 − 1/‖g_i‖)·g_i held fixed, dP = Σ_i ⟨v_i, dg_i⟩. Following v through the
//! network as a tangent,
//!
//! t_0 = v, t_l = m_l∘(t_{l−1}·W_l),
//!
//! moves the factors of ⟨v, g⟩ from one side to the other, layer by layer:
//!
//! ⟨v, g⟩ = ⟨t_0, δ_1·W_1ᵀ⟩ = ⟨t_0·W_1, m_1∘(δ_2·W_2ᵀ)⟩ = ⟨t_1, δ_2·W_2ᵀ⟩ = … = ⟨t_{l−1}, δ_l·W_lᵀ⟩,
//!
//! where neither t_{l−1} nor δ_l depends on W_l. So ∂P/∂W_l = t_{l−1}ᵀ·δ_l, summed over rows, and ∂P/∂b_l = 0.
//! For a convolution W_l stands for the matrix its patches are multiplied with; nothing else changes,
//! because taking patches is linear too.

use lpvdn_core::{Matrix, Real};
use rayon::prelude::*;

use super::batch_norm::Normalize;
use super::stack::{Stack, StackWorkspace};

/// λ
pub const PENALTY: f64 = 10.0;

/// The memory of the penalty.
#[derive(Clone, Debug)]
pub(super) struct PenaltyWorkspace<T> {
    critic: StackWorkspace<T>,
    /// g, then v
    slope: Matrix<T>,
    row_values: Vec<f64>,
}

impl<T: Real> PenaltyWorkspace<T> {
    pub(super) fn new(critic: &Stack, columns: usize) -> PenaltyWorkspace<T> {
        PenaltyWorkspace {
            critic: critic.workspace(),
            slope: Matrix::zeros(0, columns),
            row_values: Vec::new(),
        }
    }
}

/// P at the rows `x`; adds its gradient to `grads`.
pub(super) fn gradient_penalty<T: Real>(
    critic: &Stack,
    params: &[T],
    x: &Matrix<T>,
    ws: &mut PenaltyWorkspace<T>,
    grads: &mut [T],
) -> f64 {
    critic.forward(params, x, &mut ws.critic, Normalize::Batch);
    ws.critic.output_and_gradient().1.fill(T::ONE);
    critic.backward(params, x, &mut ws.critic, None, Some(&mut ws.slope));
    let value = value_and_direction(&mut ws.slope, &mut ws.row_values);
    critic.tangent(params, &ws.slope, &mut ws.critic, grads);
    value
}

/// P; turns each g into its v.
fn value_and_direction<T: Real>(slope: &mut Matrix<T>, row_values: &mut Vec<f64>) -> f64 {
    let (rows, columns) = (slope.rows(), slope.cols());
    let weight = PENALTY / rows as f64;
    row_values.clear();
    row_values.resize(rows, 0.0);
    let all = slope.as_mut_slice().par_chunks_mut(columns).zip(row_values.par_iter_mut());
    all.for_each(|(g, value)| {
        // In double precision: the square of a slope that single precision can hold, it may not.
        let norm = g.iter().map(|g| g.f64() * g.f64()).sum::<f64>().sqrt();
        *value = weight * (norm - 1.0) * (norm - 1.0);
        // A slope of 0 has no direction to grow in, and is left alone.
        let factor = if norm > 0.0 { 2.0 * weight * (1.0 - 1.0 / norm) } else { 0.0 };
        g.iter_mut().for_each(|g| *g = T::of(factor * g.f64()));
    });
    row_values.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::finite_difference::assert_gradient;
    use crate::model::clustergan::network::test_networks;
    use lpvdn_core::StreamKey;

    #[test]
    fn the_penalty_alone_has_the_gradient_of_its_value() {
        for (network, params) in test_networks() {
            let critic = network.critic_stack();
            let mut s = StreamKey::new(3, "penalty").open();
            let columns = network.shape().columns;
            let x = Matrix::from_fn(4, columns, |_, _| s.normal());
            let evaluate = |params: &[f64], grads: &mut [f64]| {
                gradient_penalty(critic, params, &x, &mut PenaltyWorkspace::new(critic, columns), grads)
            };
            let mut grads = vec![0.0; params.len()];
            let value = evaluate(&params, &mut grads);
            assert!(value > 0.1, "{value}");
            let mut unused = vec![0.0; params.len()];
            assert_gradient("penalty", &params, &grads, |params| evaluate(params, &mut unused));
        }
    }

    /// D(x) = ⟨x, w⟩ has the slope w everywhere.
    #[test]
    fn a_linear_critic_pays_for_the_length_of_its_weights() {
        let linear = super::super::stack::dense(
            &[2, 1],
            lpvdn_nn::Activation::Identity,
            lpvdn_nn::Activation::Identity,
        );
        let mut layout = lpvdn_nn::Layout::default();
        let critic = Stack::new(&mut layout, &mut lpvdn_nn::Layout::default(), "critic", &linear);
        let mut ws = PenaltyWorkspace::new(&critic, 2);
        let mut grads = vec![0.0; 3];
        let x = Matrix::from_fn(5, 2, |i, j| (i + j) as f64);
        let value = gradient_penalty(&critic, &[3.0, 4.0, 7.0], &x, &mut ws, &mut grads);
        // λ(5 − 1)², and 2λ(5 − 1)·w/5
        assert!((value - 160.0).abs() < 1e-12);
        assert!((grads[0] - 48.0).abs() < 1e-12 && (grads[1] - 64.0).abs() < 1e-12 && grads[2] == 0.0);
    }

    #[test]
    fn no_slope_at_all_costs_its_penalty_and_has_no_gradient() {
        let mut values = Vec::new();
        let mut slope = Matrix::<f32>::zeros(2, 3);
        slope.row_mut(1).copy_from_slice(&[1e-45, 0.0, 0.0]);
        let value = value_and_direction(&mut slope, &mut values);
        assert!((value - PENALTY).abs() < 1e-6);
        assert_eq!(slope.row(0), [0.0; 3]);
        // However small a slope is, v is as long as that of any other.
        assert!((slope.row(1)[0] + PENALTY as f32).abs() < 1e-5 && slope.row(1)[1] == 0.0);
    }
}
