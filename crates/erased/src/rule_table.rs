//! A rule compiled into a table: all outcomes for every pair of local states and every context.

use crate::concrete::{After, Listener};
use crate::outcomes::{Outcome, Records, Walk};
use crate::{GraphInstance, LeavesDomain, LocalStates, PopulationInstance, RingInstance, Unfit};
use ringleader_model::{Coin, Place, Reads, Ring as _, Told};

/// A possible change of a pair of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The left agent's (initiator's) new state.
    pub left: u16,
    /// The right agent's (responder's) new state.
    pub right: u16,
    /// Its probability, in units of 1 / [`RuleTable::whole`].
    pub weight: u32,
    /// The set of [`RuleTable::rules`] that fired.
    pub rules: u32,
}

/// A local rule as a table: `(context, left state, right state)` to the new states of the two.
///
/// The context is the input that the rule reads and does not write. In a population it is the detector's answers to the
/// two agents. In a ring of processes the right state is that of the process which steps, and the left state never
/// changes. The context is then the state of the neighbour on the other side, if the process reads it. On a graph the left
/// state is that of the process's first neighbour, and the context has the states of its other neighbours. There a state is a
/// [digit](LocalStates).
#[derive(Clone, Debug, PartialEq)]
pub struct RuleTable {
    /// The numbers of states of the left and of the right agent.
    lefts: u32,
    radix: u32,
    contexts: usize,
    whole: u32,
    tosses: bool,
    chooses: bool,
    start: Vec<u32>,
    changes: Vec<Change>,
    rules: Vec<Vec<u8>>,
    /// The distinct sequences of draws, and for each outcome the number of its sequence; empty for deterministic rules.
    draws: Vec<Vec<u32>>,
    drawn: Vec<u32>,
    /// For each outcome the number of the scheduler's choices; empty if it has none.
    chosen: Vec<u32>,
    chooses_late: bool,
}

/// The reason why a rule has no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTable {
    /// It would take this many bytes; `None` if that is more than 2^64.
    #[error("its table would take {}", mebibytes(*.0))]
    TooLarge(Option<u64>),
    /// The rule writes a value outside its variable's declared domain.
    #[error(transparent)]
    LeavesDomain(#[from] LeavesDomain),
    /// The algorithm contradicts its declaration.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// Its coins have too many outcomes to list, or their common denominator is too large.
    #[error(
        "the coins of its rules have too many outcomes: the common denominator of their probabilities must be less than 2^32, and at most \
         two million outcomes are listed"
    )]
    TooRandom,
    /// A process of a graph writes a state that it may not be in.
    #[error("process {process} writes a state that it may not be in")]
    NotAdmitted {
        /// The process.
        process: usize,
        /// The rules that fired.
        rules: Vec<u8>,
    },
    /// The caller stopped it.
    #[error("it was stopped")]
    Stopped,
}

fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or("2^64 bytes or more".into(), |bytes| format!("{} MiB", bytes.div_ceil(1 << 20)))
}

/// The most outcomes in a table, besides the first one of each pair of states.
const MOST_OUTCOMES: usize = 1 << 21;
/// The most states of a table.
const MOST_STATES: u64 = 1 << 16;

impl RuleTable {
    /// Compiles a population protocol. The contexts are the detector's answers to the two agents, in the order of
    /// [`PopulationInstance::tellings`].
    pub fn population(algorithm: &PopulationInstance) -> Result<RuleTable, NoTable> {
        RuleTable::population_while(algorithm, &|| true)
    }

