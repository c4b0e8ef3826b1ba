//! Fair coins, and daemons that let several agents act at once. The daemon's choice becomes part of the configuration: agents that act
//! are labelled. Then a choice is a word, and its outcomes are the steps from there.

use crate::automaton::{Dfa, START};
use crate::check::{Check, STAYS};
use crate::copies::{copied, copied_window};
use crate::rejection::{Malformed, ensure};
use crate::ring::{Ring, Way, closes};
use crate::steps::Alphabet;
use crate::{
    Automaton, Cell, Certificate, Claim, Coins, FailureCertificate, Formula, Mark, Measure, Move, Rejection, Rules,
    Scheduler, Sizes, State, Window,
};
use std::collections::{BTreeSet, HashMap};

/// Names that no formula can use.
pub(crate) const LABELLED: &str = "(labelled)";
const ALLOWED: &str = "(allowed)";
const FORGOTTEN: &str = "(forgotten)";

/// One choice of the daemon for one agent: the outcomes of a coin, or a single move.
struct Choice {
    /// Tells it from the other choices that the agent may have.
    label: usize,
    window: Window,
    outcomes: Vec<Move>,
    idle: bool,
}

/// What the daemon can choose.
pub(crate) struct Choices {
    all: Vec<Choice>,
    labels: usize,
}

/// The choices, if they matter: with fair coins, or if agents act at once.
pub(crate) fn choices(rules: &Rules, scheduler: Scheduler, coins: Coins) -> Result<Option<Choices>, Malformed> {
    let together = matches!(scheduler, Scheduler::Distributed | Scheduler::Synchronous);
    if coins == Coins::Adversarial && !together {
        return Ok(None);
    }
    ensure(scheduler != Scheduler::GloballyFair, || {
        "globally-fair schedules treat coins like choices; fair coins are for daemons that choose".into()
    })?;
    ensure(rules.detector.is_none(), || "fair coins and agents that act at once: without a detector".into())?;
    let reads = |cell: Option<Cell>| cell.is_none_or(|c| c.before == c.after);
    ensure(!together || rules.moves.iter().all(|m| reads(m.left) && reads(m.right)), || {
        "agents can act at once if each changes only its own state".into()
    })?;
    let mut all: Vec<Choice> = Vec::new();
    let tossed: BTreeSet<usize> = rules.tosses.iter().flat_map(|toss| toss.outcomes.iter().copied()).collect();
    let alone = (0..rules.moves.len()).filter(|m| !tossed.contains(m)).map(|m| (vec![m], false));
    let mut labels = HashMap::new();
    for (outcomes, idle) in rules.tosses.iter().map(|toss| (toss.outcomes.clone(), toss.idle)).chain(alone) {
        let outcomes: Vec<Move> = outcomes.into_iter().map(|m| rules.moves[m]).collect();
        let window = outcomes[0].window();
        // Windows with equal parts differ, or their choices have different numbers. Windows with other parts have other labels.
        let number = all.iter().filter(|choice| choice.window == window).count();
        let parts = (window.place.is_some(), window.left.is_some(), window.right.is_some(), number);
        let next = labels.len() + 1;
        let label = *labels.entry(parts).or_insert(next);
        all.push(Choice { label, window, outcomes, idle });
    }
    let states = rules.states.len() * (labels.len() + 1);
    ensure(states <= 255, || format!("{states} local states with the daemon's choices; up to 255 can be handled"))?;
    Ok(Some(Choices { all, labels: labels.len() }))
}

impl Choices {
    /// Whether, outside the safe set, the measures fall for every choice of the daemon: with some outcome of fair coins, with every
    /// outcome of others. If agents act at once, also whether the safe set is closed.
    pub(crate) fn check(&self, certificate: &Certificate, measures: &[Measure]) -> Result<(), Rejection> {
        let states = certificate.rules.states.len();
        let claim = |claim, _: &[State]| if claim == Claim::SomeFalls { Claim::OutcomeFalls } else { claim };
        self.labelled(certificate, measures).map_err(|rejection| rejection.unlabelled(states, claim))
    }

