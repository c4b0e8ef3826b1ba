//! Linear programs: maximize c x subject to A x <= b and x >= 0, where b >= 0.

const TINY: f64 = 1e-9;

/// The simplex method on a tableau of the nonbasic variables. Gives up after too many pivots.
pub(crate) fn maximize(a: &[Vec<f64>], b: &[f64], c: &[f64], mut over: impl FnMut() -> bool) -> Option<Vec<f64>> {
    let (m, n) = (a.len(), c.len());
    let width = n + 1;
    let mut t: Vec<f64> = Vec::with_capacity((m + 1) * width);
    for (row, b) in a.iter().zip(b) {
        t.extend_from_slice(row);
        t.push(*b);
    }
    t.extend(c.iter().map(|c| -c));
    t.push(0.0);
    let mut zero: Vec<usize> = (0..n).collect();
    let mut basic: Vec<usize> = (n..n + m).collect();
    for round in 0..20_000 {
        let costs = &t[m * width..m * width + n];
        let enters = if round < 10_000 {
            (0..n).filter(|&j| costs[j] < -TINY).min_by(|&i, &j| costs[i].total_cmp(&costs[j]))
        } else {
            (0..n).filter(|&j| costs[j] < -TINY).min_by_key(|&j| zero[j])
        };
        let Some(enters) = enters else {
            let mut x = vec![0.0; n];
            for (i, &v) in basic.iter().enumerate().filter(|(_, v)| **v < n) {
                x[v] = t[i * width + n];
            }
            return Some(x);
        };
        let ratio = |i: usize| t[i * width + n] / t[i * width + enters];
        let leaves = (0..m)
            .filter(|&i| t[i * width + enters] > TINY)
            .min_by(|&i, &j| ratio(i).total_cmp(&ratio(j)).then(basic[i].cmp(&basic[j])))?;
        if over() {
            return None;
        }
        exchange(&mut t, width, leaves, enters);
        std::mem::swap(&mut basic[leaves], &mut zero[enters]);
    }
    None
}

fn exchange(t: &mut [f64], width: usize, row: usize, column: usize) {
    let pivot = t[row * width + column];
    for (j, x) in t[row * width..][..width].iter_mut().enumerate() {
        *x = if j == column { 1.0 / *x } else { *x / pivot };
    }
    let fixed: Vec<f64> = t[row * width..][..width].to_vec();
    for (_, other) in t.chunks_mut(width).enumerate().filter(|(i, _)| *i != row) {
        let factor = other[column];
        if factor != 0.0 {
            for (x, f) in other.iter_mut().zip(&fixed) {
                *x -= factor * f;
            }
            other[column] = -factor * fixed[column];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_program() {
        // 3x + 5y with x <= 4, 2y <= 12, 3x + 2y <= 18: the textbook's (2, 6).
        let a = [vec![1.0, 0.0], vec![0.0, 2.0], vec![3.0, 2.0]];
        let x = maximize(&a, &[4.0, 12.0, 18.0], &[3.0, 5.0], || false).unwrap();
        assert!((x[0] - 2.0).abs() < 1e-9 && (x[1] - 6.0).abs() < 1e-9);
    }

    #[test]
    fn without_a_bound_there_is_no_solution() {
        assert!(maximize(&[vec![-1.0]], &[1.0], &[1.0], || false).is_none());
    }
}
