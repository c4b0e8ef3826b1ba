//! The worst-case time of a table in floating point, which selects the fastest tables.

use crate::outlook::{Prospect, settle};
use crate::table::UNDECIDED;

/// The worst expected number of steps to a safe configuration under the random scheduler, for a table that keeps the
/// promise; `None` if the search is stopped.
pub(crate) fn expected(prospect: &mut Prospect<'_>, table: &[u8]) -> Option<f64> {
    prospect.find_safe(table);
    let ground = prospect.ground;
    let outside: Vec<usize> = (0..ground.classes()).filter(|&class| !prospect.safe[class]).collect();
    let mut place = vec![usize::MAX; ground.classes()];
    outside.iter().enumerate().for_each(|(at, &class)| place[class] = at);
    let (n, pairs) = (outside.len(), f64::from(ground.pairs()));
    // Each row: pairs * E(class) - sum of the successors' expectations = pairs.
    let mut rows = vec![vec![0.0; n + 1]; n];
    for (row, &class) in rows.iter_mut().zip(&outside) {
        row[n] = pairs;
        row[place[class]] += pairs;
        for &meeting in ground.meetings(class) {
            let target = ground.target(meeting, table[usize::from(meeting.entry)]).class();
            if !prospect.safe[target] {
                row[place[target]] -= f64::from(meeting.weight);
            }
        }
    }
    Some(solve(&mut rows, || prospect.stopped())?.into_iter().fold(0.0, f64::max))
}

/// Rows of a system of equations between two looks at the request to stop.
const ROWS: usize = 64;

/// Gaussian elimination without pivoting: the matrix is diagonally dominant. `None` once `stopped`.
fn solve(rows: &mut [Vec<f64>], stopped: impl Fn() -> bool) -> Option<Vec<f64>> {
    let n = rows.len();
    for pivot in 0..n {
        let (above, below) = rows.split_at_mut(pivot + 1);
        let first = &above[pivot];
        for some in below.chunks_mut(ROWS) {
            if stopped() {
                return None;
            }
            for row in some.iter_mut().filter(|row| row[pivot] != 0.0) {
                let factor = row[pivot] / first[pivot];
                row[pivot..].iter_mut().zip(&first[pivot..]).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    let mut values = vec![0.0; n];
    for at in (0..n).rev() {
        let known: f64 = (at + 1..n).map(|other| rows[at][other] * values[other]).sum();
        values[at] = (rows[at][n] - known) / rows[at][at];
    }
    Some(values)
}

/// Whether every completion of a partial table takes more than `most` expected steps. Possibly safe classes count as
/// safe, and undecided entries lead to safety in one step. Sweeps from below then bound the rest.
pub(crate) fn expected_exceeds(prospect: &mut Prospect<'_>, table: &[u8], most: f64) -> bool {
    const SWEEPS: usize = 50;
    /// The sweeps end when a sweep adds less than this fraction of the greatest value.
    const GAIN: f64 = 0.01;
    prospect.find_safe(table);
    let ground = prospect.ground;
    let pairs = f64::from(ground.pairs());
    let mut values = vec![0.0; ground.classes()];
    let mut worst = 0.0;
    for _ in (0..SWEEPS).take_while(|_| !prospect.stopped()) {
        let before = worst;
        for class in (0..ground.classes()).filter(|&class| !prospect.safe[class]) {
            let (mut sum, mut leaving) = (pairs, pairs);
            for &meeting in ground.meetings(class) {
                let value = table[usize::from(meeting.entry)];
                if value == UNDECIDED {
                    continue;
                }
                match ground.target(meeting, value).class() {
                    same if same == class => leaving -= f64::from(meeting.weight),
                    target => sum += f64::from(meeting.weight) * values[target],
                }
            }
            values[class] = sum / leaving;
            worst = f64::max(worst, values[class]);
        }
        if worst > most {
            return true;
        }
        if worst - before < GAIN * worst {
            return false;
        }
    }
    false
}

/// The longest execution, in steps that change something, to a safe configuration. The table keeps the promise under
/// every schedule. For a partial table this is a lower bound for all its completions.
pub(crate) fn longest(prospect: &mut Prospect<'_>, table: &[u8]) -> f64 {
    prospect.find_safe(table);
    let ground = prospect.ground;
    let mut steps = vec![0u32; ground.classes()];
    settle(ground, prospect.control, |class| {
        let before = steps[class];
        if !prospect.safe[class] {
            let targets = ground.decided(class, table).filter(|target| target.changes());
            steps[class] = targets.map(|target| 1 + steps[target.class()]).fold(before, u32::max);
        }
        steps[class] != before
    });
    f64::from(steps.into_iter().max().unwrap_or(0))
}
