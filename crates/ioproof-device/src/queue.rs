//! The block layer's settings of a drive: the files below `/sys/block/NAME/queue`, by a table, and the hardware queues below `mq`.
//!
//! The files are described in `Documentation/ABI/stable/sysfs-block`. A further setting is a further row of [`SETTINGS`].

use crate::identify::active_scheduler;
use crate::kernel_page::{KernelPage, Label};
use crate::sysfs_device::{SysfsDevice, fact};
use ioproof_core::facts::Fact;
use ioproof_pages::field::{Page, Value};

/// Conversion of a file's text into a value.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// As it stands.
    Text,
    /// A whole number, multiplied by this.
    Number(u64),
    /// 0 or 1.
    Flag,
    /// The scheduler in brackets.
    Scheduler,
    /// `write back` or `write through`: whether the kernel flushes.
    WriteBack,
}

/// A file below `queue` and what it becomes.
struct Setting(&'static str, Kind, Label);

const fn row(file: &'static str, kind: Kind, key: &'static str, title: &'static str, unit: &'static str) -> Setting {
    Setting(file, kind, Label { key, title, unit })
}

const SETTINGS: [Setting; 24] = [
    row("scheduler", Kind::Scheduler, "scheduler", "scheduler", ""),
    row("scheduler", Kind::Text, "schedulers", "schedulers to choose from", ""),
    row("nr_requests", Kind::Number(1), "nr_requests", "requests kept a queue", "requests"),
    row("read_ahead_kb", Kind::Number(1024), "read_ahead_bytes", "read-ahead", "bytes"),
    row("write_cache", Kind::Text, "write_cache", "write cache as the kernel takes it", ""),
    row("write_cache", Kind::WriteBack, "kernel_flushes", "the kernel sends flushes", ""),
    row("fua", Kind::Flag, "fua", "forced unit access is used", ""),
    row("nomerges", Kind::Number(1), "nomerges", "merging: 0 all, 1 simple, 2 none", ""),
    row("rq_affinity", Kind::Number(1), "rq_affinity", "completion: 0 anywhere, 1 near, 2 on the CPU that asked", ""),
    row("io_poll", Kind::Flag, "io_poll", "polled queues", ""),
    row("wbt_lat_usec", Kind::Number(1), "wbt_latency_us", "latency that write-back is throttled for", "microseconds"),
    row("max_sectors_kb", Kind::Number(1024), "max_request_bytes", "largest request", "bytes"),
    row("max_hw_sectors_kb", Kind::Number(1024), "max_request_hardware_bytes", "largest request of the hardware", "bytes"),
    row("max_segments", Kind::Number(1), "max_segments", "pieces of memory a request", ""),
    row("discard_max_bytes", Kind::Number(1), "discard_max_bytes", "largest discard", "bytes"),
    row("discard_granularity", Kind::Number(1), "discard_granularity_bytes", "granularity of discards", "bytes"),
    row("logical_block_size", Kind::Number(1), "logical_block_bytes", "logical block", "bytes"),
    row("physical_block_size", Kind::Number(1), "physical_block_bytes", "physical block", "bytes"),
    row("minimum_io_size", Kind::Number(1), "minimum_io_bytes", "smallest I/O without penalty", "bytes"),
    row("optimal_io_size", Kind::Number(1), "optimal_io_bytes", "best I/O, 0 where not told", "bytes"),
    row("dma_alignment", Kind::Number(1), "dma_alignment_mask_bytes", "alignment of memory, as a mask", "bytes"),
    row("rotational", Kind::Flag, "rotational", "turns", ""),
    row("iostats", Kind::Flag, "iostats", "the kernel counts its I/O", ""),
    row("zoned", Kind::Text, "zoned", "zones", ""),
];

/// The page `queue` of a drive.
pub(crate) fn page(device: &SysfsDevice) -> Page {
    let mut page = KernelPage::new("queue", format!("/sys/{}/queue", device.disk));
    page.text(Label::plain("device_number", "device number"), device.text("dev"));
    for Setting(file, kind, label) in &SETTINGS {
        if let Some(fact) = device.text(&format!("queue/{file}")) {
            setting(&mut page, *label, *kind, fact);
        }
    }
    hardware_queues(&mut page, device);
    loop_device(&mut page, device);
    page.text(Label::plain("md_sync_action", "work of the array on itself"), device.text("md/sync_action"));
    if device.disk_name().starts_with("nvme") {
        let label = Label::plain("nvme_poll_queues", "polled queues that the driver was told to make");
        page.number(label, fact(device.system, "module/nvme/parameters/poll_queues"));
    }
    page.done()
}

fn setting(page: &mut KernelPage, label: Label, kind: Kind, Fact { value, source }: Fact<String>) {
    match read(kind, &value) {
        Some(read) => page.put(label, read, source),
        None => page.problem(format!("{source} holds `{value}`, which cannot be read")),
    }
}

fn read(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Text => Some(Value::Text(text.into())),
        Kind::Number(scale) => text.parse::<u64>().ok()?.checked_mul(scale).map(Value::Number),
        Kind::Flag => matches!(text, "0" | "1").then(|| Value::Flag(text == "1")),
        Kind::Scheduler => active_scheduler(text).map(|name| Value::Text(name.into())),
        Kind::WriteBack => matches!(text, "write back" | "write through").then(|| Value::Flag(text == "write back")),
    }
}

