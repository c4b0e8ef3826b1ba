//! A protocol with values for its parameters: domains, conditions, and compiled code that is proven safe.

use crate::code::compile::Compiler;
use crate::code::compile::quantifiers::with_bound;
use crate::code::sweep::{Inputs, Mistake, Swept, Wrong, sweep};
use crate::code::{Code, Limit, TooLarge};
use crate::diagnostic::Span;
use crate::domains::bounds::Prover;
use crate::domains::declared::ends;
use crate::domains::fold::{Constants, divides_by_nothing};
use crate::domains::large::{Sizes, TOO_LARGE, Wrong as Beyond};
use crate::domains::layout::Layout;
use crate::meaning::typed::{Action, Condition, Domain, Ex, Group, Handler, Model, Op, Rule, Type, Unit};
use ringleader_erased::{Parameters, Refusal, Topology};
use ringleader_model::Marks;
use ringleader_model::graph::Neighbours;
use std::sync::Arc;

/// The maximum number of inputs that are tried one by one if intervals do not decide.
const MOST_TRIED: u64 = 1 << 21;

/// The reason why a protocol cannot be built.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    Refused(Refusal),
    /// A rule makes an error: the place and an example.
    Wrong(Box<(Wrong, Code)>),
    /// A divisor of an expression may be 0, or the range of a quantifier may be too large: the place and the reason.
    Doubted(Span, String),
    /// Intervals do not show that values stay in their domains, and there are too many inputs to try.
    Unproven,
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        Problem::Refused(refusal)
    }
}

impl From<TooLarge> for Problem {
    fn from(_: TooLarge) -> Problem {
        Problem::Refused(Refusal::new(
            "the protocol cannot be compiled: it has too many variables or rules, or its expressions are too long",
        ))
    }
}

impl Problem {
    /// The refusal as text, for the caller who chose the parameters.
    pub(crate) fn refusal(self, name: &str) -> Refusal {
        match self {
            Problem::Refused(refusal) => refusal,
            Problem::Wrong(found) => Refusal::new(format!("{name}: {}", describe(&found.0, &found.1))),
            Problem::Doubted(_, what) => Refusal::new(format!("{name}: {what}")),
            Problem::Unproven => Refusal::new(format!(
                "{name}: ringleader cannot show that every value stays in its domain at this size; add a guard such as `x < k`, or \
                 bound the value with `min(.., k)`"
            )),
        }
    }
}

/// The error in one line.
pub(crate) fn describe(wrong: &Wrong, code: &Code) -> String {
    let rule = wrong.rule.and_then(|rule| code.rules.get(rule as usize)).and_then(|(number, _)| *number);
    let who = rule.map_or_else(|| "a rule".to_string(), |number| format!("rule {number}"));
    match &wrong.what {
        // The check counts earlier assignments to the variable; the first assignment has none.
        Mistake::Outside(limit, _) if limit.field.is_none() && limit.high == 0 => {
            format!("{who} assigns a second value to {} in the same step", limit.what)
        }
        Mistake::Outside(Limit { field: Some(field), what, .. }, value) => {
            format!("{who} writes {what} = {}, which is outside {}", field.show(*value), field.domain())
        }
        Mistake::Outside(Limit { low: 1, what, .. }, value) => format!("{what} is {value}, but it must be at least 1"),
        Mistake::Outside(Limit { what, .. }, value) => format!("{what} is {value}, but it must be in 0..2^30"),
        Mistake::Guards(0) => "no rule applies".into(),
        Mistake::Guards(_) => "more than one rule applies".into(),
    }
}

/// The parts that every protocol has, in any model, once its parameters have values.
pub(crate) struct Built<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) constants: Constants,
    pub(crate) layout: Layout,
    pub(crate) messages: Vec<Layout>,
}