    fn labelled(&self, certificate: &Certificate, measures: &[Measure]) -> Result<(), Rejection> {
        let Certificate { rules, sizes, scheduler, coins, .. } = certificate;
        let central = *scheduler == Scheduler::Unfair;
        let table = self.table(rules);
        let (check, safe, all) = self.words(&table, sizes, *scheduler, &certificate.safe)?;
        if !central {
            check.step(Claim::Possible, &check.leaving(&check.steps, &all)?, &[1])?;
            check.closed(&safe)?;
        }
        let scheduler = if *coins == Coins::Fair { Scheduler::GloballyFair } else { Scheduler::Unfair };
        check.descent(scheduler, &safe, measures)
    }

    /// Whether, from every configuration of a trap in which an agent is enabled, the daemon has a choice all of whose outcomes stay there.
    pub(crate) fn keep(
        &self,
        base: &Check,
        certificate: &FailureCertificate,
        trap: [&Dfa; 2],
    ) -> Result<(), Rejection> {
        let table = self.table(base.alphabet.rules);
        let (check, inside, _) = self.words(&table, &certificate.sizes, certificate.scheduler, &certificate.trap)?;
        let steps = check.steps_of_trap(&inside, &check.promised(&inside, false)?)?;
        let wrong = steps.sorted(|class| u8::from(class != STAYS));
        let chosen = check.all.split(&inside, |letter| letter, |_, inside| u8::from(inside))?;
        let kept = chosen.unshown(&wrong, |pair| check.alphabet.pairs[pair][0])?;
        let states = base.alphabet.rules.states.len();
        let unlabelled = |letter| {
            check.alphabet.place(letter) as usize * states + usize::from(check.alphabet.state(letter)) % states
        };
        base.caught(trap, &kept, unlabelled)
    }

