//! The reference numbers of the papers and of independent programs.

use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_check::alternating::Alternating;
use ringleader_check::longest::{Longest, longest};
use ringleader_check::lying::Lying;
use ringleader_check::recur::{Fairness, Recurrence};
use ringleader_check::{Bits, Graph as _, Survey, Watch, closed, expect, lasso};
use ringleader_model::Graph;

fn near(bounds: expect::Bounds, value: f64) -> bool {
    println!("{bounds:?} {value}");
    bounds.low <= value + 5e-10 && bounds.high >= value - 5e-10 && bounds.high - bounds.low <= 1e-6 * value
}

#[test]
fn fischer_jiang_on_three_agents() {
    let watch = Watch::default();
    let survey = Survey::population(&FischerJiangRing, &Graph::directed_ring(3).unwrap(), &watch).unwrap();
    let safe = closed::really_safe(&survey.system, |c| survey.label(c), &watch).unwrap();
    assert_eq!(safe.count(), 126);
    assert_eq!(closed::can_reach(&survey.system, &safe, &watch).unwrap().count(), 512);
    let e = expect::expected(&survey.system, &safe, survey.configurations(), 1e-9, &watch).unwrap();
    assert!(near(e.worst, 19.0));
    assert!(near(e.mean, 6.759504046));
}

#[test]
fn yokota_on_three_agents() {
    let watch = Watch::default();
    let survey = Survey::population(&YokotaRing { bound: 3 }, &Graph::directed_ring(3).unwrap(), &watch).unwrap();
    let safe = closed::really_safe(&survey.system, |c| survey.label(c), &watch).unwrap();
    assert_eq!(safe.count(), 74_208);
    let sets: Vec<_> = survey.sets.iter().map(|s| (s.name, s.members.count())).collect();
    assert_eq!(sets, [("C_PB", 308_160), ("C_NI", 18_765), ("S_RL", 11_880)]);
    assert_eq!(closed::can_reach(&survey.system, &safe, &watch).unwrap().count(), 884_736);
    let e = expect::expected(&survey.system, &safe, survey.configurations(), 1e-9, &watch).unwrap();
    println!("{} sweeps", e.sweeps);
    assert!(near(e.worst, 16.154851752));
    assert!(near(e.mean, 6.919397076));
    assert!(near(e.at(0), 6.403680930));
    let e = expect::expected(&survey.system, &survey.own_safe, survey.configurations(), 1e-9, &watch).unwrap();
    assert!(near(e.worst, 16.154851752));
    assert!(near(e.mean, 7.305890675));
}

fn alternating(n: u32) -> (Longest, Longest) {
    let watch = Watch::default();
    let survey = Survey::ring(&FichJohnen { size: n }, n as usize, &watch).unwrap();
    let product = Alternating::new(&survey.system).unwrap();
    let label = |node| survey.label(product.configuration(node));
    let safe = closed::really_safe(&product, label, &watch).unwrap();
    let own = Bits::new(product.size());
    for c in survey.own_safe.iter() {
        (1..=product.orientations()).for_each(|turns| assert!(own.insert(product.node(c, turns))));
    }
    (longest(&product, &own, &watch).unwrap(), longest(&product, &safe, &watch).unwrap())
}

#[test]
fn fich_johnen_alternating() {
    for (n, expected) in [(2, 7), (3, 26)] {
        let (own, really) = alternating(n);
        println!("{n}: {own:?} {really:?}");
        assert!(matches!(own, Longest::Steps { worst, .. } if worst == expected), "{own:?}");
        assert!(matches!(really, Longest::Steps { worst, .. } if worst <= expected), "{really:?}");
    }
    let (own, really) = alternating(4);
    println!("{own:?} {really:?}");
    assert!(matches!(really, Longest::Cycle(_)));
}

fn locally_fair(n: usize, fairness: Fairness) -> Option<usize> {
    let watch = Watch::default();
    let survey = Survey::population(&FischerJiangRing, &Graph::directed_ring(n).unwrap(), &watch).unwrap();
    let safe = closed::really_safe(&survey.system, |c| survey.label(c), &watch).unwrap();
    let mut search = Recurrence::new(&survey.system, &survey.system, fairness);
    let set = search.smallest(safe.missing().collect(), &watch, |_| true).unwrap()?;
    let set = search.shrink(set, &watch, |_| true).unwrap();
    let walk = lasso::covering_cycle(&survey.system, &set, |n, e, f| search.obligations(n, e, f)).unwrap();
    for (c, e) in &walk {
        println!("{:?} {} {:?}", survey.system.space().digits(*c), e.site, survey.system.rules(*e));
    }
    println!("{n} {fairness:?} {}", set.len());
    Some(walk.len())
}

#[test]
fn fischer_jiang_locally_fair() {
    assert!(locally_fair(4, Fairness::Transitions).is_some());
    assert!(locally_fair(3, Fairness::Transitions).is_none());
    assert!(locally_fair(3, Fairness::Rules).is_some());
    assert!(locally_fair(3, Fairness::Arcs).is_some());
    assert!(locally_fair(3, Fairness::Steps).is_none());
}

#[test]
fn lying() {
    let watch = Watch::default();
    for n in 3..=5 {
        let survey = Survey::population(&FischerJiangRing, &Graph::directed_ring(n).unwrap(), &watch).unwrap();
        let graph = Lying::new(&survey.system).unwrap();
        for fairness in [Fairness::Steps, Fairness::Transitions] {
            let mut search = Recurrence::new(&graph, &survey.system, fairness);
            let set = search.smallest((0..graph.size() as u32).collect(), &watch, |set| graph.mixed(set)).unwrap();
            println!("{n} {fairness:?} {:?}", set.map(|s| s.len()));
        }
    }
}
