//! The catalog as a value.

use crate::Instance;
use crate::layered::layered;
use crate::member;
use crate::near::nearest;
use crate::texts::BuiltInText;
use ringleader_erased::{
    Card, Entry, GraphInstance, MessageInstance, Parameter, ParameterKind, Parameters, PopulationInstance, Refusal,
    RingInstance,
};
use ringleader_language::Protocol;
use ringleader_model::{Networked, Population, Ring, Stabilizing, Terminating, Timed};
use ringleader_node::{Algorithm, Config, Handle, Links, Node, NodeError, SplitMix};
use ringleader_simulate::{Contest, elect_by_messages};
use std::sync::Arc;

type Build<T> = Arc<dyn Fn(&Parameters) -> Result<T, Refusal> + Send + Sync>;

/// Algorithms by name.
#[derive(Clone, Default)]
pub struct Catalog {
    shelves: Vec<Shelf>,
}

/// All about one algorithm.
#[derive(Clone)]
struct Shelf {
    name: &'static str,
    source: Source,
    absent: Option<&'static str>,
    readings: Vec<(&'static str, Build<MessageInstance>)>,
    prepare: Option<Prepare>,
    /// The file that the text was read from, if any.
    file: Option<String>,
    /// Whether it came with this crate, and its safe set was checked.
    built_in: bool,
}

/// The origin of an algorithm.
#[derive(Clone)]
enum Source {
    Type {
        card: &'static Card,
        supports: Build<()>,
        build: Build<Instance>,
    },
    Text(&'static Card, Protocol),
    /// Parsed when the card or an instance is requested.
    BuiltIn(&'static BuiltInText),
}

impl Shelf {
    fn new(name: &'static str, source: Source) -> Shelf {
        Shelf { name, source, absent: None, readings: vec![], prepare: None, file: None, built_in: false }
    }

    fn of<A: Entry + 'static>(build: fn(&Parameters) -> Result<Instance, Refusal>) -> Shelf {
        let (supports, build) = (Arc::new(A::supports), Arc::new(build));
        let source = Source::Type { card: const { &A::CARD }, supports, build };
        Shelf { absent: A::ABSENT, ..Shelf::new(A::CARD.name, source) }
    }

    fn written(protocol: &Protocol) -> Shelf {
        // Cards live as long as the program, and so do the few words of this card.
        let card: &'static Card = Box::leak(Box::new(*protocol.card()));
        Shelf::new(card.name, Source::Text(card, protocol.clone()))
    }

    fn card(&self) -> &'static Card {
        match self.source {
            Source::Type { card, .. } | Source::Text(card, _) => card,
            Source::BuiltIn(text) => text.protocol().card(),
        }
    }

    fn supports(&self, parameters: &Parameters) -> Result<(), Refusal> {
        match &self.source {
            Source::Type { supports, .. } => supports(parameters),
            Source::Text(_, protocol) => protocol.supports(parameters),
            Source::BuiltIn(text) => text.protocol().supports(parameters),
        }
    }

    fn build(&self, parameters: &Parameters) -> Result<Instance, Refusal> {
        match &self.source {
            Source::Type { build, .. } => build(parameters),
            Source::Text(_, protocol) => Ok(protocol.instance(parameters)?.among()),
            Source::BuiltIn(text) => Ok(text.protocol().instance(parameters)?.among()),
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        match self.source {
            Source::Type { card, .. } | Source::Text(card, _) => card.parameters,
            Source::BuiltIn(text) => text.parameters(),
        }
    }
}

/// Checks the settings of a node of an algorithm, and builds it.
pub(crate) type Prepare = fn(Config) -> Result<Node, NodeError>;

impl Catalog {
    /// A catalog without algorithms; [`Catalog::builtin`] has those of the literature.
    pub fn empty() -> Catalog {
        Catalog::default()
    }

    /// With a population protocol. One of the same name is replaced.
    #[must_use]
    pub fn population<A: Entry + Population + Stabilizing + 'static>(self) -> Catalog {
        self.with(Shelf::of::<A>(|p| Ok(Instance::Population(PopulationInstance::new(A::build(p)?)?))))
    }

    /// With an algorithm for a ring or a line of processes. One of the same name is replaced.
    #[must_use]
    pub fn ring<A: Entry + Ring + Stabilizing + 'static>(self) -> Catalog {
        self.with(Shelf::of::<A>(|p| Ok(Instance::Ring(RingInstance::new(A::build(p)?)?))))
    }

