//! A protocol that was a text, as a value.

use crate::build::Built;
use crate::card::card;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::domains::infinite::misused;
use crate::meaning::analyse::analyse;
use crate::meaning::typed::{Promise, Unit};
use crate::models::{Instance, instance};
use crate::syntax::ast::File;
use crate::syntax::parse::parse;
use crate::verify::verify;
use ringleader_erased::{Card, Parameters, Refusal};
use std::fmt;
use std::sync::Arc;

/// The most bytes a text may have.
const LONGEST: usize = 1 << 18;

/// A text, to be read.
#[derive(Debug)]
pub struct Source;

impl Source {
    /// Reads a protocol. `name` is what to call the text in messages, such as the path of its file.
    pub fn parse(name: &str, text: &str) -> Result<Protocol, Diagnostics> {
        Source::read(name, text, true)
    }

    /// Reads a protocol that has been tried before, such as one that comes with a program: names and types are checked, and
    /// small sizes are not tried again. An instance is still built only if its rules write what they may.
    pub fn known(name: &str, text: &str) -> Result<Protocol, Diagnostics> {
        Source::read(name, text, false)
    }

    fn read(name: &str, text: &str, try_it: bool) -> Result<Protocol, Diagnostics> {
        let wrong = |list| Diagnostics::new(name, text, list);
        if text.len() > LONGEST {
            return Err(wrong(vec![Diagnostic::error(0..0, format!("a protocol has at most {LONGEST} bytes"))]));
        }
        let (file, mut problems) = parse(text);
        let analysed = analyse(&file, text);
        let unit = match analysed {
            Err(more) => {
                // What is missing may stand in a line that could not be read.
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
        let card = card(&unit, text);
        Ok(Protocol(Arc::new(Inner { unit, file, card, warnings: wrong(problems) })))
    }
}

/// Who counts around and leaves the domain has mostly forgotten the brackets.
fn with_brackets(problem: Diagnostic, text: &str) -> Diagnostic {
    let written = text.get(problem.span.clone()).unwrap_or_default();
    let counts = written.contains('+') && (written.contains(" mod ") || written.contains('%'));
    if counts && problem.message.contains("which is outside") {
        return problem.help("`mod` comes before `+`: `x + 1 mod k` is x + (1 mod k); write `(x + 1) mod k`");
    }
    problem
}

/// A protocol that was a text. Copies are cheap.
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
    /// What there is to say of it.
    pub fn card(&self) -> &Card {
        &self.0.card
    }

    /// What is claimed besides the goal, as it is written: a name, and a condition for [`Terms::condition`](crate::Terms::condition).
    pub fn promises(&self) -> impl Iterator<Item = (Promise, &str, &str)> {
        self.0.unit.promises.iter().map(|p| (p.promise, p.name.as_str(), p.text.as_str()))
    }

    pub(crate) fn parts(&self) -> (&Unit, &File, &str) {
        (&self.0.unit, &self.0.file, self.0.card.source)
    }

    /// What may not have been meant.
    pub fn warnings(&self) -> &Diagnostics {
        &self.0.warnings
    }

    /// Builds it, without layers; fails where the rules make no sense.
    pub fn instance(&self, parameters: &Parameters) -> Result<Instance, Refusal> {
        let inner = &self.0;
        parameters.check(&inner.card)?;
        let built = Built::new(&inner.unit, parameters)?;
        instance(&built, parameters).map_err(|problem| problem.refusal(&inner.unit.name))
    }

    /// Whether it is for these parameters at all; the reason if not. That costs less than to build it.
    pub fn allows(&self, parameters: &Parameters) -> Result<(), Refusal> {
        Built::new(&self.0.unit, parameters).map(|_| ())
    }

    /// Whether it is claimed right with these parameters; the reason if not.
    pub fn supports(&self, parameters: &Parameters) -> Result<(), Refusal> {
        parameters.check(&self.0.card)?;
        Built::new(&self.0.unit, parameters)?.supports()
    }
}
