//! What of the host and of the way to a drive would distort a measurement, each with the command that mends it.
//!
//! The rules are rows of [`RULES`]; README.md says how to add one. They look at pages of named fields ([`crate::field`]), which carry their
//! sources, and at nothing else: the same rules judge this machine, a captured one and one that somebody described.
//! Deliberately absent: what went wrong during a run, which is the business of [`ioproof_core::findings`].

mod busy;
mod clock;
mod cpu;
mod kernel;
mod layer;
mod link;
mod mend;
mod placement;
mod queue;
mod seen;
#[cfg(test)]
mod testing;

use crate::field::Page;
use ioproof_core::finding::{Evidence, Severity};
use seen::{Seen, Told};
use serde::{Deserialize, Serialize};

/// The machine that is to measure, and the ways to its drives.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HostPicture {
    /// What the machine says of itself.
    pub host: Vec<Page>,
    /// The drives that are asked about.
    pub drives: Vec<DriveWay>,
    /// What lies between a target and its drives: loop devices, device-mapper, md. Each with the page `queue`.
    #[serde(default)]
    pub layers: Vec<DriveWay>,
}

/// One drive and the way to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DriveWay {
    /// Kernel name: `nvme0n1`.
    pub name: String,
    /// The pages `pcie-path`, `queue` and `interrupts`.
    pub pages: Vec<Page>,
}

/// What one rule says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// Stable name of the rule.
    pub rule: String,
    /// *Block* and *warn* distort measurements; *info* is good to know.
    pub severity: Severity,
    /// The drive or layer that it is about; none where it is the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<String>,
    /// One sentence with the decisive figures.
    pub title: String,
    /// What it rests on, with the sources.
    pub evidence: Vec<Evidence>,
    /// A command that mends it until the next boot, as the user who asked must type it; none where no command does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Once.
    Host,
    /// Each drive.
    Drive,
    /// Each layer above a drive.
    Layer,
    /// Each drive and each layer: what every queue has.
    Queue,
}

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable name.
    pub name: &'static str,
    /// What it looks for, in a few words.
    pub about: &'static str,
    scope: Scope,
    check: fn(&Seen) -> Vec<Told>,
}

const fn host(name: &'static str, about: &'static str, check: fn(&Seen) -> Vec<Told>) -> Rule {
    Rule { name, about, scope: Scope::Host, check }
}

const fn drive(name: &'static str, about: &'static str, check: fn(&Seen) -> Vec<Told>) -> Rule {
    Rule { name, about, scope: Scope::Drive, check }
}

const fn layer(name: &'static str, about: &'static str, check: fn(&Seen) -> Vec<Told>) -> Rule {
    Rule { name, about, scope: Scope::Layer, check }
}

const fn queue(name: &'static str, about: &'static str, check: fn(&Seen) -> Vec<Told>) -> Rule {
    Rule { name, about, scope: Scope::Queue, check }
}

