//! Expected steps as exact fractions, for small systems.
//!
//! The equations (w - stay) h(c) - sum of w' h(c') = w have whole coefficients. They are solved modulo a prime once, and
//! that solution is lifted to a power of the prime large enough for Hadamard's bound on numerators and denominators
//! (Dixon 1982); the fractions are then read off by Euclid's algorithm.

use crate::space::{Bits, Markov};
use num_bigint::{BigInt, Sign};

/// 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// More unknowns than this would take too long.
pub(super) const MOST_UNKNOWNS: u64 = 800;

/// An exact fraction.
pub(super) type Fraction = (BigInt, BigInt);

struct Equation {
    /// The nonzero coefficients, each with its unknown.
    terms: Vec<(usize, i64)>,
    constant: i64,
}

/// The expected steps to a closed set that is reachable from everywhere: from each of `starts`, and the mean over the
/// `count` starts among which executions begin. `None` if there are too many unknowns.
pub(super) fn expected<G: Markov>(
    graph: &G,
    (target, among): (&Bits, Option<&Bits>),
    count: u64,
    starts: &[u32],
) -> Option<(Vec<Fraction>, Fraction)> {
    let unknowns: Vec<u32> = target.missing().collect();
    if unknowns.len() as u64 > MOST_UNKNOWNS {
        return None;
    }
    let index = |c: u32| unknowns.binary_search(&c).ok();
    let total = graph.total() as i64;
    let equations: Vec<Equation> = unknowns
        .iter()
        .map(|&c| {
            let mut row = std::collections::BTreeMap::from([(index(c).expect("an unknown"), total)]);
            graph.each_successor(c, &mut |e| {
                if let Some(i) = index(e.target) {
                    *row.entry(i).or_default() -= i64::from(e.weight);
                }
            });
            Equation { terms: row.into_iter().filter(|(_, a)| *a != 0).collect(), constant: total }
        })
        .collect();
    let inverse = invert(&equations)?;
    let solution = lift(&equations, &inverse);
    let modulus = BigInt::from(PRIME).pow(solution.len() as u32);
    let fraction = |digits: &dyn Fn(&[u64]) -> u128| {
        // The last digit is the most significant one.
        let number = solution.iter().rev().fold(BigInt::ZERO, |x, round| x * PRIME + digits(round));
        reconstruct(&number, &modulus)
    };
    let value = |c: &u32| match index(*c) {
        Some(i) => fraction(&|round| round[i].into()),
        None => Some((BigInt::from(0), BigInt::from(1))),
    };
    let at_starts = starts.iter().map(value).collect::<Option<Vec<_>>>()?;
    let begins = |node: u32| among.is_none_or(|starts| starts.contains(node));
    let shares: Vec<u64> = unknowns.iter().map(|&node| if begins(node) { graph.members(node) } else { 0 }).collect();
    // There are fewer than 2^64 starts, and a digit is below 2^61.
    let sum = |round: &[u64]| round.iter().zip(&shares).map(|(&x, &share)| u128::from(x) * u128::from(share)).sum();
    let (p, q) = fraction(&sum)?;
    Some((at_starts, reduced(p, q * BigInt::from(count))))
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product as u64 & PRIME) + (product >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

/// The scalar product modulo the prime.
fn scalar_product(a: &[u64], b: &[u64]) -> u64 {
    // 32 products of numbers below 2^61 are below 2^127.
    a.chunks(32).zip(b.chunks(32)).fold(0, |sum, (a, b)| {
        let part: u128 = a.iter().zip(b).map(|(&a, &b)| u128::from(a) * u128::from(b)).sum();
        ((u128::from(sum) + part) % u128::from(PRIME)) as u64
    })
}

fn subtract(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

fn modulo(a: i64) -> u64 {
    a.rem_euclid(PRIME as i64) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base);
        }
        base = multiply(base, base);
        exponent >>= 1;
    }
    result
}

/// The inverse of the matrix modulo the prime, by Gauss and Jordan; `None` if the prime divides the determinant.
fn invert(equations: &[Equation]) -> Option<Vec<Vec<u64>>> {
    let n = equations.len();
    let mut rows: Vec<Vec<u64>> = equations
        .iter()
        .enumerate()
        .map(|(i, equation)| {
            let mut row = vec![0; 2 * n];
            equation.terms.iter().for_each(|&(j, a)| row[j] = modulo(a));
            row[n + i] = 1;
            row
        })
        .collect();
    for column in 0..n {
        let pivot = (column..n).find(|&i| rows[i][column] != 0)?;
        rows.swap(column, pivot);
        let scale = power(rows[column][column], PRIME - 2);
        rows[column].iter_mut().for_each(|a| *a = multiply(*a, scale));
        let lead = rows[column].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if i != column && factor != 0 {
                for (a, b) in row[column..].iter_mut().zip(&lead[column..]) {
                    *a = subtract(*a, multiply(factor, *b));
                }
            }
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

/// The solution modulo a power of the prime beyond twice the square of Hadamard's bound: its digits to the base of the prime, the least
/// significant ones first.
fn lift(equations: &[Equation], inverse: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let n = equations.len();
    let norms = equations.iter().map(|e| {
        let squares: f64 = e.terms.iter().map(|&(_, a)| (a as f64).powi(2)).sum();
        (squares + (e.constant as f64).powi(2)).log2() / 2.0
    });
    // The sum of n unknowns has a numerator up to n times larger.
    let bits = norms.sum::<f64>() + (n as f64 + 1.0).log2() + 2.0;
    let rounds = ((2.0 * bits + 2.0) / 60.9).ceil() as usize + 1;
    let prime = i128::from(PRIME);
    // A residual stays below the sum of its equation's numbers.
    let mut residual: Vec<i128> = equations.iter().map(|e| e.constant.into()).collect();
    let round = |_| {
        let small: Vec<u64> = residual.iter().map(|r| r.rem_euclid(prime) as u64).collect();
        let digits: Vec<u64> = inverse.iter().map(|row| scalar_product(row, &small)).collect();
        for (r, equation) in residual.iter_mut().zip(equations) {
            let product: i128 = equation.terms.iter().map(|&(j, a)| i128::from(a) * i128::from(digits[j])).sum();
            *r = (*r - product) / prime;
        }
        digits
    };
    (0..rounds).map(round).collect()
}

/// The fraction p / q with small p and q that is `x` modulo `modulus` (Wang 1981).
fn reconstruct(x: &BigInt, modulus: &BigInt) -> Option<Fraction> {
    let bound = (modulus / BigInt::from(2)).sqrt();
    let (mut r0, mut r1) = (modulus.clone(), ((x % modulus) + modulus) % modulus);
    let (mut t0, mut t1) = (BigInt::from(0), BigInt::from(1));
    while r1 > bound {
        let quotient = &r0 / &r1;
        let r2 = &r0 - &quotient * &r1;
        let t2 = &t0 - &quotient * &t1;
        (r0, r1) = (r1, r2);
        (t0, t1) = (t1, t2);
    }
    if t1.sign() == Sign::NoSign {
        return None;
    }
    Some(if t1.sign() == Sign::Minus { reduced(-r1, -t1) } else { reduced(r1, t1) })
}

fn reduced(p: BigInt, q: BigInt) -> Fraction {
    let (mut a, mut b) = (p.magnitude().clone(), q.magnitude().clone());
    while b != num_bigint::BigUint::ZERO {
        (a, b) = (b.clone(), a % b);
    }
    let divisor = BigInt::from(a);
    (p / &divisor, q / divisor)
}
