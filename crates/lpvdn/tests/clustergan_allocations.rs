//! In steady state a step of ClusterGAN allocates nothing.

#[path = "common/counting.rs"]
mod counting;

use std::sync::atomic::Ordering;

use counting::ALLOCATIONS;
use lpvdn::model::clustergan::{CycleWeights, Form, Network, Output, Shape};
use lpvdn_core::{Matrix, Pool, StreamKey};

/// On one thread: on several, work-stealing queues may still grow once in a while.
#[test]
fn a_step_allocates_nothing_once_everything_has_its_size() {
    let convolutional =
        Form::Convolutional { height: 12, width: 8, channels: 2, filters: [5, 6], hidden: 20 };
    for form in [Form::Dense { hidden: vec![30, 20], normalized: true }, convolutional] {
        let shape = Shape { columns: 192, noise: 4, clusters: 3, form };
        let network = Network::new(shape, Output::Sigmoid).expect("a good shape");
        let (params, mut statistics) = (network.init::<f32>(1), network.init_statistics());
        let (mut ws, mut grads) = (network.workspace(), params.clone());
        let weights = CycleWeights { noise: 10.0, class: 10.0 };
        let x = Matrix::from_fn(150, 192, |i, j| ((i * 31 + j * 17) % 101) as f32 / 101.0);
        let (mut z, mut epsilon) = (Matrix::zeros(150, 7), vec![0.0; 150]);
        let (mut made, clusters) = (z.clone(), vec![2; 150]);
        let pool = Pool::new(1).expect("a pool");
        let counts = pool.run(|| {
            [0, 1, 2, 3].map(|step| {
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                network.latent(StreamKey::new(1, "latent").at(0, 0, step), &mut z);
                network.shares(StreamKey::new(1, "shares").at(0, 0, step), &mut epsilon);
                network.critic_step(&params, &x, &z, &epsilon, &mut ws, &mut grads);
                network.generator_step(&params, &z, weights, &mut statistics, &mut ws, &mut grads);
                network.guided_step(&params, (&x, &clusters), 10.0, &mut made, &mut ws, &mut grads);
                network.encode(&params, &x, &mut ws);
                network.generate(&params, &statistics, &z, &mut ws);
                ALLOCATIONS.load(Ordering::Relaxed) - before
            })
        });
        assert!(counts[0] > 0, "the first step must allocate, or nothing is counted");
        assert_eq!(counts[2..], [0, 0], "{counts:?}");
    }
}
