//! Runs as pages of their own, made in a job.

use crate::Refused;
use crate::questions::jobs::Jobs;
use crate::runs::archive::Archive;
use crate::runs::recorded::{MOST_STEPS, Recording};
use crate::runs::setup::Subject;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Starts to make the page of a run.
pub(crate) fn begin(
    recording: Recording,
    subject: Arc<Subject>,
    archive: Arc<Archive>,
    jobs: &Jobs,
) -> Result<Value, Refused> {
    let total = recording.steps.unwrap_or_default();
    if total > MOST_STEPS {
        return Err(Refused::new(format!("a page holds at most {MOST_STEPS} steps: go back before you save it")));
    }
    let done = Arc::new(AtomicU64::new(0));
    let shown = done.clone();
    jobs.begin(
        move || json!({"done": shown.load(Relaxed), "total": total}),
        || (),
        move |job| {
            let page = recording.written(&subject, &archive, |step| {
                done.store(step, Relaxed);
                job.pulse();
                !job.stop.load(Relaxed)
            })?;
            Ok(json!({"page": page}))
        },
    )
}