/// A loop device reads and writes its file with direct I/O or through the page cache.
fn loop_device(page: &mut KernelPage, device: &SysfsDevice) {
    page.text(Label::plain("loop_backing_file", "file behind the loop device"), device.text("loop/backing_file"));
    if let Some(fact) = device.text("loop/dio") {
        setting(page, Label::plain("loop_direct_io", "direct I/O to the file"), Kind::Flag, fact);
    }
}

/// The queues of the hardware, each with the CPUs that use it (`mq/N/cpu_list`).
fn hardware_queues(page: &mut KernelPage, device: &SysfsDevice) {
    let folder = format!("{}/mq", device.disk);
    let mut queues: Vec<u64> = device.system.sys_list(&folder).iter().filter_map(|name| name.parse().ok()).collect();
    queues.sort_unstable();
    if queues.is_empty() {
        return;
    }
    let cpus = |queue: &u64| device.system.sys_text(&format!("{folder}/{queue}/cpu_list")).map(|cpus| format!("{queue}: {cpus}"));
    let shares = queues.iter().filter_map(cpus).collect();
    page.put(Label::plain("hardware_queues", "hardware queues"), Value::Number(queues.len() as u64), format!("/sys/{folder}"));
    page.put(Label::plain("hardware_queue_cpus", "CPUs of each hardware queue"), Value::List(shares), format!("/sys/{folder}/*/cpu_list"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_target::System;
    use proptest::prelude::*;

    fn page_of(files: &[(&str, &str)]) -> Page {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join("sys").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        page(&SysfsDevice::find(&System::captured(dir.path()), "nvme0n1"))
    }

    #[test]
    fn settings_in_the_units_that_their_keys_name() {
        let page = page_of(&[
            ("block/nvme0n1/dev", "259:0\n"),
            ("block/nvme0n1/queue/scheduler", "[none] mq-deadline kyber\n"),
            ("block/nvme0n1/queue/read_ahead_kb", "128\n"),
            ("block/nvme0n1/queue/write_cache", "write back\n"),
            ("block/nvme0n1/queue/fua", "1\n"),
            ("block/nvme0n1/mq/0/cpu_list", "0, 2\n"),
            ("block/nvme0n1/mq/10/cpu_list", "1, 3\n"),
            ("module/nvme/parameters/poll_queues", "0\n"),
        ]);
        assert_eq!((page.text("scheduler"), page.text("schedulers")), (Some("none"), Some("[none] mq-deadline kyber")));
        assert_eq!(
            (page.number("read_ahead_bytes"), page.number("hardware_queues"), page.number("nvme_poll_queues")),
            (Some(131_072), Some(2), Some(0))
        );
        assert_eq!(page.field("kernel_flushes").unwrap().value, Value::Flag(true));
        assert_eq!(page.field("hardware_queue_cpus").unwrap().value, Value::List(vec!["0: 0, 2".into(), "10: 1, 3".into()]));
        assert_eq!(page.field("fua").unwrap().source, "/sys/block/nvme0n1/queue/fua");
        assert!(page.problems.is_empty() && page.text("device_number") == Some("259:0"));
    }

    #[test]
    fn a_loop_device_says_how_it_reaches_its_file() {
        let page = page_of(&[("block/nvme0n1/loop/dio", "0\n"), ("block/nvme0n1/loop/backing_file", "/srv/a.img\n")]);
        assert_eq!(page.field("loop_direct_io").unwrap().value, Value::Flag(false));
        assert_eq!(page.text("loop_backing_file"), Some("/srv/a.img"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let page = page_of(&[("block/nvme0n1/queue/nomerges", "some\n"), ("block/nvme0n1/queue/fua", "2\n")]);
        assert!(page.field("nomerges").is_none() && page.field("fua").is_none());
        assert_eq!(page.problems.len(), 2);
        assert!(page.problems.iter().any(|problem| problem.contains("nomerges holds `some`")));
    }

    #[test]
    fn every_key_is_there_once() {
        let mut keys: Vec<&str> = SETTINGS.iter().map(|Setting(.., label)| label.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), SETTINGS.len());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_named(text in "\\PC{1,24}|[0-9]{1,24}|\\[[a-z]*\\]? ?[a-z]*") {
            for Setting(_, kind, _) in &SETTINGS {
                let _ = read(*kind, &text);
            }
        }
    }
}
