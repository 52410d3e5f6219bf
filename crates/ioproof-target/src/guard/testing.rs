//! For the clauses' tests: asks the whole table about a device of a made-up machine.

use super::{Consent, Ground, Subject, device};
use crate::block::tree::Tree;
use crate::error::Refusal;

fn ask(tree: &Tree, name: &str, consent: &Consent) -> Vec<Refusal> {
    let system = tree.system();
    let ground = Ground::new(&system).unwrap();
    device(&Subject::new(&ground, name, consent, false))
}

fn destroy(name: Option<&str>) -> Consent {
    Consent { destroy: name.map(str::to_owned), ..Consent::default() }
}

/// The names of the clauses that refuse.
pub(crate) fn clauses(tree: &Tree, name: &str, serial: Option<&str>) -> Vec<&'static str> {
    with(tree, name, &destroy(serial))
}

/// The same with any consent.
pub(crate) fn with(tree: &Tree, name: &str, consent: &Consent) -> Vec<&'static str> {
    ask(tree, name, consent).into_iter().map(|refusal| refusal.clause).collect()
}

/// The texts of the refusals, hints included.
pub(crate) fn reasons(tree: &Tree, name: &str, serial: Option<&str>) -> Vec<String> {
    let refusals = ask(tree, name, &destroy(serial)).into_iter();
    refusals.map(|refusal| format!("{} {}", refusal.reason, refusal.hint.unwrap_or_default())).collect()
}
