//! An algorithm, wrapped in the layers it is asked for, on its way to the visitor.

use super::{Entry, Visitor};
use crate::layers::DetectorLayer;
use crate::population::layers::{Distance, Timer, Undirected};
use crate::ring::alternator::Alternator;
use crate::{Parameters, Refusal, Topology};
use ringleader_model::{Domain, Name, Population, Ring, Stabilizing, Terminating, Timed, Variables, variables};

// What does not suit an algorithm is refused before it comes here (`Layers::suit`); the constant conditions below only keep
// every engine from being compiled for combinations that cannot occur.

/// Visits to see whether there is anything to visit.
pub(super) struct Nobody;

impl Visitor for Nobody {
    type Output = ();
    fn population<A: Population + Stabilizing + 'static>(self, _: A) {}
    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) {}
    fn message<A: Terminating + 'static>(self, _: A) {}
    fn robust<A: Timed + 'static>(self, _: A) {}
}

pub(super) fn population<A, V>(parameters: &Parameters, visitor: V) -> Result<V::Output, Refusal>
where
    A: Entry + Population + Stabilizing + 'static,
    V: Visitor,
{
    let algorithm = A::build(parameters)?;
    let layers = parameters.layers()?;
    if const { A::CARD.oracle.is_some() } {
        if layers.detector == Some(DetectorLayer::Timer) {
            return Ok(orient::<A, _, V>(
                Timer { inner: algorithm, limit: layers.timer(parameters)? },
                layers.undirected,
                visitor,
            ));
        }
        if const { directed::<A>() } && layers.detector == Some(DetectorLayer::Distance) {
            return Ok(orient::<A, _, V>(
                Distance { inner: algorithm, bound: layers.bound(parameters)? },
                layers.undirected,
                visitor,
            ));
        }
    }
    Ok(orient::<A, _, V>(algorithm, layers.undirected, visitor))
}

const fn directed<A: Entry>() -> bool {
    matches!(A::CARD.topology, Topology::DirectedRing)
}

fn orient<E, A, V>(algorithm: A, undirected: bool, visitor: V) -> V::Output
where
    E: Entry,
    A: Population + Stabilizing + 'static,
    V: Visitor,
{
    if const { directed::<E>() } && undirected {
        visitor.population(Undirected { inner: algorithm })
    } else {
        visitor.population(algorithm)
    }
}

pub(super) fn ring<A, V>(parameters: &Parameters, visitor: V) -> Result<V::Output, Refusal>
where
    A: Entry + Ring + Stabilizing + 'static,
    V: Visitor,
{
    let algorithm = A::build(parameters)?;
    if !parameters.layers()?.alternator {
        return Ok(visitor.ring(algorithm));
    }
    if has_variable(&algorithm, Alternator::<A>::VARIABLE) {
        return Err(Refusal::new(format!(
            "--alternator is not for {}: it is behind an alternator already",
            A::CARD.name
        )));
    }
    Ok(visitor.ring(Alternator::new(algorithm, parameters.size)))
}

fn has_variable<A: Variables>(algorithm: &A, name: &str) -> bool {
    struct Search<'a>(&'a str, bool);
    impl variables::Visitor for Search<'_> {
        fn field(&mut self, name: Name<'_>, domain: Domain<'_>, _: u64) -> u64 {
            self.1 |= name.base == self.0;
            domain.low()
        }
    }
    let mut search = Search(name, false);
    algorithm.variables(&mut A::State::default(), &mut search);
    search.1
}

pub(super) fn message<A: Entry + Terminating + 'static, V: Visitor>(
    parameters: &Parameters,
    visitor: V,
) -> Result<V::Output, Refusal> {
    Ok(visitor.message(A::build(parameters)?))
}

pub(super) fn robust<A: Entry + Timed + 'static, V: Visitor>(
    parameters: &Parameters,
    visitor: V,
) -> Result<V::Output, Refusal> {
    Ok(visitor.robust(A::build(parameters)?))
}

/// Always a refusal.
pub(super) fn absent<A: Entry, V: Visitor>(parameters: &Parameters, _: V) -> Result<V::Output, Refusal> {
    A::build(parameters)?;
    Err(Refusal::new(format!("{} is {}", A::CARD.name, A::ABSENT.unwrap_or("not implemented"))))
}
