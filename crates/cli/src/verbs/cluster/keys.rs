//! The keyboard, key by key, and the restoration of the terminal.

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Character(char),
    Up,
    Down,
    Enter,
    Erase,
    Escape,
}

/// The keys in one read from the terminal, and whether Ctrl-C was among them. Unknown sequences are skipped.
fn read_keys(text: &str) -> (Vec<Key>, bool) {
    let (mut keys, mut interrupted) = (vec![], false);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        match first {
            '\x1b' if rest[1..].starts_with(['[', 'O']) => {
                // Parameters, then one letter or ~.
                let end = rest[2..].find(|c: char| ('@'..='~').contains(&c)).map_or(rest.len(), |at| at + 3);
                match rest[2..end].chars().last() {
                    Some('A') => keys.push(Key::Up),
                    Some('B') => keys.push(Key::Down),
                    _ => {}
                }
                length = end;
            }
            '\x1b' => keys.push(Key::Escape),
            '\r' | '\n' => keys.push(Key::Enter),
            '\x7f' | '\x08' => keys.push(Key::Erase),
            '\x03' => interrupted = true,
            _ if !first.is_control() => keys.push(Key::Character(first)),
            _ => {}
        }
        rest = &rest[length..];
    }
    (keys, interrupted)
}

#[cfg(unix)]
pub(crate) use terminal::Keyboard;

#[cfg(unix)]
mod terminal {
    use super::{Key, read_keys};
    use crate::terminal::interrupt::flag;
    use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
    use signal_hook::consts::{SIGHUP, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::io::{Read, Write, stdin, stdout};
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// While it exists, the terminal shows a screen of its own and sends keys instead of lines.
    pub(crate) struct Keyboard {
        before: Termios,
        pub(crate) keys: Receiver<Key>,
    }

    impl Keyboard {
        pub(crate) fn open() -> std::io::Result<Keyboard> {
            let before = tcgetattr(stdin())?;
            let mut raw = before.clone();
            // Ctrl-C comes as a byte: a signal that ends the program would not restore the terminal.
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
            std::thread::spawn(move || listen(&sender));
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

    fn listen(sender: &Sender<Key>) {
        let mut buffer = [0; 256];
        while let Ok(length) = stdin().lock().read(&mut buffer)
            && length > 0
        {
            let (keys, interrupted) = read_keys(&String::from_utf8_lossy(&buffer[..length]));
            if interrupted {
                interrupt();
            }
            if keys.into_iter().any(|key| sender.send(key).is_err()) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart() {
        let (keys, interrupted) = read_keys("k\x1b[A\x1bOB\r\x7f\x1b[1;5C\x1b[3~7é");
        let expected =
            [Key::Character('k'), Key::Up, Key::Down, Key::Enter, Key::Erase, Key::Character('7'), Key::Character('é')];
        assert_eq!(keys, expected);
        assert!(!interrupted);
        assert_eq!(read_keys("\x1b"), (vec![Key::Escape], false));
        assert_eq!(read_keys("q\x03"), (vec![Key::Character('q')], true));
        assert_eq!(read_keys("\x1b["), (vec![], false), "cut off");
    }
}
