#[path = "../../verify/tests/support/subjects.rs"]
#[allow(dead_code)]
mod subjects;
use ringleader_verify::*;
fn go(rules: Rules, from: usize, unfair: bool) {
    let c = ringleader_prove::try_it(&rules, &Sizes::from(from), 300, unfair).unwrap();
    let t = std::time::Instant::now();
    println!("{:?} {:?}", verify(&c), t.elapsed());
}
#[test]
fn fj() { go(subjects::fischer_jiang(), 3, false) }
#[test]
fn tc() { go(subjects::token_circulation(), 2, false) }
#[test]
fn gh() { go(subjects::gouda_haddix(), 2, false) }
#[test]
fn d4() { go(subjects::dijkstra_four(), 3, true) }
#[test]
fn d3() { go(subjects::dijkstra_three(), 3, true) }
#[test]
fn ghu() { go(subjects::gouda_haddix(), 2, true) }
