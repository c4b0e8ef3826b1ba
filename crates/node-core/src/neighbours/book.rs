//! New offers are told from old ones.

use ringleader_model::{Coin, Visitor};

/// The memory of the answering end of a link: the ticket that a new offer must carry, and the last answer.
///
/// A ticket is a random word that is valid for one offer. Each answer tells the offering end the next ticket, and the next offer
/// echoes it. So an old offer is recognised whatever numbers it carries, and no value of a ticket can block a link, as the
/// greatest of ordered numbers would. (If the next ticket were the last plus one, a wrong ticket learnt from garbage could
/// become valid later: an offer would be refused as stale first and accepted afterwards.)
///
/// The offering end numbers its offers. A repeat of the last offer gets the last answer, also if that was a refusal:
/// otherwise the repeat might be accepted while the refusal is still in transit.
///
/// ```
/// use ringleader_node_core::neighbours::{Book, Standing};
/// let mut book = Book::new(7, "");
/// assert_eq!(book.standing(1, 6), Standing::Stale);
/// assert_eq!(book.standing(1, 7), Standing::New);
/// book.keep(1, "yes", 4711);
/// assert_eq!((book.standing(1, 7), book.answer), (Standing::Repeated, "yes"));
/// assert_eq!((book.standing(2, 7), book.standing(2, 4711)), (Standing::Stale, Standing::New));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Book<A> {
    /// The ticket that the next offer must carry.
    pub ticket: u64,
    /// The ticket of the last offer.
    pub last: u64,
    /// The number of the last offer.
    pub number: u64,
    /// The answer to the last offer.
    pub answer: A,
}

/// The relation of an offer to a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The next offer.
    New,
    /// A repeat of the last offer.
    Repeated,
    /// Neither; it will never be accepted.
    Stale,
}

impl<A> Book<A> {
    /// A book whose first ticket nobody knows; `answer` is never sent.
    pub fn new(ticket: u64, answer: A) -> Book<A> {
        Book { ticket, last: !ticket, number: 0, answer }
    }

    /// Whether an offer with this number and ticket is new.
    pub fn standing(&self, number: u64, ticket: u64) -> Standing {
        match () {
            () if ticket == self.ticket => Standing::New,
            () if ticket == self.last && number == self.number => Standing::Repeated,
            () => Standing::Stale,
        }
    }

    /// Remembers the answer to a new offer; the next offer must carry the `fresh` ticket.
    pub fn keep(&mut self, number: u64, answer: A, fresh: u64) {
        *self = Book { ticket: fresh, last: self.ticket, number, answer };
    }

    /// Shows the tickets and the number.
    pub fn variables(&mut self, visitor: &mut dyn Visitor) {
        visitor.word("ticket", &mut self.ticket);
        visitor.word("last", &mut self.last);
        visitor.word("number", &mut self.number);
    }
}

/// A random word.
pub(crate) fn word(coin: &mut dyn Coin) -> u64 {
    (0..4).fold(0, |word, _| word << 16 | u64::from(coin.below(1 << 16)))
}
