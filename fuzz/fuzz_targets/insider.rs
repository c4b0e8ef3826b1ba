//! Arbitrary datagrams with a valid MAC, as a sender with the key could make them. They reach the decoder of fields, the replay protection and
//! the algorithm itself, and the lease. A panic there would let one faulty host stop all others, and a stored token that is implausible would
//! destroy the file of this member.
#![no_main]

use hmac::{Hmac, KeyInit, Mac};
use libfuzzer_sys::fuzz_target;
use ringleader_fuzz::{KEY, SIZE, TOKEN, at, challenges, guarded_core, template};
use ringleader_node_core::{Command, Instruction};
use sha2::Sha256;
use std::sync::LazyLock;

static TEMPLATE: LazyLock<Vec<u8>> = LazyLock::new(template);
const HEADER: usize = 135;
const MAC: usize = 16;

// The input is a list of datagrams, each with a control byte, a length and that many bytes. The control byte selects whether the bytes are a
// message after a valid header, or overwrite the datagram from its start.
fuzz_target!(|bytes: &[u8]| {
    let (mut core, mut rest, mut iteration) = (guarded_core(0), bytes, 100);
    let challenges = challenges(&mut core, at(iteration));
    let mut stored = TOKEN;
    while let [control, length, tail @ ..] = rest {
        let (part, after) = tail.split_at(usize::from(*length).min(tail.len()));
        rest = after;
        iteration += u64::from(control >> 4);
        let mut datagram = TEMPLATE[..TEMPLATE.len() - MAC].to_vec();
        if control & 1 == 0 {
            datagram.truncate(HEADER);
            datagram.extend_from_slice(part);
            // Sender 1 or 2, receiver 0, now, with the answer to its challenge.
            let sender = 1 + (control >> 1 & 1);
            datagram[24..28].copy_from_slice(&[0, sender, 0, 0]);
            datagram[28..36].copy_from_slice(&(at(iteration).elapsed.as_micros() as u64).to_be_bytes());
            datagram[52..60].copy_from_slice(&1u64.to_be_bytes());
            datagram[60..68].copy_from_slice(&challenges[usize::from(sender)]);
        } else {
            let shared = part.len().min(datagram.len());
            datagram[..shared].copy_from_slice(&part[..shared]);
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(&KEY).expect("HMAC takes keys of any length");
        mac.update(&datagram);
        datagram.extend_from_slice(&mac.finalize().into_bytes()[..MAC]);
        let _ = core.receive(at(iteration), &datagram);
        for command in core.take_commands() {
            if let Command::Store(record) = command {
                assert!(record.token > stored && record.token - stored <= 1 << 20 && record.token < 1 << 48);
                stored = record.token;
                core.obey(at(iteration), Instruction::Stored(record));
            }
        }
        if control & 4 != 0 {
            iteration += 1;
            core.iterate(at(iteration));
            assert!(core.status().leadership.leader < SIZE);
        }
    }
});
