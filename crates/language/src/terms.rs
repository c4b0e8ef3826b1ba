//! Conditions on the configurations of any algorithm, for example from the command line.

use crate::build::Built;
use crate::code::Code;
use crate::code::compile::Compiler;
use crate::configurations::alone::{alone, outside};
use crate::configurations::cells::{Cells, evaluate};
use crate::configurations::knowledge;
use crate::configurations::named_places::Places;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::domains::bounds::Prover;
use crate::domains::fold::Constants;
use crate::domains::infinite::misuse;
use crate::domains::large::Sizes;
use crate::domains::layout::{Layout, State};
use crate::meaning::resolve::Resolver;
use crate::meaning::scope::{Context, Scope};
use crate::meaning::typed::{Ex, Model, Type, Variable};
use crate::protocol::Protocol;
use crate::syntax::ast::{At, Closed, Declared, Domain, Expr, File, Form, Parameter};
use crate::syntax::parse::{expression, response};
use ringleader_erased::{Parameters, Refusal, Topology};
use ringleader_model::graph::Neighbours;
use ringleader_model::{Described, Knowledge};
use std::sync::Arc;

/// The words of each domain that has words.
type Words = Vec<Vec<String>>;

/// The names that expressions about an algorithm may use.
#[derive(Debug)]
pub struct Terms {
    file: File,
    model: Model,
    /// The values of the parameters.
    constants: Constants,
    /// For a protocol in text: its packing of states.
    layout: Option<Layout>,
    /// Whether indices go around the ring.
    around: bool,
}

fn at<T>(it: T) -> At<T> {
    At::new(it, 0..0)
}

fn number(value: i64) -> Expr {
    Expr::new(Form::Number(value), 0..0)
}

/// Reads a text that is called `name`. The place of a named expression lies in the file, not in this text.
fn read<T>(name: &str, text: &str, read: impl FnOnce() -> Result<T, Vec<Diagnostic>>) -> Result<T, Diagnostics> {
    read().map_err(|mut problems| {
        for problem in &mut problems {
            if text.get(problem.span.clone()).is_none() {
                problem.span = 0..text.len();
            }
        }
        Diagnostics::new(name, text, problems)
    })
}

impl Terms {
    /// The terms of an algorithm in Rust: the variables of its agents, its marks as bits, its closed sets by name, and
    /// its parameters. The agents form a ring.
    pub fn new(
        size: usize,
        variables: &[Described],
        bits: &[&str],
        sets: &[String],
        parameters: &[(String, u64)],
    ) -> Terms {
        let declared =
            |name: String, domain| Declared { names: vec![at(name)], per_port: false, domain: at(domain), first: None };
        let variable = |v: &Described| {
            let domain = match (&v.words[..], v.low, v.high) {
                ([], 0, 1) => Domain::Bit,
                // Unbounded counters are cut at the largest bound of a domain.
                ([], low, high) => Domain::Range(number(low as i64), number(high.min(1 << 32) as i64)),
                (words, ..) => Domain::Words(words.iter().map(|word| at(word.clone())).collect()),
            };
            declared(v.name.clone(), domain)
        };
        let bit = |name: &&str| declared((*name).to_string(), Domain::Bit);
        let set = |name: &String| Closed { name: at(name.clone()), claim: String::new(), holds: number(1) };
        let parameter = |(name, _): &(String, u64)| Parameter {
            name: at(name.clone()),
            domain: None,
            default: number(0),
            meaning: String::new(),
        };
        let values = parameters.iter().map(|(_, value)| (*value).min(1 << 53) as i64);
        Terms {
            file: File {
                variables: variables.iter().map(variable).chain(bits.iter().map(bit)).collect(),
                closed: sets.iter().map(set).collect(),
                parameters: parameters.iter().map(parameter).collect(),
                ..File::default()
            },
            // Conditions use only variables of indexed agents, so any model works here.
            model: Model::Population { hears: false },
            constants: Constants { size: size as i64, parameters: values.collect(), ..Constants::default() },
            layout: None,
            around: true,
        }
    }

