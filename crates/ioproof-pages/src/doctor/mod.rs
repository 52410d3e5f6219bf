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

use Check::{Each, One};
use Scope::{Drive, Host, Layer, Queue};
use ioproof_core::finding::{Effect, Finding, Severity, Subject};
pub use picture::{DriveWay, HostPicture};
use rule_input::{RuleInput, RuleOutput, cpus};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Host,
    Drive,
    Layer,
    Queue,
}

#[derive(Debug, Clone, Copy)]
enum Check {
    One(fn(&RuleInput) -> Option<RuleOutput>),
    /// Of each link, or of each line.
    Each(fn(&RuleInput) -> Vec<RuleOutput>),
}

#[derive(Debug, Clone, Copy)]
pub struct DoctorRule {
    pub name: &'static str,
    pub about: &'static str,
    scope: Scope,
    check: Check,
}

const fn rule(scope: Scope, name: &'static str, about: &'static str, check: Check) -> DoctorRule {
    DoctorRule { name, about, scope, check }
}

pub const RULES: [DoctorRule; 31] = [
    rule(Host, "clock-source", "the kernel's clock is not the CPU's counter", One(clock::source)),
    rule(Host, "clock-cost", "a reading of the clock takes more than 100 ns", One(clock::cost)),
    rule(Host, "governor", "the CPU's frequency is held down", One(cpu::governor)),
    rule(Host, "cpu-limit", "a control group leaves fewer CPUs than there are", One(cpu::limit)),
    rule(Host, "cpu-affinity", "fewer CPUs may be used than there are", One(cpu::affinity)),
    rule(Host, "cpu-busy", "other processes use the CPUs now", One(busy::cpu)),
    rule(Host, "run-queue", "other processes wait for a CPU now", One(busy::run_queue)),
    rule(Host, "steal", "a hypervisor takes CPU time away now", One(busy::steal)),
    rule(Host, "virtual-machine", "the machine is a virtual one", One(cpu::virtual_machine)),
    rule(Host, "mitigations-off", "the CPU's mitigations are off", One(cpu::mitigations_off)),
    rule(Host, "io-uring", "io_uring is refused", One(kernel::io_uring)),
    rule(Host, "locked-memory", "too little memory may be locked for registered buffers", One(kernel::locked_memory)),
    rule(Host, "libaio-events", "libaio's events are nearly used up", One(kernel::libaio_events)),
    rule(Host, "huge-pages", "memory is turned into huge pages behind the program's back", One(kernel::huge_pages)),
    rule(Drive, "drive-busy", "others use the drive now", One(busy::drive)),
    rule(Layer, "loop-cache", "a loop device goes through the page cache", One(layer::loop_cache)),
    rule(Layer, "background-work", "an array is at work on itself", One(layer::background_work)),
    rule(Drive, "io-limit", "a control group limits the drive's I/O", Each(kernel::io_limit)),
    rule(Drive, "link-below-capability", "a link runs below what both of its ends can", Each(link::below_capability)),
    rule(Drive, "narrow-bridge", "a bridge on the way is narrower than the drive", One(link::narrow_bridge)),
    rule(Drive, "link-errors", "a link counted errors", Each(link::errors)),
    rule(Drive, "link-power", "links may save power", One(link::power)),
    rule(Queue, "scheduler", "a scheduler reorders the I/O", One(queue::scheduler)),
    rule(Queue, "read-ahead", "buffered reads are far ahead of what is asked", One(queue::read_ahead)),
    rule(Queue, "merging", "merging of requests is switched off", One(queue::merging)),
    rule(Queue, "iostats", "the kernel does not count the drive's I/O", One(queue::iostats)),
    rule(Drive, "poll-queues", "polled I/O has no queues", One(queue::poll_queues)),
    rule(Drive, "interrupts", "all of the drive's interrupts go to one CPU", One(placement::interrupts)),
    rule(Drive, "numa-node", "the drive is on a NUMA node whose CPUs are not used", One(placement::numa_node)),
    rule(Drive, "iommu", "the IOMMU translates each I/O", One(placement::iommu)),
    rule(Drive, "vmd", "VMD stands in the path", One(placement::vmd)),
];

/// Applies every rule; the gravest findings come first, those about the host before those about a drive.
pub fn examine(picture: &HostPicture) -> Vec<Finding> {
    let host = RuleInput { host: &picture.host, drive: None };
    let of_host = of_scopes(&[Host]).flat_map(|rule| apply(rule, &host));
    let of = |ways, scopes| -> Vec<Finding> {
        let inputs = <[DriveWay]>::iter(ways).map(|drive| RuleInput { drive: Some(drive), ..host });
        inputs.flat_map(|input| of_scopes(scopes).flat_map(move |rule| apply(rule, &input))).collect()
    };
    let of_drives = of(&picture.drives, &[Drive, Queue]);
    let of_layers = of(&picture.layers, &[Layer, Queue]);
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
    let outputs = match rule.check {
        One(check) => check(input).into_iter().collect(),
        Each(check) => check(input),
    };
    outputs.into_iter().map(|output| finding(rule, input, output)).collect()
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