impl<'a> Built<'a> {
    /// Assigns values to the parameters, and checks the `require` conditions.
    pub(crate) fn new(unit: &'a Unit, parameters: &Parameters) -> Result<Built<'a>, Refusal> {
        let size = parameters.size;
        // On a complete graph, agents can be counted instead of listed.
        let exponent = if unit.topology == Topology::Complete { 40 } else { 24 };
        // In a browser `usize` has fewer bits than the greater limit.
        if !(1..=1_u64 << exponent).contains(&(size as u64)) {
            return Err(Refusal::new(format!("size {size}: {} needs 1 to 2^{exponent} agents", unit.name)));
        }
        let graph = match unit.model {
            Model::Graph { .. } => Some(Arc::new(network(unit, parameters)?)),
            _ => None,
        };
        let mut constants = Constants { size: size as i64, graph, ..Constants::default() };
        for p in &unit.parameters {
            small(&p.default, &constants, &p.name)?;
            let value = match (&p.domain, parameters.word(&p.name)) {
                (_, None) => constants.value(&p.default),
                (Some(Domain::Words(words)), Some(given)) => {
                    let words = &unit.enums[*words];
                    let at = words.iter().position(|word| word == given);
                    at.ok_or_else(|| Refusal::value(&p.name, words.join(" or "), given))? as i64
                }
                (_, Some(_)) => parameters.number(&p.name)?.map_or(0, |value| value.min(1 << 53) as i64),
            };
            if let Some(domain) = &p.domain {
                let (low, high) = ends(domain, &unit.enums, &constants, &p.name)?;
                if !(low..=high).contains(&value) {
                    // A failed `require` condition explains more, so it is reported first.
                    let known = |c: &&Condition| speaks_of(&c.holds, constants.parameters.len());
                    conditions(unit.requires.iter().filter(known), unit, &constants)?;
                    return Err(Refusal::new(format!("{} must be in {low}..{high}, not {value}", p.name)));
                }
            }
            constants.parameters.push(value);
        }
        conditions(unit.requires.iter(), unit, &constants)?;
        let layout = Layout::new(&unit.variables, &unit.enums, &constants)?;
        let messages = unit.messages.iter().map(|m| Layout::new(&m.fields, &unit.enums, &constants));
        let messages = messages.collect::<Result<_, _>>()?;
        Ok(Built { unit, constants, layout, messages })
    }

    /// The first place where a number can be too large, or an index can have no agent.
    pub(crate) fn too_large(&self) -> Result<(), Beyond> {
        let (layout, messages) = (Some(&self.layout), &self.messages[..]);
        let around = self.unit.topology.is_around();
        Sizes { constants: &self.constants, layout, messages, around }.of(self.unit)
    }

    /// Whether correctness is claimed at this size.
    pub(crate) fn supports(&self) -> Result<(), Refusal> {
        conditions(self.unit.supports.iter(), self.unit, &self.constants)
    }

    /// Code for an expression over one agent, over a process and its neighbours, or over all agents.
    pub(crate) fn expression(&self, roles: u8, bound: usize, ex: &Ex) -> Result<Code, Problem> {
        self.prover().expression(ex).map_err(|(span, what)| Problem::Doubted(span, what))?;
        Ok(Compiler::expression(&self.constants, &self.layout, roles, bound, ex)?)
    }

    /// The marks with the code of their conditions, which read this many agents.
    pub(crate) fn marks(&self, roles: u8) -> Result<Vec<(Marks, Code)>, Problem> {
        self.unit.marks.iter().map(|(mark, when)| Ok((*mark, self.expression(roles, 0, when)?))).collect()
    }

    /// Code for a condition on configurations, with closed sets expanded; `None` if it is too long.
    pub(crate) fn written_out(&self, sets: &[Ex], ex: &Ex) -> Option<Code> {
        self.compiler(0).ok()?.written_out_sets(sets, ex).ok()
    }

    /// Code that returns which conditions on a configuration hold, closed sets first; `None` if there are too many.
    pub(crate) fn verdict(&self, conditions: &[Ex], sets: usize) -> Option<Code> {
        self.compiler(0).ok().filter(|_| conditions.len() <= 30)?.verdict(conditions, sets).ok()
    }

    /// Whether a value certainly lies in a domain.
    pub(crate) fn fits(&self, ex: &Ex, field: crate::domains::layout::Field) -> bool {
        self.prover().value(ex, field)
    }

    /// Whether intervals show that rules write only values of the domains.
    pub(crate) fn proven(&self, groups: &[Group]) -> bool {
        self.prover().groups(None, groups)
    }

    fn prover(&self) -> Prover<'_> {
        Prover::new(&self.constants, &self.layout, &self.messages, None)
    }

