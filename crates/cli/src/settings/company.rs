//! The processes of a search over several machines.

use crate::settings::first_given;
#[cfg(feature = "distributed")]
use crate::terminal::exit::bail;
use crate::terminal::exit::{Failure, usage};
#[cfg(feature = "distributed")]
use crate::terminal::files;
use crate::terminal::interrupt;
use crate::terminal::progress::Progress as Shown;
#[cfg(feature = "distributed")]
use ringleader_explore::distributed::{Cluster, Hosts};
use ringleader_explore::{Alone, Failure as Ended, Peers, Progress, Space, Storage};
use ringleader_report::exploration::Spread;
use ringleader_report::number::grouped;
use std::path::PathBuf;

/// The other processes of a search.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "On several machines")]
pub(crate) struct CompanyArguments {
    /// Search together with the processes in this file, one host:port per line (docs/scaling.md)
    #[arg(long, value_name = "FILE", requires = "process")]
    hosts: Option<PathBuf>,
    /// The number of this process in the file, from 0; process 0 prints the result
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
    /// The number of seconds to wait for processes that have not started yet
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "hosts")]
    patience: u64,
}

impl CompanyArguments {
    /// Whether there are other processes.
    pub(crate) fn given(&self) -> bool {
        self.hosts.is_some()
    }

    /// Refuses flags for work that several machines cannot share.
    pub(crate) fn refuse(&self, flags: &[(&str, bool)]) -> Result<(), Failure> {
        match first_given(flags).filter(|_| self.given()) {
            Some(flag) => Err(usage!("{flag} needs all states on one machine: leave out --hosts")),
            None => Ok(()),
        }
    }

    /// The number of processes.
    pub(crate) fn processes(&self) -> Result<u64, Failure> {
        #[cfg(feature = "distributed")]
        return Ok(self.list()?.map_or(1, |(hosts, _)| hosts.len() as u64));
        #[cfg(not(feature = "distributed"))]
        match self.given() {
            true => Err(usage!("this program was built without --hosts: build it with the feature `distributed`")),
            false => Ok(1),
        }
    }

    /// Connects to the other processes, if there are any. All of them must have been given the same task.
    pub(crate) fn meet(&self, task: &str) -> Result<Company, Failure> {
        #[cfg(feature = "distributed")]
        if let Some((hosts, me)) = self.list()? {
            let digest = files::digest(&format!("{} {task} {hosts:?}", env!("CARGO_PKG_VERSION")));
            let patience = std::time::Duration::from_secs(self.patience);
            let cluster = Cluster::join(&hosts, me, digest, patience, &|| !interrupt::requested());
            let addresses = (0..hosts.len()).map(|process| hosts.address(process).to_string()).collect();
            let peers = Box::new(cluster.map_err(|lost| Failure::Lost(lost.to_string()))?);
            return Ok(Company { peers, addresses });
        }
        let _ = task;
        self.processes().map(|_| Company::alone())
    }

    /// The processes, and the number of this one.
    #[cfg(feature = "distributed")]
    fn list(&self) -> Result<Option<(Hosts, usize)>, Failure> {
        let (Some(path), Some(me)) = (&self.hosts, self.process) else { return Ok(None) };
        let hosts = files::read(path)?.parse::<Hosts>();
        let hosts = hosts.map_err(|error| usage!("{}: {error}", path.display()))?;
        let processes = hosts.len();
        if me >= processes {
            bail!("--process {me}: the file lists {processes} processes, numbered from 0");
        }
        Ok(Some((hosts, me)))
    }
}

/// The processes of a search, this one included.
pub(crate) struct Company {
    pub(crate) peers: Box<dyn Peers>,
    addresses: Vec<String>,
}

impl Company {
    pub(crate) fn alone() -> Company {
        Company { peers: Box::<Alone>::default(), addresses: vec![] }
    }

    /// Whether this process prints the result.
    pub(crate) fn tells(&self) -> bool {
        self.peers.me() == 0
    }

    /// Shows the progress of all processes, in the one that prints the result; whether to go on.
    pub(crate) fn shows(tells: bool, shown: &mut Shown, found: Progress) -> bool {
        if tells { shown.search(found) } else { !interrupt::requested() }
    }

    /// The set that all processes use: the compact one if one of them needs it.
    pub(crate) fn agree(&mut self, set: Storage) -> Result<Storage, Failure> {
        let mine = vec![u32::from(set == Storage::Compact)];
        let all = self.tell_all(mine, None)?;
        Ok(if all.concat().contains(&1) { Storage::Compact } else { set })
    }

    /// Sends a letter to every process, and returns those of all.
    fn tell_all(&mut self, letter: Vec<u32>, last: Option<Progress>) -> Result<Vec<Vec<u32>>, Failure> {
        let letters = vec![letter; self.peers.processes()];
        self.peers.exchange(letters).map_err(|ended| self.failure(ended, last))
    }

    /// The failure of a search that ended early, and the last reported progress of all processes.
    pub(crate) fn failure(&self, ended: Ended, last: Option<Progress>) -> Failure {
        let Ended::Lost { process } = ended else { return Failure::usage(ended) };
        let so_far = match last {
            None => "before the search began".into(),
            Some(Progress { depth, stored, expanded, .. }) => format!(
                "at depth {depth}, after the processes had stored {} states and expanded {} of them",
                grouped(stored),
                grouped(expanded)
            ),
        };
        let address = self.addresses.get(process).map_or(String::new(), |address| format!(" ({address})"));
        Failure::Lost(format!("process {process}{address} was lost {so_far}; the search cannot go on without it"))
    }

    /// The share of each process, if there are several.
    pub(crate) fn spread(
        &mut self,
        space: &Space<'_>,
        peak_bytes: u64,
        last: Option<Progress>,
    ) -> Result<Option<Spread>, Failure> {
        if self.peers.processes() == 1 {
            return Ok(None);
        }
        let (bytes, letters) = self.peers.traffic();
        let mine = [space.kept_here(), peak_bytes, bytes, letters];
        let words: Vec<u32> = mine.iter().flat_map(|&number| [number as u32, (number >> 32) as u32]).collect();
        let all = self.tell_all(words, last)?;
        let number =
            |letter: &[u32], place: usize| u64::from(letter[2 * place + 1]) << 32 | u64::from(letter[2 * place]);
        let column = |place: usize| all.iter().map(|letter| number(letter, place)).collect::<Vec<_>>();
        Ok(Some(Spread {
            stored: column(0),
            peak_bytes: column(1),
            sent_states: space.sent(),
            sent_bytes: column(2).iter().sum(),
            letters: column(3).iter().sum(),
        }))
    }

    /// Leaves the search, so that no process reports this one as lost.
    pub(crate) fn leave(self) {
        self.peers.leave();
    }
}
