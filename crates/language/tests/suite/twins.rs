//! Text twins of built-in algorithms: the same states, rules fired, marks and sets, the same state spaces.

use ringleader_algorithms::message::{Identities, chang_roberts::ChangRoberts, franklin::Franklin};
use ringleader_algorithms::population::{
    angluin_ring::AngluinRing, fischer_jiang_complete::FischerJiangComplete, fischer_jiang_ring::FischerJiangRing,
    token_circulation::TokenCirculation, yokota_ring::YokotaRing,
};
use ringleader_algorithms::ring::{burns_pachl::BurnsPachl, fich_johnen::FichJohnen, gouda_haddix::GoudaHaddix};
use ringleader_erased::{MessageInstance, Number, Parameters, PopulationInstance, RingInstance, RuleTable, Verdict};
use ringleader_explore::{Options, Space};
use ringleader_language::{Instance, Protocol, Source};
use ringleader_model::{Channels, Place, Population, Ring, Stabilizing, View};

fn read(name: &str) -> Protocol {
    let path = format!("{}/tests/twins/{name}.ring", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.lines().count() <= 60, "{name} is longer than 60 lines");
    let protocol = Source::parse(&path, &text).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(protocol.warnings().is_empty(), "{}", protocol.warnings());
    assert_eq!(protocol.card().name, name);
    protocol
}

fn population(name: &str, parameters: &Parameters) -> PopulationInstance {
    match read(name).instance(parameters) {
        Ok(Instance::Population(instance)) => instance,
        other => panic!("{other:?}"),
    }
}

fn ring(name: &str, parameters: &Parameters) -> RingInstance {
    match read(name).instance(parameters) {
        Ok(Instance::Ring(instance)) => instance,
        other => panic!("{other:?}"),
    }
}

/// Both versions evaluate all configurations.
fn same_verdicts<A: Stabilizing<State = Number>>(
    (a, b): (&A, &A),
    states: u64,
    size: usize,
    judge: impl Fn(&A, &[u32]) -> Verdict,
) {
    assert_eq!((a.goal(), a.safety()), (b.goal(), b.safety()));
    let names =
        |x: &A| x.closed_sets().iter().map(|set| (set.name.to_string(), set.claim.to_string())).collect::<Vec<_>>();
    assert_eq!(names(a), names(b));
    let mut digits = vec![0u32; size];
    loop {
        let (x, y) = (judge(a, &digits), judge(b, &digits));
        assert_eq!(x, y, "{digits:?}");
        let numbers: Vec<_> = digits.iter().map(|d| Number((*d).into())).collect();
        assert_eq!(a.safe_fast(&numbers), b.safe_fast(&numbers), "{digits:?}");
        // Asked one after the other it is the same as at once.
        assert!(!y.possible || (y.correct, y.safe) == (b.correct(&numbers), b.safe(&numbers)), "{digits:?}");
        let Some(at) = digits.iter().position(|d| u64::from(*d) + 1 < states) else { break };
        digits[at] += 1;
        digits[..at].fill(0);
    }
}

fn same_population<A: Population + Stabilizing + 'static>(name: &str, built_in: A, parameters: &Parameters) {
    same_populations(&PopulationInstance::new(built_in).unwrap(), &population(name, parameters), parameters.size);
}

fn same_populations(a: &PopulationInstance, b: &PopulationInstance, size: usize) {
    assert_eq!((a.states(), a.tellings()), (b.states(), b.tellings()));
    for state in 0..a.states() {
        assert_eq!((a.text(state), a.marks_of(state)), (b.text(state), b.marks_of(state)));
    }
    assert_eq!(RuleTable::population(a).unwrap(), RuleTable::population(b).unwrap());
    let judge = |x: &PopulationInstance, digits: &[u32]| x.judge(digits.len()).unwrap().judge(digits);
    same_verdicts((a, b), a.states(), size, judge);
}

fn same_ring<A: Ring + Stabilizing + 'static>(name: &str, built_in: A, parameters: &Parameters) {
    same_rings(&RingInstance::new(built_in).unwrap(), &ring(name, parameters), parameters.size);
}

fn same_rings(a: &RingInstance, b: &RingInstance, size: usize) {
    assert_eq!((a.states(), a.chain(), a.reads()), (b.states(), b.chain(), b.reads()));
    for at in Place::ALL {
        assert_eq!(RuleTable::ring(a, at).unwrap(), RuleTable::ring(b, at).unwrap());
        for (left, own) in (0..a.states()).flat_map(|left| (0..a.states()).map(move |own| (left, own))) {
            assert_eq!(a.text(own), b.text(own));
            let view = View { at, left, own, right: own };
            assert_eq!(a.marks_of(view), b.marks_of(view), "{view:?}");
        }
    }
    let judge = |x: &RingInstance, digits: &[u32]| x.judge(digits.len()).unwrap().judge(digits);
    same_verdicts((a, b), a.states(), size, judge);
}

