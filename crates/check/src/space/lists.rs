//! Lists of numbers, one behind the other.

/// For each number below a length, a list of numbers.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// The list of a number is `items[start[number]..start[number + 1]]`.
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The lists of the numbers below `len`. Each pair has a number and an item of its list, in order.
    pub(crate) fn new(len: u64, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let len = len as usize;
        let mut start = vec![0_u32; len + 1];
        pairs.clone().for_each(|(number, _)| start[number as usize + 1] += 1);
        (0..len).for_each(|number| start[number + 1] += start[number]);
        let (mut fill, mut items) = (start.clone(), vec![0; start[len] as usize]);
        pairs.for_each(|(number, item)| {
            let place = &mut fill[number as usize];
            items[*place as usize] = item;
            *place += 1;
        });
        Lists { start, items }
    }

    /// The list of a number.
    #[inline]
    pub(crate) fn of(&self, number: u32) -> &[u32] {
        &self.items[self.start[number as usize] as usize..self.start[number as usize + 1] as usize]
    }

    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.start.len() + self.items.len()) as u64
    }
}
