//! The messages of the built-in algorithms as words, for real networks.

use ringleader_algorithms::message::chang_roberts::{self, ChangRoberts};
use ringleader_algorithms::message::dolev_klawe_rodeh::{self, DolevKlaweRodeh};
use ringleader_algorithms::message::fokkink_pang::{self, FokkinkPang};
use ringleader_algorithms::message::franklin::{self, Franklin};
use ringleader_algorithms::message::franklin_ids::{self, FranklinIds};
use ringleader_algorithms::message::itai_rodeh::{self, ItaiRodeh};
use ringleader_algorithms::message::peterson::{self, Peterson};
use ringleader_language::TextMessages;
use ringleader_model::Terminating;
use ringleader_node_core::neighbours::Codec;

/// An algorithm whose messages can be written down.
pub(crate) trait Written: Terminating + Sized {
    const CODEC: Codec<Self>;
}

fn small(word: u64) -> Option<u32> {
    word.try_into().ok()
}

fn bit(word: u64) -> Option<bool> {
    (word < 2).then_some(word == 1)
}

impl Written for ChangRoberts {
    const CODEC: Codec<Self> = Codec {
        words: |_, m| vec![m.0.into()],
        message: |_, words| match *words {
            [id] => Some(chang_roberts::Message(small(id)?)),
            _ => None,
        },
    };
}

impl Written for Peterson {
    const CODEC: Codec<Self> = Codec {
        words: |_, m| vec![m.0.into()],
        message: |_, words| match *words {
            [id] => Some(peterson::Message(small(id)?)),
            _ => None,
        },
    };
}

impl Written for FranklinIds {
    const CODEC: Codec<Self> = Codec {
        words: |_, m| vec![m.0.into()],
        message: |_, words| match *words {
            [id] => Some(franklin_ids::Message(small(id)?)),
            _ => None,
        },
    };
}

impl Written for DolevKlaweRodeh {
    const CODEC: Codec<Self> = Codec {
        words: |_, m| match *m {
            dolev_klawe_rodeh::Message::One(id) => vec![0, id.into()],
            dolev_klawe_rodeh::Message::Two(id) => vec![1, id.into()],
            dolev_klawe_rodeh::Message::Elected(id) => vec![2, id.into()],
        },
        message: |_, words| match *words {
            [0, id] => Some(dolev_klawe_rodeh::Message::One(small(id)?)),
            [1, id] => Some(dolev_klawe_rodeh::Message::Two(small(id)?)),
            [2, id] => Some(dolev_klawe_rodeh::Message::Elected(small(id)?)),
            _ => None,
        },
    };
}

impl Written for Franklin {
    const CODEC: Codec<Self> = Codec {
        words: |_, m| vec![m.id.into(), m.hop.into(), m.bit.into()],
        message: |_, words| match *words {
            [id, hop, flag] => Some(franklin::Message { id: small(id)?, hop: small(hop)?, bit: bit(flag)? }),
            _ => None,
        },
    };
}

impl Written for FokkinkPang {
    const CODEC: Codec<Self> = Codec {
        words: |_, m| vec![m.id.into(), m.hop.into(), m.unique.into()],
        message: |_, words| match *words {
            [id, hop, unique] => Some(fokkink_pang::Message { id: small(id)?, hop: small(hop)?, unique: bit(unique)? }),
            _ => None,
        },
    };
}

impl Written for ItaiRodeh {
    const CODEC: Codec<Self> = Codec {
        words: |_, m| vec![m.round, m.id.into(), m.hop.into(), m.unique.into()],
        message: |_, words| match *words {
            [round, id, hop, unique] => {
                Some(itai_rodeh::Message { round, id: small(id)?, hop: small(hop)?, unique: bit(unique)? })
            }
            _ => None,
        },
    };
}

impl Written for TextMessages {
    const CODEC: Codec<Self> = Codec { words: |_, m| m.words().to_vec(), message: |text, words| text.message(words) };
}
