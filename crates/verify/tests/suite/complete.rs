//! Complete graphs: the checker's few configurations against labelled agents, one size at a time.

use crate::dice::Dice;
use crate::subjects;
use ringleader_testkit::cases;
use ringleader_verify::{
    Cell, Claim, CompleteCertificate, Formula, Goal, Graphs, Measure, Move, Possible, Range, Rejection, Rules,
    Scheduler, State, Variable, verify_complete,
};
use std::cmp::Ordering;

/// A formula's value in a state.
fn holds(rules: &Rules, f: &Formula, s: State) -> bool {
    let of = |f: &Formula| holds(rules, f, s);
    let value = |v: &str| rules.variables.iter().find(|x| x.name == v).expect("a variable").values[usize::from(s)];
    match f {
        Formula::Constant(c) => *c,
        Formula::Name(v) => value(v) == 1,
        Formula::Value(v, k) => value(v) == *k,
        Formula::Not(a) => !of(a),
        Formula::And(a, b) => of(a) && of(b),
        Formula::Or(a, b) => of(a) || of(b),
        other => panic!("{other:?}"),
    }
}

/// What any two of the agents can make of a configuration.
fn steps(rules: &Rules, w: &[State]) -> Vec<Vec<State>> {
    let seen = rules.detector.as_ref().map(|d| w.iter().any(|s| d.contains(s)));
    let mut next = Vec::new();
    for (i, j) in (0..w.len()).flat_map(|i| (0..w.len()).map(move |j| (i, j))).filter(|(i, j)| i != j) {
        for m in &rules.moves {
            let right = m.right.expect("a meeting");
            if (w[i], w[j]) == (m.own.before, right.before) && m.seen.is_none_or(|s| seen == Some(s)) {
                let mut v = w.to_vec();
                (v[i], v[j]) = (m.own.after, right.after);
                next.push(v);
            }
        }
    }
    next
}

fn safe(c: &CompleteCertificate, w: &[State]) -> bool {
    let count = |s: usize| w.iter().filter(|t| usize::from(**t) == s).count();
    let within = |(s, r): (usize, &Range)| count(s) >= r.least && r.most.is_none_or(|most| count(s) <= most);
    c.safe.iter().any(|ranges| ranges.iter().enumerate().all(within))
}

/// Who has what is promised, if it is kept.
fn promised(rules: &Rules, w: &[State]) -> Option<Vec<(usize, usize)>> {
    let read = |text: &String| text.parse::<Formula>().unwrap();
    match &rules.goal {
        Goal::Everywhere { formula } => w.iter().all(|s| holds(rules, &read(formula), *s)).then(Vec::new),
        Goal::ExactlyOne { of, stays } => {
            let all: Vec<(usize, usize)> = (0..of.len())
                .flat_map(|k| (0..w.len()).map(move |i| (k, i)))
                .filter(|&(k, i)| holds(rules, &read(&of[k]), w[i]))
                .collect();
            (all.len() == 1).then(|| if *stays { all } else { Vec::new() })
        }
    }
}

fn value(c: &CompleteCertificate, measure: &str, w: &[State]) -> i32 {
    match measure.parse().unwrap() {
        Measure::Unsafe => i32::from(!safe(c, w)),
        Measure::Count(terms) => {
            let count = |f: &Formula| w.iter().filter(|s| holds(&c.rules, f, **s)).count() as i32;
            terms.iter().map(|(k, f)| k * count(f)).sum()
        }
        other => panic!("{other:?}"),
    }
}

/// Whether something is wrong with a certificate at one size.
fn refuted(c: &CompleteCertificate, n: usize) -> bool {
    let q = c.rules.states.len();
    (0..q.pow(n as u32)).any(|code| {
        let w: Vec<State> = (0..n as u32).map(|i| (code / q.pow(i) % q) as State).collect();
        let next = steps(&c.rules, &w);
        if safe(c, &w) {
            let who = promised(&c.rules, &w);
            return who.is_none() || next.iter().any(|v| !safe(c, v) || promised(&c.rules, v) != who);
        }
        let falls = |v: &Vec<State>| {
            let change = |m: &String| value(c, m, v).cmp(&value(c, m, &w));
            c.measures.iter().map(change).find(|o| o.is_ne()) == Some(Ordering::Less)
        };
        match c.scheduler {
            Scheduler::GloballyFair => !next.iter().any(falls),
            _ => next.is_empty() || !next.iter().all(falls),
        }
    })
}

fn fischer_jiang() -> CompleteCertificate {
    CompleteCertificate {
        version: 1,
        graph: Graphs::Complete,
        subject: "fischer-jiang-complete".into(),
        text: None,
        rules: subjects::fischer_jiang_complete(),
        from: 2,
        scheduler: Scheduler::Unfair,
        safe: vec![vec![Range { least: 1, most: None }, Range { least: 1, most: Some(1) }]],
        measures: vec!["safe".into(), "C:L".into()],
    }
}

#[test]
fn fischer_jiang_holds_on_every_complete_graph() {
    let certificate = fischer_jiang();
    verify_complete(&certificate).unwrap();
    for n in 2..=7 {
        assert!(!refuted(&certificate, n));
    }
    assert_eq!(CompleteCertificate::from_json(&certificate.to_json()).unwrap(), certificate);
}

