//! Work that takes long: begun by one request, looked after and ended by others.

use crate::Refused;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// So many may be under way.
const MOST: usize = 3;
/// So many that are over are remembered.
const REMEMBERED: usize = 32;

/// One piece of work.
pub(crate) struct Job {
    stop: AtomicBool,
    /// How far it is, and what came out in the end.
    told: Mutex<(bool, Value)>,
    /// What it does when it is to stop.
    on_stop: Box<dyn Fn() + Send + Sync>,
    progress: Box<dyn Fn() -> Value + Send + Sync>,
}

impl Job {
    /// Whether it is to stop.
    pub(crate) fn stopped(&self) -> &AtomicBool {
        &self.stop
    }

    fn look(&self) -> (bool, Value) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All of them.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<Table>);

#[derive(Default)]
struct Table {
    next: u64,
    jobs: HashMap<u64, Arc<Job>>,
}

impl Jobs {
    /// Begins work in a thread of its own, and says by which number it is known.
    pub(crate) fn begin(
        &self,
        progress: impl Fn() -> Value + Send + Sync + 'static,
        on_stop: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(&Job) -> Result<Value, Refused> + Send + 'static,
    ) -> Result<Value, Refused> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way = table.jobs.values().filter(|job| !job.look().0).count();
        if under_way >= MOST {
            return Err(Refused::new(format!("{under_way} pieces of work are under way: cancel one first")));
        }
        let number = table.next;
        table.next += 1;
        if let Some(oldest) = number.checked_sub(REMEMBERED as u64) {
            table.jobs.retain(|&known, job| known > oldest || !job.look().0);
        }
        let job = Arc::new(Job {
            stop: AtomicBool::new(false),
            told: Mutex::new((false, Value::Null)),
            on_stop: Box::new(on_stop),
            progress: Box::new(progress),
        });
        table.jobs.insert(number, job.clone());
        std::thread::spawn(move || {
            let told = match work(&job) {
                Ok(value) => json!({"done": value}),
                Err(refused) => json!({"refused": refused.to_string()}),
            };
            *job.told.lock().unwrap_or_else(PoisonError::into_inner) = (true, told);
        });
        Ok(json!({"job": number}))
    }

    fn job(&self, number: u64) -> Result<Arc<Job>, Refused> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.jobs.get(&number).cloned().ok_or_else(|| Refused::new(format!("there is no work number {number}")))
    }

    /// How far it is, or what came out.
    pub(crate) fn look(&self, number: u64) -> Result<Value, Refused> {
        let job = self.job(number)?;
        let (over, told) = job.look();
        Ok(if over { told } else { json!({"progress": (job.progress)()}) })
    }

    /// Asks it to stop.
    pub(crate) fn cancel(&self, number: u64) -> Result<Value, Refused> {
        let job = self.job(number)?;
        job.stop.store(true, Relaxed);
        (job.on_stop)();
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
        panic!("it does not end");
    }

    #[test]
    fn work_is_followed_cancelled_and_limited() {
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
