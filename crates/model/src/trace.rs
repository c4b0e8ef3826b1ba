//! The text form of a run: a start, the steps one after the other, and where they begin to repeat.
//!
//! ```text
//! ringleader trace 1
//! algorithm fischer-jiang-ring
//! size 2
//! graph directed ring
//! scheduler locally-fair
//! fairness transition
//! oracle perfect
//! agent 0: bullet=1 leader=1 shield=0
//! agent 1: bullet=0 leader=1 shield=1
//! step arc 0 1 inputs true true
//! cycle
//! step arc 1 0 inputs true true
//! ```
//!
//! The start is written as in a configuration file ([`crate::text`]). The four lines before it are the [`Assumptions`]: what the run
//! claims to be a run of. A step is `step arc U V` in a population, and
//! `step process P`, `step processes P Q ..` (in ascending order) or `step all` on a ring of processes. After it may stand `inputs X Y`, what the detector tells the two
//! agents (the truth if left out), and `coin D ..`, what the coins show, in the order of the draws. What follows `cycle`
//! repeats for ever.
//!
//! A run against fair coins has a strategy of the daemon instead of a cycle:
//!
//! ```text
//! strategy
//! at bit=0 | bit=1 | bit=0
//! step process 1
//! at bit=0 | bit=0 | bit=0
//! step process 1
//! ```
//!
//! `at` names a configuration, and the steps after it are those that the daemon takes there, in turn. Their coins are fair, so `coin`
//! lists the scheduler's choices only. Under alternating schedules `turns P ..` follows `at`: the processes that have the turn on the edge
//! to their left.

use crate::file::{LineReader, begins_with, body, print_coin};
use crate::text::{Document, parse_state_at};
use crate::{Coin, ParseError, Scheduler, Variables};
use std::fmt::{self, Write};

const FIRST_LINE: &str = "ringleader trace 1";

/// Who takes a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The agents at the two ends of an arc, initiator and responder.
    Arc(usize, usize),
    /// One process of a ring.
    Process(usize),
    /// Some processes of a ring at once, in ascending order.
    Processes(Vec<usize>),
    /// All processes of a ring at once.
    All,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::Arc(u, v) => write!(f, "arc {u} {v}"),
            Actor::Process(p) => write!(f, "process {p}"),
            Actor::Processes(several) => {
                f.write_str("processes")?;
                several.iter().try_for_each(|p| write!(f, " {p}"))
            }
            Actor::All => f.write_str("all"),
        }
    }
}

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The line it stands on, for messages; 0 if it was not read from a file.
    pub line: usize,
    /// Who takes it.
    pub actor: Actor,
    /// What the two agents are told.
    pub inputs: Option<(bool, bool)>,
    /// What the coins show.
    pub coin: Vec<u32>,
}

/// What a run claims to be a run of; what is not said is not claimed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assumptions {
    /// The graph, in words.
    pub graph: Option<String>,
    /// The class of schedules.
    pub scheduler: Option<Scheduler>,
    /// What counts as one action, where the scheduler is locally fair.
    pub fairness: Option<String>,
    /// What a leader detector may say, where one is asked.
    pub oracle: Option<String>,
    /// The outcomes of the coins, where a daemon chooses.
    pub coins: Option<String>,
}

