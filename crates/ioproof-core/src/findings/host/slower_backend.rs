//! The kernel refused io_uring, so another backend made the load.

use crate::findings::prelude::*;

rule! {
    name: "slower-backend",
    about: "the kernel refused io_uring, so a slower backend made the load",
    check: Check::EachJob(|_, measured| of_job(measured)),
}

/// The beginning of what the engine says then.
const REFUSED: &str = "io_uring: ";

fn of_job(measured: &Measured) -> Option<Finding> {
    let refusal_of = |engine: &EngineFacts| engine.fallbacks.iter().find(|text| text.starts_with(REFUSED)).cloned();
    let mut engines = measured.rounds.iter().map(|part| &part.round.engine);
    let (backend, refusal) = engines.find_map(|engine| Some((&engine.backend, refusal_of(engine)?)))?;
    let title = format!("the kernel refused io_uring, and {backend} made the load: each I/O costs more CPU");
    let figures = vec![Evidence::text("refusal", refusal)];
    let remedy = "sysctl -w kernel.io_uring_disabled=0, or a seccomp profile that allows io_uring";
    Some(finding_on(measured, &RULE, Severity::Info, Effect::None, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: by("libaio", vec!["io_uring: Operation not permitted (os error 1); libaio instead".to_owned()]),
        silent: by("libaio", Vec::new()),
    }

    fn by(backend: &str, fallbacks: Vec<String>) -> RunRecord {
        let mut record = record();
        record.rounds_mut().for_each(|round| (round.engine.backend, round.engine.fallbacks) = (backend.to_owned(), fallbacks.clone()));
        record
    }
}