#[test]
fn changed_proofs_are_rejected_for_what_is_wrong_with_them() {
    let refused = |change: &dyn Fn(&mut CompleteCertificate)| {
        let mut certificate = fischer_jiang();
        change(&mut certificate);
        verify_complete(&certificate).expect_err("it is bad")
    };
    let fails = |claim: Claim, change: &dyn Fn(&mut CompleteCertificate)| {
        assert!(matches!(refused(change), Rejection::Fails(failed, ..) if failed == claim), "{claim:?}");
    };
    fails(Claim::EveryFalls, &|c| c.measures = vec!["safe".into()]);
    fails(Claim::EveryFalls, &|c| c.measures = vec!["C:L".into()]);
    fails(Claim::EveryFalls, &|c| c.measures.swap(0, 1));
    fails(Claim::Promise, &|c| c.safe[0][1].most = Some(2));
    fails(Claim::Progress, &|c| c.rules.moves.truncate(2));
    let malformed = |words: &str, change: &dyn Fn(&mut CompleteCertificate)| {
        assert!(matches!(refused(change), Rejection::Malformed(why) if why.to_string().contains(words)), "{words}");
    };
    malformed("not in a row", &|c| c.measures[1] = "L:L".into());
    malformed("own state", &|c| c.measures[1] = "C:X L".into());
    malformed("measure 2 cannot be read: at byte 2", &|c| c.measures[1] = "C:".into());
    malformed("from 1 agents", &|c| c.from = 1);
    malformed("a range for each", &|c| _ = c.safe[0].pop());
    malformed("`own` and `right`", &|c| c.rules.moves[2].right = None);
    malformed("every state is possible", &|c| c.rules.possible.top = vec![0]);
    malformed("version 2", &|c| c.version = 2);
    assert_eq!(refused(&|c| c.safe[0][1].most = Some(usize::MAX)), Rejection::TooLarge);
}

fn random(dice: &mut Dice) -> CompleteCertificate {
    let q = 2 + dice.below(2);
    let mut moves = Vec::new();
    for _ in 0..1 + dice.below(5) {
        let mut cell = || Cell { before: dice.below(q) as State, after: dice.below(q) as State };
        let (own, right) = (cell(), Some(cell()));
        let seen = [None, None, Some(false), Some(true)][dice.below(4)];
        let m = Move { rule: 0, place: None, seen, left: None, own, right };
        if m.cells().iter().any(|c| c.before != c.after) {
            moves.push(m);
        }
    }
    let formula = |dice: &mut Dice| ["x=0", "x=1", "!x=1", "(x=0 | x=1)", "1"][dice.below(5)].to_string();
    let range = |dice: &mut Dice| {
        let least = dice.below(3);
        Range { least, most: (dice.below(2) == 0).then(|| least + dice.below(2)) }
    };
    let measure = |dice: &mut Dice| match dice.below(3) {
        0 => "safe".to_string(),
        1 => format!("C:{}", formula(dice)),
        _ => format!("C:2*{} - {}", formula(dice), formula(dice)),
    };
    CompleteCertificate {
        version: 1,
        graph: Graphs::Complete,
        subject: "random".into(),
        text: None,
        rules: Rules {
            states: (0..q).map(|s| s.to_string()).collect(),
            variables: vec![Variable { name: "x".into(), size: q as u8, values: (0..q as u8).collect() }],
            marks: vec![],
            rules: vec!["go".into()],
            moves,
            tosses: vec![],
            given: None,
            possible: Possible::all(q),
            detector: Some(vec![0]),
            goal: match dice.below(2) {
                0 => Goal::Everywhere { formula: formula(dice) },
                _ => Goal::ExactlyOne { of: vec![formula(dice)], stays: dice.below(2) == 0 },
            },
        },
        from: 2 + dice.below(2),
        scheduler: [Scheduler::GloballyFair, Scheduler::Unfair][dice.below(2)],
        safe: (0..1 + dice.below(2)).map(|_| (0..q).map(|_| range(dice)).collect()).collect(),
        measures: (0..dice.below(3)).map(|_| measure(dice)).collect(),
    }
}

/// How many agents a rejection speaks of.
fn size(rejection: &Rejection) -> usize {
    let Rejection::Fails(_, word, _) = rejection else { panic!("{rejection}") };
    word.len()
}

/// Whatever is accepted is right at every size that is looked at; whatever is rejected is wrong where it is said to be.
#[test]
fn random_certificates_are_judged_as_labelled_agents_judge_them() {
    let mut dice = Dice(3);
    let (mut held, mut compared) = (0, 0);
    for _ in 0..cases(4_000, 10_000) {
        let certificate = random(&mut dice);
        match verify_complete(&certificate) {
            Ok(_) => {
                held += 1;
                assert!(!(certificate.from..=6).any(|n| refuted(&certificate, n)), "{certificate:?}");
            }
            Err(why) if size(&why) <= 6 => {
                compared += 1;
                assert!(refuted(&certificate, size(&why)), "{why} {certificate:?}");
            }
            Err(_) => {}
        }
    }
    println!("{held} hold, {compared} are wrong at six agents or fewer");
    assert!(held > 15 && compared > 2_000);
}
