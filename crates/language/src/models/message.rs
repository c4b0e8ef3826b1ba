//! Message-passing protocols in text.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::code::machine::{Registers, run, with_registers};
use crate::configurations::cells::value;
use crate::configurations::named_places::Places;
use crate::domains::layout::{Layout, State, keep_words};
use crate::meaning::typed::Model;
use crate::models::host::{Doing, Message, Nobody};
use crate::models::population::marks;
use ringleader_erased::{Identities, Parameters, Refusal};
use ringleader_model::{
    Channels, Coin, Event, Invariant, Marks, Network, Outbox, Process, Terminating, Variables, Visitor,
};
use std::sync::Arc;

/// The handling of an event.
struct Handler {
    message: Option<usize>,
    from: Option<usize>,
    /// The condition and the actions for each port; a step uses the first entry only.
    ports: Vec<(Option<Code>, Code)>,
}

/// A message-passing protocol in text: it has fixed initial states and terminates.
pub(crate) struct TextMessages(Arc<Compiled>);

struct Compiled {
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
            let ports = match handler.message {
                None => vec![built.handler(handler, None)?],
                Some(_) => vec![built.handler(handler, Some(0))?, built.handler(handler, Some(1))?],
            };
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
            Ok((set.name.clone(), built.expression(0, 0, &set.holds)?, alike))
        });
        Ok(TextMessages(Arc::new(Compiled {
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
        })))
    }
}

impl Compiled {
    fn load<const N: usize>(
        &self,
        code: &Code,
        me: usize,
        state: u64,
        message: Option<&Message>,
        r: &mut Registers<N>,
    ) {
        code.load([state; 4], r);
        if let Some(message) = message {
            for (at, field) in self.messages[message.kind as usize].fields.iter().enumerate() {
                r.set(code.message + at as u8, field.get(message.packed));
            }
        }
        r.set(code.given, self.identities.as_ref().map_or(0, |all| all.identity(me).into()));
    }

    fn value(&self, code: &Code, me: usize, state: u64, message: Option<&Message>) -> i64 {
        with_registers!(code, registers => {
            self.load(code, me, state, message, &mut registers);
            run(code, &[], &mut registers, &mut Nobody).unwrap_or(0)
        })
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
        self.0.layout.visit(&mut state.0, visitor);
    }
}

impl Process for TextMessages {
    type Message = Message;

    fn message_variables(&self, message: &mut Message, visitor: &mut dyn Visitor) {
        if self.0.kinds.len() > 1 {
            visitor.kind(self.0.kinds, &mut message.kind);
        }
        self.0.messages[message.kind as usize].visit(&mut message.packed, visitor);
    }

    fn start(&self, me: usize) -> State {
        let fields = self.0.layout.fields.iter().zip(&self.0.first);
        State(fields.fold(0, |state, (field, first)| match first {
            Some(code) => field.set(state, self.0.value(code, me, 0, None)),
            None => state,
        }))
    }

    fn ready(&self, state: &State, event: &Event<Message>) -> bool {
        self.0.handler(state, event).is_some()
    }

    fn on(
        &self,
        me: usize,
        state: &mut State,
        event: Event<Message>,
        out: &mut impl Outbox<Message>,
        coin: &mut impl Coin,
    ) {
        let Some(code) = self.0.handler(state, &event) else { return };
        let message = match &event {
            Event::Message { message, .. } => Some(message),
            _ => None,
        };
        with_registers!(code, registers => {
            self.0.load(code, me, state.0, message, &mut registers);
            let mut doing = Doing { coin, out, code, messages: &self.0.messages };
            let done = run(code, &[], &mut registers, &mut doing);
            debug_assert!(done.is_ok(), "a built rule writes only values of its domains");
            state.0 = code.store([state.0; 4], &registers)[0];
        });
    }

    fn marks(&self, me: usize, state: &State) -> Marks {
        marks(&self.0.marks, |code| self.0.value(code, me, state.0, None))
    }
}

impl Terminating for TextMessages {
    fn network(&self) -> Network {
        Network::Ring(self.0.size)
    }

    fn channels(&self) -> Channels {
        self.0.channels
    }

    fn cut_off(&self, state: &State) -> bool {
        self.0.cut_off.as_ref().is_some_and(|cut| self.0.value(cut, 0, state.0, None) != 0)
    }

    fn invariants(&self) -> Vec<Invariant<'_, Self>> {
        let invariant = |(name, code, alike): &'_ (String, Code, bool)| {
            let code = code.clone();
            let holds = Invariant::new(name.clone(), move |now: &ringleader_model::SnapshotOf<Self>| {
                value(&code, &self.0.layout, None, &now.states, 0).is_some_and(|value| value != 0)
            });
            if *alike { holds.alike() } else { holds }
        };
        self.0.invariants.iter().map(invariant).collect()
    }
}
