//! The claim of a proof, in words.

use crate::number::joined;
use ringleader_prove::{has_random_partners, token};
use ringleader_verify::{
    Certificate, Coins, CompleteCertificate, FailureCertificate, Goal, Rules, Scheduler, Sizes, ValuesCertificate,
};

/// The subject of a certificate without control characters, which could move a terminal's cursor.
fn subject(written: &str) -> String {
    written.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The sizes.
fn sizes(sizes: &Sizes) -> String {
    let Sizes { from, modulus, residues } = sizes;
    let multiples = residues == &[0];
    let others = residues.len() + 1 == *modulus && !residues.contains(&0);
    let which = match (modulus, residues.as_slice()) {
        (1, _) => String::new(),
        _ if multiples => format!(" that is a multiple of {modulus}"),
        _ if others => format!(" that is not a multiple of {modulus}"),
        (_, all) => format!(" that leaves {} when divided by {modulus}", joined(all, " or ")),
    };
    format!("every n >= {from}{which}")
}

/// The schedules of a ring or a line, and the coins.
fn schedule(scheduler: Scheduler, coins: Coins) -> &'static str {
    match (scheduler, coins) {
        (Scheduler::GloballyFair, _) => {
            "under every globally fair schedule, and with probability 1 under the random one"
        }
        (Scheduler::Unfair, Coins::Adversarial) => {
            "under every schedule of single steps that change something, fair or not"
        }
        (Scheduler::WeaklyFair, Coins::Fair) => {
            "with probability 1 under every schedule of single steps in which no agent is enabled for ever without acting (weakly fair), \
             if coins are fair"
        }
        (Scheduler::WeaklyFair, Coins::Adversarial) => {
            "under every schedule of single steps in which no agent is enabled for ever without acting (weakly fair)"
        }
        (Scheduler::LocallyFair, _) => {
            "under every schedule in which no arc that can change something is unused for ever: so under every locally fair one"
        }
        (Scheduler::Distributed, Coins::Adversarial) => {
            "under every schedule in which each step activates some enabled agents, fair or not"
        }
        (Scheduler::Synchronous, Coins::Adversarial) => "under the synchronous daemon",
        (Scheduler::Unfair, Coins::Fair) => "with probability 1 against every central daemon, if coins are fair",
        (Scheduler::Distributed, Coins::Fair) => {
            "with probability 1 against every distributed daemon, if coins are fair"
        }
        (Scheduler::Synchronous, Coins::Fair) => "with probability 1 under the synchronous daemon, if coins are fair",
    }
}

/// The schedules that prevent the goal.
fn prevented(scheduler: Scheduler, coins: Coins, rules: &Rules) -> String {
    let daemon = match scheduler {
        Scheduler::GloballyFair => return "under every globally fair schedule from some configurations".into(),
        Scheduler::Synchronous => "under the synchronous daemon",
        Scheduler::WeaklyFair => "under a weakly fair central daemon",
        Scheduler::LocallyFair => "under a locally fair schedule",
        Scheduler::Unfair => "under a central daemon that need not be fair",
        Scheduler::Distributed => "under a distributed daemon that need not be fair",
    };
    let any = if coins == Coins::Fair && !rules.tosses.is_empty() { ", with any outcome of its coins" } else { "" };
    format!("{daemon}{any}")
}

/// The schedules of a complete graph.
fn meetings(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::GloballyFair => schedule(scheduler, Coins::Adversarial),
        _ => "under every schedule of meetings that change something",
    }
}

/// The leader detector, if there is one.
fn detector(rules: &Rules, lies: bool) -> &'static str {
    match (lies, &rules.detector) {
        (true, _) => ", with an eventually correct leader detector",
        (false, Some(_)) => ", with a perfect leader detector",
        (false, None) => "",
    }
}

/// The promise.
pub fn goal(rules: &Rules) -> String {
    match &rules.goal {
        Goal::ExactlyOne { of, .. } if *of == rules.rules => "exactly one rule is enabled".into(),
        Goal::ExactlyOne { of, stays } => {
            let stays = if *stays { ", always at the same agent" } else { "" };
            format!("`{}` holds at exactly one agent{stays}", of.join("` or `"))
        }
        Goal::Everywhere { formula } => format!("`{formula}` holds everywhere"),
    }
}

