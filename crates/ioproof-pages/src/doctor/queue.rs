//! Settings of the block layer that change what reaches the drive (`Documentation/ABI/stable/sysfs-block`, `Documentation/block/`).

use super::{RuleInput, RuleOutput, Severity};
use ioproof_core::units::binary_size;

/// The kernel's default; beyond it a small buffered read makes a large one of the drive. Bytes.
const USUAL_READ_AHEAD_BYTES: u64 = 128 << 10;

fn is_nvme(input: &RuleInput) -> bool {
    input.name().starts_with("nvme")
}

/// Virtio disks say that they turn whatever is behind them (`drivers/block/virtio_blk.c`), so they are not believed.
fn turns(input: &RuleInput) -> bool {
    input.flag("rotational") == Some(true) && !input.name().starts_with("vd")
}

fn write(input: &RuleInput, value: &str, file: &str) -> Option<String> {
    Some(format!("echo {value} > /sys/block/{}/queue/{file}", input.name()))
}

/// A disk that turns gains by a scheduler; NVMe has queues of its own, and a deadline costs it a lock.
pub(super) fn scheduler(input: &RuleInput) -> Option<RuleOutput> {
    let name = input.text("scheduler").filter(|name| *name != "none" && !turns(input))?;
    let severity = match (name, is_nvme(input)) {
        ("mq-deadline" | "kyber", false) => return None,
        ("mq-deadline", true) => Severity::Info,
        _ => Severity::Warn,
    };
    let title = format!("the scheduler {name} of {} reorders the I/O, and costs CPU at each", input.name());
    input.found(severity, title, &["scheduler", "rotational"], write(input, "none", "scheduler"))
}

pub(super) fn read_ahead(input: &RuleInput) -> Option<RuleOutput> {
    let much = |bytes: &u64| *bytes == 0 || (*bytes > USUAL_READ_AHEAD_BYTES && !turns(input));
    let bytes = input.number("read_ahead_bytes").filter(much)?;
    let title = format!(
        "read-ahead is {} (usual: {}): it bears on buffered reads, not on O_DIRECT",
        binary_size(bytes),
        binary_size(USUAL_READ_AHEAD_BYTES)
    );
    input.found(Severity::Info, title, &["read_ahead_bytes"], write(input, "128", "read_ahead_kb"))
}

pub(super) fn merging(input: &RuleInput) -> Option<RuleOutput> {
    let level = input.number("nomerges").filter(|level| *level > 0)?;
    let what = if level == 1 { "all but the simplest" } else { "all" };
    let title = format!("merging of neighbouring requests is switched off ({what}): small sequential I/O reaches the drive as it is");
    input.found(Severity::Warn, title, &["nomerges"], write(input, "0", "nomerges"))
}

pub(super) fn iostats(input: &RuleInput) -> Option<RuleOutput> {
    input.flag("iostats").filter(|counts| !counts)?;
    let title = "the kernel does not count the I/O here: what reached it, and who else used it, cannot be told";
    input.found(Severity::Warn, title, &["iostats"], write(input, "1", "iostats"))
}

pub(super) fn poll_queues(input: &RuleInput) -> Option<RuleOutput> {
    input.number("nvme_poll_queues").filter(|queues| *queues == 0 && is_nvme(input))?;
    let title = "the NVMe driver made no polled queues: --polled is refused or waits for interrupts all the same";
    let mend = "echo 'options nvme poll_queues=4' > /etc/modprobe.d/nvme-poll.conf   # then boot, or load the driver again";
    input.found(Severity::Info, title, &["nvme_poll_queues", "io_poll"], Some(mend.into()))
}

#[cfg(test)]
mod tests {
    use crate::doctor::examine;
    use crate::doctor::testing::{number, picture, said, text};
    use crate::field::Value;
    use ioproof_core::finding::{Finding, Severity};

    fn on(name: &str, scheduler: &str, rotational: bool) -> Vec<Finding> {
        let mut picture = picture(&[], &[("scheduler", text(scheduler)), ("rotational", Value::Flag(rotational))]);
        picture.drives[0].name = name.into();
        examine(&picture)
    }

    #[test]
    fn schedulers_by_the_drive() {
        assert!(on("nvme0n1", "none", false).is_empty() && on("sda", "mq-deadline", false).is_empty() && on("sda", "bfq", true).is_empty());
        assert_eq!(on("vda", "bfq", true)[0].severity, Severity::Warn, "virtio says so of anything");
        assert_eq!(on("nvme0n1", "mq-deadline", false)[0].severity, Severity::Info);
        assert_eq!(on("nvme0n1", "kyber", false)[0].severity, Severity::Warn);
        let told = &on("sda", "bfq", false)[0];
        assert_eq!((told.severity, told.remedy.as_str()), (Severity::Warn, "echo none > /sys/block/sda/queue/scheduler"));
    }

    #[test]
    fn read_ahead_that_is_not_usual() {
        let of = |bytes, turns| said("read-ahead", &[], &[("read_ahead_bytes", number(bytes)), ("rotational", Value::Flag(turns))]);
        assert!(of(131_072, false).is_empty() && of(4 << 20, true).is_empty());
        assert!(of(4 << 20, false)[0].title.contains("4 MiB") && of(0, true).len() == 1);
    }

    #[test]
    fn merging_and_counting() {
        assert!(said("merging", &[], &[("nomerges", number(0))]).is_empty());
        assert!(said("merging", &[], &[("nomerges", number(2))])[0].title.contains("(all)"));
        assert!(said("iostats", &[], &[("iostats", Value::Flag(true))]).is_empty());
        assert_eq!(said("iostats", &[], &[("iostats", Value::Flag(false))]).len(), 1);
    }

    #[test]
    fn polled_queues() {
        assert!(said("poll-queues", &[], &[("nvme_poll_queues", number(2))]).is_empty());
        assert_eq!(said("poll-queues", &[], &[("nvme_poll_queues", number(0))])[0].severity, Severity::Info);
    }
}
