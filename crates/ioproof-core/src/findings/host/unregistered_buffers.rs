//! The limit of locked memory (RLIMIT_MEMLOCK, setrlimit(2)) left the generator without registered buffers, so that each I/O costs more CPU time.
//!
//! It matters nowhere else: io_uring goes on with plain buffers and says so. Where the CPU is what limits, `generator-cpu` says that.

use crate::findings::prelude::*;

rule! {
    name: "unregistered-buffers",
    about: "the limit of locked memory leaves the generator without registered buffers",
    check: Check::EachJob(of_job),
}

/// The beginning of what the engine says then.
const LEFT_OUT: &str = "registered buffers: the limit of locked memory";

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let fallback = measured.rounds.iter().flat_map(|part| &part.round.engine.fallbacks).find(|text| text.starts_with(LEFT_OUT))?;
    let limit = context.record.host.memlock_bytes.map(|bytes| Evidence::number("locked memory at most", bytes as f64, Unit::BinaryBytes));
    let mut figures = vec![Evidence::text("left out", fallback.clone())];
    figures.extend(limit.map(|limit| limit.read_at("/proc/self/limits")));
    let title = "buffers are not registered with the kernel, for the limit of locked memory is too low: each I/O costs more CPU".to_owned();
    let remedy = "ulimit -l unlimited, or LimitMEMLOCK= of a service";
    Some(finding_on(measured, &RULE, Severity::Info, Effect::None, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: left_out("registered buffers: the limit of locked memory is too low (ulimit -l; os error 12)"),
        silent: left_out("registered buffers: the kernel takes 1 GiB, and these are 2147483648 bytes"),
    }

    fn left_out(reason: &str) -> RunRecord {
        let mut record = record();
        record.host.memlock_bytes = Some(65_536);
        record.rounds_mut().for_each(|round| round.engine.fallbacks = vec![reason.to_owned()]);
        record
    }
}
