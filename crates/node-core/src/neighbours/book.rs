//! Which offers are new.

use ringleader_model::{Coin, Visitor};

/// What the answering side of a link remembers: the ticket that a new offer must carry, and the last answer.
///
/// A ticket is a random word and good for one offer. Whoever asks learns the next ticket with each answer, and echoes it; so an
/// offer from long ago is told from a new one whatever numbers it carries, and no value of a ticket can block a link, as the
/// greatest of ordered numbers would. (Were the next ticket the last plus one, a wrong ticket learnt from garbage could be the
/// next but one: an offer would be called stale first and be taken later.)
///
/// The asking side numbers its offers. A repeat of the last offer gets the last answer, a refusal included: a refused offer
/// stays refused, or its repeat might be taken while the refusal is still on its way.
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
    /// What the next offer must carry.
    pub ticket: u64,
    /// What the last one carried.
    pub last: u64,
    /// The number of the last offer.
    pub number: u64,
    /// What it was answered.
    pub answer: A,
}

/// What an offer is to a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The next.
    New,
    /// The last, again.
    Repeated,
    /// Neither, and it never will be.
    Stale,
}

impl<A> Book<A> {
    /// A book whose first ticket nobody knows; `answer` is never given.
    pub fn new(ticket: u64, answer: A) -> Book<A> {
        Book { ticket, last: !ticket, number: 0, answer }
    }

    /// What an offer with this number and ticket is.
    pub fn standing(&self, number: u64, ticket: u64) -> Standing {
        match () {
            () if ticket == self.ticket => Standing::New,
            () if ticket == self.last && number == self.number => Standing::Repeated,
            () => Standing::Stale,
        }
    }

    /// Remembers the answer to a new offer; the next must carry a fresh ticket.
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
