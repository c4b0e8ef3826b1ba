//! A Unix socket that only the daemon's user and group reach, at a path that no other user can redirect.

use crate::error::NodeError;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::sys::socket::{self, AddressFamily, Backlog, SockFlag, SockType, UnixAddr};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The user and the group of the daemon may connect.
const MODE: u32 = 0o660;
/// The remedy for a missing folder.
const MAKE_IT: &str = "make it, let it belong to the daemon's user, and give it mode 750";
/// The bits with which users other than the owner can replace the files of a folder.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// The bits without which the owner of a folder cannot make files in it.
const WRITABLE_BY_OWNER: u32 = 0o300;
/// In a folder with this bit, only the owner of a file can replace it.
const STICKY: u32 = 0o1000;
/// The connections that wait to be accepted.
const BACKLOG: i32 = 64;
/// The longest wait for a daemon that starts at the same time.
const SHORT: Duration = Duration::from_secs(2);
/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(20);
/// Hooks do not inherit the socket.
#[cfg(target_os = "linux")]
const FLAGS: SockFlag = SockFlag::SOCK_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const FLAGS: SockFlag = SockFlag::empty();

/// A socket that listens at a path; dropping it removes the path, if it still leads to this socket.
#[derive(Debug)]
pub(crate) struct LocalSocket {
    path: PathBuf,
    /// The device and the number of its inode.
    place: (u64, u64),
}

impl LocalSocket {
    /// Listens at this path. A socket that is left over from a crash is replaced.
    pub(crate) fn bind(path: &Path) -> Result<(LocalSocket, UnixListener), NodeError> {
        let wrong = |reason: String| NodeError::new(format!("control socket {}: {reason}", path.display()));
        let failed = |error: io::Error| wrong(error.to_string());
        let (folder, name) = split(path).map_err(wrong)?;
        let folder = trusted(folder, user()).map_err(wrong)?;
        let path = folder.join(name);
        // Two daemons that start at the same time would remove each other's socket.
        let _lock = lock_folder(&folder).map_err(failed)?;
        make_room(&path).map_err(wrong)?;
        let (descriptor, address) = unix_socket(&path).map_err(failed)?;
        socket::bind(descriptor.as_raw_fd(), &address).map_err(|error| failed(error.into()))?;
        // Nobody can connect before it listens.
        fs::set_permissions(&path, fs::Permissions::from_mode(MODE)).map_err(failed)?;
        let metadata = fs::symlink_metadata(&path).map_err(failed)?;
        let backlog = Backlog::new(BACKLOG).map_err(|error| failed(error.into()))?;
        socket::listen(&descriptor, backlog).map_err(|error| failed(error.into()))?;
        Ok((LocalSocket { path, place: (metadata.dev(), metadata.ino()) }, UnixListener::from(descriptor)))
    }

    /// Refuses a path at which [`LocalSocket::bind`] would fail. A socket at which a daemon listens is accepted: this daemon itself may be
    /// running. Returns a warning for a missing folder, which the service manager may make, and for a folder that only another user can use:
    /// root checks the settings of daemons that run as other users.
    pub(crate) fn examine(path: &Path) -> Result<Option<String>, NodeError> {
        let named = |reason: String| format!("control socket {}: {reason}", path.display());
        let wrong = |reason: String| NodeError::new(named(reason));
        let failed = |error: Errno| wrong(error.to_string());
        let (folder, name) = split(path).map_err(wrong)?;
        UnixAddr::new(path).map_err(failed)?;
        let shown = folder.display();
        let metadata = match fs::metadata(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(named(format!(
                    "there is no folder {shown} now; a unit with RuntimeDirectory= makes it, otherwise {MAKE_IT}"
                ))));
            }
            found => found.map_err(|error| wrong(error.to_string()))?,
        };
        let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
        let daemon = if user() == 0 { owner } else { user() };
        let folder = trusted(folder, daemon).map_err(wrong)?;
        if daemon != 0 && (owner != daemon || mode & WRITABLE_BY_OWNER != WRITABLE_BY_OWNER) {
            return Err(wrong(format!(
                "user {daemon} cannot write to the folder {shown}, which belongs to user {owner} and has mode {mode:03o}: let it belong to \
                 the daemon's user, and give it mode 750"
            )));
        }
        is_socket(&folder.join(name)).map_err(wrong)?;
        let warning =
            || named(format!("the folder {shown} belongs to user {owner}: only a daemon of this user can use it"));
        Ok((daemon != user()).then(warning))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for LocalSocket {
    fn drop(&mut self) {
        let mine = |metadata: fs::Metadata| (metadata.dev(), metadata.ino()) == self.place;
        if fs::symlink_metadata(&self.path).is_ok_and(mine) {
            // A path that stays is removed at the next start.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn user() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// The folder and the name of a socket.
fn split(path: &Path) -> Result<(&Path, &OsStr), String> {
    let name = path.file_name().ok_or("it needs the name of a file")?;
    let folder = path.parent().filter(|folder| folder.is_absolute());
    Ok((folder.ok_or("give an absolute path, such as /run/ringleader/control")?, name))
}

/// The folder without links, if no user but this one can replace it or its files: each folder on the way belongs to this user or to root, and only
/// its owner can write to it. Above the last one, a sticky folder such as /tmp will do.
fn trusted(folder: &Path, user: u32) -> Result<PathBuf, String> {
    let real = folder.canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("there is no folder {}: {MAKE_IT}", folder.display())
        }
        _ => format!("{}: {error}", folder.display()),
    })?;
    for part in real.ancestors() {
        let metadata = fs::symlink_metadata(part).map_err(|error| format!("{}: {error}", part.display()))?;
        let (owner, mode, shown) = (metadata.uid(), metadata.mode(), part.display());
        if !metadata.is_dir() {
            return Err(format!("{shown} is not a folder"));
        }
        if owner != 0 && owner != user {
            return Err(format!(
                "the folder {shown} belongs to user {owner}: let it belong to the daemon's user, or to root"
            ));
        }
        let shared = mode & WRITABLE_BY_OTHERS != 0 && (part == real || mode & STICKY == 0);
        if shared {
            let mode = mode & 0o7777;
            return Err(format!(
                "the folder {shown} has mode {mode:03o}, which lets other users replace the socket: use 750 or 755"
            ));
        }
    }
    Ok(real)
}

