//! Speed of the engines: `cargo bench -p ringleader-check`. Items are configurations (or product states) on one thread.
//! Compare `table` with `naive`, which calls the rule and numbers its result, in the same run.

use divan::Bencher;
use divan::counter::ItemsCount;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_check::parts::{
    self, Alternating, Bits, Fairness, Recurrence, Rotations, Rows, StateGraph as _, Successors, Survey, longest,
};
use ringleader_check::{Level, Monitor, Question, Subject};
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::{Graph, NoCoin, Population, Scheduler, Told, number};
use std::sync::LazyLock;

fn main() {
    divan::main();
}

const YOKOTA: YokotaRing = YokotaRing { bound: 3 };

static PLAIN: LazyLock<Question> = LazyLock::new(|| Question::new(Scheduler::Random).without_symmetry());
static MONITOR: LazyLock<Monitor> = LazyLock::new(|| Monitor::new(1));
/// 884,736 configurations.
static RING: LazyLock<Survey> = LazyLock::new(|| yokota(&PLAIN));
static SAFE: LazyLock<Bits> =
    LazyLock::new(|| parts::really_safe(&RING.system, |c, turn| RING.label(c, turn), &MONITOR).unwrap());
static FICH_JOHNEN: LazyLock<Survey> = LazyLock::new(|| fich_johnen(4));

fn yokota(question: &Question) -> Survey {
    let algorithm = PopulationInstance::new(YOKOTA).unwrap();
    Survey::of(&Subject::Population(&algorithm, &Graph::directed_ring(3).unwrap()), question, &MONITOR).unwrap()
}

fn fich_johnen(size: u32) -> Survey {
    let algorithm = RingInstance::new(FichJohnen { size }).unwrap();
    Survey::of(&Subject::Ring(&algorithm, size as usize), &PLAIN, &MONITOR).unwrap()
}

fn states(bencher: Bencher<'_, '_>, run: impl Fn() -> u64 + Sync, count: u64) {
    bencher.counter(ItemsCount::new(count)).bench(run);
}

/// One sweep over the ring with the compiled table: how many successors leave the really safe set?
#[divan::bench]
fn table(bencher: Bencher<'_, '_>) {
    let sweep = Rows::new(&RING.system).unwrap();
    let safe = &*SAFE;
    let run = || {
        let mut outside = 0;
        sweep.each(0..RING.system.size(), |_, next| {
            outside += next.iter().map(|&to| u64::from(!safe.contains(to))).sum::<u64>();
        });
        outside
    };
    states(bencher, run, RING.system.size());
}

/// The same without a table: unrank, call the rule, rank.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn naive(bencher: Bencher<'_, '_>) {
    let run = || {
        let mut outside = 0;
        for c in 0..RING.system.size() as u32 {
            let digits = RING.system.space.digits(c);
            let states: Vec<_> = digits.iter().map(|&d| number::unrank(&YOKOTA, d.into())).collect();
            for u in 0..3 {
                let mut after = states.clone();
                let v = (u + 1) % 3;
                (after[u], after[v]) = YOKOTA.interact(states[u], states[v], Told::both(false), &mut NoCoin);
                let ranks: Vec<u32> = after.iter().map(|s| number::rank(&YOKOTA, s) as u32).collect();
                outside += u64::from(!SAFE.contains(RING.system.space.encode(&ranks)));
            }
        }
        outside
    };
    states(bencher, run, RING.system.size());
}

/// The survey: the sets of every configuration, including the compilation of the table.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn survey(bencher: Bencher<'_, '_>) {
    states(bencher, || yokota(&PLAIN).own_safe.count(), RING.system.size());
}

/// The really safe set, by removal.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn really_safe(bencher: Bencher<'_, '_>) {
    let run = || parts::really_safe(&RING.system, |c, turn| RING.label(c, turn), &MONITOR).unwrap().count();
    states(bencher, run, RING.system.size());
}

/// Backward reachability over everything.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn can_reach(bencher: Bencher<'_, '_>) {
    let run = || parts::can_reach(&RING.system, &SAFE, &MONITOR).unwrap().count();
    states(bencher, run, RING.system.size());
}

/// Expected steps with relative width 10^-6: all sweeps, per configuration.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn expected_steps(bencher: Bencher<'_, '_>) {
    let size = RING.system.size();
    let steps = Successors::new(&RING.system, u64::MAX, &MONITOR).unwrap();
    let run = || {
        u64::from(
            parts::bounded(&RING.system, &steps, (&SAFE, None), size, parts::Effort::new(1e-6), None, &MONITOR)
                .unwrap()
                .sweeps,
        )
    };
    states(bencher, run, size);
}

/// Numbering the configurations up to rotation.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn folding(bencher: Bencher<'_, '_>) {
    let run = || Rotations::new(&RING.system.space, &MONITOR).unwrap().classes();
    states(bencher, run, RING.system.size());
}

/// Expected steps again, up to rotation; items are configurations, not classes.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn expected_steps_folded(bencher: Bencher<'_, '_>) {
    static FOLDED: LazyLock<Survey> = LazyLock::new(|| yokota(&Question::new(Scheduler::Random)));
    let (system, size) = (&FOLDED.system, RING.system.size());
    let safe = parts::really_safe(system, |c, turn| FOLDED.label(c, turn), &MONITOR).unwrap();
    let run = || {
        let steps = Successors::new(system, u64::MAX, &MONITOR).unwrap();
        u64::from(
            parts::bounded(system, &steps, (&safe, None), size, parts::Effort::new(1e-6), None, &MONITOR)
                .unwrap()
                .sweeps,
        )
    };
    states(bencher, run, size);
}

/// The longest run of all alternating schedules, up to the cycle that n = 4 has.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn alternating_safe_set(bencher: Bencher<'_, '_>) {
    let product = Alternating::new(&FICH_JOHNEN.system).unwrap();
    let label = |node, turn| FICH_JOHNEN.label(product.base(node), turn);
    let run = || parts::really_safe(&product, label, &MONITOR).unwrap().count();
    states(bencher, run, product.size());
}

/// One depth-first pass over everything outside a set that is reached from everywhere.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn longest_run(bencher: Bencher<'_, '_>) {
    static THREE: LazyLock<Survey> = LazyLock::new(|| fich_johnen(3));
    let product = Alternating::new(&THREE.system).unwrap();
    let safe = parts::really_safe(&product, |node, turn| THREE.label(product.base(node), turn), &MONITOR).unwrap();
    let run = || u64::from(longest(&product, &safe, |_| 1, &MONITOR).is_ok());
    states(bencher, run, product.size());
}

/// Streett analysis of local fairness.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn locally_fair(bencher: Bencher<'_, '_>) {
    let run = || {
        let mut search = Recurrence::new(&RING.system, &RING.system, Fairness::Actions(Level::Transition));
        search.smallest(SAFE.missing().collect(), &MONITOR, |_| true).unwrap().map_or(0, |set| set.len() as u64)
    };
    states(bencher, run, RING.system.size());
}
