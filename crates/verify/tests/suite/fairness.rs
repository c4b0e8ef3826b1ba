//! Weakly fair schedules: the checker and brute force.

use crate::agreement::{random_formula, random_rules};
use crate::brute::{compare, configurations, holds, promised, really_safe};
use crate::choices::{self, single};
use crate::dice::Dice;
use crate::helpers::{helpers, lasso, misjudged};
use crate::subjects::automaton;
use ringleader_testkit::cases;
use ringleader_verify::{
    Cell, Certificate, Claim, Coins, FailureCertificate, Formula, Goal, Measure, Move, Place, Rejection, Rules,
    Scheduler, Sizes, State, Toss, verify, verify_failure,
};
use std::cmp::Ordering;
use std::collections::BTreeSet;

type Word = Vec<State>;

/// The daemon's choices in a configuration: the agent that acts, and the configurations that the outcomes of its coin lead to.
pub(crate) fn acts(rules: &Rules, w: &[State]) -> Vec<(usize, Vec<Word>)> {
    if !rules.tosses.is_empty() {
        return single(rules, w);
    }
    let n = w.len();
    let seen = rules.detector.as_ref().map(|d| w.iter().any(|s| d.contains(s)));
    let mut next = Vec::new();
    for (i, m) in (0..n).flat_map(|i| rules.moves.iter().map(move |m| (i, m))) {
        let at = |k: usize| (i + n + k - m.centre()) % n;
        let fits = m.cells().iter().enumerate().all(|(k, c)| w[at(k)] == c.before);
        let placed = m.place.is_none_or(|p| p == Place::of(i, n));
        if fits && placed && m.seen.is_none_or(|s| seen == Some(s)) {
            let mut v = w.to_vec();
            m.cells().iter().enumerate().for_each(|(k, c)| v[at(k)] = c.after);
            next.push((i, vec![v]));
        }
    }
    next
}

/// What is wrong with a certificate at one size, by the argument.
fn refute(c: &Certificate, n: usize) -> Option<String> {
    let rules = &c.rules;
    let measures: Vec<Measure> = c.measures.iter().map(|m| m.parse().unwrap()).collect();
    let formula: Formula = c.helpful.as_ref().expect("a formula").parse().unwrap();
    let helpers = |w: &[State]| -> BTreeSet<usize> { (0..n).filter(|i| holds(rules, &formula, w, *i)).collect() };
    if !rules.tosses.is_empty() && c.coins == Coins::Adversarial {
        return Some("coins of an adversary".into());
    }
    let arc = |m: &Move| m.left.is_none() && m.right.is_some();
    if c.scheduler == Scheduler::LocallyFair && (c.coins == Coins::Fair || !rules.moves.iter().all(arc)) {
        return Some("agents that are no arcs".into());
    }
    for w in configurations(rules, n) {
        let next = acts(rules, &w);
        let mut all = next.iter().flat_map(|(_, outcomes)| outcomes);
        let outside = |v: &Word| (0..n).any(|i| !rules.possible.at(Place::of(i, n)).contains(&v[i]));
        if let Some(v) = all.clone().find(|v| outside(v)) {
            return Some(format!("{w:?} -> {v:?}, which is no configuration"));
        }
        if c.safe.accepts(&w) {
            let Some(who) = promised(rules, &w) else { return Some(format!("{w:?} is not as promised")) };
            let leaves = |v: &Word| !c.safe.accepts(v) || promised(rules, v).as_ref() != Some(&who);
            if let Some(v) = all.find(|v| leaves(v)) {
                return Some(format!("{w:?} -> {v:?} is not safe"));
            }
            continue;
        }
        let helping = helpers(&w);
        if helping.is_empty() {
            return Some(format!("{w:?}: nobody is helpful"));
        }
        if helping.iter().any(|i| next.iter().all(|(j, _)| i != j)) {
            return Some(format!("{w:?}: a helpful agent is not enabled"));
        }
        for (i, outcomes) in &next {
            let change =
                |v: &Word| measures.iter().map(|m| compare(rules, &c.safe, m, v, &w)).find(|change| change.is_ne());
            let stays = |v: &Word| change(v).is_none() && helping.is_subset(&helpers(v));
            let falls = outcomes.iter().any(|v| change(v) == Some(Ordering::Less));
            if !falls && (helping.contains(i) || !outcomes.iter().all(stays)) {
                return Some(format!("{w:?} -> {outcomes:?} of agent {i}"));
            }
        }
    }
    None
}