    /// The same with another graph: indices go around on rings only.
    #[must_use]
    pub fn on(self, topology: Topology) -> Terms {
        Terms { around: topology.is_around(), ..self }
    }

    /// The terms of a protocol in text: they include its named expressions, marks and sets.
    pub fn of(protocol: &Protocol, parameters: &Parameters) -> Result<Terms, Refusal> {
        let (unit, file, _) = protocol.parts();
        let built = Built::new(unit, parameters)?;
        Ok(Terms {
            file: file.clone(),
            model: unit.model,
            constants: built.constants,
            layout: Some(built.layout),
            around: unit.topology.is_around(),
        })
    }

    /// Parses a condition on configurations. Diagnostics call the text `name`.
    ///
    /// ```
    /// use ringleader_language::Terms;
    /// use ringleader_model::Described;
    /// let x = Described { name: "x".into(), low: 0, high: 3, words: vec![] };
    /// let terms = Terms::new(2, &[x], &[], &[], &[]);
    /// let equal = terms.condition("--invariant", "all i : x[i] = x[0]").unwrap();
    /// let [two, three] = [2, 3].map(|x| equal.pack(&[x]));
    /// assert!(equal.holds(&[two, two], &|_| false) && !equal.holds(&[two, three], &|_| false));
    /// let wrong = terms.condition("--invariant", "all i : y[i] = 1").unwrap_err();
    /// assert!(wrong.to_string().contains("no variable `y`"), "{wrong}");
    /// ```
    pub fn condition(&self, name: &str, text: &str) -> Result<Expression, Diagnostics> {
        read(name, text, || self.compiled(&expression(text)?, text, None, Type::Truth))
    }

    /// Parses a condition on the configurations in which executions start. A comparison that must hold, but that no value in the domain of
    /// its variable meets, is an error.
    ///
    /// ```
    /// use ringleader_language::Terms;
    /// use ringleader_model::Described;
    /// let x = Described { name: "x".into(), low: 0, high: 3, words: vec![] };
    /// let terms = Terms::new(2, &[x], &[], &[], &[]);
    /// assert!(terms.start("--start", "x[0] = 3 or x[0] = 7").is_ok());
    /// let wrong = terms.start("--start", "(all i : x[i] < 2) and x[0] = 7").unwrap_err();
    /// assert!(wrong.to_string().contains("`x` is in 0..3"), "{wrong}");
    /// ```
    pub fn start(&self, name: &str, text: &str) -> Result<Expression, Diagnostics> {
        let condition = self.condition(name, text)?;
        read(name, text, || {
            let whole = self.constants.fold(&self.resolved(&expression(text)?, None, Type::Truth)?.0);
            let Some((span, field)) = outside(&whole, &condition.layout) else { return Ok(condition) };
            let (name, domain) = (field.name, field.domain());
            let wrong = format!("no value of `{name}` meets this condition");
            Err(vec![Diagnostic::error(span, wrong).help(format!("`{name}` is in {domain}"))])
        })
    }

    /// Parses a number that configurations have.
    ///
    /// ```
    /// use ringleader_language::Terms;
    /// use ringleader_model::Described;
    /// let x = Described { name: "x".into(), low: 0, high: 3, words: vec![] };
    /// let terms = Terms::new(3, &[x], &[], &[], &[]);
    /// let zeros = terms.number("the expression", "(count i : x[i] = 0) - 1").unwrap();
    /// let states: Vec<_> = [0, 2, 0].map(|x| zeros.pack(&[x])).into();
    /// assert_eq!(zeros.value(&states, &|_| false), Some(1));
    /// assert!(terms.number("the expression", "some i : x[i] = 0").is_err());
    /// ```
    pub fn number(&self, name: &str, text: &str) -> Result<Expression, Diagnostics> {
        read(name, text, || self.compiled(&expression(text)?, text, None, Type::Number))
    }

