//! The measures of a certificate along a run: what falls, step by step, until it is safe.

use crate::runs::look;
use crate::runs::setup::{Subject, System};
use ringleader_erased::Number;
use ringleader_verify::{Certificate, State, Value as Reading};
use serde_json::{Value, json};

/// The values of its measures here, if the certificate is about this algorithm and its states are numbered alike; and of each
/// choice, whether it lowers them.
pub(crate) fn tell(
    certificate: &Certificate,
    subject: &Subject,
    states: &[Number],
    choices: &mut [Value],
) -> Option<Value> {
    let spoken_of = certificate.subject == subject.card.name && certificate.sizes.contains(states.len());
    let about = spoken_of && same_states(certificate, subject);
    let here = about.then(|| readings(certificate, states))??;
    for choice in choices {
        let mut after = states.to_vec();
        for change in choice["changes"].as_array().into_iter().flatten() {
            after[change[0].as_u64()? as usize] = Number(change[1].as_u64()?);
        }
        choice["lowers"] = json!(readings(certificate, &after)? < here);
    }
    let rows = certificate.measures.iter().zip(&here).map(|(measure, value)| json!([measure, value.to_string()]));
    Some(rows.collect())
}

fn same_states(certificate: &Certificate, subject: &Subject) -> bool {
    let count = match &subject.system {
        System::Population(instance, _) => instance.states(),
        System::Ring(instance) => instance.states(),
        System::Message(_) => return false,
    };
    let known = &certificate.rules.states;
    known.len() as u64 == count && (0..count).all(|state| known[state as usize] == look::text(subject, state))
}

fn readings(certificate: &Certificate, states: &[Number]) -> Option<Vec<Reading>> {
    let states: Vec<State> = states.iter().map(|state| State::try_from(state.0).ok()).collect::<Option<_>>()?;
    certificate.readings(&states).ok()
}