impl Assumptions {
    const WORDS: [&'static str; 5] = ["graph", "scheduler", "fairness", "oracle", "coins"];

    fn read(&mut self, number: usize, line: &str) -> Result<(), ParseError> {
        let (word, said) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let error = |message: String| Err(ParseError::new(number, 1, message));
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        if said.is_empty() {
            return error(format!("after {word:?} the line ends"));
        }
        let twice = match word {
            "graph" => self.graph.replace(said).is_some(),
            "fairness" => self.fairness.replace(said).is_some(),
            "oracle" => self.oracle.replace(said).is_some(),
            "coins" => self.coins.replace(said).is_some(),
            _ => match said.parse() {
                Ok(scheduler) => self.scheduler.replace(scheduler).is_some(),
                Err(unknown) => return error(unknown.to_string()),
            },
        };
        if twice { error(format!("{word:?} stands here for the second time")) } else { Ok(()) }
    }

    fn print(&self) -> String {
        let scheduler = self.scheduler.map(|scheduler| scheduler.name().to_string());
        let said = [&self.graph, &scheduler, &self.fairness, &self.oracle, &self.coins];
        let lines =
            Assumptions::WORDS.iter().zip(said).filter_map(|(word, said)| Some(format!("{word} {}\n", said.as_ref()?)));
        lines.collect()
    }
}

/// The strategy of a daemon in one configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The line it stands on, for messages; 0 if it was not read from a file.
    pub line: usize,
    /// The states, each with its column.
    states: Vec<(usize, String)>,
    /// For alternating schedules: the processes that have the turn on the edge to their left.
    pub turns: Option<Vec<usize>>,
    /// The steps that the daemon takes, in turn; their coins are the scheduler's choices only. If there are none, no step changes
    /// anything.
    pub steps: Vec<Step>,
}

impl Situation {
    /// A situation with these states, as text.
    pub fn new(states: Vec<String>, turns: Option<Vec<usize>>, steps: Vec<Step>) -> Situation {
        Situation { line: 0, states: states.into_iter().map(|state| (0, state)).collect(), turns, steps }
    }

    /// Reads the states.
    pub fn states<A: Variables + ?Sized>(&self, algorithm: &A) -> Result<Vec<A::State>, ParseError> {
        let states = self.states.iter().enumerate();
        states.map(|(process, (column, text))| parse_state_at(algorithm, process, text, self.line, *column)).collect()
    }

    /// Reads the rest of a line after `at`.
    fn parse(line: usize, text: &str, size: usize) -> Result<Situation, ParseError> {
        let (mut states, mut column) = (vec![], 1);
        for part in text.replacen("at", "  ", 1).split('|') {
            let indent = part.chars().take_while(|c| c.is_whitespace()).count();
            states.push((column + indent, part.trim().to_string()));
            column += part.chars().count() + 1;
        }
        if states.len() != size {
            let message = format!("size is {size}, but there are {} states between \"|\"", states.len());
            return Err(ParseError::new(line, 1, message));
        }
        Ok(Situation { line, states, turns: None, steps: vec![] })
    }
}

/// A run.
///
/// ```
/// use ringleader_model::trace::{Actor, Trace};
/// let text = "ringleader trace 1\nalgorithm x\nsize 2\nagent 0: a=1\nagent 1: a=0\nstep process 1\ncycle\nstep all\n";
/// let trace = Trace::parse(text)?;
/// assert_eq!((trace.steps.len(), trace.cycle), (2, Some(1)));
/// assert_eq!(trace.steps[0].actor, Actor::Process(1));
/// assert_eq!(trace.print(), text);
/// # Ok::<(), ringleader_model::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The algorithm, the size, the parameters and the states it starts from.
    pub start: Document,
    /// What it claims to be a run of.
    pub assumptions: Assumptions,
    /// The steps.
    pub steps: Vec<Step>,
    /// Where the part that repeats for ever begins, if any.
    pub cycle: Option<usize>,
    /// The strategy of the daemon against fair coins, if any. The steps are then one execution of it.
    pub strategy: Vec<Situation>,
}

impl Trace {
    /// Whether a text is a trace, judged by its first line.
    pub fn detect(text: &str) -> bool {
        begins_with(text, FIRST_LINE)
    }