    /// The same, as long as `keep_going` returns `true`.
    pub fn population_while(
        algorithm: &PopulationInstance,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<RuleTable, NoTable> {
        let tellings = algorithm.tellings();
        RuleTable::compile([algorithm.states(); 2], tellings.len() as u64, keep_going, |walk, context, pair| {
            walk.outcomes(|coin| algorithm.step(pair, tellings[context], coin), || algorithm.texts(&pair))
        })
    }

    /// Compiles a ring algorithm for a place. The contexts are the states of the right neighbour, if it is read.
    ///
    /// At the end of a line the process's own state replaces the missing neighbour's, for every index into the table.
    pub fn ring(algorithm: &RingInstance, at: Place) -> Result<RuleTable, NoTable> {
        RuleTable::ring_while(algorithm, at, &|| true)
    }

    /// The same, as long as `keep_going` returns `true`.
    pub fn ring_while(
        algorithm: &RingInstance,
        at: Place,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<RuleTable, NoTable> {
        let contexts = if algorithm.reads() == Reads::BothSides { algorithm.states() } else { 1 };
        RuleTable::compile([algorithm.states(); 2], contexts, keep_going, |walk, context, [left, own]| {
            let view = algorithm.view(at, [left, own, context as u64]);
            walk.outcomes(|coin| algorithm.step(view, coin).map(|own| own.beside(left)), || algorithm.texts(view))
        })
    }

    /// Compiles the rule of a process of a graph, as long as `keep_going` returns `true`. The contexts are the digits of all its
    /// neighbours but the first: [`LocalStates::view`].
    pub fn graph_while(
        algorithm: &GraphInstance,
        local: &LocalStates,
        process: usize,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<RuleTable, NoTable> {
        let contexts = local.contexts(process).ok_or(NoTable::TooLarge(None))?;
        let states = [local.firsts(process), local.of(process).len() as u64];
        RuleTable::compile(states, contexts, keep_going, |walk, context, [first, own]| {
            let states = local.view(process, context as u64, first, own);
            let mut outside = None;
            let step = |coin: &mut dyn Coin| {
                let mut heard = Listener { coin, rules: vec![] };
                let After { states: [after], hides } = algorithm.step(process, &states, &mut heard)?;
                let digit =
                    if after == states[0] { Some(own) } else { local.digit(process, after as u32).map(u64::from) };
                if digit.is_none() {
                    outside = Some(heard.rules);
                }
                Ok(After { states: [first, digit.unwrap_or(own)], hides })
            };
            let outcomes = walk.outcomes(step, || algorithm.texts(process, &states))?;
            outside.map_or(Ok(outcomes), |rules| Err(NoTable::NotAdmitted { process, rules }))
        })
    }

    /// Compiles a rule over numbered states that tosses one coin with few `sides`. The rule returns new states and the
    /// rules that fired.
    pub fn from_rule(
        states: usize,
        contexts: usize,
        sides: u32,
        mut rule: impl FnMut(usize, u32, u32) -> (u32, u32, Vec<u8>),
    ) -> RuleTable {
        let table =
            RuleTable::compile([states as u64; 2], contexts as u64, &|| true, |walk, context, [left, right]| {
                let step = |coin: &mut dyn Coin| {
                    coin.below(sides);
                    let (left, right, fired) = rule(context, left as u32, right as u32);
                    fired.into_iter().for_each(|rule| coin.fired(rule));
                    Ok(After { states: [left.into(), right.into()], hides: false })
                };
                walk.outcomes(step, Vec::new)
            });
        table.expect("one coin has few sides")
    }

    fn compile(
        states: [u64; 2],
        contexts: u64,
        keep_going: &dyn Fn() -> bool,
        mut rule: impl for<'a> FnMut(&'a mut Walk, usize, [u64; 2]) -> Result<&'a [Outcome], NoTable>,
    ) -> Result<RuleTable, NoTable> {
        if states.iter().any(|&states| states > MOST_STATES) {
            return Err(NoTable::TooLarge(Some(RuleTable::bytes(states, contexts))));
        }
        let (mut walk, contexts) = (Walk::new(true, MOST_OUTCOMES), contexts as usize);
        let (mut start, mut outcomes) = (vec![0], vec![]);
        for (context, left, right) in cells(states, contexts) {
            if right == 0 && !keep_going() {
                return Err(NoTable::Stopped);
            }
            outcomes.extend_from_slice(rule(&mut walk, context, [left, right])?);
            if outcomes.len() > start.len() + MOST_OUTCOMES {
                return Err(NoTable::TooRandom);
            }
            start.push(outcomes.len() as u32);
        }
        let Walk { records, tosses, chooses, chooses_late, .. } = walk;
        let Records { rules, draws } = records.expect("the walk records");
        let whole = common_denominator(outcomes.iter().map(|outcome| outcome.one_in))?;
        let chosen = if chooses { outcomes.iter().map(|outcome| outcome.choices).collect() } else { vec![] };
        let drawn = if tosses || chooses { outcomes.iter().map(|outcome| outcome.draws).collect() } else { vec![] };
        let change = |o: Outcome| Change { left: o.left, right: o.right, weight: whole / o.one_in, rules: o.rules };
        Ok(RuleTable {
            lefts: states[0] as u32,
            radix: states[1] as u32,
            contexts,
            whole,
            tosses,
            chooses,
            start,
            changes: outcomes.into_iter().map(change).collect(),
            rules: rules.into_all(),
            draws: draws.into_all(),
            drawn,
            chosen,
            chooses_late,
        })
    }

    /// The same table with other outcomes in some cells. Mutants are made this way.
    ///
    /// The arguments of `change` are the context, the two states, and the index of the outcome.
    pub fn altered(&self, change: impl Fn(usize, u32, u32, usize) -> Change) -> RuleTable {
        let mut table = self.clone();
        for (context, left, right) in self.cells() {
            let (left, right) = (left as u32, right as u32);
            for (draw, at) in self.cell(context, left, right).enumerate() {
                table.changes[at] = change(context, left, right, draw);
            }
        }
        table
    }

    /// The same rule on classes of states. Outcomes of a cell that lead to the same classes become one. `class` has the
    /// class of every state, `of` a state of every class. `reads_states`: the contexts are states, too.
    ///
    /// The table describes every state only if states of one class have the same outcomes up to classes. The rules and the
    /// draws of an outcome are those of one state.
    pub fn merged(&self, class: &[u32], of: &[u32], reads_states: bool) -> RuleTable {
        let contexts: Vec<usize> =
            if reads_states { of.iter().map(|&state| state as usize).collect() } else { (0..self.contexts).collect() };
        let (mut start, mut changes) = (vec![0], Vec::<Change>::new());
        for &context in &contexts {
            for (left, right) in of.iter().flat_map(|&left| of.iter().map(move |&right| (left, right))) {
                let first = changes.len();
                for change in &self.changes[self.cell(context, left, right)] {
                    let [left, right] = [change.left, change.right].map(|state| class[usize::from(state)] as u16);
                    match changes[first..].iter_mut().find(|known| (known.left, known.right) == (left, right)) {
                        Some(known) => known.weight += change.weight,
                        None => changes.push(Change { left, right, ..*change }),
                    }
                }
                start.push(changes.len() as u32);
            }
        }
        let common = changes.iter().fold(self.whole, |common, change| divisor(common, change.weight));
        changes.iter_mut().for_each(|change| change.weight /= common);
        RuleTable {
            lefts: of.len() as u32,
            radix: of.len() as u32,
            contexts: contexts.len(),
            whole: self.whole / common,
            start,
            changes,
            rules: self.rules.clone(),
            draws: vec![],
            drawn: vec![],
            chosen: vec![],
            ..*self
        }
    }

    /// Every context with every pair of states, in the order of the table.
    pub fn cells(&self) -> impl Iterator<Item = (usize, u64, u64)> + use<> {
        cells([self.lefts, self.radix].map(u64::from), self.contexts)
    }

    /// The number of local states of the left agent.
    pub fn lefts(&self) -> u32 {
        self.lefts
    }

    /// The number of local states of the right agent.
    pub fn radix(&self) -> u32 {
        self.radix
    }

    /// The number of contexts; 1 if the rule reads only the two states.
    pub fn contexts(&self) -> usize {
        self.contexts
    }

    /// The sum of the weights of each cell's outcomes.
    pub fn whole(&self) -> u32 {
        self.whole
    }

    /// Whether every cell has one outcome.
    pub fn deterministic(&self) -> bool {
        self.whole == 1
    }

    /// Whether a rule tosses a coin.
    pub fn tosses(&self) -> bool {
        self.tosses
    }

    /// Whether the scheduler may have to choose between rules.
    pub fn chooses(&self) -> bool {
        self.chooses
    }

    /// Whether the scheduler may have to choose between rules after a coin was tossed.
    pub fn chooses_late(&self) -> bool {
        self.chooses_late
    }

    /// A number that outcomes of a cell share if the scheduler's choices are the same, and only coins differ. Such
    /// outcomes follow one another.
    pub fn choice(&self, outcome: usize) -> u32 {
        self.chosen.get(outcome).copied().unwrap_or(0)
    }

    /// Whether the outcome with this number, or one with the same choices of the scheduler and other coins, changes a state.
    pub fn is_enabled(&self, outcome: usize) -> bool {
        let cell = self.start.partition_point(|&start| start as usize <= outcome) - 1;
        let (left, right) = (cell as u32 / self.radix % self.lefts, cell as u32 % self.radix);
        let same = |&at: &usize| self.choice(at) == self.choice(outcome);
        let changes = |at: usize| (self.changes[at].left.into(), self.changes[at].right.into()) != (left, right);
        (self.start[cell] as usize..self.start[cell + 1] as usize).filter(same).any(changes)
    }

    /// The scheduler's choices of the outcome with this number, in the order of the draws.
    pub fn choices(&self, outcome: usize) -> &[u32] {
        self.chosen.get(outcome).map_or(&[], |&chosen| &self.draws[chosen as usize])
    }

    /// The coins' values and the scheduler's choices of the outcome with this number, in the order of the draws.
    pub fn draws(&self, outcome: usize) -> &[u32] {
        self.drawn.get(outcome).map_or(&[], |&drawn| &self.draws[drawn as usize])
    }

    /// The numbers of a cell's outcomes, as indices into [`RuleTable::changes`].
    #[inline]
    pub fn cell(&self, context: usize, left: u32, right: u32) -> std::ops::Range<usize> {
        let at = (context as u32 * self.lefts + left) as usize * self.radix as usize + right as usize;
        self.start[at] as usize..self.start[at + 1] as usize
    }

    /// The largest number of outcomes of a cell.
    pub fn most_changes(&self) -> u64 {
        self.start.windows(2).map(|ends| u64::from(ends[1] - ends[0])).max().unwrap_or(0)
    }

    /// All outcomes of all cells.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The rules that fired in an outcome, numbered as in the paper.
    pub fn rules(&self, outcome: Change) -> &[u8] {
        &self.rules[outcome.rules as usize]
    }

    /// The approximate number of bytes of a table with these numbers of states of the two agents and this many contexts.
    pub fn bytes([lefts, rights]: [u64; 2], contexts: u64) -> u64 {
        let cells = lefts.saturating_mul(rights).saturating_mul(contexts);
        // An outcome, its start, an inverse pair and its start; temporary results while compiling.
        cells.saturating_mul(16 + 4 + 4 + 4 + 64)
    }
}

/// Every context with every pair of states, in the order of a table.
fn cells([lefts, rights]: [u64; 2], contexts: usize) -> impl Iterator<Item = (usize, u64, u64)> {
    let pairs = move || (0..lefts).flat_map(move |left| (0..rights).map(move |right| (left, right)));
    (0..contexts).flat_map(move |context| pairs().map(move |(left, right)| (context, left, right)))
}

/// The least common denominator of the probabilities 1 / `one_in`.
pub fn common_denominator(mut one_in: impl Iterator<Item = u32>) -> Result<u32, NoTable> {
    let whole = one_in.try_fold(1u32, |whole, one| (whole / divisor(whole, one)).checked_mul(one));
    whole.ok_or(NoTable::TooRandom)
}

/// The greatest common divisor.
fn divisor(mut x: u32, mut y: u32) -> u32 {
    while y != 0 {
        (x, y) = (y, x % y);
    }
    x
}

impl PopulationInstance {
    /// Calls `visit` with every pair of states and all outcomes of their interaction: for each of the tellings, in
    /// ascending order.
    ///
    /// A pair with more outcomes than `most_per_pair` is [`NoTable::TooRandom`].
    pub fn each_pair(
        &self,
        tellings: &[Told],
        most_per_pair: usize,
        mut visit: impl FnMut([u16; 2], &[Outcome]) -> Result<(), NoTable>,
    ) -> Result<(), NoTable> {
        if self.states() > MOST_STATES {
            return Err(NoTable::TooLarge(Some(RuleTable::bytes([self.states(); 2], tellings.len() as u64))));
        }
        let mut walk = Walk::new(false, most_per_pair);
        for (context, left, right) in cells([self.states(); 2], tellings.len()) {
            let pair = [left, right];
            let outcomes = walk.outcomes(|coin| self.step(pair, tellings[context], coin), || self.texts(&pair))?;
            visit(pair.map(|state| state as u16), outcomes)?;
        }
        Ok(())
    }
}
