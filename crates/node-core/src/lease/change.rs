//! A change of the list of members: joint and numbered, so that no two lists alone confirm two leaders.
//!
//! *Rules.* Each member stores the adopted list with its number k, and at most one proposal for the list k + 1: its *vote*, which it never
//! changes. Lists are ordered: k, k with a proposal, k + 1. A member that hears later lists stores them.
//!
//! 1. A member with a proposal does not grant to an asker that needs a majority of list k alone. With a proposal, a lease and its token need
//!    majorities of both lists.
//! 2. A member adopts the proposal when answers to inquiries of the last L·(1-d)/(1+d) show that majorities of both lists have stored it, and
//!    L/(1-d) has passed since then.
//! 3. A member with a fresh file (no list) neither asks nor grants. It waits for L, and then inquires. It stores the latest lists that it hears
//!    and the greatest token, once it has heard a majority of others of the adopted list, none of them fresh, and a majority of others of the
//!    proposal, if there is one. (All others suffice where they are fewer than a majority.) If the latest lists differ, it waits for later ones.
//! 4. A member neither grants to nor learns from a member with another adopted list of the same number: their files have no common beginning.
//!
//! *One list for each number.* A majority of list k votes for the list k + 1, each member once, and two majorities share a member. If that
//! member lost its file after its vote: the vote counts for L after the answer at most (rule 2), and the new incarnation inquires after L
//! (rule 3). So all votes of that majority were stored before, and the new incarnation hears one of them, since it hears a majority of
//! others: it takes the same vote, or none if it hears another one, too. The same holds for tokens.
//!
//! *Tokens.* The adopter takes the greatest token of all answers since its vote, those before a loss of a file included. A member stores no token of an asker under list k alone after its vote, so the
//! answers of a majority of list k contain every such token. Later lists travel with the token of their sender, so that every member with list
//! k + 1 has a token that great.
//!
//! *One leader.* Two leases share a list of which both have a majority, and so a granter, unless one needs list k alone and the other has
//! a list after k + 1 or k + 1 alone. The latter begins after the adoption of k + 1. Before that, a majority of list k stopped granting under
//! list k alone, and L/(1-d) passed: all leases under it had expired.
//!
//! This assumes that at most one file of a list is lost at a time: the next one after the member with the lost file has stored lists again. And no
//! file returns to an earlier state: a restored backup forgets votes.

use super::{Lists, Members, Record, Standing};
use std::fmt;

/// The answer of another member to an inquiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Answer {
    /// The time of the inquiry.
    pub(super) at: u64,
    pub(super) standing: Standing,
}

/// A change that an operator asked for at this member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wish {
    pub(super) list: Members,
    /// The number of the adopted list that it is to replace.
    pub(super) number: u64,
}

/// The stage of a change of members, at one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Stage {
    /// There is no change.
    #[default]
    None,
    /// The member has a fresh file and has not heard enough others.
    Joining {
        /// Those that it has heard.
        heard: Members,
        /// The members of the latest lists that it has not heard.
        missing: Members,
    },
    /// The member has a fresh file, and the others have different lists or proposals for one number. It may have voted for either.
    Undecided {
        /// One of the lists.
        one: Members,
        /// Another one.
        other: Members,
    },
    /// The member proposes the list as soon as majorities of both lists answer.
    Asking {
        /// The list.
        list: Members,
        /// Those of both lists that have not answered, or have other lists than this member.
        missing: Members,
    },
    /// The proposal is stored here, and not known to be stored by majorities of both lists.
    Proposed {
        /// The list.
        list: Members,
        /// Those of both lists that are not known to have stored it.
        missing: Members,
    },
    /// Majorities of both lists have stored the proposal. It is adopted when all leases of the old list have expired.
    Stored {
        /// The list.
        list: Members,
    },
    /// The change that an operator asked for here was refused.
    Refused {
        /// The list that was asked for.
        list: Members,
        /// The list that another member proposed before.
        other: Members,
    },
    /// This member is not in the adopted list, nor in a proposal.
    Removed,
}