    /// Reads a trace.
    pub fn parse(text: &str) -> Result<Trace, ParseError> {
        let is_step =
            |line: &str| matches!(line.split_whitespace().next(), Some("step" | "cycle" | "strategy" | "at" | "turns"));
        let is_assumption =
            |line: &str| line.split_whitespace().next().is_some_and(|word| Assumptions::WORDS.contains(&word));
        let start = Document::read(text, FIRST_LINE, |line| is_step(line) || is_assumption(line))?;
        let (mut assumptions, mut steps, mut cycle) = (Assumptions::default(), vec![], None);
        let mut strategy: Option<Vec<Situation>> = None;
        for (number, line) in body(text, FIRST_LINE)? {
            let mut words = LineReader::new(number, line);
            if is_assumption(line) {
                assumptions.read(number, line)?;
            } else if words.take_if("cycle") {
                words.end()?;
                if cycle.replace(steps.len()).is_some() {
                    return Err(ParseError::new(number, 1, "\"cycle\" stands here for the second time"));
                }
            } else if words.take_if("strategy") {
                words.end()?;
                if strategy.replace(vec![]).is_some() || cycle.is_some() {
                    return Err(ParseError::new(number, 1, "a run has one cycle or one strategy"));
                }
            } else if let Some(strategy) = &mut strategy {
                match (words.take_if("at"), strategy.last_mut()) {
                    (true, _) => strategy.push(Situation::parse(number, line, start.size)?),
                    (false, None) => return Err(ParseError::new(number, 1, "after \"strategy\" comes \"at\"")),
                    (false, Some(last)) if words.take_if("step") => last.steps.push(step(words, start.size)?),
                    (false, Some(last)) if words.take_if("turns") => last.turns = Some(turns(words, start.size)?),
                    (false, Some(_)) => return Err(ParseError::new(number, 1, "expected at, turns or step")),
                }
            } else if words.take_if("step") {
                steps.push(step(words, start.size)?);
            } else if matches!(words.peek(), Some((_, "at" | "turns"))) {
                return Err(ParseError::new(number, 1, "\"at\" and \"turns\" stand after \"strategy\""));
            }
        }
        match cycle {
            Some(at) if at == steps.len() => {
                Err(ParseError::new(text.lines().count() + 1, 1, "no step follows \"cycle\": nothing repeats"))
            }
            _ => Ok(Trace { start, assumptions, steps, cycle, strategy: strategy.unwrap_or_default() }),
        }
    }

    /// The whole trace as text.
    pub fn print(&self) -> String {
        let mut text = self.start.print_with(FIRST_LINE, &self.assumptions.print());
        for (at, step) in self.steps.iter().enumerate() {
            if self.cycle == Some(at) {
                text.push_str("cycle\n");
            }
            step.print(&mut text);
        }
        text + &self.print_strategy()
    }

    /// The strategy as text; empty if there is none.
    pub fn print_strategy(&self) -> String {
        let mut text = if self.strategy.is_empty() { String::new() } else { "strategy\n".to_string() };
        for Situation { states, turns, steps, .. } in &self.strategy {
            let states: Vec<&str> = states.iter().map(|(_, state)| &**state).collect();
            let _ = writeln!(text, "at {}", states.join(" | "));
            if let Some(turns) = turns {
                let turns: String = turns.iter().map(|p| format!(" {p}")).collect();
                let _ = writeln!(text, "turns{turns}");
            }
            steps.iter().for_each(|step| step.print(&mut text));
        }
        text
    }
}

impl Step {
    fn print(&self, text: &mut String) {
        let _ = write!(text, "step {}", self.actor);
        if let Some((x, y)) = self.inputs {
            let _ = write!(text, " inputs {x} {y}");
        }
        print_coin(text, &self.coin);
    }
}

/// The rest of a line after `turns`.
fn turns(mut words: LineReader<'_>, size: usize) -> Result<Vec<usize>, ParseError> {
    let mut turns = vec![];
    while words.peek().is_some() {
        turns.push(words.number("an agent", size)?);
    }
    Ok(turns)
}

/// Several processes, in ascending order.
fn several(words: &mut LineReader<'_>, size: usize) -> Result<Vec<usize>, ParseError> {
    let mut several = vec![words.number("an agent", size)?];
    while let Some((column, word)) = words.peek()
        && !matches!(word, "inputs" | "coin")
    {
        let next = words.number("an agent", size)?;
        if several.last().is_some_and(|&last| last >= next) {
            return Err(words.error(column, "several processes are listed in ascending order"));
        }
        several.push(next);
    }
    Ok(several)
}

