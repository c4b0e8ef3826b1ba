//! Long computations: one request starts a job, others ask for its progress or cancel it.

use crate::Refused;
use crate::attended::Attended;
use crate::host::Host;
use ringleader_model::lock;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The most jobs at once.
const MOST: usize = 3;
/// The number of finished jobs whose results are kept.
const REMEMBERED: usize = 32;

/// A job ends when no page has asked for it this long. A page in the background may ask only once a minute.
const ALONE: Duration = Duration::from_secs(90);

/// One computation.
pub(crate) struct Job {
    /// Set when the job must stop.
    pub(crate) stop: AtomicBool,
    /// The answer to the page, once the job is over.
    result: Mutex<Option<Value>>,
    /// Called when the job is cancelled.
    on_stop: Box<dyn Fn() + Send + Sync>,
    progress: Box<dyn Fn() -> Value + Send + Sync>,
    attended: Attended,
    host: Host,
    begun: Duration,
}

impl Job {
    /// Tells the host how far the job is.
    pub(crate) fn pulse(&self) {
        (self.host.pulse)(&self.progress);
    }

    /// The time since the job began.
    pub(crate) fn elapsed(&self) -> Duration {
        (self.host.now)().saturating_sub(self.begun)
    }

    fn is_over(&self) -> bool {
        lock(&self.result).is_some()
    }

    fn cancel(&self) {
        self.stop.store(true, Relaxed);
        (self.on_stop)();
    }
}

/// All jobs.
pub(crate) struct Jobs {
    pub(crate) host: Host,
    table: Mutex<JobTable>,
}

#[derive(Default)]
struct JobTable {
    next: u64,
    jobs: HashMap<u64, Arc<Job>>,
}

impl Jobs {
    pub(crate) fn new(host: Host) -> Jobs {
        Jobs { host, table: Mutex::default() }
    }

    /// Starts a job beside the requests, and returns its number.
    pub(crate) fn begin(
        &self,
        progress: impl Fn() -> Value + Send + Sync + 'static,
        on_stop: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(&Job) -> Result<Value, Refused> + Send + 'static,
    ) -> Result<Value, Refused> {
        let mut table = lock(&self.table);
        let under_way = table.jobs.values().filter(|job| !job.is_over()).count();
        if under_way >= MOST {
            return Err(Refused::new(format!("{under_way} jobs are running: cancel one first")));
        }
        let number = table.next;
        table.next += 1;
        if let Some(oldest) = number.checked_sub(REMEMBERED as u64) {
            table.jobs.retain(|&known, job| known > oldest || !job.is_over());
        }
        let job = Arc::new(Job {
            stop: AtomicBool::new(false),
            result: Mutex::new(None),
            on_stop: Box::new(on_stop),
            progress: Box::new(progress),
            attended: Attended::new(self.host.now),
            host: self.host,
            begun: (self.host.now)(),
        });
        let shared = job.clone();
        let run = move || {
            let answer = match work(&shared) {
                Ok(value) => json!({"done": value}),
                Err(refused) => json!({"refused": refused.to_string()}),
            };
            *lock(&shared.result) = Some(answer);
        };
        table.jobs.insert(number, job);
        drop(table);
        (self.host.spawn)(Box::new(run)).inspect_err(|_| drop(lock(&self.table).jobs.remove(&number)))?;
        Ok(json!({"job": number}))
    }

    fn job(&self, number: u64) -> Result<Arc<Job>, Refused> {
        let table = lock(&self.table);
        table.jobs.get(&number).cloned().ok_or_else(|| Refused::new(format!("there is no job {number}")))
    }

    /// The progress of a job, or its result.
    pub(crate) fn look(&self, number: u64) -> Result<Value, Refused> {
        let job = self.job(number)?;
        job.attended.ask();
        let result = lock(&job.result).clone();
        Ok(result.unwrap_or_else(|| json!({"progress": (job.progress)()})))
    }

    /// Stops the jobs for which no page has asked for so long.
    pub(crate) fn end_unattended(&self) {
        lock(&self.table).jobs.values().filter(|job| job.attended.alone() > ALONE).for_each(|job| job.cancel());
    }

    /// Asks a job to stop.
    pub(crate) fn cancel(&self, number: u64) -> Result<Value, Refused> {
        self.job(number)?.cancel();
        Ok(json!({"cancelled": number}))
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        lock(&self.table).jobs.values().for_each(|job| job.cancel());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Work;
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    static SECONDS: AtomicU64 = AtomicU64::new(0);

    /// Threads, and a clock that the test sets.
    fn host() -> Host {
        let spawn = |work: Work| {
            std::thread::spawn(work);
            Ok(())
        };
        Host { now: || Duration::from_secs(SECONDS.load(Relaxed)), spawn, pulse: |_| () }
    }

    fn wait(jobs: &Jobs, number: u64) -> Value {
        for _ in 0..2000 {
            let told = jobs.look(number).unwrap();
            if told.get("progress").is_none() {
                return told;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the job does not end");
    }

    #[test]
    fn jobs_report_progress_are_cancelled_and_limited() {
        let jobs = Jobs::new(host());
        let endless = || {
            let work = |job: &Job| {
                while !job.stop.load(Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(Refused::new("cancelled"))
            };
            jobs.begin(|| json!("far"), || (), work)
        };
        (0..MOST).for_each(|_| drop(endless().unwrap()));
        assert!(endless().is_err(), "too many");
        assert_eq!(jobs.look(0).unwrap(), json!({"progress": "far"}));
        jobs.cancel(0).unwrap();
        assert_eq!(wait(&jobs, 0), json!({"refused": "cancelled"}));
        jobs.begin(|| Value::Null, || (), |_| Ok(json!(7))).unwrap();
        assert_eq!(wait(&jobs, MOST as u64), json!({"done": 7}));
        assert!(jobs.look(99).is_err() && jobs.cancel(99).is_err());
        SECONDS.store(60, Relaxed);
        assert_eq!(jobs.look(1).unwrap(), json!({"progress": "far"}));
        SECONDS.store(91, Relaxed);
        jobs.end_unattended();
        // A page asked for the job 1 half a minute ago, and for the job 2 never.
        assert_eq!(wait(&jobs, 2), json!({"refused": "cancelled"}));
        assert_eq!(jobs.look(1).unwrap(), json!({"progress": "far"}));
    }
}