impl Stage {
    /// The name in metrics and on pages.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The list that is to be adopted, or was refused.
    pub fn list(self) -> Option<Members> {
        match self {
            Stage::Asking { list, .. }
            | Stage::Proposed { list, .. }
            | Stage::Stored { list }
            | Stage::Refused { list, .. } => Some(list),
            Stage::None | Stage::Joining { .. } | Stage::Undecided { .. } | Stage::Removed => None,
        }
    }
}

// By hand: sentences with the members that matter.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::None => f.write_str("the list of members is adopted"),
            Stage::Joining { heard, missing } => {
                let rest = match missing.is_empty() {
                    true => "check that the members run, and that [peers] has a line for them here and for this node there".into(),
                    false => format!("not heard: {missing}: each needs a line in [peers] here"),
                };
                write!(
                    f,
                    "the state file is fresh: this node neither asks for the lease nor grants it until it has heard as many others as make a \
                     majority; heard so far: {heard}; {rest}"
                )
            }
            Stage::Undecided { one, other } => write!(
                f,
                "the state file is fresh, and the others have stored two lists with one number, {one} and {other}: this node neither asks for \
                 the lease nor grants it until one of them is adopted; if none is, stop all members and begin anew with --first-start"
            ),
            Stage::Asking { list, missing } => write!(
                f,
                "this node proposes the members {list} when majorities of the old and of the new list have joined and answer; not yet: \
                 {missing}; start them, or correct [peers] and reload"
            ),
            Stage::Proposed { list, missing } => write!(
                f,
                "the members {list} are proposed: a lease needs majorities of both lists until majorities of both have stored the \
                 proposal; not known to have stored it: {missing}"
            ),
            Stage::Stored { list } => {
                write!(f, "the members {list} are adopted as soon as every lease of the old list has expired")
            }
            Stage::Refused { list, other } => write!(
                f,
                "the members {list} of [peers] were refused here, since another member proposed the members {other} before: correct \
                 [peers] and reload, or reload again after that change"
            ),
            Stage::Removed => f.write_str(
                "this node is not in the list of members and does not lead: stop it; to add it, reload every member with a line for it in \
                 [peers] (a member that had the line before proposes it only if it is reloaded without the line first)",
            ),
        }
    }
}

/// A member's part in a change of the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Change {
    pub(super) wish: Option<Wish>,
    /// The wish that was refused, and the list that was proposed before.
    pub(super) refused: Option<(Members, Members)>,
    pub(super) answers: Vec<Option<Answer>>,
    /// The time at which majorities of both lists were known to have stored the proposal; 0 for none.
    pub(super) decided: u64,
}

impl Change {
    pub(super) fn new(size: usize) -> Change {
        Change { wish: None, refused: None, answers: vec![None; size], decided: 0 }
    }

    pub(super) fn hear(&mut self, now: u64, from: usize, answer: Answer) {
        let Some(known) = self.answers.get_mut(from).filter(|_| answer.at <= now) else { return };
        if known.is_none_or(|known| known.at <= answer.at || known.at > now) {
            // A member that lost its file answers with a lower token than before.
            let token = known.map_or(0, |known| known.standing.token).max(answer.standing.token);
            *known = Some(Answer { standing: Standing { token, ..answer.standing }, ..answer });
        }
    }

    /// The others whose answers since a time satisfy a condition.
    pub(super) fn answered(&self, since: u64, condition: impl Fn(&Lists) -> bool) -> Members {
        let holds = |answer: &Answer| answer.at >= since && condition(&answer.standing.lists);
        (0..self.answers.len()).filter(|&id| self.answers[id].as_ref().is_some_and(holds)).collect()
    }

    /// The latest lists of all answers, and others that exclude them.
    fn latest(&self) -> (Lists, Option<Lists>) {
        let all = || self.answers.iter().flatten().map(|answer| answer.standing.lists);
        let latest = all().reduce(|a, b| if b.supersedes(&a) { b } else { a }).unwrap_or_default();
        let excludes = |lists: &Lists| lists.contradict(&latest) || (*lists != latest && !latest.supersedes(lists));
        (latest, all().find(excludes))
    }

    /// The stage of a member with a fresh file.
    pub(super) fn joining(&self, me: usize) -> Stage {
        let heard = self.answered(0, Lists::known);
        match self.latest() {
            (latest, None) => Stage::Joining { heard, missing: latest.everyone().minus(heard).without(me) },
            (latest, Some(rival)) => Stage::Undecided { one: latest.target(), other: rival.target() },
        }
    }

