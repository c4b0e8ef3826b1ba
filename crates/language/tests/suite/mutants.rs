//! Mutated files: an error with a place or a protocol, never a panic, a hang or memory without bound.

use ringleader_erased::Parameters;
use ringleader_language::{Instance, Source, format};
use ringleader_model::{NoCoin, Odometer, Told, View};
use std::path::Path;
use std::time::{Duration, Instant};

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

/// Keywords and signs to insert at wrong places.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "->",
    ":=",
    "=",
    "..",
    ":",
    ";",
    ",",
    ".",
    "\n",
    "\n  ",
    "and",
    "or",
    "not",
    "all i : ",
    "count i :",
    "least d in 0..99999 : ",
    "if",
    "then",
    "else",
    "n",
    "0",
    "1",
    "2^62",
    "99999999999999999999",
    "9007199254740992",
    "mod",
    "/",
    "*",
    "^",
    "-",
    "l.",
    "r.",
    "left.",
    "x",
    "leader",
    "draw 0..9999999",
    "coin",
    "\"",
    "#",
    "first:",
    "in order:",
    "at once:",
    "any:",
    "exactly one:",
    "state",
    "state y : 0..4294967295\n",
    "let f(i) = ",
    "supports",
    "goal",
    "safe =",
    "closed",
    "é",
    "→",
    "\u{0}",
    "\t",
];

fn mutate(text: &str, dice: &mut Dice) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..1 + dice.below(4) {
        let (at, len) = (dice.below(text.len()), text.len());
        match dice.below(6) {
            0 => drop(text.splice(at..at, PIECES[dice.below(PIECES.len())].chars())),
            1 => drop(text.drain(at..(at + 1 + dice.below(8)).min(len))),
            2 => {
                let copied: Vec<char> = text[at..(at + dice.below(40)).min(len)].to_vec();
                let to = dice.below(len);
                drop(text.splice(to..to, copied));
            }
            3 => text.truncate(at),
            4 => {
                let other = dice.below(len);
                if at < len && other < len {
                    text.swap(at, other);
                }
            }
            _ => {
                let end = (at + 1 + dice.below(6)).min(len);
                drop(text.splice(at.min(end)..end, PIECES[dice.below(PIECES.len())].chars()));
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text.into_iter().collect()
}

/// A mutant that is accepted must run without a panic.
fn use_it(instance: &Instance) {
    match instance {
        Instance::Robust(never) => match *never {},
        Instance::Population(p) => {
            for (u, v) in [(0, 0), (0, p.states() - 1), (p.states() / 2, p.states() - 1)] {
                let mut runs = 0;
                if p.states() < 1 << 20 {
                    Odometer::each(|coin| {
                        runs += 1;
                        if runs < 1000 {
                            p.try_interact(u, v, Told::both(true), coin).unwrap();
                        }
                    });
                }
                p.marks_of(u);
            }
            let _ = p.judge(3).map(|mut judge| judge.judge(&[0, 0, 0]));
        }
        Instance::Ring(r) => {
            let last = r.states() - 1;
            for (left, own, right) in [(0, 0, 0), (0, last, 0), (last, 0, last)] {
                let view = View { at: ringleader_model::Place::Bottom, left, own, right };
                let mut runs = 0;
                Odometer::each(|coin| {
                    runs += 1;
                    if runs < 1000 {
                        r.try_act(view, coin).unwrap();
                    }
                });
            }
        }
        Instance::Graph(g) => {
            let last = g.states() - 1;
            for (own, other) in [(0, 0), (0, last), (last, 0), (last, last)] {
                let mut states = vec![other; g.neighbours().of(0).len() + 1];
                states[0] = own;
                let mut runs = 0;
                Odometer::each(|coin| {
                    runs += 1;
                    if runs < 1000 {
                        g.try_act(0, &states, coin).unwrap();
                    }
                });
                g.marks_of(0, &states);
            }
            let _ = g.judge(g.size()).map(|mut judge| judge.judge(&vec![0; g.size()]));
        }
        Instance::Message(m) => {
            use ringleader_model::{Event, Process};
            let state = m.start(0);
            if m.ready(&state, &Event::Step) {
                let (mut next, mut out) = (state, vec![]);
                m.on(0, &mut next, Event::Step, &mut out, &mut First);
            }
            let _ = NoCoin;
        }
    }
}

/// Always the first side.
struct First;

impl ringleader_model::Coin for First {
    fn below(&mut self, _: u32) -> u32 {
        0
    }
}

fn run(count: usize, seed: u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directories = [root.join("../catalog/protocols"), root.join("tests/twins")];
    let paths = directories.iter().flat_map(|directory| std::fs::read_dir(directory).unwrap());
    let mut paths: Vec<_> = paths.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts: Vec<_> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let mut dice = Dice(seed);
    let (mut right, mut slowest) = (0, Duration::ZERO);
    for _ in 0..count {
        let text = mutate(&texts[dice.below(texts.len())], &mut dice);
        let start = Instant::now();
        match Source::parse("mutant.ring", &text) {
            Err(wrong) => {
                assert!(!wrong.is_empty() && !wrong.to_string().is_empty());
                wrong.iter().for_each(|d| assert!(d.span.end <= text.len() + 1, "{d:?}\n{text}"));
            }
            Ok(protocol) => {
                right += 1;
                protocol.warnings().to_string();
                for size in [2, 3, 5] {
                    protocol.instance(&Parameters::new(size)).iter().for_each(use_it);
                }
                let again = format("mutant.ring", &text).unwrap();
                assert!(Source::parse("mutant.ring", &again).is_ok(), "laid out, it is wrong:\n{text}\n---\n{again}");
            }
        }
        slowest = slowest.max(start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(20), "{text}");
    }
    println!("{count} mutants, {right} of them protocols, the slowest {slowest:?}");
    assert!(right > 0);
}

#[test]
fn mutants_are_refused_with_a_place_or_work() {
    run(400, 0x9e37_79b9_7f4a_7c15);
}

/// The whole run: `cargo test -p ringleader-language --test suite mutants:: -- --ignored --nocapture`
#[test]
#[ignore = "the whole run; it takes a quarter of a minute on a quiet machine"]
fn ten_thousand_mutants() {
    run(10_000, 0x1234_5678_9abc_def1);
}
