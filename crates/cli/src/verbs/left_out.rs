//! A verb that this program was built without. Its feature has the same name.

use crate::terminal::exit::{Failure, usage};
use std::process::ExitCode;

/// Takes all arguments, so that the refusal is about the verb and not about its flags.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _words: Vec<std::ffi::OsString>,
}

pub(crate) fn run(_: &Arguments) -> Result<ExitCode, Failure> {
    let verb = module_path!().rsplit("::").next().unwrap_or_default();
    Err(usage!("this program was built without the verb {verb}: build it with the feature `{verb}`"))
}
