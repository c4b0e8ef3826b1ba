//! The reachable states of an algorithm that passes messages.

use super::{Exported, ExportedChoice, Labelled, labels_of, merged, word};
use ringleader_explore::{Claim, DecisionGraph, Space, StateViews};
use ringleader_model::{LEFT, Network, Port};

/// A state space with its graph: the scheduler chooses the process and the message, coins decide the rest.
pub struct StateSpace<'s, 'a> {
    space: &'s Space<'a>,
    graph: &'s DecisionGraph,
    views: StateViews<'s, 'a>,
    claims: &'s [Claim],
}

impl<'s, 'a> StateSpace<'s, 'a> {
    /// The graph must be that of the state space, and the claims are about its states.
    pub fn new(space: &'s Space<'a>, graph: &'s DecisionGraph, claims: &'s [Claim]) -> Self {
        StateSpace { space, graph, views: space.views(), claims }
    }

    fn name(&self, network: Network, process: usize, taken: Option<(Port, String)>) -> String {
        let what = match taken {
            None => "steps".to_string(),
            Some((port, message)) => format!("takes_{message}_from_{}", port_name(network, port)),
        };
        // Up to rotation, processes have no names.
        let what = if self.space.options().rotation { what } else { format!("p{process}_{what}") };
        word(&what)
    }
}

fn port_name(network: Network, port: Port) -> String {
    match (network, port) {
        (Network::Ring(_), LEFT) => "left".into(),
        (Network::Ring(_), _) => "right".into(),
        (Network::Complete(_), peer) => format!("p{peer}"),
    }
}

impl Labelled for StateSpace<'_, '_> {
    fn states(&self) -> usize {
        self.graph.len()
    }

    fn transitions(&self, state: usize) -> Vec<(String, u32)> {
        self.graph.transitions(state)
    }
}

impl Exported for StateSpace<'_, '_> {
    fn is_chain(&self) -> bool {
        false
    }

    fn labels(&self) -> Vec<String> {
        let claims = labels_of(self.claims.iter().map(|claim| (claim.promise.into(), claim.name.as_str())));
        claims.into_iter().chain(["elected".into()]).collect()
    }

    fn labelled(&self, state: usize, label: usize) -> bool {
        match self.claims.get(label) {
            Some(claim) => (claim.holds)(&self.views.view(state)),
            None => self.graph.leaders(state) > 0,
        }
    }

    /// Confluent transitions are taken without being counted: then the costs are unknown.
    fn costs(&self) -> &'static [&'static str] {
        if self.space.options().confluence { &[] } else { &["steps", "messages"] }
    }

    fn choices(&self, state: usize) -> Vec<ExportedChoice> {
        let view = self.views.view(state);
        let network = view.snapshot().network;
        let named = self.graph.choices(state).zip(view.moves());
        let choice = |(edges, (process, taken)): (&[ringleader_explore::Edge], _)| {
            let sent: f64 = edges.iter().map(|edge| self.graph.probability(edge) * f64::from(edge.sent)).sum();
            let costs = if self.costs().is_empty() { vec![] } else { vec![1.0, sent] };
            let outcomes = merged(edges.iter().map(|edge| (edge.target, self.graph.probability(edge))));
            ExportedChoice { name: self.name(network, process, taken), outcomes, costs }
        };
        named.map(choice).collect()
    }

    fn values(&self, state: usize) -> Vec<(String, u64)> {
        let view = self.views.view(state);
        let now = view.snapshot();
        let mut values = vec![];
        for (process, own) in view.values().into_iter().enumerate() {
            values.extend(own.into_iter().map(|(name, value)| (format!("p{process}_{}", word(&name)), value)));
            values.extend((0..now.network.ports()).map(|port| {
                let waiting = now.channel(process, port).len() as u64;
                (format!("p{process}_waiting_{}", port_name(now.network, port)), waiting)
            }));
        }
        values
    }

    fn text(&self, state: usize) -> Vec<String> {
        let now = self.views.view(state).snapshot();
        let line = |(process, own): (usize, &String)| {
            let mut line = format!("p{process}: {own}");
            for port in (0..now.network.ports()).filter(|&port| !now.channel(process, port).is_empty()) {
                let waiting = now.channel(process, port).join(" ");
                line.push_str(&format!(" {}<{waiting}>", port_name(now.network, port)));
            }
            line
        };
        now.states.iter().enumerate().map(line).collect()
    }
}
