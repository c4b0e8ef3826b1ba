//! A protocol that was read from text.

use crate::build::Built;
use crate::card::{card, parameters};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::domains::infinite::misused;
use crate::meaning::analyse::analyse;
use crate::meaning::typed::Unit;
use crate::models::instance;
use crate::syntax::ast::File;
use crate::syntax::parse::{parse, unmarked};
use crate::verify::verify;
use ringleader_erased::{Card, Instance, Parameter, Parameters, Refusal};
use ringleader_model::Promise;
use std::fmt;
use std::sync::Arc;

/// The maximum number of bytes of a text.
const LONGEST: usize = 1 << 18;

/// The entry point: reads a protocol from text.
#[derive(Debug)]
pub struct Source;

impl Source {
    /// Reads a protocol. Diagnostics call the text `name`, for example the path of its file.
    pub fn parse(name: &str, text: &str) -> Result<Protocol, Diagnostics> {
        Source::read(name, text, true)
    }

    /// Reads a protocol that was tried before, such as one that is part of a program. Names and types are checked;
    /// small sizes are not tried again. An instance is still built only if its rules stay in their domains.
    pub fn known(name: &str, text: &str) -> Result<Protocol, Diagnostics> {
        Source::read(name, text, false)
    }

    /// The parameters of a protocol that was tried before. Only the lines that declare them, and the model, are parsed.
    pub fn parameters(text: &str) -> &'static [Parameter] {
        let mut declares = false;
        let lines = text.lines().filter(|line| {
            if line.starts_with(|c: char| !c.is_whitespace()) {
                declares = ["parameter", "identities", "model"].iter().any(|item| line.starts_with(item));
            }
            declares
        });
        let declared = lines.collect::<Vec<_>>().join("\n");
        parameters(&parse(&declared).0, &declared)
    }

    fn read(name: &str, text: &str, try_it: bool) -> Result<Protocol, Diagnostics> {
        let text = unmarked(text);
        let wrong = |list| Diagnostics::new(name, text, list);
        if text.len() > LONGEST {
            return Err(wrong(vec![Diagnostic::error(0..0, format!("a protocol has at most {LONGEST} bytes"))]));
        }
        let (file, mut problems) = parse(text);
        let analysed = analyse(&file, text);
        let unit = match analysed {
            Err(more) => {
                // A missing item may be in a line that could not be parsed.
                let missing = |p: &Diagnostic| p.span == file.place() && !problems.is_empty();
                let more: Vec<_> = more.into_iter().filter(|p| !missing(p)).collect();
                problems.extend(more);
                return Err(wrong(problems));
            }
            Ok((unit, warnings)) => {
                problems.extend(warnings);
                problems.extend(misused(&unit));
                unit
            }
        };
        let refused = |problems: &[Diagnostic]| problems.iter().any(|p| p.severity == Severity::Error);
        if try_it && !refused(&problems) {
            problems.extend(verify(&unit).into_iter().map(|problem| with_brackets(problem, text)));
        }
        if refused(&problems) {
            return Err(wrong(problems));
        }
        let card = card(&unit, &file, text);
        Ok(Protocol(Arc::new(Inner { unit, file, card, warnings: wrong(problems) })))
    }
}

/// A sum with `mod` that leaves its domain is mostly missing brackets.
fn with_brackets(problem: Diagnostic, text: &str) -> Diagnostic {
    let written = text.get(problem.span.clone()).unwrap_or_default();
    let counts = written.contains('+') && (written.contains(" mod ") || written.contains('%'));
    if counts && problem.message.contains("which is outside") {
        return problem.help("`mod` comes before `+`: `x + 1 mod k` is x + (1 mod k); write `(x + 1) mod k`");
    }
    problem
}

/// A protocol that was read from text. Clones are cheap.
#[derive(Clone)]
pub struct Protocol(Arc<Inner>);

struct Inner {
    unit: Unit,
    file: File,
    card: Card,
    warnings: Diagnostics,
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Protocol").field(&self.0.unit.name).finish()
    }
}

impl Protocol {
    /// The card of the protocol.
    pub fn card(&self) -> &Card {
        &self.0.card
    }

    /// The claims besides the goal as written: a name, and a condition for [`Terms::condition`](crate::Terms::condition).
    pub fn promises(&self) -> impl Iterator<Item = (Promise, &str, &str)> {
        self.0.unit.promises.iter().map(|p| (p.promise, p.name.as_str(), p.text.as_str()))
    }

    /// The condition on the configurations in which executions start, as written, if they do not start everywhere.
    pub fn start(&self) -> Option<&str> {
        self.0.unit.start.as_ref().map(|(_, written)| written.as_str())
    }

    pub(crate) fn parts(&self) -> (&Unit, &File, &str) {
        (&self.0.unit, &self.0.file, self.0.card.source)
    }

    /// The warnings about the text.
    pub fn warnings(&self) -> &Diagnostics {
        &self.0.warnings
    }

    /// Builds an instance without layers; fails if a `require` condition does not hold or the rules are wrong at this
    /// size.
    pub fn instance(&self, parameters: &Parameters) -> Result<Instance, Refusal> {
        let inner = &self.0;
        parameters.check(&inner.card)?;
        let built = Built::new(&inner.unit, parameters)?;
        instance(&built, parameters).map_err(|problem| problem.refusal(&inner.unit.name))
    }

    /// Checks the `require` conditions for these parameters; returns the reason if one fails. This is cheaper than a
    /// build.
    pub fn allows(&self, parameters: &Parameters) -> Result<(), Refusal> {
        Built::new(&self.0.unit, parameters).map(|_| ())
    }

    /// Checks whether correctness is claimed for these parameters; returns the reason if it is not.
    pub fn supports(&self, parameters: &Parameters) -> Result<(), Refusal> {
        parameters.check(&self.0.card)?;
        Built::new(&self.0.unit, parameters)?.supports()
    }
}
