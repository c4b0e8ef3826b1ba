//! The other processes of a search over several machines.

use crate::terminal::exit::Failure;
use crate::terminal::interrupt;
use crate::terminal::progress::Progress as Shown;
#[cfg(feature = "distributed")]
use ringleader_explore::distributed::{BadHosts, Cluster, Hosts};
use ringleader_explore::{Alone, Failure as Ended, Peers, Progress, Space, Storage};
use ringleader_report::exploration::Spread;
use ringleader_report::number::grouped;
use std::path::PathBuf;

/// With whom to search.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "On several machines")]
pub(crate) struct CompanyArguments {
    /// Search together with the processes that this file lists, one host:port a line (docs/scaling.md)
    #[arg(long, value_name = "FILE", requires = "process")]
    hosts: Option<PathBuf>,
    /// Which of them this one is, from 0; process 0 prints the result
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
    /// How many seconds to wait for those that have not started yet
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "hosts")]
    patience: u64,
}

impl CompanyArguments {
    /// Whether there are others.
    pub(crate) fn given(&self) -> bool {
        self.hosts.is_some()
    }

    /// Refuses what cannot be done by several machines.
    pub(crate) fn refuse(&self, flags: &[(&str, bool)]) -> Result<(), Failure> {
        match flags.iter().find(|(_, given)| *given && self.given()) {
            Some((flag, _)) => {
                Err(Failure::usage(format!("{flag} needs all states on one machine: leave out --hosts")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(feature = "distributed")]
impl CompanyArguments {
    /// How many processes there are.
    pub(crate) fn processes(&self) -> Result<u64, Failure> {
        Ok(self.list()?.map_or(1, |(hosts, _)| hosts.len() as u64))
    }

    fn list(&self) -> Result<Option<(Hosts, usize)>, Failure> {
        let (Some(path), Some(me)) = (&self.hosts, self.process) else { return Ok(None) };
        let wrong = |error: BadHosts| Failure::usage(format!("{}: {error}", path.display()));
        Ok(Some((crate::terminal::files::read(path)?.parse().map_err(wrong)?, me)))
    }

    /// Meets the others, if there are any, to do what all must have been asked for alike.
    pub(crate) fn meet(&self, what: &str) -> Result<Company, Failure> {
        let Some((hosts, me)) = self.list()? else { return Ok(Company::alone()) };
        let what = format!("{} {what} {hosts:?}", env!("CARGO_PKG_VERSION"));
        let patience = std::time::Duration::from_secs(self.patience);
        if me >= hosts.len() {
            return Err(Failure::usage(format!(
                "--process {me}: the file lists {} processes, numbered from 0",
                hosts.len()
            )));
        }
        let cluster =
            Cluster::join(&hosts, me, crate::terminal::files::digest(&what), patience, &|| !interrupt::requested());
        let cluster = cluster.map_err(|error| Failure::Lost(error.to_string()))?;
        Ok(Company { others: Others::Cluster(Box::new(cluster), hosts), last: None })
    }
}

#[cfg(not(feature = "distributed"))]
impl CompanyArguments {
    pub(crate) fn processes(&self) -> Result<u64, Failure> {
        match self.given() {
            true => {
                Err(Failure::usage("this program was built without --hosts: build it with the feature `distributed`"))
            }
            false => Ok(1),
        }
    }

    pub(crate) fn meet(&self, _: &str) -> Result<Company, Failure> {
        self.processes().map(|_| Company::alone())
    }
}

/// The processes of a search, this one included.
pub(crate) struct Company {
    others: Others,
    /// How far the whole search was when that was last told.
    last: Option<Progress>,
}

enum Others {
    None(Alone),
    #[cfg(feature = "distributed")]
    Cluster(Box<Cluster>, Hosts),
}

impl Company {
    pub(crate) fn alone() -> Company {
        Company { others: Others::None(Alone::default()), last: None }
    }

    fn peers(&self) -> &dyn Peers {
        match &self.others {
            Others::None(alone) => alone,
            #[cfg(feature = "distributed")]
            Others::Cluster(cluster, _) => &**cluster,
        }
    }

    fn peers_mut(&mut self) -> &mut dyn Peers {
        match &mut self.others {
            Others::None(alone) => alone,
            #[cfg(feature = "distributed")]
            Others::Cluster(cluster, _) => &mut **cluster,
        }
    }

    /// Whether this is the process that tells the result.
    pub(crate) fn tells(&self) -> bool {
        self.me() == 0
    }

    /// Shows how far all are, in the process that tells; whether to go on.
    pub(crate) fn shows(tells: bool, shown: &mut Shown, found: Progress) -> bool {
        if tells { shown.search(found) } else { !interrupt::requested() }
    }

    /// The set that all take: the compact one if one of them must.
    pub(crate) fn agree(&mut self, set: Storage) -> Result<Storage, Failure> {
        let mine = vec![u32::from(set == Storage::Compact)];
        let processes = self.processes();
        let all = self.exchange(vec![mine; processes]).map_err(|ended| self.failure(ended))?;
        Ok(if all.concat().contains(&1) { Storage::Compact } else { set })
    }

    /// What to say when a search did not end as hoped.
    pub(crate) fn failure(&self, ended: Ended) -> Failure {
        let Ended::Lost { process } = ended else { return Failure::usage(ended) };
        let so_far = match self.last {
            None => "before the search began".into(),
            Some(Progress { depth, stored, expanded, .. }) => format!(
                "at depth {depth}, after all together had stored {} states and expanded {} of them",
                grouped(stored),
                grouped(expanded)
            ),
        };
        Failure::Lost(format!(
            "process {process}{} was lost {so_far}; without it the search ends",
            self.address(process)
        ))
    }

    #[cfg(feature = "distributed")]
    fn address(&self, process: usize) -> String {
        match &self.others {
            Others::Cluster(_, hosts) if process < hosts.len() => format!(" ({})", hosts.address(process)),
            _ => String::new(),
        }
    }

    #[cfg(not(feature = "distributed"))]
    fn address(&self, _: usize) -> String {
        String::new()
    }

    /// Bytes and letters that this process has sent.
    fn traffic(&self) -> (u64, u64) {
        match &self.others {
            Others::None(_) => (0, 0),
            #[cfg(feature = "distributed")]
            Others::Cluster(cluster, _) => cluster.traffic(),
        }
    }

    /// What each process had of it, if there are several.
    pub(crate) fn spread(&mut self, space: &Space<'_>, peak_bytes: u64) -> Result<Option<Spread>, Failure> {
        if self.processes() == 1 {
            return Ok(None);
        }
        let (bytes, letters) = self.traffic();
        let mine = [space.kept_here(), peak_bytes, bytes, letters];
        let words: Vec<u32> = mine.iter().flat_map(|&number| [number as u32, (number >> 32) as u32]).collect();
        let processes = self.processes();
        let all = self.exchange(vec![words; processes]).map_err(|ended| self.failure(ended))?;
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

    /// Ends well: nobody misses this process.
    pub(crate) fn leave(self) {
        match self.others {
            Others::None(_) => {}
            #[cfg(feature = "distributed")]
            Others::Cluster(cluster, _) => cluster.leave(),
        }
    }
}

impl Peers for Company {
    fn processes(&self) -> usize {
        self.peers().processes()
    }

    fn me(&self) -> usize {
        self.peers().me()
    }

    fn send(&mut self, letters: Vec<Vec<u32>>) -> Result<(), Ended> {
        self.peers_mut().send(letters)
    }

    fn receive(&mut self) -> Result<Vec<Vec<u32>>, Ended> {
        self.peers_mut().receive()
    }

    fn progress(&mut self, progress: Progress) {
        self.last = Some(progress);
    }
}
