//! Refusals and limits of the kernel: io_uring, locked memory, events of libaio, I/O of a control group, and memory that it rearranges.
//!
//! `Documentation/admin-guide/sysctl/{kernel,fs}.rst`, `cgroup-v2.rst` and `mm/transhuge.rst` describe them.

use super::{RuleInput, RuleOutput, Severity};
use ioproof_core::units::binary_size;

/// Buffers of a usual plan: 4 workers, 32 I/Os each, 128 KiB an I/O.
const BUFFERS_BYTES: u64 = 4 * 32 * (128 << 10);
/// Share of libaio's events that may be in use. Per cent.
const MOST_EVENTS_PERCENT: u128 = 90;

pub(super) fn io_uring(input: &RuleInput) -> Option<RuleOutput> {
    let whom = match (input.number("io_uring_disabled"), input.flag("may_administer")) {
        (Some(2), _) => "everybody",
        (Some(1), Some(false)) => "unprivileged processes",
        _ => return None,
    };
    let title = format!("io_uring is refused to {whom}: I/O goes through slower ways of the kernel");
    input.found(Severity::Warn, title, &["io_uring_disabled", "kernel"], Some("sysctl -w kernel.io_uring_disabled=0".into()))
}

pub(super) fn locked_memory(input: &RuleInput) -> Option<RuleOutput> {
    let privileged = input.flag("may_lock_memory") == Some(true);
    let bytes = input.number("memlock_bytes").filter(|bytes| *bytes < BUFFERS_BYTES && !privileged)?;
    let (limit, needed) = (binary_size(bytes), binary_size(BUFFERS_BYTES));
    let title = format!(
        "{limit} of memory may be locked, and the registered buffers of a usual run take {needed}: each I/O costs more CPU without them"
    );
    input.found(Severity::Warn, title, &["memlock_bytes"], Some("sudo prlimit --pid $$ --memlock=unlimited".into()))
}

pub(super) fn libaio_events(input: &RuleInput) -> Option<RuleOutput> {
    let most = input.number("aio_max")?;
    let used = input.number("aio_used").filter(|used| u128::from(*used) * 100 >= u128::from(most) * MOST_EVENTS_PERCENT)?;
    let title = format!("{used} of {most} events of libaio are in use: the backend libaio may be refused");
    let mend = format!("sysctl -w fs.aio-max-nr={}", most.max(1 << 19).saturating_mul(2));
    input.found(Severity::Warn, title, &["aio_used", "aio_max"], Some(mend))
}

pub(super) fn huge_pages(input: &RuleInput) -> Option<RuleOutput> {
    input.text("transparent_huge_pages").filter(|text| text.contains("[always]"))?;
    let title = "transparent huge pages are made always: the kernel moves memory while it is measured";
    let mend = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";
    input.found(Severity::Info, title, &["transparent_huge_pages"], Some(mend.into()))
}

/// `io.max` names devices by number; a limit on another drive is nobody's business here.
pub(super) fn io_limit(input: &RuleInput) -> Vec<RuleOutput> {
    let Some(number) = input.text("device_number") else { return Vec::new() };
    let limits = input.list("cgroup_io_limits").iter().filter(|line| line.split_whitespace().next() == Some(number));
    let of = |line: &String| {
        let file = line.rsplit_once('(').map_or("", |(_, file)| file.trim_end_matches(')'));
        let limit = line.split(" (").next().unwrap_or(line);
        let title = format!("a control group limits the drive's I/O ({limit}): the figures are its, not the drive's");
        let mend = (!file.is_empty()).then(|| format!("echo '{number} rbps=max wbps=max riops=max wiops=max' > {file}"));
        input.found(Severity::Block, title, &["cgroup_io_limits", "device_number"], mend)
    };
    limits.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use crate::doctor::testing::{list, number, said, text};
    use crate::field::Value;
    use ioproof_core::finding::Severity;

    #[test]
    fn io_uring_that_is_refused() {
        let of = |disabled, root| said("io-uring", &[("io_uring_disabled", number(disabled)), ("may_administer", Value::Flag(root))], &[]);
        assert!(of(0, false).is_empty() && of(1, true).is_empty());
        assert!(of(1, false)[0].title.contains("unprivileged") && of(2, true)[0].title.contains("everybody"));
    }

    #[test]
    fn memory_for_registered_buffers() {
        let of = |bytes, root| said("locked-memory", &[("memlock_bytes", number(bytes)), ("may_lock_memory", Value::Flag(root))], &[]);
        assert!(of(16 << 20, false).is_empty() && of(0, true).is_empty());
        assert!(of(8 << 20, false)[0].title.starts_with("8 MiB of memory may be locked"));
        assert!(said("locked-memory", &[], &[]).is_empty(), "no limit");
    }

    #[test]
    fn events_of_libaio() {
        let of = |used, most| said("libaio-events", &[("aio_used", number(used)), ("aio_max", number(most))], &[]);
        assert!(of(58_981, 65_536).is_empty());
        assert_eq!(of(58_983, 65_536)[0].remedy, "sysctl -w fs.aio-max-nr=1048576");
        assert_eq!(of(u64::MAX, u64::MAX).len(), 1);
    }

    #[test]
    fn huge_pages_that_are_always_made() {
        let of = |value| said("huge-pages", &[("transparent_huge_pages", text(value))], &[]);
        assert!(of("always [madvise] never").is_empty() && of("[always] madvise never").len() == 1);
    }

    #[test]
    fn limits_of_this_drive_only() {
        let limits = || list(&["259:0 rbps=1048576 wbps=max (/sys/fs/cgroup/a/io.max)"]);
        let of = |device: &str| said("io-limit", &[("cgroup_io_limits", limits())], &[("device_number", text(device))]);
        assert!(of("259:1").is_empty());
        let told = &of("259:0")[0];
        assert!(told.severity == Severity::Block && told.title.contains("(259:0 rbps=1048576 wbps=max)"));
        assert_eq!(told.remedy, "echo '259:0 rbps=max wbps=max riops=max wiops=max' > /sys/fs/cgroup/a/io.max");
    }
}
