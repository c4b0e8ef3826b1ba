//! A protocol with values for its parameters: domains, conditions, and compiled code that has been proven safe.

use crate::code::compile::Compiler;
use crate::code::compile::rules::Purpose;
use crate::code::sweep::{Inputs, Mistake, Swept, Wrong, sweep};
use crate::code::{Code, TooLarge};
use crate::diagnostic::Span;
use crate::domains::bounds::Prover;
use crate::domains::declared::ends;
use crate::domains::fold::{Constants, divides_by_nothing};
use crate::domains::large::{Sizes, TOO_LARGE, Wrong as Beyond};
use crate::domains::layout::Layout;
use crate::meaning::typed::{Condition, Domain, Ex, Group, Handler, Model, Op, Unit};
use ringleader_erased::{Parameters, Refusal};

/// Up to so many inputs are tried one by one when intervals do not settle it.
const MOST_TRIED: u64 = 1 << 21;

/// The parameter that says who has which identity.
pub(crate) const IDENTITIES: &str = "identities";

/// Why a protocol cannot be built.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    Refused(Refusal),
    /// A rule does something wrong: there is a place and an example.
    Wrong(Box<(Wrong, Code)>),
    /// An expression divides by nothing or looks at too much, for all that is known: there is a place.
    Doubted(Span, String),
    /// Intervals do not show that values stay in their domains, and there are too many to try.
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
    /// In words, for whoever asked for these parameters.
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

/// What went wrong, in one line.
pub(crate) fn describe(wrong: &Wrong, code: &Code) -> String {
    let rule = wrong.rule.and_then(|rule| code.rules.get(rule as usize)).and_then(|(number, _)| *number);
    let who = rule.map_or_else(|| "a rule".to_string(), |number| format!("rule {number}"));
    match &wrong.what {
        // What is written once has been written no time before.
        Mistake::Outside(limit, _) if limit.field.is_none() && limit.high == 0 => {
            format!("{who} assigns a second value to {} in the same step", limit.what)
        }
        Mistake::Outside(limit, value) => {
            let shown = limit.field.map_or_else(|| value.to_string(), |field| field.show(*value));
            let domain = limit.field.map_or_else(
                || if limit.low == 1 { "at least 1".into() } else { "in 0..2^30".into() },
                |field| field.domain(),
            );
            match limit.field {
                Some(_) => format!("{who} writes {} = {shown}, which is outside {domain}", limit.what),
                None => format!("{} is {shown}, but it must be {domain}", limit.what),
            }
        }
        Mistake::Guards(0) => "no rule applies".into(),
        Mistake::Guards(_) => "more than one rule applies".into(),
    }
}

/// What every protocol of this language has once its parameters are known.
pub(crate) struct Built<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) constants: Constants,
    pub(crate) layout: Layout,
    pub(crate) messages: Vec<Layout>,
}

impl<'a> Built<'a> {
    /// Gives the parameters their values, and checks the conditions without which the rules make no sense.
    pub(crate) fn new(unit: &'a Unit, parameters: &Parameters) -> Result<Built<'a>, Refusal> {
        let size = parameters.size;
        if !(1..=1 << 24).contains(&size) {
            return Err(Refusal::new(format!("size {size}: {} needs 1 to 2^24 agents", unit.name)));
        }
        let mut constants = Constants { size: size as i64, parameters: vec![], port: None };
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
                    // The reason why there is no such size says more.
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

    /// Where something is computed that can be too large a number, or more than there are agents.
    pub(crate) fn too_large(&self) -> Result<(), Beyond> {
        let (layout, messages) = (Some(&self.layout), &self.messages[..]);
        let around = self.unit.topology.is_around();
        Sizes { constants: &self.constants, layout, messages, around }.of(self.unit)
    }

    /// Whether the protocol is claimed right at this size.
    pub(crate) fn supports(&self) -> Result<(), Refusal> {
        conditions(self.unit.supports.iter(), self.unit, &self.constants)
    }

    /// An expression over one agent, a process and its neighbours, or all.
    pub(crate) fn expression(&self, roles: u8, bound: usize, ex: &Ex) -> Result<Code, Problem> {
        self.prover(None).expression(ex).map_err(|(span, what)| Problem::Doubted(span, what))?;
        Ok(Compiler::expression(&self.constants, &self.layout, roles, bound, ex)?)
    }

    /// A condition on configurations, the closed sets it speaks of written out; `None` if that is too long.
    pub(crate) fn written_out(&self, sets: &[Ex], ex: &Ex) -> Option<Code> {
        let compiler = Compiler::new(&self.constants, &self.layout, 0, 0).ok()?;
        compiler.written_out_sets(sets, ex).ok()
    }

    /// Which of several conditions on a configuration hold, the closed sets first; `None` if there are too many.
    pub(crate) fn verdict(&self, conditions: &[Ex], sets: usize) -> Option<Code> {
        let compiler = Compiler::new(&self.constants, &self.layout, 0, 0).ok().filter(|_| conditions.len() <= 30)?;
        compiler.verdict(conditions, sets).ok()
    }

    /// Whether a value surely lies in a domain.
    pub(crate) fn fits(&self, ex: &Ex, field: crate::domains::layout::Field) -> bool {
        self.prover(None).value(ex, field)
    }

    /// Whether intervals show that rules write only what they may.
    pub(crate) fn proven(&self, groups: &[&Group]) -> bool {
        self.prover(None).groups(None, groups)
    }

    fn prover(&self, message: Option<usize>) -> Prover<'_> {
        Prover::new(&self.constants, &self.layout, &self.messages, message)
    }

    /// The rules compiled so that they say how many guards hold where exactly one should.
    pub(crate) fn verified(&self, groups: &[&Group], roles: u8) -> Result<Code, TooLarge> {
        let purpose = Purpose { messages: &self.messages, verify: true };
        Compiler::new(&self.constants, &self.layout, roles, 0)?.groups(groups, purpose)
    }

    /// What code sees of agents in these roles.
    pub(crate) fn inputs(&self, roles: &[&str], given: Vec<([i64; 2], String)>) -> Inputs<'_> {
        let roles = roles.iter().map(|role| (*role).to_string()).collect();
        Inputs { layout: &self.layout, roles, message: None, given }
    }