/// Waits for another daemon that makes a socket in this folder, but not for long: any user who can open the folder can hold the lock.
fn lock_folder(folder: &Path) -> io::Result<Option<Flock<File>>> {
    let end = Instant::now() + SHORT;
    let mut file = File::open(folder)?;
    while Instant::now() < end {
        file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => return Ok(Some(locked)),
            Err((file, _)) => file,
        };
        std::thread::sleep(PAUSE);
    }
    Ok(None)
}

/// Whether there is a socket at this path. Anything else there is an error.
fn is_socket(path: &Path) -> Result<bool, String> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.to_string()),
        Ok(metadata) if metadata.file_type().is_socket() => Ok(true),
        Ok(_) => Err("there is another file, or a link, at this path: remove it, or give another path".into()),
    }
}

/// Removes a socket at which nobody listens. Anything else at this path stays, and is an error.
fn make_room(path: &Path) -> Result<(), String> {
    if !is_socket(path)? {
        return Ok(());
    }
    match connect(path, Duration::ZERO) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| format!("cannot remove a socket that is left over: {error}"))
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err("there is a socket of another user at this path".into())
        }
        _ => Err("another daemon listens there: stop it, or give each daemon its own path".into()),
    }
}

fn unix_socket(path: &Path) -> io::Result<(OwnedFd, UnixAddr)> {
    let address = UnixAddr::new(path)?;
    Ok((socket::socket(AddressFamily::Unix, SockType::Stream, FLAGS, None)?, address))
}

