//! Tries a protocol at small sizes when it is read: reports errors with an example, and rules that are never enabled.

use crate::build::{Built, Problem, describe};
use crate::code::Code;
use crate::code::sweep::{Mistake, Swept, Wrong, sweep};
use crate::configurations::predicates::Stabilized;
use crate::diagnostic::{Diagnostic, Span};
use crate::domains::declared::ends;
use crate::domains::fold::Constants;
use crate::domains::layout::{Field, State};
use crate::meaning::typed::{Domain, Model, Unit};
use crate::models::instance;
use crate::syntax::ast::Mode;
use ringleader_erased::Parameters;
use ringleader_model::Graph;

/// The sizes at which a protocol is tried, if it supports them.
const SIZES: std::ops::RangeInclusive<usize> = 2..=16;
/// The number of sizes that are tried.
const TRIALS: usize = 3;
/// The maximum number of inputs to try.
const MOST_INPUTS: u64 = 1 << 18;

/// The errors and warnings of a protocol.
pub(crate) fn verify(unit: &Unit) -> Vec<Diagnostic> {
    let mut tried = vec![];
    let mut fired = vec![];
    let (mut refusal, mut large) = (None, 0);
    let sizes = SIZES.chain(unit.size);
    for size in sizes {
        // A process of the complete graph sees as much as one in the middle of a tree.
        let complete = Graph::complete(size).ok().filter(|_| matches!(unit.model, Model::Graph { .. }));
        let parameters = complete.into_iter().fold(Parameters::new(size), Parameters::on);
        let built = match Built::new(unit, &parameters) {
            Ok(built) if built.supports().is_ok() => built,
            Ok(_) => continue,
            Err(reason) => {
                refusal.get_or_insert(reason);
                continue;
            }
        };
        match attempt(&built, &parameters, &mut fired) {
            Err(problem) => return vec![problem],
            Ok(false) => large += 1,
            Ok(true) => tried.push(size),
        }
        if large == TRIALS || tried.len() == TRIALS {
            break;
        }
    }
    if let Some(reason) = refusal.filter(|_| tried.is_empty())
        && unit.size.is_none_or(|size| Built::new(unit, &Parameters::new(size)).is_err())
    {
        let place = empty_domain(unit, *SIZES.start()).unwrap_or(0..0);
        return vec![Diagnostic::error(place, format!("no size up to {} can be built: {reason}", SIZES.end()))];
    }
    let sizes: Vec<_> = tried.iter().map(ToString::to_string).collect();
    let never = fired.into_iter().filter(|(_, count)| *count == 0);
    never
        .map(|(span, _)| {
            let problem =
                Diagnostic::warning(span, format!("this rule is never enabled (tried n = {})", sizes.join(", ")));
            problem.help("its guard never holds, or a rule above it always applies first")
        })
        .collect()
}

/// The place of a domain that cannot be built at a size.
fn empty_domain(unit: &Unit, size: usize) -> Option<Span> {
    let mut constants = Constants { size: size as i64, ..Constants::default() };
    for p in &unit.parameters {
        constants.parameters.push(constants.value(&p.default));
    }
    let fields = unit.messages.iter().flat_map(|message| &message.fields);
    unit.variables.iter().chain(fields).find_map(|variable| match &variable.domain {
        Domain::Range(low, high) if ends(&variable.domain, &unit.enums, &constants, "").is_err() => {
            Some(low.span.start..high.span.end)
        }
        _ => None,
    })
}