    /// With an algorithm for the processes of any graph. One of the same name is replaced.
    #[must_use]
    pub fn graph<A: Entry + Networked + Stabilizing + 'static>(self) -> Catalog {
        self.with(Shelf::of::<A>(|p| Ok(Instance::Graph(GraphInstance::new(A::build(p)?)?))))
    }

    /// With an algorithm that passes messages, starts clean and ends. One of the same name is replaced.
    #[must_use]
    pub fn message<A: Entry + Terminating + 'static>(self) -> Catalog {
        self.with(Shelf::of::<A>(|p| Ok(Instance::Message(MessageInstance::tried(A::build(p)?)?))))
    }

    /// With an algorithm for crash-prone networks with clocks. One of the same name is replaced.
    #[must_use]
    pub fn robust<A: Entry + Timed + 'static>(self) -> Catalog {
        self.prepared::<A>(Node::prepare_as::<A>)
    }

    /// The same, with something else that builds a node of it.
    pub(crate) fn prepared<A: Entry + Timed + 'static>(self, prepare: Prepare) -> Catalog {
        let shelf = Shelf::of::<A>(|p| Ok(Instance::Robust(Arc::new(A::build(p)?))));
        self.with(Shelf { prepare: Some(prepare), ..shelf })
    }

    /// With a protocol that was read from a file. It is found by its name and by its file.
    #[must_use]
    pub fn text_file(self, file: &str, protocol: &Protocol) -> Catalog {
        self.with(Shelf { file: Some(file.into()), ..Shelf::written(protocol) })
    }

    /// With a protocol that is written as a text. One of the same name is replaced.
    #[must_use]
    pub fn text(self, protocol: &Protocol) -> Catalog {
        self.with(Shelf::written(protocol))
    }

    /// With an algorithm that a function builds. One of the same name is replaced.
    #[must_use]
    pub fn built_by(
        self,
        card: Card,
        build: impl Fn(&Parameters) -> Result<Instance, Refusal> + Send + Sync + 'static,
    ) -> Catalog {
        // As for a text: cards live as long as the program.
        let card: &'static Card = Box::leak(Box::new(card));
        let source = Source::Type { card, supports: Arc::new(|_| Ok(())), build: Arc::new(build) };
        self.with(Shelf::new(card.name, source))
    }

    /// With a built-in algorithm that is written as a text.
    pub(crate) fn written(self, text: &'static BuiltInText) -> Catalog {
        self.with(Shelf::new(text.name, Source::BuiltIn(text)))
    }

    /// With the card of an algorithm that cannot be built, so that nobody searches in vain.
    #[must_use]
    pub fn absent<A: Entry + 'static>(self) -> Catalog {
        self.with(Shelf::of::<A>(|p| {
            A::build(p)?;
            Err(Refusal::new(format!("{} is {}", A::CARD.name, A::ABSENT.unwrap_or("not implemented"))))
        }))
    }

    /// With other steps in which the message-passing algorithm `A` is explored, under a name that its card lists.
    #[must_use]
    pub fn reading<A: Entry, T: Terminating + 'static>(
        mut self,
        name: &'static str,
        read: impl Fn(A) -> T + Send + Sync + 'static,
    ) -> Catalog {
        let build = move |p: &Parameters| Ok(MessageInstance::new(read(A::build(p)?)));
        if let Some(shelf) = self.shelf_mut(A::CARD.name) {
            shelf.readings.push((name, Arc::new(build)));
        }
        self
    }

    fn with(mut self, shelf: Shelf) -> Catalog {
        match self.shelf_mut(shelf.name) {
            Some(known) => *known = shelf,
            None => self.shelves.push(shelf),
        }
        self
    }

    /// The cards of all algorithms, in order.
    pub fn cards(&self) -> impl Iterator<Item = &'static Card> + '_ {
        self.shelves.iter().map(Shelf::card)
    }

    /// The names of all algorithms, in order. Unlike [`Catalog::cards`], this parses no text.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.shelves.iter().map(|shelf| shelf.name)
    }

    /// The parameters of all algorithms, each with the name of its algorithm.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static str, &'static Parameter)> + '_ {
        self.shelves.iter().flat_map(|shelf| shelf.parameters().iter().map(|parameter| (shelf.name, parameter)))
    }

    /// Checks the names on the cards. The cards of this crate are not checked again: a test does that.
    pub fn check_cards(&self) -> Result<(), Refusal> {
        self.shelves.iter().filter(|shelf| !shelf.built_in).try_for_each(|shelf| shelf.card().check())
    }

    fn shelf_mut(&mut self, name: &str) -> Option<&mut Shelf> {
        self.shelves.iter_mut().find(|shelf| shelf.name == name)
    }

    fn shelf(&self, name: &str) -> Result<&Shelf, Refusal> {
        let found = |shelf: &&Shelf| shelf.name == name || shelf.file.as_deref() == Some(name);
        self.shelves
            .iter()
            .find(found)
            .ok_or_else(|| Refusal::Unknown { name: name.into(), near: nearest(name, self.names()).map(Into::into) })
    }

    /// The card of an algorithm.
    pub fn card(&self, name: &str) -> Result<&'static Card, Refusal> {
        self.shelf(name).map(Shelf::card)
    }

    /// Whether it is an algorithm of the literature as it came with this crate, whose sets were checked here: not one of somebody
    /// else's, whatever its name.
    pub fn is_built_in(&self, name: &str) -> bool {
        self.shelf(name).is_ok_and(|shelf| shelf.built_in)
    }

    /// The same algorithms, as those that came with this crate.
    pub(crate) fn built_in(mut self) -> Catalog {
        self.shelves.iter_mut().for_each(|shelf| shelf.built_in = true);
        self
    }

    /// Why an algorithm that has a card cannot be run at all, if so.
    pub fn why_absent(&self, name: &str) -> Option<&'static str> {
        self.shelf(name).ok()?.absent
    }

    /// Whether the algorithm's paper claims it right at this size, and its layers take it.
    pub fn supports(&self, name: &str, parameters: &Parameters) -> Result<(), Refusal> {
        let shelf = self.shelf(name)?;
        parameters.check(shelf.card())?;
        shelf.supports(parameters)?;
        parameters.layers.supports(parameters)?;
        self.instance(name, parameters).map(|_| ())
    }

    /// Builds the algorithm and wraps it in the layers it is asked for.
    ///
    /// Layers may change the graph it runs on: [`Layers::topology`](ringleader_erased::Layers::topology) says which that is.
    pub fn instance(&self, name: &str, parameters: &Parameters) -> Result<Instance, Refusal> {
        let shelf = self.shelf(name)?;
        parameters.check(shelf.card())?;
        let instance = shelf.build(parameters)?;
        instance.suits(shelf.card())?;
        layered(instance, shelf.card(), parameters)
    }

    /// Elections of an algorithm that passes messages. Where the user gave no identities, each run draws its own order of them.
    pub fn elections_by_messages<'a>(
        &'a self,
        card: &'static Card,
        given: &'a Parameters,
        algorithm: MessageInstance,
    ) -> Contest<'a> {
        let unnamed = |p: &Parameter| p.kind == ParameterKind::Identities && given.word(p.name).is_none();
        let shuffled = card.parameters.iter().any(unnamed);
        Contest::Messages(Box::new(move |limits, mut coin| {
            let of_this_run = shuffled.then(|| {
                let parameters = given.clone().with_identities(card, &mut coin);
                match self.instance(card.name, &parameters) {
                    Ok(Instance::Message(instance)) => Some(instance),
                    _ => None,
                }
            });
            let algorithm = of_this_run.flatten().unwrap_or_else(|| algorithm.clone());
            elect_by_messages(&algorithm, algorithm.channels(), limits, coin)
        }))
    }

    /// The file that an algorithm was read from, if it is the text of a file.
    pub fn file(&self, name: &str) -> Option<&str> {
        self.shelf(name).ok()?.file.as_deref()
    }

    /// The text of an algorithm that is one.
    pub fn protocol(&self, name: &str) -> Option<&Protocol> {
        match &self.shelf(name).ok()?.source {
            Source::Type { .. } => None,
            Source::Text(_, protocol) => Some(protocol),
            Source::BuiltIn(text) => Some(text.protocol()),
        }
    }

    /// Builds an algorithm that passes messages in the steps of a reading that its card lists.
    pub fn read(&self, name: &str, parameters: &Parameters, reading: &str) -> Result<MessageInstance, Refusal> {
        let shelf = self.shelf(name)?;
        parameters.check(shelf.card())?;
        match shelf.readings.iter().find(|(known, _)| *known == reading) {
            Some((_, build)) => build(parameters),
            None => {
                let known: Vec<_> = shelf.readings.iter().map(|(name, _)| *name).collect();
                Err(Refusal::value("reading", known.join(" or "), reading))
            }
        }
    }

    /// Starts a node of [`Config::algorithm`] among machines, in the form that suits practice.
    pub fn launch(&self, config: Config) -> Result<Handle, NodeError> {
        self.prepare(config)?.run()
    }

    /// Checks everything that a start checks, and runs nothing yet.
    pub fn prepare(&self, config: Config) -> Result<Node, NodeError> {
        let shelf = self.shelf(&config.algorithm)?;
        if let Some(prepare) = shelf.prepare {
            return prepare(config);
        }
        let parameters = member::parameters(shelf.card(), &config)?;
        let config = Config { graph: parameters.graph.map(Links::Given), ..config };
        let told = config.clone();
        Node::prepare_member(config, parameters.size, |coin| Ok(self.member(&told, coin)?))
    }

    /// One member of an algorithm of neighbours, which [`ringleader_node::Core::around`] runs: what [`Catalog::launch`] puts on a
    /// socket.
    pub fn member(&self, config: &Config, coin: &mut SplitMix) -> Result<Box<dyn Algorithm>, Refusal> {
        let shelf = self.shelf(&config.algorithm)?;
        let card = shelf.card();
        let parameters = member::parameters(card, config)?;
        member::suits(card, &parameters, config)?;
        self.supports(card.name, &parameters)?;
        let instance = self.instance(card.name, &parameters)?;
        member::build(card, instance, &parameters, config, coin)
    }
}