/// Configurations of more agents than are looked at in one go: half of them made of few states, so that some are safe.
fn same_when_large<A: Population + Stabilizing + 'static>(name: &str, built_in: A, parameters: &Parameters) {
    let safe = safe_when_large(&PopulationInstance::new(built_in).unwrap(), &population(name, parameters), parameters);
    println!("{name}: {safe} safe");
    assert!(safe > 0, "{name}");
}

/// The number of safe configurations among them.
fn safe_when_large(a: &PopulationInstance, b: &PopulationInstance, parameters: &Parameters) -> u32 {
    let mut seed = 1u64;
    let mut below = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let mut safe = 0;
    for round in 0..4000u64 {
        let few = if round % 2 == 0 { 1 + round % 4 } else { a.states() };
        let mut states: Vec<_> = (0..parameters.size).map(|_| Number(below(few))).collect();
        states[0] = Number(below(a.states()));
        [a, b].iter().for_each(|x| x.restore(&mut states));
        assert_eq!((a.correct(&states), a.safe(&states)), (b.correct(&states), b.safe(&states)), "{states:?}");
        assert_eq!(a.safe_fast(&states), b.safe_fast(&states));
        let sets =
            |x: &PopulationInstance| x.closed_sets().iter().map(|set| (set.contains)(&states)).collect::<Vec<_>>();
        assert_eq!(sets(a), sets(b));
        safe += u32::from(a.safe(&states));
    }
    safe
}

#[test]
fn large_configurations() {
    same_when_large("fischer-jiang-ring", FischerJiangRing, &Parameters::new(40));
    same_when_large("yokota-ring", YokotaRing { bound: 40 }, &Parameters::new(40));
    // At this size no quantifier is unrolled.
    same_when_large("fischer-jiang-ring", FischerJiangRing, &Parameters::new(50));
    same_when_large("yokota-ring", YokotaRing { bound: 50 }, &Parameters::new(50));
}

#[test]
fn fischer_jiang_complete() {
    for n in 2..6 {
        same_population("fischer-jiang-complete", FischerJiangComplete, &Parameters::new(n));
    }
}

#[test]
fn fischer_jiang_ring() {
    for n in 2..6 {
        same_population("fischer-jiang-ring", FischerJiangRing, &Parameters::new(n));
    }
}

#[test]
fn yokota_ring() {
    for (n, bound) in [(2, 2), (2, 3), (2, 5), (3, 3)] {
        let parameters = Parameters::new(n).with("bound", bound.to_string());
        same_population("yokota-ring", YokotaRing { bound }, &parameters);
    }
}

#[test]
fn angluin_ring() {
    for (n, modulus) in [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 2)] {
        let parameters = Parameters::new(n).with("modulus", modulus.to_string());
        same_population("angluin-ring", AngluinRing { modulus }, &parameters);
    }
}

#[test]
fn token_circulation() {
    for n in 2..6 {
        same_population("token-circulation", TokenCirculation, &Parameters::new(n));
    }
}

#[test]
fn fich_johnen() {
    for n in 2..5 {
        same_ring("fich-johnen", FichJohnen { size: n }, &Parameters::new(n as usize));
    }
}

#[test]
fn burns_pachl() {
    for n in 3..6 {
        same_ring("burns-pachl", BurnsPachl { size: n }, &Parameters::new(n as usize));
    }
}

#[test]
fn gouda_haddix() {
    for n in 2..6 {
        same_ring("gouda-haddix", GoudaHaddix, &Parameters::new(n));
    }
}

fn messages(name: &str, parameters: &Parameters) -> MessageInstance {
    match read(name).instance(parameters) {
        Ok(Instance::Message(instance)) => instance,
        other => panic!("{other:?}"),
    }
}

/// The numbers of states, transitions, final states and local states with inboxes, and the depth.
fn space(model: &MessageInstance, channels: Channels) -> [u64; 5] {
    let options = Options { channels, ..Options::default() };
    let space = Space::explore(model, &options, &mut |_| true).unwrap();
    let all = space.summary();
    let known = [all.states, all.transitions, all.deadlocks].map(Option::unwrap);
    [known[0], known[1], known[2], all.cells, all.depth]
}

#[test]
fn franklin() {
    for (n, ids, variant) in [(2, 2, "a"), (2, 3, "b"), (3, 2, "a"), (3, 2, "b"), (4, 2, "b")] {
        let parameters = Parameters::new(n).with("ids", ids.to_string()).with("variant", variant);
        let built_in = Franklin { size: n as u32, ids, keeps_identity: variant == "b" };
        for channels in [Channels::Bag, Channels::Fifo] {
            let twin = messages("franklin", &parameters);
            assert_eq!(space(&MessageInstance::new(built_in), channels), space(&twin, channels), "{n} {ids} {variant}");
        }
    }
}

