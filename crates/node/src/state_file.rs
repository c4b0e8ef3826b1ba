//! The file in which a member keeps the greatest fencing token it has stored.
//!
//! A new number is written beside the old one, made durable, and then takes its name: however a write is cut, the old or the new
//! number is found.

use ringleader_node_core::lease::Record;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file with this ending beside the state file: `new` for its next content.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{ending}"));
    path.with_file_name(name)
}

/// Makes the name of a file durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Stores a record for good.
pub(crate) fn write(path: &Path, record: Record, cluster: &str, me: usize) -> io::Result<()> {
    let new = beside(path, "new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&new)?;
    file.write_all(record.print(cluster, me).as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    sync_folder(path)
}

/// Whether a file can be written beside the state file; otherwise no leader would ever be confirmed here. The name is not that of the
/// next content, which a running daemon may be writing at this moment.
pub(crate) fn writable(path: &Path) -> Result<(), String> {
    let trial = beside(path, "trial");
    let opened = OpenOptions::new().write(true).create(true).truncate(true).open(&trial);
    opened.and_then(|_| fs::remove_file(&trial)).map_err(|error| {
        format!(
            "cannot write {}, beside which the next token is stored: {error}; give its folder to this user",
            trial.display()
        )
    })
}

/// What is stored; refused with what to do where that is not certain.
pub(crate) fn read(path: &Path, cluster: &str, me: usize) -> Result<Record, String> {
    let name = path.display();
    let anew = "`ringleader node --new-state --token N`, N being the greatest that the other members have";
    match fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) {
        Ok(text) => Record::parse(&text, cluster, me)
            .map_err(|wrong| format!("the state file {name}: {wrong}; move it away and make one with {anew}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(format!(
            "there is no state file {name}: before the very first start of this member, make one with `ringleader node \
             --new-state`; if it was lost, with {anew}"
        )),
        Err(error) => Err(format!("cannot read the state file {name}: {error}")),
    }
}

/// Makes the file of a member that has never stored anything, or that is to begin at this token.
pub fn new_state(path: &Path, cluster: &str, me: usize, token: u64) -> Result<(), String> {
    let name = path.display();
    if path.exists() {
        return Err(format!("{name} exists: a state file is replaced only by hand, after a look at it"));
    }
    let record = Record { token, holder: me, life: 0 };
    Record::parse(&record.print(cluster, me), cluster, me).map_err(|wrong| format!("token {token}: {wrong}"))?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| format!("cannot make the folder {}: {e}", folder.display()))?;
    }
    write(path, record, cluster, me).map_err(|e| format!("cannot write the state file {name}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_written_is_told_before_the_start() {
        let folder = std::env::temp_dir().join(format!("ringleader-writable-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        assert_eq!(writable(&folder.join("state")), Ok(()));
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0, "nothing is left behind");
        fs::remove_dir_all(&folder).expect("it was empty");
        assert!(writable(&folder.join("state")).is_err_and(|why| why.contains("state.trial")));
    }

    /// A thousand tokens, each write cut at some byte or between its steps: the old or the new number, never a refusal.
    #[test]
    fn writes_cut_anywhere_leave_the_old_or_the_new_number() {
        let folder = std::env::temp_dir().join(format!("ringleader-state-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("state");
        let _ = fs::remove_file(&path);
        assert!(read(&path, "test", 1).unwrap_err().contains("--new-state"));
        new_state(&path, "test", 1, 0).unwrap();
        assert!(new_state(&path, "test", 1, 0).unwrap_err().contains("exists"));
        let mut last = 0;
        for token in 1..=1000 {
            let record = Record { token, holder: 2, life: 7 };
            let text = record.print("test", 1);
            let cut = token as usize % (text.len() + 1);
            fs::write(beside(&path, "new"), &text.as_bytes()[..cut]).unwrap();
            assert_eq!(read(&path, "test", 1).unwrap().token, last, "cut after {cut} bytes");
            if token % 3 != 0 {
                write(&path, record, "test", 1).unwrap();
                last = token;
            }
            assert_eq!(read(&path, "test", 1).unwrap().token, last);
        }
        for garbage in [&b"garbage"[..], &[0xff, 0xfe, 0]] {
            fs::write(&path, garbage).unwrap();
            let refused = read(&path, "test", 1).unwrap_err();
            assert!(refused.contains("damaged") && refused.contains("--new-state --token"), "{refused}");
        }
        assert!(new_state(&folder.join("other"), "test", 1, u64::MAX).unwrap_err().contains("token"));
        let deeper = folder.join("not/there/yet");
        new_state(&deeper, "test", 1, 7).unwrap();
        assert_eq!(read(&deeper, "test", 1).unwrap().token, 7);
        fs::remove_dir_all(&folder).unwrap();
    }
}
