//! Arbitrary datagrams with a valid MAC, as a sender with the key could make them. They reach the decoder of fields, the replay protection and
//! the algorithm itself. A panic there would let one faulty host stop all others.
#![no_main]

use hmac::{Hmac, KeyInit, Mac};
use libfuzzer_sys::fuzz_target;
use ringleader_fuzz::{KEY, SIZE, at, core, template};
use sha2::Sha256;
use std::sync::LazyLock;

static TEMPLATE: LazyLock<Vec<u8>> = LazyLock::new(template);
const HEADER: usize = 99;
const MAC: usize = 16;

// The input is a list of datagrams, each with a control byte, a length and that many bytes. The control byte selects whether the bytes are a
// message after a valid header, or overwrite the datagram from its start.
fuzz_target!(|bytes: &[u8]| {
    let (mut core, mut rest, mut iteration) = (core(0), bytes, 100);
    while let [control, length, tail @ ..] = rest {
        let (part, after) = tail.split_at(usize::from(*length).min(tail.len()));
        rest = after;
        iteration += u64::from(control >> 4);
        let mut datagram = TEMPLATE[..TEMPLATE.len() - MAC].to_vec();
        if control & 1 == 0 {
            datagram.truncate(HEADER);
            datagram.extend_from_slice(part);
            // Sender 1 or 2, receiver 0, now.
            datagram[24..28].copy_from_slice(&[0, 1 + (control >> 1 & 1), 0, 0]);
            datagram[28..36].copy_from_slice(&at(iteration).unix_micros.to_be_bytes());
        } else {
            let shared = part.len().min(datagram.len());
            datagram[..shared].copy_from_slice(&part[..shared]);
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(&KEY).expect("HMAC takes keys of any length");
        mac.update(&datagram);
        datagram.extend_from_slice(&mac.finalize().into_bytes()[..MAC]);
        let _ = core.receive(at(iteration), &datagram);
        drop(core.take_commands());
        if control & 4 != 0 {
            iteration += 1;
            core.iterate(at(iteration));
            assert!(core.status().leadership.leader < SIZE);
        }
    }
});
