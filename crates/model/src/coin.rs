//! Randomness, as an algorithm sees it.

/// What a rule draws its random choices from.
///
/// A simulator passes a generator, a checker an [`Odometer`] that makes the same rule run once per outcome: one source
/// text serves both. The rule may also announce which of its numbered lines fired, for traces.
pub trait Coin {
    /// A number in `0..n`, each with probability `1/n`; of nothing, 0.
    fn below(&mut self, n: u32) -> u32;

    /// Which of `n` enabled rules the scheduler takes, in `0..n`: any under a daemon, each as likely under a random scheduler.
    fn choose(&mut self, n: u32) -> u32 {
        self.below(n)
    }

    /// Announces which value the last draw stands for, where that is not its number counted from 1. Only charts listen.
    fn drew(&mut self, _value: u64) {}

    /// Announces that the rule with this number (as the paper counts) fired. Only traces listen.
    fn fired(&mut self, _rule: u8) {}

    /// Whether somebody may listen to what is announced: `false` lets an engine remember what a rule does.
    fn listens(&self) -> bool {
        true
    }
}

/// Whoever lends a coin has it tossed.
impl<C: Coin + ?Sized> Coin for &mut C {
    fn below(&mut self, n: u32) -> u32 {
        (**self).below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        (**self).choose(n)
    }

    fn drew(&mut self, value: u64) {
        (**self).drew(value);
    }

    fn fired(&mut self, rule: u8) {
        (**self).fired(rule);
    }

    fn listens(&self) -> bool {
        (**self).listens()
    }
}

/// A coin for deterministic rules.
///
/// # Panics
/// Tossing it panics: the caller promised that the rule is deterministic.
///
/// ```
/// use ringleader_model::{Coin, NoCoin};
/// NoCoin.fired(3); // announcing is fine
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCoin;

impl Coin for NoCoin {
    fn below(&mut self, _: u32) -> u32 {
        panic!("a rule declared deterministic tossed a coin")
    }
}

/// Runs a randomized rule once per outcome.
///
/// ```
/// use ringleader_model::{Coin, Odometer};
/// let mut sums = vec![];
/// Odometer::each(|coin| sums.push((coin.below(2) + 2 * coin.below(3), coin.outcomes())));
/// assert_eq!(sums, [(0, 6), (2, 6), (4, 6), (1, 6), (3, 6), (5, 6)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Odometer {
    digits: Vec<(u32, u32)>,
    next: usize,
    rules: Vec<u8>,
    tossed: bool,
    /// The scheduler's choices between several rules.
    choices: Vec<u32>,
    /// Whether the scheduler chose after a coin was tossed.
    chose_late: bool,
}

impl Odometer {
    /// Calls `run` once for every sequence of outcomes its draws can have, in lexicographic order.
    pub fn each(mut run: impl FnMut(&mut Odometer)) {
        Odometer::each_while(|coin| {
            run(coin);
            true
        });
    }

    /// The same, until `run` says that it is enough.
    pub fn each_while(run: impl FnMut(&mut Odometer) -> bool) {
        Odometer::default().each_again(run);
    }

    /// The same from the first outcome on, with the memory of an earlier use.
    pub fn each_again(&mut self, mut run: impl FnMut(&mut Odometer) -> bool) {
        let coin = self;
        coin.digits.clear();
        loop {
            coin.next = 0;
            coin.rules.clear();
            coin.choices.clear();
            (coin.tossed, coin.chose_late) = (false, false);
            if !run(coin) {
                return;
            }
            coin.digits.truncate(coin.next);
            loop {
                match coin.digits.pop() {
                    None => return,
                    Some((digit, base)) if digit + 1 < base => {
                        coin.digits.push((digit + 1, base));
                        break;
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// The inverse probability of the draws made so far: the product of their ranges, at most 2^64 - 1.
    pub fn outcomes(&self) -> u64 {
        self.digits[..self.next].iter().fold(1, |all, &(_, base)| all.saturating_mul(base.into()))
    }

    /// The draws made so far in this run.
    pub fn draws(&self) -> Vec<u32> {
        self.digits[..self.next].iter().map(|&(digit, _)| digit).collect()
    }

    /// Whether chance had a say in this run.
    pub fn tossed(&self) -> bool {
        self.tossed
    }

    /// Whether the scheduler had a choice between rules in this run.
    pub fn chose(&self) -> bool {
        !self.choices.is_empty()
    }

    /// The scheduler's choices between several rules; `None` if it chose after a coin was tossed.
    pub fn choices(&self) -> Option<&[u32]> {
        (!self.chose_late).then_some(&self.choices)
    }

    /// The rules announced in this run.
    pub fn rules(&self) -> &[u8] {
        &self.rules
    }
}

impl Odometer {
    fn draw(&mut self, n: u32) -> u32 {
        let n = n.max(1);
        if self.next == self.digits.len() {
            self.digits.push((0, n));
        }
        let (digit, base) = self.digits[self.next];
        debug_assert_eq!(base, n, "a rule must draw the same way when replayed");
        self.next += 1;
        digit
    }
}

impl Coin for Odometer {
    fn below(&mut self, n: u32) -> u32 {
        self.tossed |= n > 1;
        self.draw(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        let drawn = self.draw(n);
        if n > 1 {
            self.chose_late |= self.tossed;
            self.choices.push(drawn);
        }
        drawn
    }

    fn fired(&mut self, rule: u8) {
        self.rules.push(rule);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_may_depend_on_the_one_before() {
        let mut seen = vec![];
        Odometer::each(|coin| {
            let first = coin.below(3);
            let second = if first == 1 { coin.below(2) } else { 9 };
            seen.push((first, second, coin.outcomes()));
        });
        assert_eq!(seen, [(0, 9, 3), (1, 0, 6), (1, 1, 6), (2, 9, 3)]);
    }

    #[test]
    fn chance_and_choice_are_told_apart() {
        let mut seen = vec![];
        Odometer::each(|coin| {
            let rule = coin.choose(2);
            let side = if rule == 1 { coin.below(2) } else { coin.below(1) };
            seen.push((rule, side, coin.tossed(), coin.chose()));
        });
        assert_eq!(seen, [(0, 0, false, true), (1, 0, true, true), (1, 1, true, true)]);
    }

    /// A choice between fewer than two rules is none, so the coins before it stay coins.
    #[test]
    fn a_choice_of_one_rule_is_no_choice() {
        let mut seen = vec![];
        Odometer::each(|coin| {
            let (first, side, last) = (coin.choose(2), coin.below(2), coin.choose(1));
            seen.push((coin.choices().map(<[u32]>::to_vec), coin.draws() == [first, side, last]));
        });
        assert_eq!(seen, [0, 0, 1, 1].map(|rule| (Some(vec![rule]), true)));
        Odometer::each(|coin| {
            let _ = (coin.below(2), coin.choose(2));
            assert_eq!(coin.choices(), None);
        });
    }

    #[test]
    fn a_deterministic_rule_runs_once() {
        let mut runs = 0;
        Odometer::each(|coin| {
            runs += 1;
            assert_eq!(coin.outcomes(), 1);
        });
        assert_eq!(runs, 1);
    }
}
