//! The program `ringleader`: the command line over the algorithms of the literature.

use std::process::ExitCode;

fn main() -> ExitCode {
    ringleader::Cli::new().main()
}