/// Every rule.
pub const RULES: [Rule; 30] = [
    host("clock-source", "the kernel's clock is not the CPU's counter", clock::source),
    host("clock-cost", "a reading of the clock takes more than 100 ns", clock::cost),
    host("governor", "the CPU's frequency is held down", cpu::governor),
    host("cpu-limit", "a control group leaves fewer CPUs than there are", cpu::limit),
    host("cpu-affinity", "fewer CPUs may be used than there are", cpu::affinity),
    host("cpu-busy", "other processes use the CPUs now", busy::cpu),
    host("run-queue", "other processes wait for a CPU now", busy::run_queue),
    host("steal", "a hypervisor takes CPU time away now", busy::steal),
    host("virtual-machine", "the machine is a virtual one", cpu::virtual_machine),
    host("mitigations-off", "the CPU's mitigations are off", cpu::mitigations_off),
    host("io-uring", "io_uring is refused", kernel::io_uring),
    host("locked-memory", "too little memory may be locked for registered buffers", kernel::locked_memory),
    host("libaio-events", "libaio's events are nearly used up", kernel::libaio_events),
    host("huge-pages", "memory is turned into huge pages behind the program's back", kernel::huge_pages),
    drive("drive-busy", "others use the drive now", busy::drive),
    layer("loop-cache", "a loop device goes through the page cache", layer::loop_cache),
    drive("io-limit", "a control group limits the drive's I/O", kernel::io_limit),
    drive("link-below-capability", "a link runs below what both of its ends can", link::below_capability),
    drive("narrow-bridge", "a bridge on the way is narrower than the drive", link::narrow_bridge),
    drive("link-errors", "a link counted errors", link::errors),
    drive("link-power", "links may save power", link::power),
    queue("scheduler", "a scheduler reorders the I/O", queue::scheduler),
    queue("read-ahead", "buffered reads are far ahead of what is asked", queue::read_ahead),
    queue("merging", "merging of requests is switched off", queue::merging),
    queue("iostats", "the kernel does not count the drive's I/O", queue::iostats),
    drive("poll-queues", "polled I/O has no queues", queue::poll_queues),
    drive("interrupts", "all of the drive's interrupts go to one CPU", placement::interrupts),
    drive("numa-node", "the drive is on a NUMA node whose CPUs are not used", placement::numa_node),
    drive("iommu", "the IOMMU translates each I/O", placement::iommu),
    drive("vmd", "VMD stands in the path", placement::vmd),
];

/// Applies every rule; the gravest advice comes first, what is about the host before what is about a drive.
#[must_use]
pub fn examine(picture: &HostPicture) -> Vec<Advice> {
    let host = Seen { host: &picture.host, drive: None };
    let of_host = of_scopes(&[Scope::Host]).flat_map(|rule| apply(rule, &host));
    let of = |ways, scopes| -> Vec<Advice> {
        let seen = <[DriveWay]>::iter(ways).map(|drive| Seen { drive: Some(drive), ..host });
        seen.flat_map(|seen| of_scopes(scopes).flat_map(move |rule| apply(rule, &seen))).collect()
    };
    let of_drives = of(&picture.drives, &[Scope::Drive, Scope::Queue]);
    let of_layers = of(&picture.layers, &[Scope::Layer, Scope::Queue]);
    let mut advice: Vec<Advice> = of_host.chain(of_drives).chain(of_layers).collect();
    advice.sort_by_key(|advice| advice.severity);
    advice
}

/// Whether any of it would distort a measurement.
#[must_use]
pub fn distorts(advice: &[Advice]) -> bool {
    advice.iter().any(|advice| advice.severity != Severity::Info)
}

fn of_scopes(scopes: &[Scope]) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| scopes.contains(&rule.scope))
}

fn apply(rule: &Rule, seen: &Seen) -> Vec<Advice> {
    let advice = |told: Told| Advice {
        rule: rule.name.into(),
        severity: told.severity,
        drive: seen.drive.map(|drive| drive.name.clone()),
        title: told.title,
        evidence: told.evidence,
        mend: told.mend.map(|command| mend::for_user(command, seen.flag("may_administer") != Some(false))),
    };
    (rule.check)(seen).into_iter().map(advice).collect()
}

#[cfg(test)]
mod tests {
    use super::testing::{picture, text};
    use super::*;

    #[test]
    fn nothing_known_is_nothing_said() {
        assert!(examine(&HostPicture::default()).is_empty());
        assert!(examine(&picture(&[], &[])).is_empty(), "also of a drive");
    }

    #[test]
    fn names_are_there_once() {
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
    }

    #[test]
    fn the_gravest_comes_first_and_each_drive_is_named() {
        let mut picture =
            picture(&[("hypervisor", text("KVM")), ("governors", testing::list(&["powersave"]))], &[("scheduler", text("bfq"))]);
        picture.drives.push(DriveWay { name: "sdb".into(), ..picture.drives[0].clone() });
        let advice = examine(&picture);
        let told: Vec<(&str, Option<&str>)> = advice.iter().map(|a| (a.rule.as_str(), a.drive.as_deref())).collect();
        assert_eq!(told, [("governor", None), ("scheduler", Some("nvme0n1")), ("scheduler", Some("sdb")), ("virtual-machine", None)]);
        assert!(distorts(&advice) && !distorts(&advice[3..]));
    }
}
