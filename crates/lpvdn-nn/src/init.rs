//! Starting values.

use lpvdn_core::{Real, Stream};
use serde::{Deserialize, Serialize};

/// How the weights of a layer start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Init {
    /// Weights and biases from U(±1/√fan_in): what PyTorch's `Linear` does.
    #[default]
    FanIn,
    /// Weights from U(±√(6/(fan_in + fan_out))), biases 0 (Glorot and Bengio 2010).
    Xavier,
}

impl Init {
    /// Fills the parameters of a layer.
    pub fn fill<T: Real>(
        self,
        inputs: usize,
        outputs: usize,
        weight: &mut [T],
        bias: &mut [T],
        stream: &mut Stream,
    ) {
        let (weight_bound, bias_bound) = match self {
            Init::FanIn => (1.0 / (inputs as f64).sqrt(), 1.0 / (inputs as f64).sqrt()),
            Init::Xavier => ((6.0 / (inputs + outputs) as f64).sqrt(), 0.0),
        };
        let mut uniform = |bound: f64| T::of(bound * (2.0 * stream.uniform() - 1.0));
        weight.iter_mut().for_each(|w| *w = uniform(weight_bound));
        bias.iter_mut().for_each(|b| *b = uniform(bias_bound));
    }
}