    /// Parses a condition on each process `i`. There is one condition for each process, or a single one if the text does not
    /// use `i` as a process.
    ///
    /// ```
    /// use ringleader_language::Terms;
    /// use ringleader_model::Described;
    /// let x = Described { name: "x".into(), low: 0, high: 3, words: vec![] };
    /// let terms = Terms::new(2, &[x], &[], &[], &[]);
    /// assert_eq!(terms.each("--recurring", "x[i] = 0").unwrap().len(), 2);
    /// assert_eq!(terms.each("--recurring", "some i : x[i] = 0").unwrap().len(), 1);
    /// ```
    pub fn each(&self, name: &str, text: &str) -> Result<Vec<Expression>, Diagnostics> {
        read(name, text, || self.compiled_for_each(&expression(text)?, text))
    }

    /// Parses `P leads to Q`, where both are conditions on each process `i`.
    pub fn response(&self, name: &str, text: &str) -> Result<[Vec<Expression>; 2], Diagnostics> {
        read(name, text, || {
            let [first, then] = response(text)?;
            Ok([self.compiled_for_each(&first, text)?, self.compiled_for_each(&then, text)?])
        })
    }

    fn compiled_for_each(&self, read: &Expr, text: &str) -> Result<Vec<Expression>, Vec<Diagnostic>> {
        if let Ok(single) = self.compiled(read, text, None, Type::Truth) {
            return Ok(vec![single]);
        }
        (0..self.constants.size as usize).map(|process| self.compiled(read, text, Some(process), Type::Truth)).collect()
    }

    /// A condition or a number with its names resolved, the variables and the words of their domains. `process` is the value of `i`.
    fn resolved(
        &self,
        read: &Expr,
        process: Option<usize>,
        wanted: Type,
    ) -> Result<(Ex, Vec<Variable>, Words), Vec<Diagnostic>> {
        let mut resolver = Resolver::new(&self.file, self.model);
        let _ = resolver.declare_parameters();
        let (variables, _) = resolver.declare(&self.file);
        resolver.problems.borrow_mut().clear();
        let scope = Scope { sets: usize::MAX, ..Scope::new(Context::Configuration) };
        let scope = process.map_or_else(|| scope.clone(), |process| scope.with_process(process));
        let holds = if wanted == Type::Number { resolver.number(read, &scope) } else { resolver.truth(read, &scope) };
        let enums = resolver.enums.clone();
        let problems = resolver.problems.into_inner();
        match problems.iter().any(|p| p.severity == Severity::Error) {
            true => Err(problems),
            false => Ok((holds, variables, enums)),
        }
    }

    /// Whether a condition may name an agent by its position.
    fn names_places(&self, read: &Expr, process: Option<usize>, holds: &Ex, wanted: Type) -> bool {
        if let Model::Graph { .. } = self.model {
            let any = process.map(|_| knowledge::ANY_PROCESS);
            return self
                .resolved(read, any, wanted)
                .is_ok_and(|(holds, ..)| knowledge::of_condition(&holds) != Knowledge::NONE);
        }
        let places = Places { size: self.constants.size, around: self.around };
        !places.are_alike(&self.constants.fold(holds))
    }

