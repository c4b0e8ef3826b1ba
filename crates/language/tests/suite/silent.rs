//! Runs without an observer use specialised rules. They reach the same states as the rules, with the same coins.

use ringleader_erased::{Kind, Number, Parameters};
use ringleader_language::{Instance, Source};
use ringleader_model::{Coin, Population, Ring, Told, View};
use std::path::Path;

/// Coins that repeat for the same seed, with a count of tosses.
struct Script {
    state: u64,
    tosses: u32,
    listens: bool,
}

impl Script {
    fn new(state: u64, listens: bool) -> Script {
        Script { state, tosses: 0, listens }
    }

    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.state >> 33
    }
}

impl Coin for Script {
    fn below(&mut self, n: u32) -> u32 {
        self.tosses += 1;
        (self.draw() % u64::from(n)) as u32
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.tosses += 100;
        (self.draw() % u64::from(n)) as u32
    }

    fn listens(&self) -> bool {
        self.listens
    }
}

const SAMPLES: u64 = 20_000;

/// Compares both versions on random states; returns whether any state changed.
fn compare(instance: &Instance, what: &str) -> bool {
    let (mut dice, mut changed) = (Script::new(7, false), false);
    for seed in 0..SAMPLES {
        let (mut loud, mut silent) = (Script::new(seed, true), Script::new(seed, false));
        match instance {
            Instance::Robust(never) => match *never {},
            Instance::Population(p) => {
                let [u, v] = [dice.draw(), dice.draw()].map(|state| state % p.states());
                let told = Told::ALL[dice.draw() as usize % 4];
                let slow = p.try_interact(u, v, told, &mut loud).unwrap();
                let fast = p.interact(Number(u), Number(v), told, &mut silent);
                assert_eq!((Number(slow.0), Number(slow.1)), fast, "{what}: {} and {}", p.text(u), p.text(v));
                changed |= slow != (u, v);
                // Results are cached unless coins were tossed.
                assert!(silent.tosses == loud.tosses, "{what}");
            }
            Instance::Ring(r) => {
                let states: Vec<u64> = (0..4).map(|_| dice.draw() % r.states()).collect();
                let process = dice.draw() as usize % 4;
                let view = View::of(&states, process, r.chain());
                let slow = r.try_act(view, &mut loud).unwrap();
                let fast = r.act(view.map(Number), &mut silent);
                assert_eq!((Number(slow), loud.tosses), (fast, silent.tosses), "{what}: {}", r.text(states[process]));
                changed |= slow != states[process];
            }
            // These have no faster version.
            Instance::Graph(_) | Instance::Message(_) => return true,
        }
    }
    changed
}

#[test]
fn runs_without_an_observer_reach_the_same_states() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compared = 0;
    for folder in ["../catalog/protocols", "tests/twins"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let protocol = Source::known(&path.display().to_string(), &text).unwrap();
            // Without a graph they are on a complete one, which is slow to build for thousands, and they have no faster version.
            if protocol.card().kind == Kind::Graph {
                continue;
            }
            let supported = |n: &usize| protocol.supports(&Parameters::new(*n)).is_ok();
            // Small domains leave nothing to do, large ones much.
            for size in [(2..20).find(supported), (50..200).find(supported), (3000..4000).find(supported)] {
                let Some(Ok(instance)) = size.map(|n| protocol.instance(&Parameters::new(n))) else { continue };
                let what = format!("{} n = {size:?}", protocol.card().name);
                assert!(compare(&instance, &what), "{what}: nothing ever changed");
                compared += 1;
            }
        }
    }
    assert!(compared > 30, "only {compared}");
}

/// Arithmetic on unknown values, coins and choices, in both branches of every condition.
#[test]
fn every_kind_of_rule_reaches_the_same_states() {
    let head = "protocol p\nmodel population on complete\nstate x, y : 0..5000\nstate z : 3..5000\nstate b, leader : bit\nstate seven : 7..7\n\
                show leader when leader\ngoal one leader\n";
    let bodies = [
        "in order:\n  1: l.x < r.y -> l.x := (l.x + r.y) mod 5001\n  2: l.x >= 4000 -> r.x := l.x - 4000; l.b := not l.b\n  \
         3: r.z > l.y or l.b -> r.z := max(min(r.z - l.seven, l.y), 3)\n  4: l.x = r.x -> l.y := l.x / (1 + r.b) \n",
        "first:\n  1: l.x in {3, 100..2500} -> l.x, l.y := l.y, l.x\n  2: l.b -> l.x := draw 1..r.z; r.leader := coin\n  \
         3: r.x <= 2500 -> r.y := 2 * r.x; l.z := if l.y < 3 then 3 else l.y\n  4: else -> r.b := prime(l.x); r.y := log2(r.z)\n",
        "any:\n  1: l.x > 2000 -> l.x := 5\n  2: r.x > 2000 -> r.x := 5\n  3: l.b != r.b -> l.b := r.b\n  4: l.x = l.y -> l.y := 0\n",
        "at once:\n  1: l.x > r.x -> l.x := r.x\n  2: r.x > 7 -> r.x := l.x\n  3: l.b -> l.leader := r.leader\n",
        "first:\n  1: l.x ^ 2 > r.y * r.z -> l.y := min(l.x * r.x, 5000); r.b := 1\n  2: l.x mod (r.b + 2) = 1 -> r.z := 5000\n",
    ];
    for body in bodies {
        let protocol = Source::known("p.ring", &format!("{head}{body}")).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(compare(&protocol.instance(&Parameters::new(4)).unwrap(), body), "{body}");
    }
}