    /// A compiler of code that reads this many agents.
    fn compiler(&self, roles: u8) -> Result<Compiler<'_>, TooLarge> {
        Compiler::new(&self.constants, &self.layout, &self.messages, roles, 0)
    }

    /// The rules compiled so that they count the guards that hold where exactly one must hold.
    pub(crate) fn verified(&self, groups: &[Group], roles: u8) -> Result<Code, TooLarge> {
        let mut compiler = self.compiler(roles)?;
        compiler.verify = true;
        compiler.groups(groups)
    }

    /// The inputs of code for agents in these roles.
    pub(crate) fn inputs(&self, roles: &[&str], given: Vec<([i64; 2], String)>) -> Inputs<'_> {
        let roles = roles.iter().map(|role| (*role).to_string()).collect();
        Inputs { layout: &self.layout, roles, message: None, given, around: None }
    }

    /// The same for the processes of a graph that have this degree, with the groups of rules for them.
    pub(crate) fn at_degree(&self, degree: i64) -> (Built<'a>, Vec<Group>) {
        let constants = Constants { degree: Some(degree), ..self.constants.clone() };
        let built = Built { unit: self.unit, constants, layout: self.layout.clone(), messages: vec![] };
        let groups = self.unit.groups.iter().map(|group| chosen(group, degree)).collect();
        (built, groups)
    }

    /// The rules of the processes that have the degree for which this was built, and that are these.
    pub(crate) fn rules_of(&self, groups: &[Group], processes: &[usize]) -> Result<Code, Problem> {
        let code = self.compiler(1)?.groups(groups)?;
        if !self.proven(groups) {
            // Without their numbers, processes of the same degree cannot be told apart.
            let mut all = groups.iter().flat_map(Group::expressions).map(|ex| self.constants.fold(ex));
            let numbered = all.any(|ex| ex.contains(&|op| matches!(op, Op::Process)));
            tried(&code, &self.around(if numbered { processes } else { &processes[..1] }))?;
        }
        Ok(code)
    }

    /// The inputs of the rules of some processes of a graph that have the same degree.
    pub(crate) fn around(&self, processes: &[usize]) -> Inputs<'_> {
        let around = self.constants.graph.as_ref().zip(processes.first());
        let given = processes.iter().map(|&process| ([process as i64, 0], format!("process {process}")));
        Inputs { around: around.map(|(graph, process)| (&**graph, *process)), ..self.inputs(&[""], given.collect()) }
    }

    /// Compiles groups of rules, and checks that they write only values of the domains.
    pub(crate) fn rules(&self, groups: &[Group], inputs: &Inputs<'_>) -> Result<Code, Problem> {
        let code = self.compiler(inputs.roles.len() as u8)?.groups(groups)?;
        if !self.proven(groups) {
            tried(&code, inputs)?;
        }
        Ok(code)
    }

    /// The condition and the actions of a handler for a message at a port.
    pub(crate) fn handler(&self, handler: &Handler, port: Option<i64>) -> Result<(Option<Code>, Code), Problem> {
        let constants = Constants { port, ..self.constants.clone() };
        let fields = handler.message.map_or(0, |message| self.messages[message].fields.len());
        let compiler = || Compiler::new(&constants, &self.layout, &self.messages, 1, fields);
        let group = std::slice::from_ref(&handler.group);
        let code = compiler()?.groups(group)?;
        let when = |when| compiler()?.inside_rules().condition(&constants.fold(when));
        let when = handler.when.as_ref().map(when).transpose()?;
        let prover = Prover::new(&constants, &self.layout, &self.messages, handler.message);
        if !prover.groups(handler.when.as_ref(), group) {
            let code = compiler()?.groups(&[guarded(handler)])?;
            tried(&code, &self.event(handler, port))?;
        }
        Ok((when, code))
    }

    /// The inputs of a handler.
    pub(crate) fn event(&self, handler: &Handler, port: Option<i64>) -> Inputs<'_> {
        let ids = matches!(self.unit.model, Model::Message { identities: true, .. });
        let port = port.map_or("", |port| if port == 0 { "from the left" } else { "from the right" });
        let most = if ids { self.constants.size.min(64) } else { 1 };
        let shown = |id: i64| if ids { format!("identity {id} {port}") } else { port.to_string() };
        let given = (1..=most).map(|id| ([id, 0], shown(id).trim().to_string())).collect();
        let message = handler.message.map(|at| (self.unit.messages[at].name.as_str(), &self.messages[at]));
        Inputs { message, ..self.inputs(&[""], given) }
    }
}

/// The rules of a handler under its own guard: a first rule without actions applies if the guard fails.
fn guarded(handler: &Handler) -> Group {
    let mut group = handler.group.clone();
    if let Some(when) = &handler.when {
        let not = Ex::new(Op::Not(Box::new(when.clone())), Type::Truth, when.span.clone());
        let rule = Rule { number: None, each: None, guard: Some(not), actions: vec![], span: when.span.clone() };
        group.rules.insert(0, rule);
    }
    group
}

