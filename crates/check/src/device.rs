//! A check on a device with its own memory: population protocols on directed rings under the random scheduler.
//!
//! `slots` numbers the rotation classes of a ring without a table. `ring` has the tables of an algorithm, which the kernels of
//! `rings.cu` read; `kernels` has their names and structures for the host. `run` drives them: the really safe set, the sets of the
//! proof, the distance to the safe set, expected steps in integers, with a certificate, and probabilities within some steps. The tests
//! run the same source on the host.

mod kernels;
#[cfg_attr(not(feature = "cuda"), allow(unreachable_pub, reason = "only the tests use it"))]
mod ring;
#[cfg_attr(not(feature = "cuda"), allow(unreachable_pub, reason = "only the tests use it"))]
mod run;
mod slots;
#[cfg(all(test, unix))]
mod tests;

#[cfg(feature = "cuda")]
pub use gpu::population_on;
#[cfg(feature = "cuda")]
pub use {
    ring::refuse_on_device,
    run::{DeviceUse, OnDevice},
};

#[cfg(feature = "cuda")]
mod gpu {
    use super::ring::Ring;
    use super::run::{self, OnDevice};
    use crate::{Monitor, Question, Stop};
    use ringleader_device::Gpu;
    use ringleader_erased::PopulationInstance;
    use ringleader_model::Graph;

    /// Checks a population protocol on a directed ring, on a GPU. The memory limit of the question is that of the GPU.
    pub fn population_on(
        gpu: &Gpu,
        algorithm: &PopulationInstance,
        graph: &Graph,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<OnDevice, Stop> {
        let question = &Question { memory: question.memory.min(gpu.memory()), ..question.clone() };
        run::check(gpu, &Ring::new(algorithm, graph, question, monitor)?, question, monitor)
    }
}
