//! The keyboard, key by key, and the restoration of the terminal.

use crate::terminal::interrupt::flag;
use console::{Key, Term};
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{Write, stdin, stdout};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};

/// While it exists, the terminal shows a screen of its own and sends keys instead of lines.
pub(crate) struct Keyboard {
    before: Termios,
    pub(crate) keys: Receiver<Key>,
}

impl Keyboard {
    pub(crate) fn open() -> std::io::Result<Keyboard> {
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        // Ctrl-C comes as a key: a signal that ends the program would not restore the terminal.
        raw.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG | LocalFlags::IEXTEN);
        tcsetattr(stdin(), SetArg::TCSAFLUSH, &raw)?;
        // A request to end sets the flag, so that the terminal is restored.
        let mut signals = Signals::new([SIGTERM, SIGHUP])?;
        std::thread::spawn(move || signals.forever().for_each(|_| interrupt()));
        restore_on_panic(before.clone());
        let mut out = stdout().lock();
        // The alternate screen, without a cursor.
        out.write_all(b"\x1b[?1049h\x1b[?25l\x1b[2J")?;
        out.flush()?;
        let (sender, keys) = channel();
        std::thread::spawn(move || {
            while let Ok(key) = Term::stdout().read_key_raw() {
                if key == Key::CtrlC {
                    interrupt();
                } else if sender.send(key).is_err() {
                    return;
                }
            }
        });
        Ok(Keyboard { before, keys })
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        restore(&self.before);
    }
}

fn restore(before: &Termios) {
    let mut out = stdout().lock();
    let _ = out.write_all(b"\x1b[?25h\x1b[?1049l").and_then(|()| out.flush());
    let _ = tcsetattr(stdin(), SetArg::TCSAFLUSH, before);
}

/// A panic that aborts the process drops nothing; and its message belongs on the main screen.
fn restore_on_panic(before: Termios) {
    let before: nix::libc::termios = before.into();
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        restore(&before.into());
        tell(panic);
    }));
}

fn interrupt() {
    flag().store(true, Ordering::Relaxed);
}
