//! Message-passing protocols in text.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::configurations::cells::value;
use crate::configurations::named_places::Places;
use crate::domains::layout::{Layout, State};
use crate::keep::keep_words;
use crate::meaning::typed::Model;
use crate::models::host::{Doing, Message, marks};
use ringleader_erased::{Identities, Parameters, Refusal};
use ringleader_model::{
    Channels, Coin, Event, Invariant, Marks, Network, Outbox, Process, Terminating, Variables, Visitor,
};

/// The handling of an event.
struct Handler {
    message: Option<usize>,
    from: Option<usize>,
    /// The condition and the actions for each port; a step uses the first entry only.
    ports: Vec<(Option<Code>, Code)>,
}

/// A message-passing protocol in text: it has fixed initial states and terminates.
pub(crate) struct TextMessages {
    size: usize,
    layout: Layout,
    /// The names of the kinds of messages, and the layout of each.
    kinds: &'static [&'static str],
    messages: Vec<Layout>,
    handlers: Vec<Handler>,
    first: Vec<Option<Code>>,
    marks: Vec<(Marks, Code)>,
    cut_off: Option<Code>,
    /// The invariants, each with a flag: it names no process by its position.
    invariants: Vec<(String, Code, bool)>,
    identities: Option<Identities>,
    channels: Channels,
}

impl TextMessages {
    pub(crate) fn new(built: &Built<'_>, parameters: &Parameters) -> Result<TextMessages, Problem> {
        let unit = built.unit;
        let Model::Message { channels, identities: named, .. } = unit.model else {
            return Err(Refusal::new("this is not a message-passing protocol").into());
        };
        if built.constants.size < 2 {
            return Err(Refusal::new("size 1: a ring of processes needs 2 to 2^24 processes").into());
        }
        let mut handlers = vec![];
        for handler in &unit.handlers {
            let ports = handler.ports().iter().map(|&port| built.handler(handler, port)).collect::<Result<_, _>>()?;
            handlers.push(Handler { message: handler.message, from: handler.from, ports });
        }
        let mut first = vec![];
        for (variable, field) in unit.variables.iter().zip(&built.layout.fields) {
            if let Some(ex) = &variable.first
                && !built.fits(ex, *field)
            {
                let why =
                    format!("{}: the initial value of {} is not always in {}", unit.name, field.name, field.domain());
                return Err(Refusal::new(why).into());
            }
            first.push(variable.first.as_ref().map(|first| built.expression(1, 0, first)).transpose()?);
        }
        let places = Places { size: built.constants.size, around: true };
        let named_sets = unit.invariants.iter().map(|set| {
            let alike = places.are_alike(&built.constants.fold(&set.holds));
            Ok((set.name.it.clone(), built.expression(0, 0, &set.holds)?, alike))
        });
        Ok(TextMessages {
            size: built.constants.size as usize,
            layout: built.layout.clone(),
            kinds: keep_words(&unit.messages.iter().map(|message| message.name.clone()).collect::<Vec<_>>()),
            messages: built.messages.clone(),
            handlers,
            first,
            marks: built.marks(1)?,
            cut_off: unit.cut_off.as_ref().map(|cut| built.expression(1, 0, cut)).transpose()?,
            invariants: named_sets.collect::<Result<_, Problem>>()?,
            identities: named.then(|| Identities::of(parameters)).transpose()?,
            channels,
        })
    }

    /// The inputs of code: the fields of a received message, and the identity of the process.
    fn inputs(&self, me: usize, message: Option<&Message>) -> impl Iterator<Item = i64> {
        let fields = message.map_or(&[][..], |message| &self.messages[message.kind as usize].fields);
        let packed = message.map_or(0, |message| message.packed);
        let identity = self.identities.as_ref().map_or(0, |all| all.identity(me).into());
        fields.iter().map(move |field| field.get(packed)).chain([identity])
    }

    fn value(&self, code: &Code, me: usize, state: u64, message: Option<&Message>) -> i64 {
        code.value([state; 4], self.inputs(me, message)).unwrap_or(0)
    }

    /// The first handler that accepts an event at its port.
    fn handler(&self, state: &State, event: &Event<Message>) -> Option<&Code> {
        let (kind, port, message) = match event {
            Event::Step => (None, 0, None),
            Event::Message { from, message } => (Some(message.kind as usize), *from, Some(message)),
            Event::Tick => return None,
        };
        let found = self.handlers.iter().filter(|h| h.message == kind && h.from.is_none_or(|from| from == port));
        // The acceptance of a message does not depend on the identity.
        let mut taken = found
            .filter_map(|h| h.ports.get(port))
            .filter(|(when, _)| when.as_ref().is_none_or(|when| self.value(when, 0, state.0, message) != 0));
        taken.next().map(|(_, code)| code)
    }
}

impl Variables for TextMessages {
    type State = State;
    fn variables(&self, state: &mut State, visitor: &mut dyn Visitor) {
        self.layout.visit(&mut state.0, visitor);
    }
}

impl Process for TextMessages {
    type Message = Message;

    fn message_variables(&self, message: &mut Message, visitor: &mut dyn Visitor) {
        if self.kinds.len() > 1 {
            visitor.kind(self.kinds, &mut message.kind);
        }
        self.messages[message.kind as usize].visit(&mut message.packed, visitor);
    }

    fn start(&self, me: usize) -> State {
        let fields = self.layout.fields.iter().zip(&self.first);
        State(fields.fold(0, |state, (field, first)| match first {
            Some(code) => field.set(state, self.value(code, me, 0, None)),
            None => state,
        }))
    }

    fn ready(&self, state: &State, event: &Event<Message>) -> bool {
        self.handler(state, event).is_some()
    }

    fn on(
        &self,
        me: usize,
        state: &mut State,
        event: Event<Message>,
        out: &mut impl Outbox<Message>,
        coin: &mut impl Coin,
    ) {
        let Some(code) = self.handler(state, &event) else { return };
        let message = match &event {
            Event::Message { message, .. } => Some(message),
            _ => None,
        };
        let mut doing = Doing { coin, out, code, messages: &self.messages, around: None };
        state.0 = code.step(&[], [state.0; 4], self.inputs(me, message), &mut doing)[0];
    }

    fn marks(&self, me: usize, state: &State) -> Marks {
        marks(&self.marks, |code| self.value(code, me, state.0, None))
    }
}

impl Terminating for TextMessages {
    fn network(&self) -> Network {
        Network::Ring(self.size)
    }

    fn channels(&self) -> Channels {
        self.channels
    }

    fn cut_off(&self, state: &State) -> bool {
        self.cut_off.as_ref().is_some_and(|cut| self.value(cut, 0, state.0, None) != 0)
    }

    fn invariants(&self) -> Vec<Invariant<'_, Self>> {
        let invariants = self.invariants.iter().map(|(name, code, alike)| {
            let holds = Invariant::new(name.clone(), move |now: &ringleader_model::SnapshotOf<Self>| {
                value(code, &self.layout, None, &now.states, 0).is_some_and(|value| value != 0)
            });
            if *alike { holds.alike() } else { holds }
        });
        invariants.collect()
    }
}
