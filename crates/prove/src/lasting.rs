//! Detectors that may lie for a while: configurations that always keep a leader, for all answers of the detector.

use ringleader_verify::{Goal, Mark, Move, Rules, Window};

/// The rules for arbitrary answers of the detector, with the promise that there is always a leader.
pub(crate) fn deaf(rules: &Rules) -> Option<Rules> {
    let detector = rules.detector.as_ref()?;
    let mut name = "led".to_owned();
    let taken = |name: &String| {
        let variables = rules.variables.iter().map(|v| &v.name);
        variables.chain(rules.marks.iter().map(|m| &m.name)).chain(&rules.rules).any(|known| known == name)
    };
    while taken(&name) {
        name.push('_');
    }
    let windows = detector.iter().map(|&s| Window { own: Some(s), ..Window::default() }).collect();
    let mut deaf = rules.clone();
    deaf.goal = Goal::Everywhere { formula: format!("(1 S {name})") };
    deaf.marks.push(Mark { name, windows });
    deaf.detector = None;
    deaf.moves = rules.moves.iter().map(|m| Move { seen: None, ..*m }).collect();
    Some(deaf)
}