#[test]
fn chang_roberts() {
    for identities in ["2,1", "1,2,3", "3,1,2", "4,2,3,1", "ascending", "2,4,5,1,3"] {
        let n = if identities == "ascending" { 4 } else { identities.split(',').count() };
        let parameters = Parameters::new(n).with("identities", identities);
        let built_in = ChangRoberts { identities: Identities::of(&parameters).unwrap() };
        let twin = messages("chang-roberts", &parameters);
        assert_eq!(space(&MessageInstance::new(built_in), Channels::Bag), space(&twin, Channels::Bag));
    }
}

/// An `if` between a bit and a condition is both a condition and a number, and equals its expanded form.
#[test]
fn a_bit_beside_a_condition() {
    let mixed = |c: &str, bit: &str, truth: &str| format!("(if {c} then {bit} else {truth})");
    let turned = |c: &str, bit: &str, truth: &str| format!("(if not ({c}) then {truth} else {bit})");
    let plain = |c: &str, bit: &str, truth: &str| format!("({c} and {bit} or not ({c}) and {truth})");
    let counted = |c: &str, bit: &str, truth: &str| format!("(if {c} then {bit} else if {truth} then 1 else 0)");
    type Choice<'a> = &'a dyn Fn(&str, &str, &str) -> String;
    let sets = |either: Choice<'_>, number: Choice<'_>| {
        let (some, few) = (either("x[i]", "y[i]", "z[i + 1] = 2"), number("y[i]", "x[i + 1]", "z[i] > 0"));
        format!("closed A = some i : {some}\nsafe = all i : z[i] + {few} < 2 or not {some}\n")
    };
    let ring = |either: Choice<'_>, number: Choice<'_>| {
        let (guard, value) = (either("left.x", "y", "left.y = 0"), number("left.x", "left.y", "z < 2"));
        let (bit, sets) = (either("y", "left.x", "left.z = 1"), sets(either, number));
        format!(
            "protocol p\nmodel ring\nstate x, y : bit\nstate z : 0..2\nshow token when x\ngoal one token\n{sets}first:\n  \
             1: {guard} -> x := {bit}; z := 1 + {value}\n  2: not {guard} -> y := not {bit}\n"
        )
    };
    let meeting = |either: Choice<'_>, number: Choice<'_>| {
        let (guard, value) = (either("l.x", "r.y", "l.z = r.z"), number("r.x", "r.y", "l.z < 2"));
        let (bit, sets) = (either("r.y", "l.x", "r.z = 1"), sets(either, number));
        format!(
            "protocol p\nmodel population on directed-ring\nstate x, y : bit\nstate z : 0..2\nshow leader when x\ngoal one leader\n\
             {sets}first:\n  1: {guard} -> r.x := {bit}; l.z := 1 + {value}\n  2: not {guard} -> r.y := not {bit}\n"
        )
    };
    let sending = |either: Choice<'_>, number: Choice<'_>| {
        let (guard, value) = (either("y", "x", "x = 0"), number("m.b", "x", "y = 0"));
        format!(
            "protocol p\nmodel messages on unidirectional-ring\nstate x, y : bit = 0\nstate z : 0..2 = 0\nmessage m(b : bit)\n\
             show leader when z = 2\non step when {guard} and x = 0: x := 1; send right m(1)\non m: y := 1; z := 1 + {value}\n"
        )
    };
    let built = |text: &str, size: usize| {
        let protocol = Source::parse("p.ring", text).unwrap_or_else(|wrong| panic!("{wrong}"));
        protocol.instance(&Parameters::new(size)).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
    };
    for mixed in [&mixed as Choice<'_>, &turned] {
        for (size, text) in [2, 3, 30]
            .into_iter()
            .flat_map(|n| [(n, &ring as &dyn Fn(Choice<'_>, Choice<'_>) -> String), (n, &meeting), (n, &sending)])
        {
            match (built(&text(mixed, mixed), size), built(&text(&plain, &counted), size)) {
                (Instance::Ring(a), Instance::Ring(b)) if size < 4 => same_rings(&a, &b, size),
                (Instance::Population(a), Instance::Population(b)) if size < 4 => same_populations(&a, &b, size),
                (Instance::Population(a), Instance::Population(b)) => {
                    assert!(safe_when_large(&a, &b, &Parameters::new(size)) > 0);
                }
                (Instance::Message(a), Instance::Message(b)) if size < 4 => {
                    assert_eq!(space(&a, Channels::Fifo), space(&b, Channels::Fifo));
                }
                (Instance::Ring(_), Instance::Ring(_)) | (Instance::Message(_), Instance::Message(_)) => {}
                others => panic!("{others:?}"),
            }
        }
    }
}