/// Whether every weakly fair execution reaches what is really safe, at one size, with coins with probability 1: a daemon that prevents it
/// stays, with all outcomes of its choices, among configurations that are reached from each other, and each agent acts there, or is not
/// enabled somewhere.
pub(crate) fn is_true(rules: &Rules, n: usize) -> bool {
    let safe = really_safe(rules, n);
    let outside: Vec<Word> = configurations(rules, n).into_iter().filter(|w| !safe.contains(w)).collect();
    let all: Vec<Vec<(usize, Vec<Word>)>> = outside.iter().map(|w| acts(rules, w)).collect();
    // The choices that may be made for ever: none of their outcomes is safe, or leads where no such choice leads back.
    let kept = |(agent, outcomes): &(usize, Vec<Word>)| {
        let to: Option<Vec<usize>> = outcomes.iter().map(|v| outside.iter().position(|o| o == v)).collect();
        Some((*agent, to?))
    };
    let mut next: Vec<Vec<(usize, Vec<usize>)>> = all.iter().map(|own| own.iter().filter_map(kept).collect()).collect();
    let reached = loop {
        let from = |from: usize| {
            let (mut met, mut open) = (BTreeSet::from([from]), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(next[at].iter().flat_map(|(_, to)| to).copied().filter(|to| met.insert(*to)));
            }
            met
        };
        let reached: Vec<BTreeSet<usize>> = (0..outside.len()).map(from).collect();
        let before = next.clone();
        for (at, own) in next.iter_mut().enumerate() {
            own.retain(|(_, outcomes)| outcomes.iter().all(|to| reached[*to].contains(&at)));
        }
        if next == before {
            break reached;
        }
    };
    !(0..outside.len()).any(|from| {
        let among: BTreeSet<usize> = reached[from].iter().copied().filter(|to| reached[*to].contains(&from)).collect();
        let serves =
            |at: usize, agent| all[at].iter().all(|(i, _)| *i != agent) || next[at].iter().any(|(i, _)| *i == agent);
        (0..n).all(|agent| among.iter().any(|at| serves(*at, agent)))
    })
}

#[test]
fn the_small_certificates_are_what_brute_force_says() {
    let helpers = helpers();
    assert_eq!(misjudged(&helpers), 0);
    for (certificate, accepted) in &helpers {
        let wrong = (3..=5).find_map(|n| refute(certificate, n));
        assert_eq!(wrong.is_none(), *accepted, "{wrong:?} {:?} {:?}", certificate.helpful, certificate.measures);
        assert!(!accepted || (3..=5).all(|n| is_true(&certificate.rules, n)));
    }
}

#[test]
fn other_certificates_have_no_helpful_agents_and_these_have() {
    let (certificate, _) = helpers().into_iter().find(|(_, accepted)| *accepted).expect("some hold");
    let refused = |certificate: &Certificate, why: &str| {
        let rejection = verify(certificate).expect_err("it is refused").to_string();
        assert!(rejection.contains(why), "{rejection}");
    };
    refused(&Certificate { helpful: None, ..certificate.clone() }, "need a formula of helpful agents");
    refused(&Certificate { scheduler: Scheduler::Unfair, ..certificate.clone() }, "are for weakly fair schedules");
    refused(&Certificate { helpful: Some("here".into()), ..certificate.clone() }, "no variable, mark or rule `here`");
    refused(&Certificate { helpful: Some("(acts)".into()), ..certificate.clone() }, "cannot be read");
    assert_eq!(verify_failure(&lasso()), Ok(()));
    let refused = |scheduler, measures: &[&str], why: &str| {
        let measures = measures.iter().map(|m| m.to_string()).collect();
        let rejection =
            verify_failure(&FailureCertificate { scheduler, measures, ..lasso() }).expect_err("it is refused");
        assert!(rejection.to_string().contains(why), "{rejection}");
    };
    refused(Scheduler::LocallyFair, &[], "every move is of an agent and its right neighbour");
    refused(Scheduler::Unfair, &["C:here"], "measures of a trap are for weakly fair schedules");
    refused(Scheduler::WeaklyFair, &["C:there"], "there");
    assert_eq!(verify_failure(&FailureCertificate { scheduler: Scheduler::WeaklyFair, ..lasso() }), Ok(()));
}

