//! The engines of the lab in a worker of a browser. On other platforms this crate is empty.
//!
//! The page's `worker.js` writes a request into a buffer of this module, calls a function, and reads the answer from the same buffer:
//!
//! - `room(bytes)` resizes the buffer and returns its address;
//! - `open()` reads an opening as JSON. `answer(bytes)` reads a verb of this length and then its argument, and writes the answer;
//! - `left()` returns whether requests have left work behind; `work()` does it, and returns whether there was some.
//!
//! The worker gives two functions: `now`, the time in milliseconds, and `tell`, which gets the progress of the work, or the message of a panic, as JSON.
#![cfg(target_family = "wasm")]
#![warn(missing_docs, clippy::all)]

use ringleader_catalog::Catalog;
use ringleader_lab::{Engines, Host, Opening, Work};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::time::Duration;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    safe fn now() -> f64;
    safe fn tell(address: *const u8, bytes: usize);
}

/// The least time between two reports of progress.
const OFTEN: Duration = Duration::from_millis(60);

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(vec![]) };
    static ENGINES: RefCell<Option<Engines>> = const { RefCell::new(None) };
    static LEFT: RefCell<Vec<Work>> = const { RefCell::new(vec![]) };
    static TOLD: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

const HOST: Host = Host { now: time, spawn: leave, pulse };

fn time() -> Duration {
    Duration::from_secs_f64((now() / 1000.0).max(0.0))
}

fn leave(work: Work) -> Result<(), ringleader_lab::Refused> {
    LEFT.with_borrow_mut(|left| left.push(work));
    Ok(())
}

fn pulse(progress: &dyn Fn() -> Value) {
    let time = time();
    if time.saturating_sub(TOLD.get()) >= OFTEN {
        TOLD.set(time);
        send(&progress());
    }
}

fn send(value: &Value) {
    let text = value.to_string();
    tell(text.as_ptr(), text.len());
}

/// Makes the buffer so long, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(bytes, 0);
        buffer.as_mut_ptr()
    })
}

/// The address of the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn buffer() -> *const u8 {
    BUFFER.with_borrow(|buffer| buffer.as_ptr())
}

/// Opens the engines; returns whether the opening in the buffer could be read.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> bool {
    std::panic::set_hook(Box::new(|panic| send(&serde_json::json!({"panic": panic.to_string()}))));
    let opening = BUFFER.with_borrow(|buffer| serde_json::from_slice::<Opening>(buffer));
    let engines = opening.ok().map(|opening| Engines::new(Catalog::builtin(), opening, HOST));
    let opened = engines.is_some();
    ENGINES.set(engines);
    opened
}

/// Answers the request in the buffer. `verb` is the length of its verb in bytes. Returns the number of bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer(verb: usize) -> usize {
    let request = BUFFER.take();
    let (verb, body) = request.split_at(verb.min(request.len()));
    let verb = String::from_utf8_lossy(verb);
    let told = ENGINES.with_borrow(|engines| engines.as_ref().map(|engines| engines.answer(&verb, body)));
    let told = told.unwrap_or_default().into_bytes();
    let bytes = told.len();
    BUFFER.set(told);
    bytes
}

/// Whether requests have left work behind.
#[unsafe(no_mangle)]
pub extern "C" fn left() -> bool {
    LEFT.with_borrow(|left| !left.is_empty())
}

/// Does the work that requests have left behind; whether there was some.
#[unsafe(no_mangle)]
pub extern "C" fn work() -> bool {
    let left = LEFT.take();
    let some = !left.is_empty();
    left.into_iter().for_each(|work| work());
    some
}
