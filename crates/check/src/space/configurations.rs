//! Configurations as mixed-radix numbers: agent `i`'s local state is the digit of weight radix^i.

/// The most agents: with two states each there would be 2^32 configurations.
pub(crate) const MOST_AGENTS: usize = 32;

/// The local states of a configuration, by number.
pub(crate) type Digits = [u32; MOST_AGENTS];

/// All configurations of agents with the same number of local states each.
#[derive(Clone, Debug)]
pub struct MixedRadix {
    agents: usize,
    radix: u32,
    powers: Vec<u32>,
    len: u64,
    /// ceil(2^64 / radix): one multiplication divides a 32-bit number by the radix.
    reciprocal: u64,
}

impl MixedRadix {
    /// The space of `agents` digits below `radix`, if it has fewer than 2^32 configurations.
    pub fn new(agents: usize, radix: u64) -> Option<MixedRadix> {
        let len = u32::try_from(agents).ok().and_then(|n| radix.checked_pow(n)).filter(|&len| len < 1 << 32)?;
        if agents == 0 || agents > MOST_AGENTS || radix == 0 {
            return None;
        }
        let powers = (0..agents as u32).map(|i| radix.pow(i) as u32).collect();
        let reciprocal = (u64::MAX / radix).wrapping_add(1);
        Some(MixedRadix { agents, radix: radix as u32, powers, len, reciprocal })
    }

    /// The number of agents.
    pub fn agents(&self) -> usize {
        self.agents
    }

    /// The number of local states of an agent.
    pub fn radix(&self) -> u32 {
        self.radix
    }

    /// radix^i for each agent.
    pub fn powers(&self) -> &[u32] {
        &self.powers
    }

    /// The number of configurations.
    pub fn size(&self) -> u64 {
        self.len
    }

    /// Writes the local states of configuration `c`.
    #[inline]
    pub fn decode(&self, mut c: u32, digits: &mut Digits) {
        for digit in &mut digits[..self.agents] {
            let quotient = ((u128::from(c) * u128::from(self.reciprocal)) >> 64) as u32;
            *digit = c - quotient * self.radix;
            c = quotient;
        }
    }

    /// The local states of configuration `c`.
    pub fn digits(&self, c: u32) -> Vec<u32> {
        let mut digits = [0; MOST_AGENTS];
        self.decode(c, &mut digits);
        digits[..self.agents].to_vec()
    }

    /// The number of the configuration with these local states.
    pub fn encode(&self, digits: &[u32]) -> u32 {
        digits.iter().zip(&self.powers).map(|(d, p)| d * p).sum()
    }

    /// The configuration in which every agent has the state that the next one has in `c`.
    #[inline]
    pub fn turn_back(&self, c: u32) -> u32 {
        let quotient = ((u128::from(c) * u128::from(self.reciprocal)) >> 64) as u32;
        quotient + (c - quotient * self.radix) * self.powers[self.agents - 1]
    }

    /// Advances the local states to those of the next configuration. Returns the number of digits that changed.
    #[inline]
    pub fn advance(&self, digits: &mut Digits) -> usize {
        for (i, digit) in digits[..self.agents].iter_mut().enumerate() {
            *digit += 1;
            if *digit < self.radix {
                return i + 1;
            }
            *digit = 0;
        }
        self.agents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_agrees_with_counting() {
        for (agents, radix) in [(1, 7), (3, 8), (5, 3), (2, 300), (4, 1)] {
            let space = MixedRadix::new(agents, radix).unwrap();
            let mut counted = [0; MOST_AGENTS];
            for c in 0..space.size() as u32 {
                assert_eq!(space.digits(c), counted[..agents]);
                assert_eq!(space.encode(&counted[..agents]), c);
                space.advance(&mut counted);
            }
        }
    }

    #[test]
    fn division_is_exact_at_the_ends_of_the_range() {
        for radix in [2_u64, 3, 7, 120, 65_535] {
            let space = MixedRadix::new(1, radix).unwrap();
            for c in
                [0, 1, u32::MAX, u32::MAX - 1, radix as u32, radix as u32 - 1, (1 << 31) / radix as u32 * radix as u32]
            {
                let quotient = ((u128::from(c) * u128::from(space.reciprocal)) >> 64) as u32;
                assert_eq!(quotient, c / radix as u32, "{c} / {radix}");
            }
        }
    }

    #[test]
    fn spaces_of_2_to_the_32_and_more_are_refused() {
        assert!(
            MixedRadix::new(32, 2).is_none() && MixedRadix::new(31, 2).is_some() && MixedRadix::new(40, 1).is_none()
        );
    }
}