/// The claim that a condition recurs at every agent.
pub fn recurs(rules: &Rules, condition: &str) -> String {
    match &rules.goal {
        Goal::ExactlyOne { of, .. } if *of == rules.rules && token(rules).as_deref() == Some(condition) => {
            "every agent has an enabled rule again and again".into()
        }
        _ => format!("`{condition}` holds at every agent again and again"),
    }
}

/// The claim of a certificate for rings or lines. The condition on the configurations in which executions start may be known in the words
/// of a text.
pub fn ring(certificate: &Certificate, start: Option<&str>) -> String {
    let chosen_by_coins = certificate.scheduler == Scheduler::Unfair && certificate.coins == Coins::Fair;
    let schedule = match chosen_by_coins && has_random_partners(&certificate.rules) {
        true => {
            "with probability 1 against every daemon that chooses who initiates an interaction, if fair coins choose the partners"
        }
        false => schedule(certificate.scheduler, certificate.coins),
    };
    let sizes = sizes(&certificate.sizes);
    let start = match (start, &certificate.rules.given) {
        (Some(text), Some(_)) => format!(" from every configuration with {text}"),
        (_, Some(formula)) => format!(" from every configuration in which `{formula}` holds everywhere"),
        (_, None) => String::new(),
    };
    let chosen = certificate.coins == Coins::Adversarial && certificate.scheduler != Scheduler::GloballyFair;
    let coins = if chosen && !certificate.rules.tosses.is_empty() { ", for all outcomes of the coins" } else { "" };
    format!(
        "{} stabilizes for {sizes}{start}, {schedule}{coins}{}",
        subject(&certificate.subject),
        detector(&certificate.rules, certificate.lasting.is_some())
    )
}

/// The claim of a certificate of a failure.
pub fn failure(certificate: &FailureCertificate) -> String {
    let FailureCertificate { sizes: of, scheduler, coins, rules, .. } = certificate;
    let (sizes, prevented) = (sizes(of), prevented(*scheduler, *coins, rules));
    format!("{} fails for {sizes}, {prevented}{}", subject(&certificate.subject), detector(rules, false))
}

/// The claim of a certificate for complete graphs.
pub fn complete(certificate: &CompleteCertificate) -> String {
    format!(
        "{} stabilizes on every complete graph of n >= {} agents, {}{}",
        subject(&certificate.subject),
        certificate.from,
        meetings(certificate.scheduler),
        detector(&certificate.rules, false)
    )
}

/// The least number of values of a certificate.
pub fn least_values(certificate: &ValuesCertificate) -> &'static str {
    if certificate.fewer == 0 { "n" } else { "n - 1" }
}

/// The claim of a certificate about every number of values, which is a parameter of the algorithm.
pub fn values(certificate: &ValuesCertificate) -> String {
    format!(
        "{} stabilizes for every n >= {} and every number K >= {} of values (at least 2), {}",
        subject(&certificate.subject),
        certificate.from,
        least_values(certificate),
        schedule(certificate.scheduler, Coins::Adversarial)
    )
}

#[cfg(test)]
mod tests {
    use super::{sizes, subject};
    use ringleader_verify::Sizes;

    #[test]
    fn all_kinds_of_sizes_are_described() {
        let said = |modulus, residues: &[usize]| sizes(&Sizes { from: 3, modulus, residues: residues.to_vec() });
        assert_eq!(said(1, &[0]), "every n >= 3");
        assert_eq!(said(2, &[1]), "every n >= 3 that is not a multiple of 2");
        assert_eq!(said(3, &[0]), "every n >= 3 that is a multiple of 3");
        assert_eq!(said(64, &[63]), "every n >= 3 that leaves 63 when divided by 64");
        assert_eq!(subject("mine\n\u{1b}[31maccepted: all"), "mine\u{fffd}\u{fffd}[31maccepted: all");
        assert_eq!(said(5, &[1, 3]), "every n >= 3 that leaves 1 or 3 when divided by 5");
    }
}