/// Builds an instance and runs its rules on all inputs, and counts how often each fired; false if there are too many inputs.
fn attempt(built: &Built<'_>, parameters: &Parameters, fired: &mut Vec<(Span, u64)>) -> Result<bool, Diagnostic> {
    let size = parameters.size;
    if let Err((span, wrong)) = built.too_large() {
        return Err(Diagnostic::error(span, wrong).label(format!("for example with n = {size}")));
    }
    if let Err(problem) = instance(built, parameters) {
        return match problem {
            Problem::Wrong(found) => Err(shown(&found.0, &found.1, size)),
            Problem::Refused(refusal) => Err(Diagnostic::error(0..0, refusal.to_string())),
            Problem::Doubted(span, what) => {
                Err(Diagnostic::error(span, what).label(format!("for example with n = {size}")))
            }
            Problem::Unproven => Ok(false),
        };
    }
    let mut add = |code: &Code, found: Vec<u64>| {
        for ((_, span), count) in code.rules.iter().zip(found) {
            match fired.iter_mut().find(|(known, _)| known == span) {
                Some((_, sum)) => *sum += count,
                None => fired.push((span.clone(), count)),
            }
        }
    };
    if let Model::Message { .. } = built.unit.model {
        for handler in &built.unit.handlers {
            for &port in handler.ports() {
                let Ok((_, code)) = built.handler(handler, port) else { continue };
                match sweep(&code, &built.event(handler, port), MOST_INPUTS) {
                    Swept::Fine(found) => add(&code, found),
                    Swept::Wrong(_) | Swept::TooMany => add(&code, vec![1; code.rules.len()]),
                }
            }
        }
        return Ok(true);
    }
    if let Some(fast) = &built.unit.fast
        && !same_sets(built)
    {
        let problem = Diagnostic::error(fast.span.clone(), format!("`fast` differs from `safe` at n = {size}"));
        return Err(problem.help("`fast` must hold in exactly the configurations in which `safe` holds"));
    }
    // All processes of the complete graph have the same degree.
    let (around, groups) = built.at_degree(size as i64 - 1);
    let (built, groups, inputs) = match built.unit.model {
        Model::Population { .. } => (built, &built.unit.groups, built.pair()),
        Model::Graph { .. } => (&around, &groups, around.around(&(0..size).collect::<Vec<_>>())),
        _ => (built, &built.unit.groups, built.view()),
    };
    let Ok(code) = built.verified(groups, inputs.roles.len() as u8) else { return Ok(false) };
    match sweep(&code, &inputs, MOST_INPUTS) {
        Swept::Fine(found) => {
            add(&code, found);
            Ok(true)
        }
        Swept::Wrong(wrong) => Err(match wrong.what {
            Mistake::Outside(..) => shown(&wrong, &code, size),
            Mistake::Guards(_) => {
                let group = built.unit.groups.iter().find(|group| group.mode == Mode::ExactlyOne);
                let span = group.and_then(|g| g.rules.first()).map_or(0..0, |rule| rule.span.clone());
                let problem = Diagnostic::error(span, format!("{}; exactly one must apply", describe(&wrong, &code)));
                problem.label("in this group of rules").help(format!("n = {size}: {}", wrong.example))
            }
        }),
        Swept::TooMany => Ok(false),
    }
}

/// The diagnostic of a value outside its domain, with its place and an example.
fn shown(wrong: &Wrong, code: &Code, size: usize) -> Diagnostic {
    let Mistake::Outside(limit, _) = &wrong.what else { return Diagnostic::error(0..0, describe(wrong, code)) };
    let problem = Diagnostic::error(limit.span.clone(), describe(wrong, code));
    let example = format!("n = {size}: {}", wrong.example);
    let advice = match limit.field {
        Some(_) => "exclude the case with a guard such as `x < k`, or bound the value with `min(.., k)` or `mod k`",
        None => "exclude this case with a guard",
    };
    problem.label(format!("for example {example}")).help(advice)
}

/// Whether `fast` agrees with `safe` on all configurations, if there are not too many.
fn same_sets(built: &Built<'_>) -> bool {
    let (Ok(predicates), fields) = (Stabilized::with(built, ()), &built.layout.fields) else { return true };
    let lowest = fields.iter().fold(0, |state, f| f.set(state, f.low));
    let mut states = vec![State(lowest); built.constants.size as usize];
    for _ in 0..1 << 16 {
        if !predicates.fast_is_safe(&states) {
            return false;
        }
        if !advance(&mut states, fields) {
            break;
        }
    }
    true
}

/// The next configuration, if there is one.
fn advance(states: &mut [State], fields: &[Field]) -> bool {
    for state in states {
        for field in fields {
            let value = field.get(state.0);
            if value < field.high {
                state.0 = field.set(state.0, value + 1);
                return true;
            }
            state.0 = field.set(state.0, field.low);
        }
    }
    false
}