    /// Compiles groups of rules, and makes sure that they write what they may.
    pub(crate) fn rules(&self, groups: &[&Group], inputs: &Inputs<'_>) -> Result<Code, Problem> {
        let roles = inputs.roles.len() as u8;
        let purpose = Purpose { messages: &self.messages, verify: false };
        let code = Compiler::new(&self.constants, &self.layout, roles, 0)?.groups(groups, purpose)?;
        if !self.proven(groups) {
            tried(&code, inputs)?;
        }
        Ok(code)
    }

    /// What a handler does if a message comes through a port; and when it takes it.
    pub(crate) fn handler(&self, handler: &Handler, port: Option<i64>) -> Result<(Option<Code>, Code), Problem> {
        let constants = Constants { port, ..self.constants.clone() };
        let fields = handler.message.map_or(0, |message| self.messages[message].fields.len());
        let purpose = Purpose { messages: &self.messages, verify: false };
        let compiler = || Compiler::new(&constants, &self.layout, 1, fields);
        let code = compiler()?.groups(&[&handler.group], purpose)?;
        let when = match &handler.when {
            None => None,
            Some(when) => Some(compiler()?.condition(&constants.fold(when))?),
        };
        let prover = Prover::new(&constants, &self.layout, &self.messages, handler.message);
        if !prover.groups(handler.when.as_ref(), &[&handler.group]) {
            let guarded = guarded(handler);
            let code = compiler()?.groups(&[&guarded], purpose)?;
            tried(&code, &self.event(handler, port))?;
        }
        Ok((when, code))
    }

    /// What a handler sees.
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

/// The rules of a handler behind its own guard, as one more rule that does nothing.
fn guarded(handler: &Handler) -> Group {
    let mut group = handler.group.clone();
    if let Some(when) = &handler.when {
        let not = Ex::new(
            crate::meaning::typed::Op::Not(Box::new(when.clone())),
            crate::meaning::typed::Type::Truth,
            when.span.clone(),
        );
        let span = when.span.clone();
        group.rules.insert(0, crate::meaning::typed::Rule { number: None, guard: Some(not), actions: vec![], span });
    }
    group
}

/// Whether an expression speaks of the size and the first parameters only.
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

/// Refuses an expression of sizes and parameters that is too large a number.
fn small(ex: &Ex, constants: &Constants, what: &str) -> Result<(), Refusal> {
    let sizes = Sizes { constants, layout: None, messages: &[], around: true };
    sizes.fits(ex, None).map_err(|_| Refusal::new(format!("{what}: {TOO_LARGE}")))
}

/// Tries code on all inputs.
fn tried(code: &Code, inputs: &Inputs<'_>) -> Result<(), Problem> {
    match sweep(code, inputs, MOST_TRIED) {
        Swept::Wrong(wrong) => Err(Problem::Wrong(Box::new((wrong, code.clone())))),
        Swept::Fine(_) => Ok(()),
        Swept::TooMany => Err(Problem::Unproven),
    }
}

impl Built<'_> {
    /// What the rules of a population protocol see.
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

    /// What the rules of a process see.
    pub(crate) fn view(&self) -> Inputs<'_> {
        let places = [([0, 0], ""), ([1, 0], "at the bottom"), ([0, 1], "at the top")];
        let places = places.map(|(place, words)| (place, words.to_string())).to_vec();
        self.inputs(&["", "left.", "right."], places)
    }
}
