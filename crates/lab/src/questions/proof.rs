//! The measures of a certificate along a run: each step that lowers them leads towards a safe configuration.

use crate::runs::look::PossibleStep;
use crate::runs::setup::Subject;
use ringleader_erased::Number;
use ringleader_verify::{Certificate, State, Value as Reading};

/// The measures with their values, if the certificate is about this algorithm and its states have the same numbers. Each choice is
/// marked if it lowers them.
pub(crate) fn measures<'a>(
    certificate: &'a Certificate,
    subject: &Subject,
    states: &[Number],
    choices: &mut [PossibleStep],
) -> Option<Vec<(&'a str, String)>> {
    let names_it = certificate.subject == subject.card.name && certificate.sizes.contains(states.len());
    let here = (names_it && same_states(certificate, subject)).then(|| readings(certificate, states))??;
    for choice in choices {
        choice.lowers = Some(readings(certificate, &choice.after(states))? < here);
    }
    let measures = certificate.measures.iter().map(|measure| measure.as_str());
    Some(measures.zip(here.iter().map(ToString::to_string)).collect())
}

fn same_states(certificate: &Certificate, subject: &Subject) -> bool {
    let known = &certificate.rules.states;
    subject.states() == Some(known.len() as u64)
        && known.iter().enumerate().all(|(state, text)| *text == subject.text(state as u64))
}

fn readings(certificate: &Certificate, states: &[Number]) -> Option<Vec<Reading>> {
    let states: Vec<State> = states.iter().map(|state| State::try_from(state.0).ok()).collect::<Option<_>>()?;
    certificate.readings(&states).ok()
}