/// The rest of a line after `step`.
fn step(mut words: LineReader<'_>, size: usize) -> Result<Step, ParseError> {
    const ACTORS: &str = "arc, process, processes or all";
    let (column, kind) = words.take(ACTORS)?;
    let actor = match kind {
        "arc" => Actor::Arc(words.number("an agent", size)?, words.number("an agent", size)?),
        "process" => Actor::Process(words.number("an agent", size)?),
        "processes" => Actor::Processes(several(&mut words, size)?),
        "all" => Actor::All,
        other => return Err(words.error(column, format!("expected {ACTORS}, found {other:?}"))),
    };
    if matches!(actor, Actor::Arc(u, v) if u == v) {
        return Err(words.error(column, "an arc leads from one agent to another"));
    }
    let inputs = match words.take_if("inputs") {
        true => Some((words.value("true or false", |_| true)?, words.value("true or false", |_| true)?)),
        false => None,
    };
    Ok(Step { line: words.line, actor, inputs, coin: words.coin()? })
}

/// A coin that shows the sides that a trace lists.
#[derive(Debug)]
pub struct Script<'a> {
    sides: std::slice::Iter<'a, u32>,
    problem: Option<String>,
    /// The rules that fired.
    pub rules: Vec<u8>,
    /// The values that were drawn.
    pub drawn: Vec<u64>,
    /// Whether a coin with several sides was tossed.
    pub tossed: bool,
    /// Whether the scheduler chose between several rules.
    pub chose: bool,
}

impl<'a> Script<'a> {
    /// A coin that shows these sides, one after the other.
    #[must_use]
    pub fn new(sides: &'a [u32]) -> Script<'a> {
        Script { sides: sides.iter(), problem: None, rules: vec![], drawn: vec![], tossed: false, chose: false }
    }

    /// Fails unless the rule drew exactly the listed coins.
    pub fn finish(mut self, line: usize) -> Result<Script<'a>, ParseError> {
        if self.problem.is_none() && self.sides.next().is_some() {
            self.problem = Some("the rule has fewer coins and choices than are given".into());
        }
        match self.problem.take() {
            Some(problem) => Err(ParseError::new(line, 1, problem)),
            None => Ok(self),
        }
    }
}

impl Script<'_> {
    /// The next listed number, if it is below `n`; otherwise the problem is kept.
    fn next(&mut self, n: u32, wrong: impl Fn(u32) -> String, missing: impl Fn() -> String) -> u32 {
        let problem = match self.sides.next() {
            Some(&side) if side < n => {
                self.drawn.push(u64::from(side) + 1);
                return side;
            }
            None if n == 1 => {
                self.drawn.push(1);
                return 0;
            }
            Some(&side) => wrong(side),
            None => missing(),
        };
        self.problem.get_or_insert(problem);
        0
    }
}

