//! Long computations: one request starts a job, others ask for its progress or cancel it.

use crate::Refused;
use crate::STACK;
use crate::attended::Attended;
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
    stop: AtomicBool,
    /// The answer to the page, once the job is over.
    result: Mutex<Option<Value>>,
    /// Called when the job is cancelled.
    on_stop: Box<dyn Fn() + Send + Sync>,
    progress: Box<dyn Fn() -> Value + Send + Sync>,
    attended: Attended,
}

impl Job {
    /// Set when the job must stop.
    pub(crate) fn stopped(&self) -> &AtomicBool {
        &self.stop
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
#[derive(Default)]
pub(crate) struct Jobs(Mutex<JobTable>);

#[derive(Default)]
struct JobTable {
    next: u64,
    jobs: HashMap<u64, Arc<Job>>,
}

impl Jobs {
    /// Starts a job in a thread of its own, and returns its number.
    pub(crate) fn begin(
        &self,
        progress: impl Fn() -> Value + Send + Sync + 'static,
        on_stop: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(&Job) -> Result<Value, Refused> + Send + 'static,
    ) -> Result<Value, Refused> {
        let mut table = lock(&self.0);
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
            attended: Attended::default(),
        });
        let shared = job.clone();
        let run = move || {
            let answer = match work(&shared) {
                Ok(value) => json!({"done": value}),
                Err(refused) => json!({"refused": refused.to_string()}),
            };
            *lock(&shared.result) = Some(answer);
        };
        std::thread::Builder::new().stack_size(STACK).spawn(run).map_err(Refused::new)?;
        let (watched, left) = (job.clone(), job.clone());
        job.attended.watch(ALONE, move || watched.is_over(), move || left.cancel()).map_err(Refused::new)?;
        table.jobs.insert(number, job);
        Ok(json!({"job": number}))
    }

    fn job(&self, number: u64) -> Result<Arc<Job>, Refused> {
        let table = lock(&self.0);
        table.jobs.get(&number).cloned().ok_or_else(|| Refused::new(format!("there is no job {number}")))
    }

    /// The progress of a job, or its result.
    pub(crate) fn look(&self, number: u64) -> Result<Value, Refused> {
        let job = self.job(number)?;
        job.attended.ask();
        let result = lock(&job.result).clone();
        Ok(result.unwrap_or_else(|| json!({"progress": (job.progress)()})))
    }

    /// Asks a job to stop.
    pub(crate) fn cancel(&self, number: u64) -> Result<Value, Refused> {
        self.job(number)?.cancel();
        Ok(json!({"cancelled": number}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

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
        let jobs = Jobs::default();
        let endless = || {
            let work = |job: &Job| {
                while !job.stopped().load(Relaxed) {
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
        (1..MOST as u64).for_each(|number| drop(jobs.cancel(number)));
    }
}
