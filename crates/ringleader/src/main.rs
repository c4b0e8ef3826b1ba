//! The program `ringleader`: every verb over the algorithms of the literature, or the daemon alone.

use std::process::ExitCode;

#[cfg(feature = "cli")]
fn main() -> ExitCode {
    ringleader::Cli::new().main()
}

#[cfg(not(feature = "cli"))]
fn main() -> ExitCode {
    ringleader_daemon::main()
}
