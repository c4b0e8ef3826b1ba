//! The moments of a run that a picture shows.

use super::Moment;
use ringleader_simulate::plain::SimulatedRun;

/// How to look at a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look<'a> {
    /// The number of moments, at least two.
    pub rows: u64,
    /// The last moment, in steps.
    pub last: u64,
    /// The faults of the run: the number of steps before each, and its agents.
    pub strikes: &'a [(u64, Vec<usize>)],
    /// The variable whose value shades an agent.
    pub shade: Option<&'a str>,
}

impl Look<'_> {
    /// The moments of a run, evenly from its start to the last. `each` sees the run at every one of them;
    /// `keep_going` is asked before every step.
    pub fn moments(
        &self,
        run: &mut dyn SimulatedRun,
        keep_going: impl Fn() -> bool,
        mut each: impl FnMut(&dyn SimulatedRun),
    ) -> Vec<Moment> {
        let rows = self.rows.max(2);
        let mut moments = vec![];
        let mut ahead = self.strikes.iter().peekable();
        for row in (0..rows).take_while(|row| *row == 0 || keep_going()) {
            let until = (u128::from(self.last) * u128::from(row) / u128::from(rows - 1)) as u64;
            while run.steps() < until && keep_going() {
                if let Some((_, agents)) = ahead.next_if(|(at, _)| run.steps() >= *at) {
                    run.corrupt(agents);
                }
                if !run.step() {
                    break;
                }
            }
            each(run);
            let marks = run.marks();
            let shades = match self.shade {
                Some(variable) => run.states().iter().map(|state| shade(state, variable)).collect(),
                None => vec![None; marks.len()],
            };
            moments.push(Moment { steps: run.steps(), marks, shades, actors: vec![] });
        }
        moments
    }
}

/// The value of the variable that shades an agent, in the text of its state.
pub fn shade(state: &str, variable: &str) -> Option<u64> {
    state.split(' ').find_map(|pair| pair.strip_prefix(variable)?.strip_prefix('=')?.parse().ok())
}