/// Connects to the socket at a path. A daemon that stands still accepts nobody; then this fails after `patience`.
pub(crate) fn connect(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    let end = Instant::now() + patience;
    loop {
        let (descriptor, address) = unix_socket(path)?;
        let stream = UnixStream::from(descriptor);
        stream.set_nonblocking(true)?;
        match socket::connect(stream.as_raw_fd(), &address) {
            Ok(()) => {
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            // Too many connections wait.
            Err(Errno::EAGAIN | Errno::EINTR) if Instant::now() < end => std::thread::sleep(PAUSE),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A new folder with this mode.
    fn folder(name: &str, mode: u32) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ringleader-socket-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn refusal(path: &Path) -> String {
        LocalSocket::bind(path).map(drop).unwrap_err().to_string()
    }

    #[test]
    fn a_socket_is_for_its_user_and_group_and_is_removed_in_the_end() {
        let folder = folder("mode", 0o755);
        let path = folder.join("control");
        let (socket, _listener) = LocalSocket::bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o660);
        assert!(connect(&path, Duration::ZERO).is_ok());
        assert!(refusal(&path).contains("another daemon listens there"));
        drop(socket);
        assert!(!path.exists());
        // A path that has another socket by now stays.
        let (socket, _listener) = LocalSocket::bind(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let _other = UnixListener::bind(&path).unwrap();
        drop(socket);
        assert!(path.exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_a_socket_at_which_nobody_listens_is_replaced() {
        let folder = folder("stale", 0o700);
        let path = folder.join("control");
        drop(UnixListener::bind(&path).unwrap());
        assert!(path.exists(), "left over, as after a crash");
        drop(LocalSocket::bind(&path).unwrap());
        fs::write(&path, "precious").unwrap();
        assert!(refusal(&path).contains("another file, or a link"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        // A link to a socket that is left over, or to a missing file, is neither followed nor replaced.
        let elsewhere = folder.join("elsewhere");
        drop(UnixListener::bind(&elsewhere).unwrap());
        for target in [elsewhere.as_path(), Path::new("/nonexistent/file")] {
            fs::remove_file(&path).unwrap();
            symlink(target, &path).unwrap();
            assert!(refusal(&path).contains("another file, or a link"));
        }
        assert!(elsewhere.exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    /// A daemon that stands still is not taken for a dead one: its queue is full, and a connection would wait.
    #[test]
    fn a_listener_that_accepts_nobody_is_alive() {
        let folder = folder("still", 0o700);
        let path = folder.join("control");
        let (_socket, _listener) = LocalSocket::bind(&path).unwrap();
        let mut waiting = vec![];
        let full = loop {
            match connect(&path, Duration::ZERO) {
                Ok(stream) => waiting.push(stream),
                Err(error) => break error,
            }
        };
        assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
        assert!(refusal(&path).contains("another daemon listens there"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_in_which_others_can_replace_the_socket_is_refused() {
        for mode in [0o777, 0o775, 0o1777] {
            let folder = folder(&format!("{mode:o}"), mode);
            assert!(refusal(&folder.join("control")).contains("lets other users replace the socket"), "{mode:o}");
            // The same one level above, where a sticky folder will do.
            let inner = folder.join("inner");
            fs::create_dir(&inner).unwrap();
            fs::set_permissions(&inner, fs::Permissions::from_mode(0o700)).unwrap();
            assert_eq!(LocalSocket::bind(&inner.join("control")).is_ok(), mode & STICKY != 0, "{mode:o}");
            fs::remove_dir_all(&folder).unwrap();
        }
        assert!(refusal(Path::new("control")).contains("an absolute path"));
        assert!(refusal(Path::new("/nonexistent/control")).contains("there is no folder /nonexistent"));
        // Only root can give a folder away, and trusts no other user with it.
        if user() == 0 {
            let folder = folder("foreign", 0o700);
            std::os::unix::fs::chown(&folder, Some(998), None).unwrap();
            assert!(refusal(&folder.join("control")).contains("belongs to user 998"));
            fs::remove_dir_all(&folder).unwrap();
        }
    }

    #[test]
    fn a_check_finds_the_problems_of_a_start_and_leaves_no_trace() {
        let place = folder("examined", 0o700);
        let path = place.join("control");
        let examined = |path: &Path| LocalSocket::examine(path).map_err(|error| error.to_string());
        assert_eq!(examined(&path), Ok(None));
        assert!(!path.exists());
        let (_socket, _listener) = LocalSocket::bind(&path).unwrap();
        assert_eq!(examined(&path), Ok(None), "this daemon may be running");
        fs::write(place.join("file"), "precious").unwrap();
        assert!(examined(&place.join("file")).unwrap_err().contains("another file, or a link"));
        let missing = examined(Path::new("/nonexistent/control")).unwrap().unwrap();
        assert!(missing.contains("there is no folder /nonexistent now"), "{missing}");
        assert!(examined(Path::new("control")).unwrap_err().contains("an absolute path"));
        assert!(examined(&place.join("x".repeat(200))).is_err(), "longer than the path of a socket can be");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o770)).unwrap();
        assert!(examined(&path).unwrap_err().contains("lets other users replace the socket"));
        if user() == 0 {
            fs::set_permissions(&place, fs::Permissions::from_mode(0o750)).unwrap();
            std::os::unix::fs::chown(&place, Some(998), None).unwrap();
            assert!(examined(&path).unwrap().unwrap().contains("belongs to user 998"));
            fs::set_permissions(&place, fs::Permissions::from_mode(0o550)).unwrap();
            assert!(examined(&path).unwrap_err().contains("user 998 cannot write to the folder"));
        } else {
            assert!(examined(Path::new("/control")).unwrap_err().contains("cannot write to the folder /,"));
        }
        fs::remove_dir_all(&place).unwrap();
    }

    /// A link on the way is resolved, and the folder behind it is judged.
    #[test]
    fn a_link_to_an_open_folder_is_refused() {
        let (open, closed) = (folder("open", 0o777), folder("closed", 0o700));
        symlink(&open, closed.join("link")).unwrap();
        assert!(refusal(&closed.join("link").join("control")).contains("lets other users replace the socket"));
        fs::remove_dir_all(&open).unwrap();
        fs::remove_dir_all(&closed).unwrap();
    }
}
