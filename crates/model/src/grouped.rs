//! Many short lists in one.

use std::ops::Range;

/// For each of some groups, a list of numbers. All lists are in one piece of memory.
///
/// ```
/// use ringleader_model::Grouped;
/// let lists = Grouped::new(3, [(2, 7), (0, 8), (2, 5)].into_iter());
/// assert_eq!((lists.groups(), lists.of(0), lists.of(1), lists.of(2)), (3, &[8][..], &[][..], &[7, 5][..]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouped {
    /// Where each group begins, and the end of the last one.
    pub(crate) first: Vec<u32>,
    pub(crate) all: Vec<u32>,
}

impl Grouped {
    /// Lists of these members, given with their groups. The members of a group keep their order.
    pub fn new(groups: usize, members: impl Iterator<Item = (u32, u32)> + Clone) -> Grouped {
        let mut first = vec![0; groups + 1];
        members.clone().for_each(|(group, _)| first[group as usize + 1] += 1);
        (0..groups).for_each(|group| first[group + 1] += first[group]);
        let (mut next, mut all) = (first.clone(), vec![0; first[groups] as usize]);
        members.for_each(|(group, member)| {
            let place = &mut next[group as usize];
            all[*place as usize] = member;
            *place += 1;
        });
        Grouped { first, all }
    }

    /// The number of groups.
    #[inline]
    pub fn groups(&self) -> usize {
        self.first.len() - 1
    }

    /// The members of a group.
    #[inline]
    pub fn of(&self, group: usize) -> &[u32] {
        &self.all[self.range(group)]
    }

    #[inline]
    pub(crate) fn range(&self, group: usize) -> Range<usize> {
        self.first[group] as usize..self.first[group + 1] as usize
    }
}