/// The graph of processes: the given one, or the complete one.
fn network(unit: &Unit, parameters: &Parameters) -> Result<Neighbours, Refusal> {
    let own = || unit.topology.graph(parameters.size).map_err(|error| Refusal::new(format!("{}: {error}", unit.name)));
    Ok(match &parameters.graph {
        Some(graph) if graph.size() == parameters.size => graph.neighbours(),
        _ => own()?.neighbours(),
    })
}

/// The rules of a group for a process with this degree. A rule for some neighbour becomes one rule for each port.
fn chosen(group: &Group, degree: i64) -> Group {
    let at = |rule: &Rule, port: i64| {
        let mut rule = rule.clone();
        let put = |ex: &mut Ex| *ex = with_bound(ex, 0, port);
        rule.guard.iter_mut().for_each(put);
        for action in &mut rule.actions {
            if let Action::Assign(pairs) = action {
                pairs.iter_mut().for_each(|(_, value)| put(value));
            }
        }
        rule
    };
    let rules = group.rules.iter().flat_map(|rule| match rule.each {
        Some(_) => (1..=degree).map(|port| at(rule, port)).collect(),
        None => vec![rule.clone()],
    });
    Group { mode: group.mode, rules: rules.collect() }
}

/// Whether an expression uses only the size and the first parameters.
fn speaks_of(ex: &Ex, parameters: usize) -> bool {
    !ex.contains(&|op| matches!(op, Op::Parameter(at) if *at >= parameters))
}

fn conditions<'c>(
    conditions: impl Iterator<Item = &'c Condition>,
    unit: &Unit,
    constants: &Constants,
) -> Result<(), Refusal> {
    for condition in conditions {
        small(&condition.holds, constants, &format!("{} needs {}", unit.name, condition.written))?;
        let holds = constants.fold(&condition.holds);
        if divides_by_nothing(&holds) {
            return Err(Refusal::new(format!("{}: {} divides by 0", unit.name, condition.written)));
        }
        if constants.value(&holds) == 0 {
            let parameters = unit.parameters.iter().zip(&constants.parameters);
            let values: Vec<_> = parameters
                .filter(|(p, _)| !matches!(p.domain, Some(Domain::Words(_))))
                .map(|(p, value)| format!(", {} = {value}", p.name))
                .collect();
            let reason = if condition.reason.is_empty() { String::new() } else { format!(": {}", condition.reason) };
            return Err(Refusal::new(format!(
                "{} needs {}, but n = {}{}{reason}",
                unit.name,
                condition.written,
                constants.size,
                values.concat()
            )));
        }
    }
    Ok(())
}

/// Refuses an expression over the size and parameters whose value is too large.
fn small(ex: &Ex, constants: &Constants, what: &str) -> Result<(), Refusal> {
    let sizes = Sizes { constants, layout: None, messages: &[], around: true };
    sizes.fits(ex, None).map_err(|_| Refusal::new(format!("{what}: {TOO_LARGE}")))
}

/// Runs code on all inputs.
fn tried(code: &Code, inputs: &Inputs<'_>) -> Result<(), Problem> {
    match sweep(code, inputs, MOST_TRIED) {
        Swept::Wrong(wrong) => Err(Problem::Wrong(Box::new((wrong, code.clone())))),
        Swept::Fine(_) => Ok(()),
        Swept::TooMany => Err(Problem::Unproven),
    }
}

impl Built<'_> {
    /// The inputs of the rules of a population protocol.
    pub(crate) fn pair(&self) -> Inputs<'_> {
        let (l, r) = &self.unit.roles;
        let told = |[a, b]: [i64; 2]| {
            let heard = |role: &str, told: i64| (told == 0).then(|| format!("{role} hears of no leader"));
            ([a, b], [heard(l, a), heard(r, b)].into_iter().flatten().collect::<Vec<_>>().join(", "))
        };
        let hears = self.unit.model == Model::Population { hears: true };
        let all: &[[i64; 2]] = if hears { &[[0, 0], [0, 1], [1, 0], [1, 1]] } else { &[[1, 1]] };
        let roles = [format!("{l}."), format!("{r}.")];
        self.inputs(&[&roles[0], &roles[1]], all.iter().map(|both| told(*both)).collect())
    }

    /// The inputs of the rules of a process.
    pub(crate) fn view(&self) -> Inputs<'_> {
        let places = [([0, 0], ""), ([1, 0], "at the bottom"), ([0, 1], "at the top")];
        let places = places.map(|(place, words)| (place, words.to_string())).to_vec();
        self.inputs(&["", "left.", "right."], places)
    }
}
