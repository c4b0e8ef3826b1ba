//! The token comes to every agent again and again, on every ring.

use crate::subjects::*;
use ringleader_prove::{Options, Outcome, Recurrence, prove, recurring, token};
use ringleader_verify::{Certificate, Rules, Scheduler, Sizes, verify};

fn proof(name: &str, rules: &Rules, scheduler: Scheduler) -> Certificate {
    let outcome = prove(name, rules, &Sizes::from(3), scheduler, &Options::seconds(600)).unwrap();
    let Outcome::Proved(proof) = outcome else { panic!("{name}: {outcome:?}") };
    proof.certificate
}

#[test]
fn tokens_come_to_every_agent() {
    use Scheduler::{GloballyFair, Unfair};
    let cases = [
        ("token-circulation", token_circulation(), GloballyFair),
        ("dijkstra-four-state", dijkstra_four(), Unfair),
        ("dijkstra-three-state", dijkstra_three(), Unfair),
        ("gouda-haddix", gouda_haddix(), GloballyFair),
    ];
    for (name, rules, scheduler) in cases {
        let certificate = proof(name, &rules, scheduler);
        let condition = token(&rules).expect("it has a token");
        let started = std::time::Instant::now();
        let found = recurring(&certificate, &condition, &Options::seconds(600)).unwrap();
        println!("{name}: {:?}", started.elapsed());
        let Recurrence::Proved(certificate) = found else { panic!("{name}: {found:?}") };
        println!("{:#?}", certificate.recurring);
        let started = std::time::Instant::now();
        verify(&certificate).unwrap();
        println!("{name}: verified in {:?}", started.elapsed());
    }
}
