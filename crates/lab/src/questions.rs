//! What a page asks about an algorithm, and work that takes long.

pub(crate) mod checks;
pub(crate) mod jobs;
pub(crate) mod know;
pub(crate) mod lint;
pub(crate) mod measure;
pub(crate) mod proof;
