//! The fast engine for messages takes the very same choices as the plain one.

use ringleader_algorithms::message::{fokkink_pang::FokkinkPang, franklin::Franklin};
use ringleader_algorithms::{Entry, Parameters};
use ringleader_erased::MessageInstance;
use ringleader_model::{Channels, Terminating};
use ringleader_simulate::Generator;
use ringleader_simulate::kernel::MessageSteps;
use ringleader_simulate::plain::{MessageRun, SimulatedRun};

fn same_runs<P: Entry + Terminating + 'static>(channels: Channels) {
    for size in [2, 3, 7, 16, 33] {
        let algorithm = MessageInstance::new(P::build(&Parameters::new(size)).expect("a supported size"));
        for seed in 0..20 {
            let mut plain = MessageRun::new(&algorithm, channels, Generator::new(seed));
            let mut fast = MessageSteps::new(&algorithm, channels, Generator::new(seed));
            while plain.step() {
                assert!(fast.step(), "size {size}, seed {seed}: the fast engine ended early");
                assert_eq!(plain.now().states, fast.now().states, "size {size}, seed {seed}");
                assert_eq!(plain.now().channels, fast.now().channels, "size {size}, seed {seed}");
            }
            assert!(!fast.step(), "size {size}, seed {seed}: the fast engine goes on");
            assert_eq!(plain.messages(), fast.messages());
            assert_eq!(plain.rounds(), fast.rounds());
        }
    }
}

#[test]
fn with_messages_that_overtake() {
    same_runs::<Franklin>(Channels::Bag);
}

#[test]
fn with_messages_in_order() {
    same_runs::<FokkinkPang>(Channels::Fifo);
}