    fn compiled(
        &self,
        read: &Expr,
        text: &str,
        process: Option<usize>,
        wanted: Type,
    ) -> Result<Expression, Vec<Diagnostic>> {
        let everywhere = |message: String| vec![Diagnostic::error(0..text.len(), message)];
        let (holds, variables, enums) = self.resolved(read, process, wanted)?;
        if let Some(problem) = misuse(&holds, &[]) {
            return Err(vec![problem]);
        }
        let layout = match &self.layout {
            Some(layout) => layout.clone(),
            None => Layout::new(&variables, &enums, &self.constants).map_err(|e| everywhere(e.to_string()))?,
        };
        let sizes = Sizes { constants: &self.constants, layout: Some(&layout), messages: &[], around: self.around };
        if let Err((span, wrong)) = sizes.fits(&holds, None) {
            return Err(vec![Diagnostic::error(span, wrong)]);
        }
        let shown = Prover::new(&self.constants, &layout, &[], None).expression(&holds);
        shown.map_err(|(span, what)| vec![Diagnostic::error(span, what)])?;
        let names_places = self.names_places(read, process, &holds, wanted);
        let code = Compiler::expression(&self.constants, &layout, 0, 0, &holds);
        let code = code.map_err(|_| everywhere("the condition is too long to be compiled".into()))?;
        let whole = self.constants.fold(&holds);
        let parts = if wanted == Type::Truth { alone(&whole, self.constants.size) } else { vec![] };
        // A part that is too long is not used; the whole condition decides.
        let single = parts.iter().filter_map(|part| Compiler::expression(&self.constants, &layout, 1, 1, part).ok());
        let alone = single.collect();
        Ok(Expression { code, alone, layout, names_places, graph: self.constants.graph.clone() })
    }
}

/// A condition on configurations.
#[derive(Clone, Debug)]
pub struct Expression {
    code: Code,
    /// Conditions on single agents that follow from it.
    alone: Vec<Code>,
    layout: Layout,
    names_places: bool,
    graph: Option<Arc<Neighbours>>,
}

impl Expression {
    /// The state of an agent whose variables have these values; the bits of its marks come last.
    pub fn pack(&self, values: &[u64]) -> State {
        let fields = self.layout.fields.iter().zip(values);
        State(fields.fold(0, |state, (field, value)| field.set(state, (*value).min(1 << 53) as i64)))
    }

    /// Whether the condition may name an agent by its position. If not, it has the same value on all rotations of a
    /// configuration or, off the ring, on all its permutations; on a graph of processes, with the edges permuted too. The same must be true
    /// of the closed sets that it uses.
    pub fn names_places(&self) -> bool {
        self.names_places
    }

    /// Whether the condition uses a variable, given by its position in the list.
    pub fn speaks_of(&self, variable: usize) -> bool {
        self.code.fields().any(|field| field == variable)
    }

    /// Whether the condition's parts about single agents allow an agent this state. If one does not, no configuration with
    /// the agent in this state meets the condition.
    ///
    /// ```
    /// use ringleader_language::Terms;
    /// use ringleader_model::Described;
    /// let x = Described { name: "x".into(), low: 0, high: 3, words: vec![] };
    /// let terms = Terms::new(5, &[x], &[], &[], &[]);
    /// let start = terms.condition("--start", "(all i : x[i] < 2) and (count i : x[i] = 1) = 3").unwrap();
    /// assert!(start.allows(0, start.pack(&[1])) && !start.allows(0, start.pack(&[2])));
    /// ```
    pub fn allows(&self, agent: usize, state: State) -> bool {
        self.alone.iter().all(|code| code.value([state.0; 4], [agent as i64]) != Some(0))
    }

    /// Whether the condition uses a variable in a part about single agents, given by its position in the list.
    pub fn speaks_alone_of(&self, variable: usize) -> bool {
        self.alone.iter().flat_map(|code| &code.slots).any(|slot| slot.read && slot.slot == variable)
    }

    /// Whether the condition holds in a configuration; `member` tells which closed sets contain it.
    pub fn holds(&self, states: &[State], member: &dyn Fn(usize) -> bool) -> bool {
        self.value(states, member).is_some_and(|value| value != 0)
    }

    /// The value in a configuration; of a condition 0 or 1. `None` if a division by 0 has none.
    pub fn value(&self, states: &[State], member: &dyn Fn(usize) -> bool) -> Option<i64> {
        evaluate(&self.code, &self.layout, Cells::new(states, self.graph.as_deref(), Some(member)), 0)
    }
}
