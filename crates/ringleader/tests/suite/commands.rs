//! Snapshots of what the commands print. `TRYCMD=overwrite cargo test -p ringleader --test suite commands::` renews them.

#[test]
fn commands_print_what_they_should() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

#[test]
fn the_readme_shows_what_is_printed() {
    trycmd::TestCases::new().case("../../README.md");
}

/// The README's table names every algorithm of the catalogue.
#[test]
fn the_readme_lists_every_algorithm() {
    let readme = include_str!("../../../../README.md");
    for card in ringleader::Catalog::builtin().cards() {
        assert!(readme.contains(&format!("| `{}` |", card.name)), "README.md does not list {}", card.name);
    }
}
