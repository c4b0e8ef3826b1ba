//! The file in which a member stores the greatest fencing token and the lists of members.
//!
//! A new record is written to a file beside the old one, made durable, and then renamed. Wherever a write is interrupted, the old or the
//! new record is found.

use crate::error::NodeError;
use crate::private_file::{self, Demands};
use ringleader_model::shell_word;
use ringleader_node_core::lease::{Lists, Members, Record, RecordError};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// No record has more bytes.
const LONGEST: usize = 2048;

/// The file beside the state file with this ending; `new` for the next record.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{ending}"));
    path.with_file_name(name)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Stores a record durably. Root makes the first one for the owner of the folder.
pub(crate) fn write(path: &Path, record: Record, cluster: &str, me: usize, first: bool) -> io::Result<()> {
    let new = beside(path, "new");
    let mut file = private_file::create(&new)?;
    if first {
        private_file::give_to_owner_of(folder_of(path), &file)?;
    }
    file.write_all(record.print(cluster, me).as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    // Makes the new name durable.
    File::open(folder_of(path))?.sync_all()
}

/// Refuses a state file beside which no file can be written: this member could never be confirmed. The trial file has another ending than
/// the next record, which a running daemon may be writing.
pub(crate) fn writable(path: &Path) -> Result<(), NodeError> {
    let trial = beside(path, "trial");
    private_file::create(&trial).and_then(|_| fs::remove_file(&trial)).map_err(|error| {
        let trial = trial.display();
        NodeError::new(format!(
            "cannot write {trial} beside the state file: {error}; make its folder writable for this user"
        ))
    })
}

/// Writes as much as a record needs beside the state file, durably, and removes it: the disk may be full.
pub(crate) fn probe(path: &Path) -> io::Result<()> {
    let probe = beside(path, "probe");
    let mut file = private_file::create(&probe)?;
    let written = file.write_all(&[b' '; LONGEST]).and_then(|()| file.sync_all());
    fs::remove_file(&probe)?;
    written
}

/// The stored record.
pub(crate) fn read(path: &Path, cluster: &str, me: usize) -> Result<Record, NodeError> {
    let name = path.display();
    let anew = "`ringleader node --new-state --token N`, where N is the greatest token of the other members";
    // Tokens are no secret, but no other user may change them.
    let reason = match private_file::read(path, Demands { forbidden: 0o022, links: false }) {
        Ok(text) => match Record::parse(&text, cluster, me) {
            Ok(record) => return Ok(record),
            Err(error @ RecordError::Earlier) => format!(
                "the state file {name}: {error}; stop all members, move their files away, and make new ones with `ringleader node \
                 --new-state --first-start --token N`, where N is the greatest token of all members (the number after `token`)"
            ),
            Err(error @ RecordError::Damaged) => format!(
                "the state file {name}: {error}; if `cluster` was changed, restore it; otherwise move the file away and make a new one \
                 with {anew}"
            ),
            Err(error) => format!("the state file {name}: {error}; move it away and make a new one with {anew}"),
        },
        Err(error) if error.is_missing() => format!(
            "there is no state file {name}: if it was lost, or the cluster has run before, make it with {anew}; only before the very \
             first start of the cluster make it with `ringleader node --new-state --first-start`"
        ),
        Err(private_file::FileError::Text) => {
            format!("the state file {name} is damaged; move it away and make a new one with {anew}")
        }
        Err(error @ private_file::FileError::Mode(_)) => {
            format!("cannot use the state file {name}: {error}: run `chmod 600 {}`", shell_word(&name))
        }
        Err(error) => format!("cannot use the state file {name}: {error}"),
    };
    Err(NodeError::new(reason))
}

/// Makes the state file of a member that starts with this token. With the `first` list it has adopted that list, together with all other
/// members of it; without, the file is fresh, and the member learns the list from a majority of the others.
pub fn new_state(path: &Path, cluster: &str, me: usize, token: u64, first: Option<Members>) -> Result<(), NodeError> {
    let name = path.display();
    // A link is something there, even if it leads nowhere.
    let reason = format!("{name} exists: this program does not replace a state file; move it away first");
    NodeError::refuse_if(path.symlink_metadata().is_ok(), reason)?;
    let lists = first.map_or(Lists::default(), Lists::first);
    let record = Record { token, holder: me, life: 0, lists };
    Record::parse(&record.print(cluster, me), cluster, me)
        .map_err(|error| NodeError::new(format!("token {token}: {error}")))?;
    let folder = folder_of(path);
    fs::create_dir_all(folder)
        .map_err(|e| NodeError::new(format!("cannot make the folder {}: {e}", folder.display())))?;
    write(path, record, cluster, me, true)
        .map_err(|e| NodeError::new(format!("cannot write the state file {name}: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_written_is_refused_before_the_start() {
        let folder = std::env::temp_dir().join(format!("ringleader-writable-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        assert_eq!(writable(&folder.join("state")), Ok(()));
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0, "nothing is left behind");
        fs::remove_dir_all(&folder).expect("it was empty");
        assert!(writable(&folder.join("state")).is_err_and(|error| error.to_string().contains("state.trial")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_probe_leaves_nothing_behind_and_fails_where_nothing_can_be_written() {
        let folder = std::env::temp_dir().join(format!("ringleader-probe-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        probe(&folder.join("state")).expect("it can be written");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0, "nothing is left behind");
        fs::remove_dir_all(&folder).expect("it was empty");
        assert!(probe(&folder.join("state")).is_err());
    }

    /// The daemon that owns the folder has to read and replace the file.
    #[cfg(unix)]
    #[test]
    fn a_state_file_that_root_makes_belongs_to_the_owner_of_its_folder() {
        use std::os::unix::fs::{MetadataExt, chown};
        let folder = std::env::temp_dir().join(format!("ringleader-given-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let is_root = nix::unistd::geteuid().is_root();
        if is_root {
            chown(&folder, Some(998), None).expect("root may give it away");
        }
        let path = folder.join("state");
        new_state(&path, "test", 1, 0, None).expect("it can be written");
        let owner = fs::metadata(&path).expect("it is there").uid();
        assert_eq!(owner, if is_root { 998 } else { nix::unistd::geteuid().as_raw() });
        fs::remove_dir_all(&folder).expect("it is there");
    }

    /// A thousand tokens, each write interrupted at some byte or between its steps: the old or the new token is read.
    #[test]
    fn interrupted_writes_leave_the_old_or_the_new_token() {
        let folder = std::env::temp_dir().join(format!("ringleader-state-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("state");
        let _ = fs::remove_file(&path);
        let refused = |path: &Path| read(path, "test", 1).unwrap_err().to_string();
        assert!(refused(&path).contains("--new-state"));
        new_state(&path, "test", 1, 0, None).unwrap();
        assert!(new_state(&path, "test", 1, 0, None).unwrap_err().to_string().contains("exists"));
        #[cfg(unix)]
        {
            let link = folder.join("link");
            std::os::unix::fs::symlink(folder.join("nowhere"), &link).unwrap();
            assert!(new_state(&link, "test", 1, 0, None).unwrap_err().to_string().contains("exists"));
            assert!(link.is_symlink());
        }
        let mut last = 0;
        for token in 1..=1000 {
            let record = Record { token, holder: 2, life: 7, ..Record::default() };
            let text = record.print("test", 1);
            let cut = token as usize % (text.len() + 1);
            fs::write(beside(&path, "new"), &text.as_bytes()[..cut]).unwrap();
            assert_eq!(read(&path, "test", 1).unwrap().token, last, "cut after {cut} bytes");
            if token % 3 != 0 {
                write(&path, record, "test", 1, false).unwrap();
                last = token;
            }
            assert_eq!(read(&path, "test", 1).unwrap().token, last);
        }
        fs::write(&path, "ringleader-state 1 cluster 0 id 1 token 7 holder 1 life 0 0\n").unwrap();
        let earlier = refused(&path);
        assert!(earlier.contains("earlier version") && earlier.contains("--first-start --token"), "{earlier}");
        for garbage in [&b"garbage"[..], &[0xff, 0xfe, 0]] {
            fs::write(&path, garbage).unwrap();
            let refused = refused(&path);
            assert!(refused.contains("damaged") && refused.contains("--new-state --token"), "{refused}");
        }
        assert!(new_state(&folder.join("other"), "test", 1, u64::MAX, None).unwrap_err().to_string().contains("token"));
        let deeper = folder.join("not/there/yet");
        let list: Members = [0, 1].into_iter().collect();
        new_state(&deeper, "test", 1, 7, Some(list)).unwrap();
        let stored = read(&deeper, "test", 1).unwrap();
        assert_eq!((stored.token, stored.lists), (7, Lists::first(list)));
        fs::remove_dir_all(&folder).unwrap();
    }
}
