//! Files that a verb writes and reads.

use crate::terminal::exit::{Failure, bail, usage};
#[cfg(feature = "pictures")]
use crate::terminal::interrupt;
use ringleader_report::canvas::{Canvas, Format, UnknownFormat};
use ringleader_report::spacetime::Moment;
use ringleader_report::spacetime::network::{Scene, Stage};
use std::fs::{self, OpenOptions};
use std::path::Path;

/// Refuses a path that cannot be written, before the work whose result it is to hold.
pub(crate) fn writable(path: &Path) -> Result<(), Failure> {
    let there = path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    if opened.is_ok() && !there {
        let _ = fs::remove_file(path);
    }
    opened.map(drop).map_err(|e| usage!("cannot write {}: {e}", path.display()))
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|e| usage!("cannot read {}: {e}", path.display()))
}

/// Writes a file.
pub(crate) fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    fs::write(path, contents).map_err(|e| usage!("cannot write {}: {e}", path.display()))
}

/// Removes an older result, because it would be taken for that of this command; whether there was one. Any other file stays.
pub(crate) fn forget(path: &Path, is_result: impl Fn(&str) -> bool) -> Result<bool, Failure> {
    let stale = fs::read_to_string(path).is_ok_and(|text| is_result(&text));
    if stale {
        fs::remove_file(path).map_err(|e| usage!("cannot remove {}: {e}", path.display()))?;
    }
    Ok(stale)
}

/// Refuses a path that cannot be written or has no ending of a picture, before the work whose result it is to hold.
pub(crate) fn writable_picture(path: &Path) -> Result<(), Failure> {
    Format::of(path).map_err(Failure::usage)?;
    writable(path)
}

/// Whether the file is to hold an animation. Refuses a path that cannot be written, or has no ending of a picture or animation.
pub(crate) fn writable_drawing(path: &Path, gif: bool) -> Result<bool, Failure> {
    let animated = path.extension().is_some_and(|ending| ending == "gif");
    match Format::of(path) {
        _ if gif && !animated => bail!("--gif writes FILE.gif, not {}", path.display()),
        _ if animated && cfg!(feature = "pictures") => {}
        _ if animated => return Err(Failure::usage(UnknownFormat::LeftOut(path.to_path_buf()))),
        Err(wrong @ UnknownFormat::Ending(_)) => bail!("{wrong}, animations as .gif"),
        Err(wrong) => return Err(Failure::usage(wrong)),
        Ok(_) => {}
    }
    writable(path)?;
    Ok(animated)
}

/// Writes a picture in the format that the ending of the file names.
pub(crate) fn write_picture(path: &Path, picture: &Canvas) -> Result<(), Failure> {
    let format = Format::of(path).map_err(Failure::usage)?;
    write(path, picture.encoded(format).ok_or_else(|| usage!("the picture is too large"))?)
}

/// A digest of a text: FNV-1a, the same on every machine.
pub(crate) fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Writes an animation of a run on a graph.
pub(crate) fn write_stage_animation(path: &Path, stage: &Stage, scenes: &[Scene], title: &str) -> Result<(), Failure> {
    #[cfg(feature = "pictures")]
    {
        write(path, stage.gif(scenes, title, || !interrupt::requested()).map_err(Failure::usage)?)
    }
    #[cfg(not(feature = "pictures"))]
    {
        let _ = (stage, scenes, title);
        Err(Failure::usage(UnknownFormat::LeftOut(path.to_path_buf())))
    }
}

/// Writes an animation.
pub(crate) fn write_animation(path: &Path, moments: &[Moment], title: &str) -> Result<(), Failure> {
    #[cfg(feature = "pictures")]
    {
        let gif = ringleader_report::spacetime::gif(moments, title, || !interrupt::requested());
        write(path, gif.map_err(Failure::usage)?)
    }
    #[cfg(not(feature = "pictures"))]
    {
        let _ = (moments, title);
        Err(Failure::usage(UnknownFormat::LeftOut(path.to_path_buf())))
    }
}
