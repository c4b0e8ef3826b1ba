//! The requests of a page: those that need this machine are answered here, the others by the engines.

use crate::cluster::{self, Cluster};
use crate::host::HOST;
use ringleader_catalog::Catalog;
use ringleader_lab::{Engines, Opening, Refused, told};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The time between two looks at whether somebody waits.
const LOOK: Duration = Duration::from_millis(250);

/// The engines, a cluster, and the file of the text.
pub(crate) struct Api {
    engines: Engines,
    catalog: Catalog,
    cluster: Cluster,
    watched: Vec<String>,
    file: Option<PathBuf>,
}

#[derive(Deserialize)]
struct ToSave {
    text: String,
    /// The text that the page last read from the file.
    before: String,
}

impl Api {
    /// Work for which no page waits is ended as long as the result lives.
    pub(crate) fn new(catalog: Catalog, opening: Opening, file: Option<PathBuf>) -> std::io::Result<Arc<Api>> {
        let (watched, cluster) = (opening.watched.clone(), Cluster::new());
        let engines = Engines::new(catalog.clone(), opening, HOST);
        let api = Arc::new(Api { engines, catalog, cluster, watched, file });
        let looked = Arc::downgrade(&api);
        let look = move || {
            while let Some(api) = looked.upgrade() {
                api.engines.end_unattended();
                api.cluster.end_unattended();
                drop(api);
                std::thread::sleep(LOOK);
            }
        };
        std::thread::Builder::new().spawn(look)?;
        Ok(api)
    }

    /// Answers a request of a page.
    pub(crate) fn answer(&self, verb: &str, body: &[u8]) -> String {
        match self.call(verb, body) {
            Some(result) => told(result.map(|value| value.to_string())),
            None => self.engines.answer(verb, body),
        }
    }

    /// The answer to a request that needs this machine.
    fn call(&self, verb: &str, body: &[u8]) -> Option<Result<Value, Refused>> {
        Some(match verb {
            "file" => self.read_file().map(|text| json!({"text": text})),
            "save" => read(body).and_then(|asked| self.save(&asked)),
            "cluster" => read(body).and_then(|asked| self.cluster.start(&self.catalog, asked)),
            "cluster-look" => read(body).and_then(|asked| self.cluster.look(&asked)),
            "cluster-act" => read(body).and_then(|asked| self.cluster.act(&asked)),
            "cluster-end" => Ok(self.cluster.end()),
            "watch" => Ok(cluster::watch(&self.watched)),
            _ => return None,
        })
    }

    fn path(&self) -> Result<&PathBuf, Refused> {
        self.file.as_ref().ok_or_else(|| Refused::new("the lab was opened without a file"))
    }

    fn read_file(&self) -> Result<String, Refused> {
        let path = self.path()?;
        std::fs::read_to_string(path).map_err(|error| Refused::new(format!("{}: {error}", path.display())))
    }

    /// Saves a text to the file of the lab, unless another program has changed the file since the page read it.
    fn save(&self, ToSave { text, before }: &ToSave) -> Result<Value, Refused> {
        let path = self.path()?;
        if text.trim().is_empty() {
            return Err(Refused::new(format!("the text is empty: {} was not changed", path.display())));
        }
        if self.read_file().is_ok_and(|now| now != *before && now != *text) {
            return Err(Refused::new(format!("{} has changed on disk: nothing was saved", path.display())));
        }
        std::fs::write(path, text).map_err(|error| Refused::new(format!("{}: {error}", path.display())))?;
        Ok(json!({"saved": path.display().to_string()}))
    }
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refused> {
    Ok(serde_json::from_slice(body)?)
}
