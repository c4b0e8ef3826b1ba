//! The lab as a folder of files: the same page, with the engines as WebAssembly in a worker of the browser.

use crate::server::Lab;
use ringleader_lab::{Opening, page};
use std::fs;
use std::io::{self, Error, ErrorKind};
use std::path::Path;

/// The most bytes that a check in a browser may use. The module can address 4 GiB; tables that grow need some of it twice.
const MEMORY: u64 = 1 << 30;

/// The page loads its own files only, and runs its own module. A server may send the same policy.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; \
    connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'";

/// The engine inside of this program, if it was built with one.
#[cfg(has_engine)]
const ENGINE: Option<&[u8]> = Some(include_bytes!(env!("RINGLEADER_LAB_ENGINE")));
#[cfg(not(has_engine))]
const ENGINE: Option<&[u8]> = None;

const OPENING: &str = "opening.json";

impl Lab {
    /// The engine inside of this program, if it was built with one: a module that `scripts/build-lab-engine` wrote.
    #[must_use]
    pub fn engine() -> Option<&'static [u8]> {
        ENGINE
    }

    /// Writes the lab as a folder that any file server can serve, with an engine that `scripts/build-lab-engine` built. It has no cluster, watches no nodes and follows no file.
    ///
    /// ```
    /// use ringleader_catalog::Catalog;
    /// use ringleader_lab_server::Lab;
    ///
    /// let folder = std::env::temp_dir().join(format!("lab-{}", std::process::id()));
    /// let refused = Lab::new(Catalog::builtin()).export(&folder, b"not an engine").unwrap_err();
    /// assert!(refused.to_string().contains("no WebAssembly module"));
    /// ```
    pub fn export(&self, folder: &Path, engine: &[u8]) -> io::Result<()> {
        if !engine.starts_with(b"\0asm") {
            return Err(Error::new(ErrorKind::InvalidData, "the engine is no WebAssembly module"));
        }
        fs::create_dir_all(folder)?;
        if fs::read_dir(folder)?.next().is_some() && !folder.join(OPENING).exists() {
            let words = "the folder has other files: give an empty one, or that of an earlier export";
            return Err(Error::new(ErrorKind::AlreadyExists, words));
        }
        for (name, (_, text)) in page::FILES {
            let file = folder.join(name);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            if *name == "index.html" { fs::write(file, index(text))? } else { fs::write(file, text)? }
        }
        for (name, text) in page::EXPORTED {
            fs::write(folder.join(name), text)?;
        }
        fs::write(folder.join("engine.wasm"), engine)?;
        fs::write(folder.join(OPENING), serde_json::to_string(&self.exported())?)
    }

    /// The opening of the page in the folder.
    fn exported(&self) -> Opening {
        let mut opening = self.opening.clone();
        opening.memory = opening.memory.min(MEMORY);
        opening.watched.clear();
        // A path of this machine means nothing elsewhere.
        if let Some((name, _)) = &mut opening.text
            && let Some(file) = Path::new(name.as_str()).file_name()
        {
            *name = file.to_string_lossy().into_owned();
        }
        opening
    }
}

/// The page with its policy; it asks for the engine before its scripts do.
fn index(text: &str) -> String {
    let head = "<meta charset=\"utf-8\">\n";
    let more = format!(
        "{head}<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <link rel=\"preload\" href=\"engine.wasm\" as=\"fetch\" crossorigin>\n"
    );
    text.replacen(head, &more, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_catalog::Catalog;

    #[test]
    fn a_folder_has_every_file_and_no_other_folder_is_overwritten() {
        let folder = std::env::temp_dir().join(format!("ringleader-export-{}", std::process::id()));
        let mut lab = Lab::new(Catalog::builtin());
        lab.opening.text = Some(("a/b/own.ring".into(), "protocol own".into()));
        lab.opening.memory = u64::MAX;
        for _ in 0..2 {
            lab.export(&folder, b"\0asm\x01").unwrap();
        }
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert!(page::FILES.iter().all(|(name, _)| folder.join(name).exists()));
        assert!(read("index.html").contains("'wasm-unsafe-eval'") && read("index.html").contains("engine.wasm"));
        assert!(read("send.js").contains("new Worker") && !read("send.js").contains("api/"));
        let opening: Opening = serde_json::from_str(&read(OPENING)).unwrap();
        assert_eq!(opening.text.unwrap(), ("own.ring".into(), "protocol own".into()));
        assert_eq!((opening.memory, opening.cluster, opening.file), (MEMORY, false, false));
        fs::remove_file(folder.join(OPENING)).unwrap();
        assert!(lab.export(&folder, b"\0asm\x01").unwrap_err().to_string().contains("other files"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
