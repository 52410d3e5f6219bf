//! Everything about a run but its figures, in words: its head, facts of targets, drives, host and method with their sources, and what takes weight from its numbers.

mod banners;
pub mod checks;
mod databases;
mod identity;
mod method;
mod path;
mod queue;
mod targets;

pub use banners::{Banner, NO_DATASHEET, VIRTUAL_DISK, banners, status};
pub use identity::Identity;
pub use queue::describe as describe_queue;
pub use targets::{heading, names};

use crate::base::distinct::distinct;
use crate::datasheet::matches_model;
use crate::drive_state;
use crate::facts::{DeviceFacts, DriveKind, Fact as CoreFact, HostFacts, OwnLimit};
use crate::job::IoPriority;
use crate::judge::layer_name;
use crate::judgement::Judgement;
use crate::record::{RunRecord, TargetRecord};
use crate::text::visible;
use crate::units::{binary_size, decimal_size, percent, throughput};

/// A fact for people.
#[derive(Debug, Clone)]
pub struct Fact {
    pub name: String,
    pub value: String,
    /// Place where it was read; empty for our own doing.
    pub source: String,
}

/// Facts about one thing.
#[derive(Debug, Clone)]
pub struct Section {
    pub title: String,
    pub facts: Vec<Fact>,
}

pub fn fact(name: &str, value: impl Into<String>, source: &str) -> Fact {
    Fact { name: visible(name), value: visible(&value.into()), source: visible(source) }
}

