//! For the clauses' tests: asks the whole table about a device of a made-up machine.

use super::{Consent, Ground, Subject, device};
use crate::error::Refusal;
use crate::tree::Tree;

fn ask(tree: &Tree, name: &str, destroy: Option<&str>) -> Vec<Refusal> {
    let system = tree.system();
    let ground = Ground::new(&system).unwrap();
    let consent = Consent { destroy: destroy.map(str::to_owned), ..Consent::default() };
    device(&Subject { ground: &ground, name: name.to_owned(), consent: &consent, opened: false })
}

/// The names of the clauses that refuse.
pub(crate) fn clauses(tree: &Tree, name: &str, destroy: Option<&str>) -> Vec<&'static str> {
    ask(tree, name, destroy).into_iter().map(|refusal| refusal.clause).collect()
}

/// The texts of the refusals, hints included.
pub(crate) fn reasons(tree: &Tree, name: &str, destroy: Option<&str>) -> Vec<String> {
    ask(tree, name, destroy).into_iter().map(|refusal| format!("{} {}", refusal.reason, refusal.hint.unwrap_or_default())).collect()
}
