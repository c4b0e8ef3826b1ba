//! Files that no other user may replace or change: keys and state.
//!
//! Everything is checked on the opened file, so that nobody can exchange it between the check and the use.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The longest file that is read, in bytes. Keys and state take one or two lines.
pub(crate) const LONGEST: u64 = 4096;

/// The reason why a file is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("this user may not read it: let it belong to the user of the daemon")]
    Denied,
    #[error("it is a symbolic link: give the name of the file itself")]
    Link,
    #[error("it is not a regular file")]
    Kind,
    #[error("it belongs to user {0}: let it belong to the user of the daemon, or to root")]
    Owner(u32),
    #[error("it has mode {0:03o}, which lets other users read or change it")]
    Mode(u32),
    #[error("it is longer than {LONGEST} bytes")]
    Size,
    #[error("it is not text")]
    Text,
}

impl FileError {
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, FileError::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// The demands on a file that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demands {
    /// The bits of its mode that must not be set.
    pub(crate) forbidden: u32,
    /// Whether it may be a symbolic link, as in a mounted secret.
    pub(crate) links: bool,
}

/// The text of a file that meets these demands.
pub(crate) fn read(path: &Path, demands: Demands) -> Result<String, FileError> {
    let file = open(path, demands.links)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(FileError::Kind);
    }
    check_user(&metadata, demands.forbidden)?;
    let mut bytes = vec![];
    file.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(FileError::Size);
    }
    String::from_utf8(bytes).map_err(|_| FileError::Text)
}

#[cfg(unix)]
fn open(path: &Path, links: bool) -> Result<File, FileError> {
    use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
    use std::os::unix::fs::OpenOptionsExt;
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    let flags = O_NONBLOCK | if links { 0 } else { O_NOFOLLOW };
    OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| match error.raw_os_error() {
        Some(code) if code == nix::libc::ELOOP && !links => FileError::Link,
        _ if error.kind() == io::ErrorKind::PermissionDenied => FileError::Denied,
        _ => error.into(),
    })
}

#[cfg(not(unix))]
fn open(path: &Path, _: bool) -> Result<File, FileError> {
    Ok(File::open(path)?)
}

#[cfg(unix)]
fn check_user(metadata: &fs::Metadata, forbidden: u32) -> Result<(), FileError> {
    use std::os::unix::fs::MetadataExt;
    let (owner, mode) = (metadata.uid(), metadata.mode() & 0o777);
    if !is_trusted(owner, nix::unistd::geteuid().as_raw()) {
        return Err(FileError::Owner(owner));
    }
    if mode & forbidden != 0 { Err(FileError::Mode(mode)) } else { Ok(()) }
}

/// Whether this user accepts files of this owner. Root checks the settings of daemons that run as other users: [`foreign_owner`] tells of that.
#[cfg(unix)]
fn is_trusted(owner: u32, user: u32) -> bool {
    owner == 0 || owner == user || user == 0
}

/// The owner of a file, if that is neither this user nor root: then only root can use the file, or a daemon that runs as the owner.
///
/// ```
/// # use std::path::Path;
/// assert_eq!(ringleader_node::foreign_owner(Path::new("/")), None);
/// ```
pub fn foreign_owner(path: &Path) -> Option<u32> {
    #[cfg(unix)]
    {
        let owner = std::os::unix::fs::MetadataExt::uid(&fs::metadata(path).ok()?);
        (owner != 0 && owner != nix::unistd::geteuid().as_raw()).then_some(owner)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Gives an open file that root has made to the owner of its folder, whose daemon has to read and replace it. By its name, the owner of the
/// folder could exchange it for a link to a file of root.
pub(crate) fn give_to_owner_of(folder: &Path, file: &File) -> io::Result<()> {
    #[cfg(unix)]
    if let (Some(owner), true) = (foreign_owner(folder), nix::unistd::geteuid().is_root()) {
        std::os::unix::fs::fchown(file, Some(owner), None)?;
    }
    let _ = (folder, file);
    Ok(())
}

#[cfg(not(unix))]
fn check_user(_: &fs::Metadata, _: u32) -> Result<(), FileError> {
    Ok(())
}

/// A new file that only its owner may read. A file, or a link, that is left over from an interrupted write is removed first.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn a_file_of_another_user_is_refused_except_by_root() {
        for (owner, user, trusted) in
            [(0, 998, true), (998, 998, true), (997, 998, false), (998, 0, true), (0, 0, true)]
        {
            assert_eq!(is_trusted(owner, user), trusted, "a file of {owner}, read by {user}");
        }
        let path = std::env::temp_dir().join(format!("ringleader-owner-{}", std::process::id()));
        drop(create(&path).unwrap());
        let strict = Demands { forbidden: 0o077, links: false };
        assert_eq!((read(&path, strict).unwrap().as_str(), foreign_owner(&path)), ("", None));
        // Only root can give a file away.
        if nix::unistd::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(998), None).unwrap();
            assert_eq!((read(&path, strict).unwrap().as_str(), foreign_owner(&path)), ("", Some(998)));
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn links_pipes_other_modes_and_long_files_are_refused() {
        let folder = std::env::temp_dir().join(format!("ringleader-private-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| folder.join(name));
        let strict = Demands { forbidden: 0o077, links: false };
        assert!(read(&file, strict).unwrap_err().is_missing());
        io::Write::write_all(&mut create(&file).unwrap(), b"secret").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        assert_eq!(read(&file, strict).unwrap(), "secret");
        symlink(&file, &link).unwrap();
        assert!(matches!(read(&link, strict), Err(FileError::Link)));
        assert_eq!(read(&link, Demands { links: true, ..strict }).unwrap(), "secret");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(matches!(read(&file, strict), Err(FileError::Mode(0o620))));
        assert!(std::process::Command::new("mkfifo").arg("-m600").arg(&pipe).status().unwrap().success());
        assert!(matches!(read(&pipe, strict), Err(FileError::Kind)));
        assert!(matches!(read(&folder, Demands { forbidden: 0, ..strict }), Err(FileError::Kind)));
        // A link at the place of a new file is replaced, and its target is not written.
        drop(create(&link).unwrap());
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
        assert_eq!(fs::read(&file).unwrap(), b"secret");
        fs::write(&link, vec![b'x'; 5000]).unwrap();
        assert!(matches!(read(&link, strict), Err(FileError::Size)));
        fs::write(&link, [0xff, 0xfe]).unwrap();
        assert!(matches!(read(&link, strict), Err(FileError::Text)));
        fs::remove_dir_all(&folder).unwrap();
    }
}
