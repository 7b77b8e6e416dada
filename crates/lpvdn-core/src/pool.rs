//! The threads of one fit.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A thread pool of our own, never rayon's global one: a library must not decide for its host
/// program how many threads everything else gets.
///
/// All parallel code in lpvdn uses rayon's iterators and runs inside [`Pool::run`].
#[derive(Debug)]
pub struct Pool(ThreadPool);

impl Pool {
    /// A pool of `threads` threads; 0 means one for each core.
    pub fn new(threads: usize) -> std::io::Result<Pool> {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("lpvdn-{i}"))
            .build()
            .map(Pool)
            .map_err(std::io::Error::other)
    }

    /// How many threads it has.
    pub fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Runs `job` inside the pool.
    pub fn run<R: Send>(&self, job: impl FnOnce() -> R + Send) -> R {
        self.0.install(job)
    }
}
