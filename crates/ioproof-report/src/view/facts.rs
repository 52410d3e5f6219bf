//! What target, drives, host and conditions are: a few words for the terminal, and every fact with its source for the long formats.

use super::section::{Fact, Section, fact};
use super::{checks, queue};
use ioproof_core::facts::{DeviceFacts, DriveKind, Fact as CoreFact, FilesystemFacts, HostFacts, StackNode, TargetFacts, TargetKind};
use ioproof_core::judge::layer_name;
use ioproof_core::record::{Config, RunRecord, SelfTest};
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, decimal_size, duration, iops, latency, percent, throughput};
use ioproof_core::verdict::Judgement;
use std::time::Duration;

/// The head of every report: label and value, a line or two each.
pub(crate) type Brief = Vec<(&'static str, String)>;

pub(crate) fn brief(record: &RunRecord, judgement: &Judgement) -> Brief {
    let mut brief = vec![("target", target_words(&record.target))];
    brief.extend(listed(&record.other_targets, MOST_NAMED).map(|names| ("and", names)));
    brief.extend(listed(&record.jobs, MOST_NAMED).map(|names| (if record.jobs.len() == 1 { "job" } else { "jobs" }, names)));
    match record.drives.as_slice() {
        [] if record.config.backend == "null" => brief.push(("drive", "none: no I/O is done".into())),
        [] => brief.push(("drive", "cannot be told".into())),
        drives => brief.extend(drives.iter().map(|drive| ("drive", drive_words(drive)))),
    }
    if let Some(filesystem) = &record.target.filesystem {
        brief.push(("filesystem", filesystem_words(filesystem)));
    }
    brief.push(("host", host_words(&record.host)));
    brief.push(("datasheet", datasheet_words(record, judgement)));
    brief.extend(checks::words(record).map(|words| ("data check", words)));
    brief
}

/// Names in the head of a report, and in its long part.
const MOST_NAMED: usize = 4;
const MOST_LISTED: usize = 32;

/// `a, b and 3 more`; nothing of nothing.
fn listed(names: &[String], most: usize) -> Option<String> {
    let named = names.iter().take(most).map(|name| visible(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(most) {
        _ if names.is_empty() => None,
        0 => Some(named),
        more => Some(format!("{named} and {more} more")),
    }
}

fn target_words(target: &TargetFacts) -> String {
    let resolved = if target.given == target.resolved { String::new() } else { format!(" -> {}", visible(&target.resolved)) };
    let direct = if target.direct { "O_DIRECT" } else { "buffered, not O_DIRECT" };
    format!("{}{resolved}, {}, {}, {direct}", visible(&target.given), kind(target.kind), decimal_size(target.size_bytes))
}

fn kind(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::BlockDevice => "block device",
        TargetKind::File => "file",
        TargetKind::Scratch => "scratch file",
        TargetKind::Generator => "no drive: the generator alone",
    }
}

fn drive_words(drive: &DeviceFacts) -> String {
    let model = drive.model.as_ref().map_or_else(|| "model unknown".to_owned(), |model| visible(&model.value));
    let vendor = drive.vendor.as_ref().map(|v| format!("{} ", visible(&v.value))).unwrap_or_default();
    let link = drive.link.as_ref().map_or_else(|| "link unknown".to_owned(), |link| visible(&link.title));
    let kind = drive_kind(drive.kind);
    format!("{vendor}{model}, {}, {kind}, {link} ({})", decimal_size(drive.capacity_bytes.value), visible(&drive.name))
}

fn drive_kind(kind: DriveKind) -> &'static str {
    match kind {
        DriveKind::Nvme => "NVMe",
        DriveKind::Sata => "SATA",
        DriveKind::Scsi => "SCSI or SAS",
        DriveKind::Virtio => "virtual disk, the real drive is out of sight",
        DriveKind::Loop => "loop device",
        DriveKind::Zram => "compressed memory",
        DriveKind::Mmc => "SD or eMMC",
        DriveKind::Other => "other",
    }
}

fn filesystem_words(fs: &FilesystemFacts) -> String {
    format!("{} of {} at {}, {} free", visible(&fs.fs_type), visible(&fs.source), visible(&fs.mount_point), decimal_size(fs.free_bytes))
}

fn host_words(host: &HostFacts) -> String {
    let hypervisor = host.hypervisor.as_ref().map(|h| format!(", virtual machine under {}", visible(&h.value))).unwrap_or_default();
    let (cpu, kernel) = (visible(&host.cpu_model.value), visible(&host.kernel.value));
    format!("{cpu}, {} CPUs, {}, Linux {kernel}{hypervisor}", host.cpus_usable, decimal_size(host.memory_bytes.value))
}

fn datasheet_words(record: &RunRecord, judgement: &Judgement) -> String {
    match &record.datasheet {
        None => "none: nothing was promised, so there is no verdict".into(),
        Some(used) => {
            let (sheet, threshold, layer) = (&used.datasheet, percent(judgement.threshold), layer_name(judgement.layer));
            format!("{} {} ({}), threshold {threshold} ({layer})", visible(&sheet.vendor), visible(&sheet.family), visible(&sheet.name))
        }
    }
}

pub(crate) fn sections(record: &RunRecord) -> Vec<Section> {
    let mut sections = vec![Section { title: "Target".into(), facts: target_facts(record) }];
    sections.extend(record.drives.iter().map(|d| Section { title: format!("Drive {}", visible(&d.name)), facts: drive_facts(d) }));
    sections.push(Section { title: "Host".into(), facts: host_facts(&record.host) });
    sections.push(Section { title: "Conditions".into(), facts: condition_facts(record) });
    sections.extend(checks::section(record));
    sections.extend(queue::section(record));
    sections
}

/// A fact that may not be known, printed by `show`.
fn optional<T>(name: &str, known: Option<&CoreFact<T>>, show: impl Fn(&T) -> String) -> Option<Fact> {
    known.map(|known| fact(name, show(&known.value), &known.source))
}

fn target_facts(record: &RunRecord) -> Vec<Fact> {
    let target = &record.target;
    let mut facts = vec![
        fact("path", &target.given, ""),
        fact("resolved", &target.resolved, ""),
        fact("kind", kind(target.kind), ""),
        fact("size", decimal_size(target.size_bytes), ""),
        fact("opened", if target.direct { "with O_DIRECT" } else { "through the page cache" }, ""),
        fact("alignment", binary_size(target.alignment_bytes.into()), ""),
    ];
    facts.extend(listed(&record.other_targets, MOST_LISTED).map(|names| fact("other files", names, "")));
    facts.extend(target.stack.as_ref().map(|stack| fact("stack", stack_words(stack), "")));
    if let Some(fs) = &target.filesystem {
        facts.push(fact("filesystem", filesystem_words(fs), ""));
        facts.push(fact("mount options", &fs.options, ""));
    }
    facts
}

/// `dm-0 (device-mapper) on nvme0n1p2 (partition) on nvme0n1 (disk)`.
fn stack_words(node: &StackNode) -> String {
    let own = format!("{} ({})", node.name, node.kind);
    let under: Vec<String> = node.under.iter().map(stack_words).collect();
    if under.is_empty() { own } else { format!("{own} on {}", under.join(" and ")) }
}

fn drive_facts(drive: &DeviceFacts) -> Vec<Fact> {
    let text = |value: &String| value.clone();
    let yes_no = |value: &bool| if *value { "yes" } else { "no" }.to_owned();
    let block = |bytes: &u32| binary_size((*bytes).into());
    let known = [
        Some(fact("attached", drive_kind(drive.kind), "")),
        optional("vendor", drive.vendor.as_ref(), text),
        optional("model", drive.model.as_ref(), text),
        optional("serial", drive.serial.as_ref(), text),
        optional("firmware", drive.firmware.as_ref(), text),
        optional("capacity", Some(&drive.capacity_bytes), |bytes| decimal_size(*bytes)),
        optional("logical block", drive.logical_block_bytes.as_ref(), block),
        optional("physical block", drive.physical_block_bytes.as_ref(), block),
        optional("rotates", drive.rotational.as_ref(), yes_no),
        optional("write cache", drive.write_cache.as_ref(), text),
        optional("forced unit access", drive.fua.as_ref(), yes_no),
        optional("scheduler", drive.scheduler.as_ref(), text),
        optional("requests per queue", drive.nr_requests.as_ref(), u32::to_string),
        optional("largest request", drive.max_request_bytes.as_ref(), |bytes| binary_size(*bytes)),
        optional("NUMA node", drive.numa_node.as_ref(), i32::to_string),
        drive.link.as_ref().map(|link| fact("link", link_words(link), &link.source)),
        optional("temperature", drive.temperature_celsius.as_ref(), |c| format!("{c:.0} °C")),
    ];
    known.into_iter().flatten().collect()
}

fn link_words(link: &ioproof_core::facts::Link) -> String {
    let capable = link.capable_bytes_per_s.map(|c| format!("; the drive could negotiate {}", throughput(c))).unwrap_or_default();
    format!("{}, carries {}{capable}", link.title, throughput(link.limit_bytes_per_s))
}

fn host_facts(host: &HostFacts) -> Vec<Fact> {
    let text = |value: &String| value.clone();
    let memlock = host.memlock_bytes.map_or_else(|| "no limit".to_owned(), binary_size);
    let known = [
        optional("CPU", Some(&host.cpu_model), text),
        Some(fact("usable CPUs", host.cpus_usable.to_string(), "")),
        optional("kernel", Some(&host.kernel), text),
        optional("memory", Some(&host.memory_bytes), |bytes| binary_size(*bytes)),
        optional("governor", host.governor.as_ref(), text),
        optional("clock source", host.clocksource.as_ref(), text),
        optional("hypervisor", host.hypervisor.as_ref(), text),
        Some(fact("locked memory", memlock, "")),
    ];
    known.into_iter().flatten().collect()
}

fn condition_facts(record: &RunRecord) -> Vec<Fact> {
    let plan = &record.plan;
    let mut facts = vec![
        fact("command", record.config.command.join(" "), ""),
        fact("span", span_words(record), ""),
        fact("content", content_words(record), ""),
        fact("a round", format!("{} measured after a ramp of {}", time(plan.measure_ns), time(plan.ramp_ns)), ""),
        fact("runs", runs_words(record), ""),
        fact("order", "reads interleaved at random, then each write workload as one block", ""),
        fact("engine", engine_words(record), ""),
        fact("time asked for", time_words(&record.config), ""),
        fact("seed", record.config.seed.to_string(), ""),
    ];
    facts.extend(record.self_test.as_ref().map(|test| fact("self-test", self_test_words(test), "")));
    if let Some(used) = &record.datasheet {
        facts.push(fact("datasheet chosen by", &used.chosen_by, ""));
    }
    facts
}

fn time(ns: u64) -> String {
    duration(Duration::from_nanos(ns))
}

fn time_words(config: &Config) -> String {
    let time = Duration::try_from_secs_f64(config.time_s).map_or_else(|_| "unknown".to_owned(), duration);
    if config.quick { format!("{time}, --quick") } else { time }
}

fn span_words(record: &RunRecord) -> String {
    let span = record.plan.span;
    let of = if record.target.size_bytes == 0 { 1.0 } else { span.length_bytes as f64 / record.target.size_bytes as f64 };
    format!("{} from byte {}, {} of the target", decimal_size(span.length_bytes), span.offset_bytes, percent(of))
}

fn content_words(record: &RunRecord) -> String {
    let content = &record.content;
    let filled = match &record.fill {
        Some(fill) => format!("written in full first: {} in {}", decimal_size(fill.bytes), time(fill.elapsed_ns)),
        None => "not written by this run before it was read".into(),
    };
    let unwritten = content.unwritten_bytes.map(|bytes| format!(", {} never written", decimal_size(bytes))).unwrap_or_default();
    format!("{filled}; {} of {} sampled blocks were zero{unwritten}", content.zero_blocks, content.sampled_blocks)
}

fn runs_words(record: &RunRecord) -> String {
    let plan = &record.plan;
    let goal = format!("until the {} interval is within {} of the median", percent(plan.confidence), percent(plan.precision));
    if plan.min_runs == plan.max_runs {
        format!("{} of each workload", plan.min_runs)
    } else {
        format!("{} to {}, {goal}", plan.min_runs, plan.max_runs)
    }
}

fn engine_words(record: &RunRecord) -> String {
    let Some(engine) = record.rounds.first().map(|round| &round.engine) else {
        return record.config.backend.clone();
    };
    let mut words = vec![engine.backend.clone()];
    words.extend(engine.features.iter().cloned());
    words.extend(engine.fallbacks.iter().map(|fallback| format!("not {fallback}")));
    format!("{}; clock {} at {:.0} ns a reading", words.join(", "), engine.clock, engine.clock_cost_ns)
}

/// What generator and host are capable of: what an I/O costs in the loop, the most that one worker can ask for, and how still the host is.
fn self_test_words(test: &SelfTest) -> String {
    let mut words = vec![format!("an I/O costs {} in the loop without the kernel", latency(test.loop_ns_per_io))];
    words.extend(test.ceiling_ios_per_s.map(|most| format!("one worker asks for at most {}", iops(most))));
    words.push(format!(
        "the CPU was taken away for {} at the longest and {} of {}",
        latency(test.jitter_ns_max as f64),
        percent(test.jitter_share),
        time(test.looked_ns)
    ));
    words.extend(test.punts.map(|punts| match punts {
        true => "this target makes io_uring hand I/O to kernel threads, which lengthens every latency".to_owned(),
        false => "io_uring hands no I/O of this target to kernel threads".to_owned(),
    }));
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_self_test_in_words() {
        let test =
            SelfTest { loop_ns_per_io: 80.0, jitter_ns_max: 40_000, jitter_share: 0.001, looked_ns: 500_000_000, ..SelfTest::default() };
        let words = self_test_words(&test);
        assert_eq!(
            words,
            "an I/O costs 80 ns in the loop without the kernel; the CPU was taken away for 40 µs at the longest and 0.1 % of 0.5 s"
        );
        let more = self_test_words(&SelfTest { ceiling_ios_per_s: Some(2.5e6), punts: Some(true), ..test });
        assert!(more.contains("at most 2500 kIOPS") && more.contains("kernel threads"), "{more}");
    }
}
