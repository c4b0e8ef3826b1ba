//! Opens the lab, prints its address, and keeps it open until standard input ends.

use ringleader_catalog::Catalog;
use ringleader_lab_server::Lab;

fn main() -> std::io::Result<()> {
    let serving = Lab::new(Catalog::builtin()).serve(0)?;
    println!("{}", serving.address());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}