/// Agents (or the bottom alone) should leave a state, for ever. Other moves go on for ever.
fn random_claim(dice: &mut Dice, scheduler: Scheduler, coins: bool) -> Certificate {
    let mut rules = if coins { choices::random_rules(dice, true) } else { random_rules(dice) };
    if scheduler == Scheduler::LocallyFair && dice.below(10) > 0 {
        for m in &mut rules.moves {
            (m.left, m.right) = (None, m.right.or(m.left).or(Some(Cell { before: 0, after: 0 })));
        }
        rules.moves.retain(|m| m.cells().iter().any(|c| c.before != c.after));
    }
    let q = rules.states.len();
    let (left, alone) = (dice.below(q), dice.below(2) == 0);
    let enters = |c: Cell| usize::from(c.after) == left && c.before != c.after;
    let stays = |m: &Move| !m.cells().into_iter().any(enters);
    let numbers: Vec<Option<usize>> = (0..rules.moves.len())
        .map(|i| stays(&rules.moves[i]).then(|| rules.moves[..i].iter().filter(|m| stays(m)).count()))
        .collect();
    rules.moves.retain(stays);
    for toss in &mut rules.tosses {
        toss.outcomes = toss.outcomes.iter().filter_map(|i| numbers[*i]).collect();
    }
    rules.tosses.retain(|toss| !toss.outcomes.is_empty());
    if dice.below(4) > 0 {
        let own = Cell { before: left as State, after: ((left + 1) % q) as State };
        let place = alone.then_some(Place::Bottom);
        let beside: Vec<Option<State>> = match scheduler {
            Scheduler::LocallyFair => (0..q as State).map(Some).collect(),
            _ => vec![None],
        };
        if coins {
            rules.tosses.push(Toss { outcomes: vec![rules.moves.len()], idle: true });
        }
        for s in beside {
            let right = s.map(|s| Cell { before: s, after: s });
            rules.moves.push(Move { rule: 0, place, seen: None, left: None, own, right });
        }
    }
    rules.goal = Goal::Everywhere { formula: format!("({} | !x={left})", if alone { "!root" } else { "0" }) };
    let safe = automaton(q, true, |first, s| (s != left || alone && !first).then_some(false), |first| !first);
    let atoms = ["a", "b", &format!("x={left}"), &format!("(root & x={left})")].map(String::from);
    let gone = &atoms[if alone { 3 } else { 2 }];
    let helpful = match dice.below(5) {
        0 => dice.pick(&atoms).clone(),
        1 => random_formula(dice, 1),
        2 => format!("({gone} & {})", random_formula(dice, 1)),
        // Some of them, if there are any such.
        _ => {
            let some = random_formula(dice, 1);
            format!("({gone} & ({some} | !(1 S ({gone} & {some}))))")
        }
    };
    let mut measures: Vec<String> = (0..dice.below(3))
        .map(|_| match dice.below(3) {
            0 => format!("{}:{}", dice.pick(&["C", "L", "R"]), random_formula(dice, 1)),
            _ => format!("{}:{}", dice.pick(&["C", "L", "R"]), gone),
        })
        .collect();
    let at = dice.below(measures.len() + 1);
    measures.insert(at, "safe".into());
    let modulus = 1 + dice.below(2);
    let rules_toss = !rules.tosses.is_empty();
    Certificate {
        version: 1,
        subject: "random".into(),
        safe,
        rules,
        sizes: Sizes { from: 3, modulus, residues: vec![dice.below(modulus)] },
        scheduler,
        coins: if rules_toss { Coins::Fair } else { Coins::Adversarial },
        lasting: None,
        text: None,
        measures,
        recurring: None,
        helpful: Some(helpful),
    }
}

/// Random claims: accepted ones hold by the argument and by their meaning; of the others the named configuration shows it.
fn random_claims_are_judged_as_brute_force_judges_them(
    seed: u64,
    scheduler: Scheduler,
    coins: bool,
    [claims, least]: [usize; 2],
) {
    let mut dice = Dice(seed);
    let (mut accepted, mut only_fair, mut shown) = (0, 0, std::collections::BTreeMap::new());
    for _ in 0..claims {
        let certificate = random_claim(&mut dice, scheduler, coins);
        let rules = &certificate.rules;
        let spoken_of = |n: &usize| certificate.sizes.contains(*n);
        match verify(&certificate) {
            Ok(()) => {
                accepted += 1;
                only_fair += usize::from(match coins {
                    true => !choices::is_true(rules, Scheduler::Unfair, Coins::Fair, 4),
                    false => !crate::brute::failing(rules, 4, Scheduler::Unfair).is_empty(),
                });
                for n in (3..=5).filter(spoken_of) {
                    assert_eq!(refute(&certificate, n), None, "{certificate:?}");
                    assert!(is_true(rules, n), "{certificate:?}");
                }
            }
            Err(Rejection::Fails(claim, w, _)) => {
                assert!(spoken_of(&w.len()));
                if w.len() <= 4 {
                    *shown.entry(format!("{claim:?}")).or_insert(0) += 1;
                    assert!(refute(&certificate, w.len()).is_some(), "{certificate:?}");
                }
            }
            Err(Rejection::Malformed(why)) if why.to_string().contains("its right neighbour") => {
                assert!(refute(&certificate, 3).is_some_and(|why| why.contains("no arcs")), "{certificate:?}");
            }
            Err(Rejection::Malformed(why)) => assert!(why.to_string().contains("detector"), "{why}"),
            Err(other) => panic!("{other}"),
        }
    }
    println!("accepted {accepted}, {only_fair} of them false of unfair schedules; rejected: {shown:?}");
    let all = [Claim::Helped, Claim::Able, Claim::NoneRises, Claim::HelpFalls, Claim::HelpStays];
    assert!(accepted > 50 && only_fair > 10 && all.iter().all(|claim| shown.get(&format!("{claim:?}")) > Some(&least)));
}

#[test]
fn random_claims_of_fairness() {
    random_claims_are_judged_as_brute_force_judges_them(272, Scheduler::WeaklyFair, false, [cases(2_000, 6_000), 6]);
}

#[test]
fn random_claims_of_fairness_with_coins() {
    random_claims_are_judged_as_brute_force_judges_them(273, Scheduler::WeaklyFair, true, [cases(4_500, 9_000), 8]);
}

/// An agent is an arc. What holds if each arc is only weakly fair holds under local fairness, too.
#[test]
fn random_claims_of_local_fairness() {
    random_claims_are_judged_as_brute_force_judges_them(274, Scheduler::LocallyFair, false, [cases(2_000, 6_000), 2]);
}
