//! `docs/fio-compatibility.md` is what the table of options says.
//!
//! `IOPROOF_BLESS=1 cargo test -p ioproof-fio --test docs` writes it anew.

use ioproof_fio::document::page;
use std::path::Path;

#[test]
fn fio_docs_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fio-compatibility.md");
    if std::env::var_os("IOPROOF_BLESS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/fio-compatibility.md is not what the table says; IOPROOF_BLESS=1 cargo test -p ioproof-fio --test docs writes it"
    );
}
