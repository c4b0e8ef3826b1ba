//! Questions of a page about an algorithm, and the long computations that answer them.

pub(crate) mod checks;
pub(crate) mod jobs;
pub(crate) mod know;
pub(crate) mod lint;
pub(crate) mod measure;
pub(crate) mod proof;
pub(crate) mod record;
