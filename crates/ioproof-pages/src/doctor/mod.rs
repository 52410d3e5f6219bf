//! Findings about the host and the way to a drive that would distort a measurement, each with the command that mends it as its remedy.
//!
//! The rules are rows of [`RULES`]; README.md says how to add one. They look at pages of named fields ([`crate::field`]), which carry their
//! sources, and at nothing else: the same rules judge this machine, a captured one and one that somebody described.
//! A finding's evidence names the source of each field. Deliberately absent: mistakes of a run, which are the business of [`ioproof_core::findings`].

mod busy;
mod clock;
mod cpu;
mod kernel;
mod layer;
mod link;
mod mend;
mod picture;
mod placement;
mod queue;
mod rule_input;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use ioproof_core::finding::{Effect, Finding, Severity, Subject};
pub use picture::{DriveWay, HostPicture};
use rule_input::{RuleInput, RuleOutput};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Host,
    Drive,
    Layer,
    Queue,
}

#[derive(Debug, Clone, Copy)]
pub struct DoctorRule {
    pub name: &'static str,
    pub about: &'static str,
    scope: Scope,
    check: fn(&RuleInput) -> Vec<RuleOutput>,
}

const fn host(name: &'static str, about: &'static str, check: fn(&RuleInput) -> Vec<RuleOutput>) -> DoctorRule {
    DoctorRule { name, about, scope: Scope::Host, check }
}

const fn drive(name: &'static str, about: &'static str, check: fn(&RuleInput) -> Vec<RuleOutput>) -> DoctorRule {
    DoctorRule { name, about, scope: Scope::Drive, check }
}

const fn layer(name: &'static str, about: &'static str, check: fn(&RuleInput) -> Vec<RuleOutput>) -> DoctorRule {
    DoctorRule { name, about, scope: Scope::Layer, check }
}

const fn queue(name: &'static str, about: &'static str, check: fn(&RuleInput) -> Vec<RuleOutput>) -> DoctorRule {
    DoctorRule { name, about, scope: Scope::Queue, check }
}

pub const RULES: [DoctorRule; 31] = [
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
    layer("background-work", "an array is at work on itself", layer::background_work),
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

/// Applies every rule; the gravest findings come first, those about the host before those about a drive.
pub fn examine(picture: &HostPicture) -> Vec<Finding> {
    let host = RuleInput { host: &picture.host, drive: None };
    let of_host = of_scopes(&[Scope::Host]).flat_map(|rule| apply(rule, &host));
    let of = |ways, scopes| -> Vec<Finding> {
        let inputs = <[DriveWay]>::iter(ways).map(|drive| RuleInput { drive: Some(drive), ..host });
        inputs.flat_map(|input| of_scopes(scopes).flat_map(move |rule| apply(rule, &input))).collect()
    };
    let of_drives = of(&picture.drives, &[Scope::Drive, Scope::Queue]);
    let of_layers = of(&picture.layers, &[Scope::Layer, Scope::Queue]);
    let mut findings: Vec<Finding> = of_host.chain(of_drives).chain(of_layers).collect();
    findings.sort_by_key(|finding| finding.severity);
    findings
}

pub fn distorts(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity != Severity::Info)
}

fn of_scopes(scopes: &[Scope]) -> impl Iterator<Item = &'static DoctorRule> {
    RULES.iter().filter(move |rule| scopes.contains(&rule.scope))
}

fn apply(rule: &DoctorRule, input: &RuleInput) -> Vec<Finding> {
    (rule.check)(input).into_iter().map(|output| finding(rule, input, output)).collect()
}

fn finding(rule: &DoctorRule, input: &RuleInput, output: RuleOutput) -> Finding {
    let RuleOutput { severity, title, evidence, mend } = output;
    let is_root = input.flag("may_administer") != Some(false);
    Finding {
        rule: rule.name.into(),
        severity,
        subject: input.drive.map_or(Subject::Host, |drive| Subject::Drive(drive.name.clone())),
        title,
        evidence,
        effect: Effect::None,
        remedy: mend.map_or_else(String::new, |command| mend::for_user(command, is_root)),
    }
}
