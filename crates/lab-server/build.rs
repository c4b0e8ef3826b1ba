//! Puts the engine of the static page into the program, if `RINGLEADER_LAB_ENGINE` names its file (see docs/lab.md).

use std::path::Path;

const NAME: &str = "RINGLEADER_LAB_ENGINE";

fn main() {
    println!("cargo::rerun-if-env-changed={NAME}");
    println!("cargo::rustc-check-cfg=cfg(has_engine)");
    if let Some(file) = std::env::var_os(NAME).filter(|file| !file.is_empty()) {
        let file = Path::new(&file);
        match file.canonicalize() {
            Ok(file) => {
                println!("cargo::rerun-if-changed={}", file.display());
                println!("cargo::rustc-env={NAME}={}", file.display());
                println!("cargo::rustc-cfg=has_engine");
            }
            Err(error) => println!("cargo::error={NAME} is {}: {error}", file.display()),
        }
    }
}