/// The head of every report: label and value, a line or two each.
pub type Brief = Vec<(&'static str, String)>;

pub fn brief(record: &RunRecord, judgement: &Judgement) -> Brief {
    let mut brief = targets::brief(record);
    let names: Vec<&str> = record.jobs.iter().filter_map(|job| job.name.as_deref()).collect();
    brief.extend(listed(&names, MOST_NAMED).map(|listed| (if names.len() == 1 { "job" } else { "jobs" }, listed)));
    match record.drives().as_slice() {
        [] if record.config.backend == "null" => brief.push(("drive", "none: no I/O is done".into())),
        [] => brief.push(("drive", "cannot be told".into())),
        drives => brief.extend(drives.iter().map(|drive| ("drive", describe_drive(drive)))),
    }
    brief.extend(drive_state::lines(record).into_iter().map(|state| ("drive state", state)));
    brief.extend(path::brief(record).map(|path| ("path", path)));
    brief.extend(targets::filesystems(record).into_iter().map(|filesystem| ("filesystem", filesystem)));
    brief.push(("host", describe_host(&record.host)));
    brief.extend(describe_datasheets(record, judgement).into_iter().map(|datasheet| ("datasheet", datasheet)));
    brief.extend(checks::brief(record).map(|result| ("data check", result)));
    brief
}

/// Names in the head of a report, and in its long part.
pub const MOST_NAMED: usize = 4;
const MOST_LISTED: usize = 32;

/// `a, b and 3 more`; nothing of nothing.
pub fn listed(names: &[&str], most: usize) -> Option<String> {
    let named = names.iter().take(most).map(|name| visible(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(most) {
        _ if names.is_empty() => None,
        0 => Some(named),
        more => Some(format!("{named} and {more} more")),
    }
}

fn describe_drive(drive: &DeviceFacts) -> String {
    let model = drive.model.as_ref().map_or_else(|| "model unknown".to_owned(), |model| visible(&model.value));
    let vendor = drive.vendor.as_ref().map(|v| format!("{} ", visible(&v.value))).unwrap_or_default();
    let link = drive.link.as_ref().map_or_else(|| "link unknown".to_owned(), |link| visible(&link.title));
    let kind = describe_kind(drive.kind);
    format!("{vendor}{model}, {}, {kind}, {link} ({})", decimal_size(drive.capacity_bytes.value), visible(&drive.name))
}

fn describe_kind(kind: DriveKind) -> &'static str {
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

pub fn describe_host(host: &HostFacts) -> String {
    let hypervisor = host.hypervisor.as_ref().map(|h| format!(", virtual machine under {}", visible(&h.value))).unwrap_or_default();
    let (cpu, kernel) = (visible(&host.cpu_model.value), visible(&host.kernel.value));
    format!("{cpu}, {} CPUs, {}, Linux {kernel}{hypervisor}", host.cpus_usable, decimal_size(host.memory_bytes.value))
}

/// The datasheets of all targets, each once.
fn describe_datasheets(record: &RunRecord, judgement: &Judgement) -> Vec<String> {
    let describe = |target: &TargetRecord| {
        let used = target.datasheet.as_ref()?;
        let (sheet, threshold, layer) = (&used.datasheet, percent(judgement.threshold), layer_name(judgement.layer));
        let models = target.drives.iter().filter_map(|drive| drive.model.as_ref());
        let says_so = models.map(|model| &model.value).any(|model| {
            let mut patterns = sheet.models.iter().chain(sheet.variants.iter().flat_map(|variant| &variant.models));
            patterns.any(|pattern| matches_model(pattern, model))
        });
        let by_hand = used.chosen_by.starts_with("--datasheet") && !says_so;
        let doubt = if by_hand { ", named by hand: the drive does not say that it is one" } else { "" };
        let (vendor, family, name) = (visible(&sheet.vendor), visible(&sheet.family), visible(&sheet.name));
        Some(format!("{vendor} {family} ({name}), threshold {threshold} ({layer}){doubt}"))
    };
    let found = distinct(record.targets.iter().filter_map(describe));
    let limits = judgement.results.syncs.iter().flat_map(|syncs| &syncs.goals).map(|result| visible(&result.goal.name)).collect::<Vec<_>>();
    match (found.is_empty(), limits.is_empty()) {
        // The verdict says it.
        (true, true) => Vec::new(),
        (true, false) => vec![format!("none: what is judged is the limit of {}", limits.join(", "))],
        (false, _) => found,
    }
}

/// Everything known about targets, drives, host and method, each fact with its source.
pub fn sections(record: &RunRecord) -> Vec<Section> {
    let mut sections = targets::sections(record);
    sections.extend(record.drives().into_iter().map(|d| Section { title: format!("Drive {}", visible(&d.name)), facts: drive_facts(d) }));
    sections.push(Section { title: "Host".into(), facts: host_facts(&record.host) });
    sections.push(Section { title: "Conditions".into(), facts: method::facts(record) });
    sections.extend(databases::sections(record));
    sections
}

/// A fact that may not be known, printed by `show`.
fn optional<T>(name: &str, known: Option<&CoreFact<T>>, show: impl Fn(&T) -> String) -> Option<Fact> {
    known.map(|known| fact(name, show(&known.value), &known.source))
}

fn fact_of_bytes(name: &str, bytes: u64) -> Fact {
    fact(name, binary_size(bytes), "")
}

fn drive_facts(drive: &DeviceFacts) -> Vec<Fact> {
    let text = |value: &String| value.clone();
    let yes_no = |value: &bool| if *value { "yes" } else { "no" }.to_owned();
    let block = |bytes: &u32| binary_size((*bytes).into());
    let known = [
        Some(fact("attached", describe_kind(drive.kind), "")),
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
        drive.link.as_ref().map(|link| fact("link", describe_link(link), &link.source)),
        optional("temperature", drive.temperature_celsius.as_ref(), |c| format!("{c:.0} °C")),
    ];
    known.into_iter().flatten().collect()
}

fn describe_link(link: &crate::facts::Link) -> String {
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
        host.nice.filter(|nice| *nice != 0).map(|nice| fact("niceness", nice.to_string(), "/proc/self/stat")),
        host.io_priority
            .filter(|priority| priority.class > 0)
            .map(|priority| fact("I/O priority", describe_priority(priority), "ioprio_get(2)")),
    ];
    known.into_iter().flatten().chain(host.limits.iter().map(limit_fact)).collect()
}

fn describe_priority(priority: IoPriority) -> String {
    let class = ["none", "real time", "best effort", "idle"].get(usize::from(priority.class)).unwrap_or(&"unknown");
    format!("{class}, level {}", priority.level)
}

/// A limit on this process: `limit on reads of 259:0`, `5000 IOPS`.
fn limit_fact(limit: &OwnLimit) -> Fact {
    let (what, unit) = limit.resource.in_words();
    let device = limit.device.as_ref().map(|device| format!(" of {}", visible(device))).unwrap_or_default();
    fact(&format!("limit on {what}{device}"), unit.show(limit.value), &limit.source)
}