    /// The record of a member with a fresh file that has heard enough others, and no two lists or votes that exclude each other: the vote that it
    /// lost was one of them.
    pub(super) fn learned(&self, me: usize, own: &Record) -> Option<Record> {
        let (latest, None) = self.latest() else { return None };
        let enough = |list: Members, heard: Members| {
            let others = list.without(me);
            others.and(heard).len() >= list.majority().min(others.len())
        };
        let (known, all) = (self.answered(0, Lists::known), self.answered(0, |_| true));
        let heard =
            latest.known() && enough(latest.adopted, known) && latest.proposal.is_none_or(|list| enough(list, all));
        heard.then_some(Record { lists: latest, ..self.with_tokens(own) })
    }

    /// A record with the greatest plausible token of the answers.
    pub(super) fn with_tokens(&self, own: &Record) -> Record {
        let tokens = self.answers.iter().flatten().map(|answer| answer.standing.token);
        own.reaching(tokens.filter(|&token| own.accepts(token)).max().unwrap_or(0))
    }

    /// Forgets all that was about earlier lists.
    pub(super) fn begin_anew(&mut self) {
        self.answers.fill(None);
        self.decided = 0;
    }

    /// Ends a wish that has come true, or that others have preceded, and the refusal of a list that has come true.
    pub(super) fn review(&mut self, lists: &Lists) {
        let target = lists.target();
        self.refused = self.refused.filter(|(list, _)| *list != target);
        let Some(wish) = self.wish else { return };
        if target == wish.list {
            self.wish = None;
        } else if lists.proposal.is_some() || lists.number != wish.number {
            (self.wish, self.refused) = (None, Some((wish.list, target)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(at: u64, lists: Lists, token: u64) -> Answer {
        Answer { at, standing: Standing { lists, token } }
    }

    /// A member that has answered loses its file, and answers again with the token that its operator gave it.
    #[test]
    fn a_later_answer_with_a_lower_token_hides_no_token() {
        let mut change = Change::new(3);
        let lists = Lists::first([0, 1, 2].into_iter().collect());
        change.hear(5, 1, answer(5, lists, 7));
        change.hear(6, 1, answer(6, Lists::default(), 3));
        assert_eq!(change.answered(0, Lists::known), Members::default(), "its lists are lost");
        assert_eq!(change.with_tokens(&Record::default()).token, 7);
        change.begin_anew();
        assert_eq!(change.with_tokens(&Record::default()).token, 0, "the answers belonged to earlier lists");
    }

    #[test]
    fn a_fresh_member_that_has_heard_nobody_asks_for_no_line_of_nobody() {
        let said = Change::new(3).joining(2).to_string();
        assert!(
            said.contains("heard so far: nobody; check that the members run") && !said.contains("not heard"),
            "{said}"
        );
    }

    #[test]
    fn a_fresh_member_takes_no_side_between_two_lists_with_one_number() {
        let [old, new, other]: [Members; 3] = [[0, 1, 2], [1, 2, 3], [0, 1, 4]].map(|ids| ids.into_iter().collect());
        let plain = Lists::first(old);
        let [voted, against] = [new, other].map(|list| plain.with(list).unwrap());
        let foreign = Lists::first(other);
        for (one, two) in [(voted, against), (against, voted), (plain, foreign), (voted, foreign), (foreign, voted)] {
            let mut change = Change::new(5);
            change.hear(5, 0, answer(5, one, 0));
            change.hear(5, 2, answer(5, two, 0));
            change.hear(5, 4, answer(5, Lists::default(), 0));
            assert_eq!(change.learned(1, &Record::default()), None);
            assert!(matches!(change.joining(1), Stage::Undecided { .. }), "{one:?} {two:?}");
            let after = voted.next().unwrap();
            (2..4).for_each(|from| change.hear(6, from, answer(6, after, 0)));
            let learned = change.learned(1, &Record::default()).map(|record| record.lists);
            assert_eq!(learned, Some(after), "a later list decides");
        }
    }
}
