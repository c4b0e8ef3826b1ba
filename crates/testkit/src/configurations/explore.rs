//! Questions about a set of configurations.

use super::Moves;

/// A move that leaves the set.
pub fn leaving(system: &impl Moves, set: &[bool]) -> Option<(usize, usize)> {
    (0..system.len()).filter(|&c| set[c]).find_map(|c| {
        let mut outside = None;
        system.each(c, &mut |d, _| {
            if !set[d] {
                outside = Some((c, d));
            }
        });
        outside
    })
}

/// The greatest part of a set that no move leaves, where every move must also be `allowed`.
pub fn greatest_closed(system: &impl Moves, mut set: Vec<bool>, allowed: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut shrinks = true;
    while shrinks {
        shrinks = false;
        for c in 0..set.len() {
            if set[c] {
                let mut stays = true;
                system.each(c, &mut |d, _| stays &= set[d] && allowed(c, d));
                set[c] = stays;
                shrinks |= !stays;
            }
        }
    }
    set
}

/// A configuration from which no sequence of moves leads into the set: if there is none, every globally fair run gets
/// there.
pub fn unable_to_reach(system: &impl Moves, set: &[bool]) -> Option<usize> {
    let mut able = set.to_vec();
    let mut forwards = true;
    let mut grows = true;
    while grows {
        grows = false;
        // Sweeping to and fro passes the news on quickly in both directions.
        for i in 0..able.len() {
            let c = if forwards { i } else { able.len() - 1 - i };
            if !able[c] {
                system.each(c, &mut |d, _| able[c] |= able[d]);
                grows |= able[c];
            }
        }
        forwards = !forwards;
    }
    (0..able.len()).find(|&c| !able[c] && system.exists(c))
}

/// The greatest number of moves before the set is reached, or a configuration outside it that lies on a cycle or has no
/// move at all.
pub fn longest(system: &impl Moves, set: &[bool]) -> Result<u32, usize> {
    const OPEN: u32 = u32::MAX;
    const NEW: u32 = u32::MAX - 1;
    let mut steps: Vec<u32> = set.iter().map(|&inside| if inside { 0 } else { NEW }).collect();
    let moves = |c| {
        let mut successors = vec![];
        system.each(c, &mut |d, _| successors.push(d));
        successors
    };
    // The moves not looked at yet, and the longest way on from those that were.
    let mut stack: Vec<(usize, Vec<usize>, Option<u32>)> = vec![];
    for root in 0..system.len() {
        if steps[root] != NEW || !system.exists(root) {
            continue;
        }
        steps[root] = OPEN;
        stack.push((root, moves(root), None));
        while let Some((c, left, after)) = stack.last_mut() {
            match left.last().map(|&d| (d, steps[d])) {
                Some((d, OPEN)) => return Err(d),
                Some((d, NEW)) => {
                    steps[d] = OPEN;
                    stack.push((d, moves(d), None));
                }
                Some((_, known)) => {
                    *after = (*after).max(Some(known));
                    left.pop();
                }
                None => {
                    steps[*c] = 1 + after.ok_or(*c)?;
                    stack.pop();
                }
            }
        }
    }
    Ok((0..system.len()).filter(|&c| steps[c] < NEW).map(|c| steps[c]).max().unwrap_or(0))
}

/// The expected number of moves until the set, under the random scheduler, from every configuration. By Gauss and Seidel's
/// method, until no value changes by more than 10⁻¹¹.
pub fn expected_steps(system: &impl Moves, set: &[bool]) -> Vec<f64> {
    let open: Vec<usize> = (0..system.len()).filter(|&c| !set[c] && system.exists(c)).collect();
    let mut steps = vec![0.0f64; system.len()];
    let mut change = 1.0f64;
    while change > 1e-11 {
        change = 0.0;
        for &c in &open {
            let (mut stays, mut sum) = (0.0, 1.0);
            system.each(c, &mut |d, p| if d == c { stays += p } else { sum += p * steps[d] });
            let value = sum / (1.0 - stays);
            change = change.max((value - steps[c]).abs());
            steps[c] = value;
        }
    }
    steps
}
