//! The rules that are read from an instance are those of its algorithm. Algorithms that proofs do not support are
//! refused.

use crate::tables::interaction;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::ring_orientation::RingOrientation;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_erased::{PopulationInstance, RingInstance};
use ringleader_model::{
    Coin, Goal, Marks, NoCoin, Place as At, Population, Ring as _, Stabilizing, Told, Variables, View, Visitor, number,
};
use ringleader_prove::{Algorithm, NoRules, rules};
use ringleader_verify::{Move, Place, Rules, Sizes, State};

fn population<P: Population + Stabilizing + 'static>(at: impl Fn(usize) -> P) -> Result<Rules, NoRules> {
    rules(&Sizes::from(3), |size| Ok(PopulationInstance::new(at(size)).unwrap().into()))
}

#[test]
fn interactions_are_those_of_the_protocol() {
    let (rules, code) = (population(|_| FischerJiangRing).unwrap(), |s| number::rank(&FischerJiangRing, &s) as State);
    assert_eq!(rules.detector.as_ref().map(Vec::len), Some(4));
    for u in number::all(&FischerJiangRing) {
        for v in number::all(&FischerJiangRing) {
            for seen in [false, true] {
                let (a, b) = FischerJiangRing.interact(u, v, Told::both(seen), &mut NoCoin);
                assert_eq!(interaction(&rules, seen, (code(u), code(v))), (code(a), code(b)));
            }
        }
    }
}

#[test]
fn steps_are_those_of_the_process_at_its_place() {
    let instance = RingInstance::new(GoudaHaddix).unwrap();
    let rules = rules(&Sizes::from(3), |_| Ok(instance.clone().into())).unwrap();
    let code = |s| number::rank(&GoudaHaddix, &s) as State;
    for (place, at) in [(Place::Bottom, At::Bottom), (Place::Middle, At::Other), (Place::Top, At::Top)] {
        for left in number::all(&GoudaHaddix) {
            for own in number::all(&GoudaHaddix) {
                let to = GoudaHaddix.act(View { at, left, own, right: own }, &mut NoCoin);
                let fits = |m: &&Move| {
                    let sees = m.left.expect("it reads its left neighbour").before;
                    m.place == Some(place) && (sees, m.own.before) == (code(left), code(own))
                };
                assert_eq!(rules.moves.iter().find(fits).map_or(code(own), |m| m.own.after), code(to));
            }
        }
    }
}

#[test]
fn algorithms_that_no_proof_can_be_about_are_refused() {
    assert_eq!(population(|size| YokotaRing { bound: size as u32 }).unwrap_err(), NoRules::DependsOnSize(3, 4));
    assert_eq!(population(|_| YokotaRing { bound: 100 }).unwrap_err(), NoRules::TooManyStates(2424));
    assert_eq!(population(|_| RingOrientation).unwrap_err(), NoRules::Goal);
}

/// An agent becomes leader if its answer differs from its partner's.
struct Contrary;

impl Variables for Contrary {
    type State = bool;
    fn variables(&self, leads: &mut bool, v: &mut dyn Visitor) {
        v.bit("leads", leads);
    }
}

impl Population for Contrary {
    fn hears(&self) -> bool {
        true
    }

    fn interact(&self, u: bool, v: bool, told: Told, _: &mut impl Coin) -> (bool, bool) {
        (u || told.initiator != told.responder, v)
    }

    fn marks(&self, leads: &bool) -> Marks {
        Marks::LEADER.when(*leads)
    }
}

impl Stabilizing for Contrary {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn correct(&self, c: &[bool]) -> bool {
        c.iter().filter(|leads| **leads).count() == 1
    }
}

#[test]
fn agents_that_act_on_different_answers_are_refused_where_a_detector_may_lie() {
    let check_equal_answers = |instance: PopulationInstance| Algorithm::from(instance).check_equal_answers();
    assert_eq!(check_equal_answers(PopulationInstance::new(Contrary).unwrap()), Err(NoRules::AnswersDiffer));
    assert_eq!(check_equal_answers(PopulationInstance::new(FischerJiangRing).unwrap()), Ok(()));
}