    /// The choices as words with labels, with their outcomes; those of a set; and all configurations, with any labels.
    pub(crate) fn words<'a>(
        &self,
        table: &'a Rules,
        sizes: &Sizes,
        scheduler: Scheduler,
        set: &Automaton,
    ) -> Result<(Check<'a>, Dfa, Dfa), Rejection> {
        let any = Check::configurations(Alphabet::new(table, false), sizes)?;
        let all = any.all.clone();
        // Of words with any labels: those after a step have none.
        let set = any.set(&set.copied(self.labels + 1))?;
        Ok((self.space(any, scheduler)?, set, all))
    }

    /// The choices that the daemon may make, as words, and their outcomes.
    fn space<'a>(&self, mut check: Check<'a>, scheduler: Scheduler) -> Result<Check<'a>, Rejection> {
        let name = |name: &str| Formula::Name(name.into());
        let not_allowed = Formula::And(name(LABELLED).into(), Formula::Not(name(ALLOWED).into()).into());
        let holding = |check: &Check, formula: &Formula, wanted: fn(i32) -> bool| {
            check.holding(&check.all, "the daemon's choices", formula, wanted)
        };
        check.all = holding(&check, &not_allowed, |total| total == 0)?;
        let central = matches!(scheduler, Scheduler::Unfair | Scheduler::WeaklyFair);
        check.all = match central {
            true => holding(&check, &name(LABELLED), |total| total == 1)?,
            false => holding(&check, &name(LABELLED), |total| total > 0)?,
        };
        if scheduler == Scheduler::Synchronous {
            check.all = holding(&check, &name(FORGOTTEN), |total| total == 0)?;
        }
        check.steps = match central {
            true => check.alphabet.steps(&check.all)?,
            false => self.together(&check)?,
        };
        Ok(check)
    }

    /// The table with labelled agents. The number of a state with a label is greater by the label times the number of states. Formulas do
    /// not see labels; moves are of labelled agents only, and remove the label.
    pub(crate) fn table(&self, rules: &Rules) -> Rules {
        let (states, copies) = (rules.states.len(), self.labels + 1);
        let mark = |name: &str, windows: Vec<Window>| Mark { name: name.into(), windows };
        let enabled = rules.rules.iter().enumerate().map(|(rule, name)| {
            let moves = rules.moves.iter().filter(|m| m.rule == rule);
            mark(name, moves.flat_map(|m| copied_window(&m.window(), states, copies)).collect())
        });
        // Agents with this label, and neighbours with any.
        let with = |choice: &Choice, label: usize| {
            let all = copied_window(&choice.window, states, copies).into_iter();
            all.filter(move |window| window.own.is_some_and(|s| usize::from(s) / states == label))
        };
        let labelled = (states..states * copies).map(|s| Window { own: Some(s as State), ..Window::default() });
        let own = [
            mark(LABELLED, labelled.collect()),
            mark(ALLOWED, self.all.iter().flat_map(|choice| with(choice, choice.label)).collect()),
            mark(FORGOTTEN, self.all.iter().flat_map(|choice| with(choice, 0)).collect()),
        ];
        let moves = self.all.iter().flat_map(|choice| {
            let idle = choice.idle.then(|| still(&choice.outcomes[0]));
            let before = |m: &Move| m.own.before + (choice.label * states) as State;
            let outcomes = choice.outcomes.iter().copied().chain(idle);
            outcomes.map(move |m| Move { own: Cell { before: before(&m), after: m.own.after }, ..m })
        });
        let table = copied(rules, copies);
        Rules {
            marks: table.marks.iter().cloned().chain(enabled).chain(own).collect(),
            rules: Vec::new(),
            moves: moves.collect(),
            tosses: Vec::new(),
            detector: None,
            ..table
        }
    }

    /// The outcomes of choices in which several agents act: each by what it and its neighbours were before.
    fn together(&self, check: &Check) -> Result<Dfa, Rejection> {
        let alphabet = &check.alphabet;
        let states = alphabet.rules.states.len() / (self.labels + 1);
        let ways = |&[one, two]: &[usize; 2]| {
            let (before, after) = (usize::from(alphabet.state(one)), usize::from(alphabet.state(two)));
            let (label, own) = (before / states, before % states);
            let sees = |left: usize, right: usize| [left, own, right].map(|s| s as State);
            let outcome = |choice: &Choice| {
                let moves = choice.outcomes.iter().any(|m| usize::from(m.own.after) == after);
                moves || choice.idle && after == own
            };
            let lawful = |left: usize, right: usize| {
                let fits = |c: &&Choice| c.label == label && c.window.matches(alphabet.place(one), sees(left, right));
                if label == 0 { after == own } else { self.all.iter().find(fits).is_some_and(outcome) }
            };
            let pairs = (0..states).flat_map(|left| (0..states).map(move |right| (left, right)));
            // A link says what its two agents were before.
            let link = |left: usize, right: usize| (left << 8 | right) as u64;
            let way = |(left, right)| Way { left: link(left, own), right: link(own, right), ..Way::default() };
            pairs.filter(|&(left, right)| lawful(left, right)).map(way).collect()
        };
        let ring = Ring::new(alphabet.pairs.iter().map(ways).collect());
        let step = |(at, runs): &(u32, BTreeSet<_>), letter: usize| {
            let at = check.all.step(*at, alphabet.pairs[letter][0])?;
            let runs: BTreeSet<_> = runs.iter().flat_map(|&run| ring.read(run, letter)).map(|(run, _)| run).collect();
            (!runs.is_empty()).then_some((at, runs))
        };
        let accepted = |(at, runs): &(u32, BTreeSet<_>)| {
            u8::from(check.all.class[*at as usize] == 1 && runs.iter().any(|&run| closes(run)))
        };
        Dfa::new(alphabet.pairs.len(), (START, BTreeSet::from([None])), step, accepted)
    }
}

/// The outcome of a coin that changes nothing.
fn still(m: &Move) -> Move {
    let same = |cell: Cell| Cell { after: cell.before, ..cell };
    Move { left: m.left.map(same), own: same(m.own), right: m.right.map(same), ..*m }
}