impl Coin for Script<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.tossed |= n > 1;
        let wrong = |side: u32| format!("the coin has {n} sides, it cannot show {side}");
        self.next(n, wrong, || format!("the rule draws a coin of {n} sides; add \"coin\" and the side that it shows"))
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.chose |= n > 1;
        let wrong = |choice: u32| format!("the scheduler chooses between {n} rules, it cannot take choice {choice}");
        let missing =
            || format!("the scheduler chooses between {n} rules; add \"coin\" and its choice, from 0 to {}", n - 1);
        self.next(n, wrong, missing)
    }

    fn drew(&mut self, value: u64) {
        if let Some(last) = self.drawn.last_mut() {
            *last = value;
        }
    }

    fn fired(&mut self, rule: u8) {
        self.rules.push(rule);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "ringleader trace 1\n# why\nalgorithm x\nsize 2\nagent 0: a=1\nagent 1: a=0\n";

    fn refusal(rest: &str) -> String {
        Trace::parse(&format!("{START}{rest}")).unwrap_err().to_string()
    }

    #[test]
    fn errors_say_where_and_what() {
        assert_eq!(refusal("step arc 0 2"), "line 7, column 12: expected an agent in 0..1, found \"2\"");
        assert_eq!(refusal("step arc 0 0"), "line 7, column 6: an arc leads from one agent to another");
        assert_eq!(refusal("step fly"), "line 7, column 6: expected arc, process, processes or all, found \"fly\"");
        assert_eq!(refusal("step"), "line 7, column 5: expected arc, process, processes or all, but the line ends");
        assert_eq!(refusal("step processes"), "line 7, column 15: expected an agent in 0..1, but the line ends");
        let order = "line 7, column 18: several processes are listed in ascending order";
        assert_eq!((refusal("step processes 1 0"), refusal("step processes 1 1")), (order.into(), order.into()));
        assert_eq!(refusal("step all now"), "line 7, column 10: nothing may follow here, but \"now\" does");
        assert_eq!(refusal("step all inputs true"), "line 7, column 21: expected true or false, but the line ends");
        assert_eq!(refusal("cycle\ncycle\nstep all"), "line 8, column 1: \"cycle\" stands here for the second time");
        assert_eq!(refusal("step all\ncycle\n"), "line 9, column 1: no step follows \"cycle\": nothing repeats");
        let second = "line 8, column 1: \"graph\" stands here for the second time";
        assert_eq!(refusal("graph line\ngraph line\nstep all"), second);
        assert_eq!(
            refusal("step all\nat a=1 | a=0"),
            "line 8, column 1: \"at\" and \"turns\" stand after \"strategy\""
        );
        assert_eq!(refusal("strategy\nstep all"), "line 8, column 1: after \"strategy\" comes \"at\"");
        assert_eq!(refusal("strategy\nat a=1"), "line 8, column 1: size is 2, but there are 1 states between \"|\"");
        assert_eq!(refusal("cycle\nstrategy"), "line 8, column 1: a run has one cycle or one strategy");
        assert_eq!(refusal("oracle"), "line 7, column 1: after \"oracle\" the line ends");
        assert!(refusal("scheduler slow").starts_with("line 7, column 1: no scheduler is called \"slow\""));
        assert!(refusal("leap").starts_with("line 7, column 1: expected algorithm"));
        assert!(Trace::parse("").unwrap_err().to_string().contains("empty"));
        assert!(!Trace::detect("ringleader configuration 1") && Trace::detect(START));
    }

    #[test]
    fn traces_round_trip() {
        let text = format!(
            "{START}step arc 0 1 inputs true false coin 2 0\nstep process 1\ncycle\nstep processes 0 1 coin 1\nstep all\n"
        );
        let trace = Trace::parse(&text).unwrap();
        assert_eq!(trace.print(), text.replace("# why\n", ""));
        assert_eq!(Trace::parse(&trace.print()).unwrap().print(), trace.print());
        assert_eq!(trace.steps[0].coin, [2, 0]);
        let terms = "graph directed ring\nscheduler locally-fair\nfairness rule\noracle perfect\n";
        let termed = text.replace("# why\n", "").replace("agent 0", &format!("{terms}agent 0"));
        assert_eq!(Trace::parse(&termed).unwrap().print(), termed);
        let against = format!(
            "{}coins fair\n{}step process 1\nstrategy\nat a=1 | a=0\nturns 0\nstep process 1 coin 1\nat a=0 | a=0\nturns\nstep all\n",
            START.replace("# why\n", "").split("agent").next().unwrap(),
            "agent 0: a=1\nagent 1: a=0\n"
        );
        let read = Trace::parse(&against).unwrap();
        assert_eq!((read.print(), read.strategy.len(), read.strategy[0].turns.clone()), (against, 2, Some(vec![0])));
        assert_eq!((&trace.steps[2].actor, trace.steps[2].coin.as_slice()), (&Actor::Processes(vec![0, 1]), &[1][..]));
    }
}
