//! Configurations as mixed-radix numbers: agent `i`'s local state is a digit whose weight is the product of the numbers of states of the
//! agents before it.

/// The most agents: with two states each there would be 2^32 configurations.
pub(crate) const MOST_AGENTS: usize = 32;

/// The local states of a configuration, by number.
pub(crate) type Digits = [u32; MOST_AGENTS];

/// All configurations of agents, which may differ in their numbers of local states.
#[derive(Clone, Debug)]
pub struct MixedRadix {
    /// The number of agents.
    pub agents: usize,
    /// The largest number of local states of an agent.
    pub radix: u32,
    /// The weight of each agent's digit.
    pub powers: Vec<u32>,
    len: u64,
    reciprocal: u64,
    /// The radix of each agent and its reciprocal, unless all are the same.
    each: Option<Vec<(u32, u64)>>,
}

/// ceil(2^64 / radix), modulo 2^64: one multiplication divides a 32-bit number by a radix above 1.
fn reciprocal(radix: u64) -> u64 {
    (u64::MAX / radix).wrapping_add(1)
}

/// Not inlined, so that equal radices pay for one comparison only.
#[inline(never)]
fn decode_each(each: &[(u32, u64)], mut c: u32, digits: &mut Digits) {
    for (digit, &(radix, reciprocal)) in digits.iter_mut().zip(each) {
        let rest = if radix == 1 { c } else { quotient(c, reciprocal) };
        *digit = c - rest * radix;
        c = rest;
    }
}

#[inline]
fn quotient(c: u32, reciprocal: u64) -> u32 {
    ((u128::from(c) * u128::from(reciprocal)) >> 64) as u32
}

impl MixedRadix {
    /// The space of `agents` digits below `radix`, if it has fewer than 2^32 configurations.
    pub fn new(agents: usize, radix: u64) -> Option<MixedRadix> {
        if agents > MOST_AGENTS { None } else { MixedRadix::mixed(&vec![radix; agents]) }
    }

    /// The space of digits below these radices, if it has fewer than 2^32 configurations.
    pub fn mixed(radices: &[u64]) -> Option<MixedRadix> {
        let (agents, most) = (radices.len(), radices.iter().copied().max()?);
        let len = radices.iter().try_fold(1_u64, |len, &radix| len.checked_mul(radix)).filter(|&len| len < 1 << 32)?;
        if agents > MOST_AGENTS || len == 0 {
            return None;
        }
        let powers = radices.iter().scan(1, |next, &radix| Some(std::mem::replace(next, *next * radix as u32)));
        let differ = radices.iter().any(|&radix| radix != most);
        let each = differ.then(|| radices.iter().map(|&radix| (radix as u32, reciprocal(radix))).collect());
        let (radix, powers) = (most as u32, powers.collect());
        Some(MixedRadix { agents, radix, powers, len, reciprocal: reciprocal(most), each })
    }

    /// Whether all agents have the same number of local states.
    pub fn is_uniform(&self) -> bool {
        self.each.is_none()
    }

    /// The number of local states of an agent.
    pub fn radix_of(&self, agent: usize) -> u32 {
        self.each.as_ref().map_or(self.radix, |each| each[agent].0)
    }

    /// The number of configurations.
    pub fn size(&self) -> u64 {
        self.len
    }

    /// Writes the local states of configuration `c`.
    #[inline]
    pub fn decode(&self, mut c: u32, digits: &mut Digits) {
        if let Some(each) = &self.each {
            return decode_each(each, c, digits);
        }
        for digit in &mut digits[..self.agents] {
            let rest = quotient(c, self.reciprocal);
            *digit = c - rest * self.radix;
            c = rest;
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

    /// The configuration in which every agent has the state that the next one has in `c`. Only for agents with the same number of states.
    #[inline]
    pub fn turn_back(&self, c: u32) -> u32 {
        debug_assert!(self.is_uniform(), "only equal agents turn");
        let rest = quotient(c, self.reciprocal);
        rest + (c - rest * self.radix) * self.powers[self.agents - 1]
    }

    /// Advances the local states to those of the next configuration.
    #[inline]
    pub fn advance(&self, digits: &mut Digits) {
        let next = |digit: &mut u32, radix: u32| {
            *digit = if *digit + 1 < radix { *digit + 1 } else { 0 };
            *digit > 0
        };
        let digits = &mut digits[..self.agents];
        match &self.each {
            None => digits.iter_mut().any(|digit| next(digit, self.radix)),
            Some(each) => digits.iter_mut().zip(each).any(|(digit, (radix, _))| next(digit, *radix)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_agrees_with_counting() {
        for (agents, radix) in [(1, 7), (3, 8), (5, 3), (2, 300), (4, 1)] {
            counts(&MixedRadix::new(agents, radix).unwrap());
        }
        for radices in [&[3, 1, 4][..], &[1, 1, 5], &[7, 2], &[2, 3, 1], &[1, 300, 1, 2], &[4, 4]] {
            let space = MixedRadix::mixed(radices).unwrap();
            assert_eq!(space.size(), radices.iter().product());
            assert!((0..).zip(radices).all(|(agent, &radix)| u64::from(space.radix_of(agent)) == radix));
            counts(&space);
        }
    }

    fn counts(space: &MixedRadix) {
        let (mut counted, agents) = ([0; MOST_AGENTS], space.agents);
        for c in 0..space.size() as u32 {
            assert_eq!(space.digits(c), counted[..agents]);
            assert_eq!(space.encode(&counted[..agents]), c);
            space.advance(&mut counted);
        }
        assert_eq!(counted[..agents], vec![0; agents]);
    }

    #[test]
    fn division_is_exact_at_the_ends_of_the_range() {
        for radix in [2_u64, 3, 7, 120, 65_535] {
            let space = MixedRadix::new(1, radix).unwrap();
            for c in
                [0, 1, u32::MAX, u32::MAX - 1, radix as u32, radix as u32 - 1, (1 << 31) / radix as u32 * radix as u32]
            {
                assert_eq!(quotient(c, space.reciprocal), c / radix as u32, "{c} / {radix}");
            }
        }
    }

    #[test]
    fn spaces_of_2_to_the_32_and_more_are_refused() {
        assert!(
            MixedRadix::new(32, 2).is_none() && MixedRadix::new(31, 2).is_some() && MixedRadix::new(40, 1).is_none()
        );
        let mut radices = [2; 32];
        radices[7] = 1;
        assert!(MixedRadix::mixed(&radices).is_some());
        radices[7] = 3;
        assert!(MixedRadix::mixed(&radices).is_none() && MixedRadix::mixed(&[2, 0]).is_none());
        assert!(MixedRadix::mixed(&[]).is_none() && MixedRadix::mixed(&[u64::MAX, 2]).is_none());
    }
}
