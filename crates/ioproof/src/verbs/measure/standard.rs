//! `verify --standard`: the tests of a standard. The front of it: flags, what does not go with them, and an interrupted run that goes on.

use super::all_drives::AllDrivesFlags;
use super::resume;
use crate::flags::sizes::read_share;
use crate::flags::verify::VerifyFlags;
use crate::settle::{self, RunOutputs};
use anyhow::Result;
use clap::{Args, ValueEnum};
use ioproof_core::record::RunRecord;
use ioproof_core::standard::{CELL_NS, Class, Test};
use ioproof_process::complaint::complaint;
use ioproof_session::request::{PurgeWish, RunKind, SessionRequest, StandardRequest};
use ioproof_target::System;
use ioproof_target::purge::PurgeMethod;
use std::time::Duration;

/// Flags of the verb `verify`.
#[derive(Debug, Args)]
pub struct VerifyVerb {
    /// Flags that other verbs have too.
    #[command(flatten)]
    pub verify: VerifyFlags,
    /// Flags about all drives of a machine.
    #[command(flatten)]
    pub drives: AllDrivesFlags,
    /// Flags of the tests of a standard, under a heading of their own, which would be that of all flags behind it.
    #[command(flatten)]
    pub standard: StandardFlags,
}

/// Flags of the tests of a standard.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tests of a standard")]
pub struct StandardFlags {
    /// Run the tests of SNIA SSS PTS 2.0.2, which write the target in full many times; --time is then the length of a cell  [default: 60s]
    #[arg(long, value_name = "CLASS")]
    pub standard: Option<StandardName>,
    /// Which tests; wsat, hir, xsr and dirth are runs of their own  [default: iops,tp,lat]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        requires = "standard",
        default_values = ["iops", "tp", "lat"],
        hide_default_value = true
    )]
    pub tests: Vec<TestName>,
    /// Consent: the tests may use up to this share of the drive's rated endurance
    #[arg(long, value_name = "SHARE", value_parser = read_share, requires = "standard", default_value = "1%")]
    pub endurance: f64,
    /// Purge before each test by this method, or not  [default: the strongest that the drive has, where all of a drive is tested]
    #[arg(long, value_name = "METHOD", requires = "standard")]
    pub purge: Option<PurgeName>,
    /// Go on with such a run, which was interrupted, on the same file or device: its id, the beginning of one, its name, or `last`
    #[arg(long, value_name = "RUN")]
    pub resume: Option<String>,
}

/// A class of drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StandardName {
    /// Enterprise (PTS-E): all of the drive, 4 threads of 32 outstanding I/Os
    Snia,
    /// The same
    SniaEnterprise,
    /// Client (PTS-C): three quarters of the drive, 2 threads of 16 outstanding I/Os
    SniaClient,
}

/// A purge by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PurgeName {
    /// NVMe Sanitize: block erase, else crypto erase
    Sanitize,
    /// NVMe Format with a user data erase
    Format,
    /// Discard of all blocks; the only one for ATA and SCSI
    Discard,
    /// No purge: the report says so
    None,
}

impl From<PurgeName> for PurgeWish {
    fn from(name: PurgeName) -> Self {
        match name {
            PurgeName::Sanitize => Self::By(PurgeMethod::Sanitize),
            PurgeName::Format => Self::By(PurgeMethod::Format),
            PurgeName::Discard => Self::By(PurgeMethod::Discard),
            PurgeName::None => Self::Never,
        }
    }
}

/// A test by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestName {
    /// Random I/O of 7 R/W mixes and 8 block sizes
    Iops,
    /// Sequential reads and writes of 128 KiB and of 1024 KiB
    Tp,
    /// Response time of one I/O at a time
    Lat,
    /// Write saturation: random writes of 4 KiB until steady, or 4 x the capacity is written
    Wsat,
    /// Host idle recovery: what rests of the host give back
    Hir,
    /// Cross-stimulus recovery: large sequential, small random and again large sequential writes, 22 hours
    Xsr,
    /// Demand intensity: IOPS against response time, 1 to 32 threads of 1 to 32 outstanding I/Os
    Dirth,
}

impl TestName {
    fn tests(self) -> &'static [Test] {
        match self {
            Self::Iops => &[Test::Iops],
            Self::Tp => &[Test::Throughput128, Test::Throughput1024],
            Self::Lat => &[Test::Latency],
            Self::Wsat => &[Test::WriteSaturation],
            Self::Hir => &[Test::HostIdleSaturation, Test::HostIdle],
            Self::Xsr => &[Test::CrossStimulus],
            Self::Dirth => &[Test::DemandSaturation, Test::DemandIntensity],
        }
    }

    /// True for a test that begins on a drive that nothing has written.
    fn is_alone(self) -> bool {
        self.tests().iter().any(|test| !test.is_preconditioned())
    }
}

/// Flags that go with the tests, as they are typed.
const FITTING: &str = "--standard --tests --endurance --purge --size --offset --dir --time --workers --depth --datasheet --overwrite --destroy \
                       --destroy-unknown-content --destroy-unseen-users --admit --dry-run --output --json --format --live --seed --backend \
                       --baseline --fail-if --pin --huge-pages --io-timeout --faults";

/// The request of the tests of a standard; none where no standard was asked for.
///
/// # Errors
/// When something does not go with them, or there is nothing to go on with.
pub fn settle(args: &VerifyVerb, system: &System) -> Result<Option<(SessionRequest, RunOutputs)>> {
    let command = settle::command();
    match (&args.standard.resume, args.standard.standard) {
        (Some(run), _) => taken_up(run, &args.verify, system).map(Some),
        (None, Some(class)) => settled(&command, class, &args.standard, args.verify.clone(), system).map(Some),
        (None, None) => Ok(None),
    }
}

fn settled(
    command: &[String],
    class: StandardName,
    flags: &StandardFlags,
    mut verify: VerifyFlags,
    system: &System,
) -> Result<(SessionRequest, RunOutputs)> {
    if let Some(word) = unfit(command) {
        return Err(complaint(format!("{word} does not go with --standard, which sets the load"), "leave it out"));
    }
    if !verify.more.is_empty() {
        return Err(complaint("--standard tests one target", "test each by itself"));
    }
    let class = if class == StandardName::SniaClient { Class::Client } else { Class::Enterprise };
    let (workers, depth) = class.concurrency();
    let workers = one("--workers", &std::mem::take(&mut verify.load.workers))?.unwrap_or(workers);
    let depth = one("--depth", &std::mem::take(&mut verify.load.depth))?.unwrap_or(depth);
    if workers * depth == 1 {
        return Err(complaint("one I/O at a time is the latency test (LAT)", "more --workers or --depth, or only --tests lat"));
    }
    let tests = tests(&flags.tests)?;
    let cell = verify.time.take().unwrap_or(Duration::from_nanos(CELL_NS));
    let (endurance, purge) = (flags.endurance, flags.purge.map_or(PurgeWish::Usual, Into::into));
    let request = StandardRequest { class, tests, workers, depth, cell, endurance, purge, taken_up: None };
    let (mut session, outputs) = settle::settle(verify, system)?;
    if session.plan.load.is_null() {
        return Err(complaint("--backend null does no I/O, and --standard tests a drive", "leave it out"));
    }
    let workloads = request.workloads();
    session.plan.load.most_workers = workloads.iter().map(|cell| cell.workers).max().unwrap_or(workers);
    session.plan.load.workloads = workloads;
    session.plan.kind = RunKind::Standard(Box::new(request));
    Ok((session, outputs))
}

/// The tests in the order of the specification.
fn tests(names: &[TestName]) -> Result<Vec<Test>> {
    let alone = names.iter().find(|name| name.is_alone());
    if let Some(alone) = alone.filter(|alone| names.iter().any(|name| name != *alone)) {
        let word = alone.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        let text = format!("{word} begins on a drive that no other test has written");
        return Err(complaint(text, format!("run it by itself: --tests {word}")));
    }
    let order = TestName::value_variants().iter().filter(|name| names.contains(name));
    Ok(order.flat_map(|name| name.tests()).copied().collect())
}

fn one(flag: &str, values: &[u32]) -> Result<Option<u32>> {
    match values {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        _ => Err(complaint(format!("{flag} takes one value with --standard"), "run each by itself")),
    }
}

/// The first flag of a command line that does not go with the tests.
fn unfit(command: &[String]) -> Option<&String> {
    let name = |word: &str| word.split('=').next().unwrap_or_default().to_owned();
    let known = |word: &str| FITTING.split(' ').any(|fitting| fitting == name(word)) || word.starts_with("-o");
    command.iter().find(|word| word.starts_with('-') && word.len() > 1 && !known(word))
}

/// The request of interrupted tests as it was typed, with the same seed and with what was measured.
fn taken_up(run: &str, args: &VerifyFlags, system: &System) -> Result<(SessionRequest, RunOutputs)> {
    let is_standard = |record: &RunRecord| record.plan.as_ref().is_some_and(|plan| plan.standard.is_some());
    let record = resume::interrupted(run, ("verify", &[]), is_standard)?;
    let (command, VerifyVerb { standard, mut verify, .. }) = resume::typed(&record, "verify")?;
    let class = standard.standard.ok_or_else(|| resume::unreadable(&record, "verify"))?;
    resume::anew(&mut verify, args, &record)?;
    let (mut request, outputs) = settled(&command, class, &standard, verify, system)?;
    (request.plan.command, request.plan.seed) = (command, record.config.seed);
    if let RunKind::Standard(of) = &mut request.plan.kind {
        of.taken_up = Some(Box::new(record));
    }
    Ok((request, resume::outputs(outputs, args)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    fn settle_line(line: &str) -> Result<SessionRequest> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let VerifyVerb { standard, verify, .. } = flags::read(words.iter().skip(1)).unwrap_or_else(|| panic!("{line}"));
        let system = System::captured(std::path::Path::new("/proc/self/nowhere"));
        settled(&words, standard.standard.unwrap(), &standard, verify, &system).map(|(request, _)| request)
    }

    #[test]
    fn a_class_sets_depth_and_cells_and_time_is_that_of_a_cell() {
        let client = settle_line("ioproof verify x.img --standard snia-client --overwrite x.img --time 2s").unwrap();
        let of = client.plan.kind.standard().unwrap();
        assert_eq!((of.class, of.workers, of.depth, of.cell), (Class::Client, 2, 16, Duration::from_secs(2)));
        assert_eq!(of.tests, [Test::Iops, Test::Throughput128, Test::Throughput1024, Test::Latency]);
        assert_eq!((client.plan.load.workloads.len(), client.plan.time), (56 + 4 + 9, None));
        let enterprise = settle_line("ioproof verify x.img --standard snia --tests lat,iops --depth 8 -oa.html").unwrap();
        let of = enterprise.plan.kind.standard().unwrap();
        assert_eq!((of.class, of.depth, of.tests.as_slice()), (Class::Enterprise, 8, [Test::Iops, Test::Latency].as_slice()));
    }

    #[test]
    fn what_would_change_the_tests_is_refused() {
        for (flags, why) in [
            ("--rw randread", "--rw does not go with"),
            ("--precondition", "--precondition does not go with"),
            ("--depth 1,2", "--depth takes one value"),
            ("--workers 1 --depth 1", "one I/O at a time"),
            ("--tests wsat,iops", "wsat begins on a drive"),
            ("--tests xsr,hir", "begins on a drive"),
            ("--tests iops,dirth", "dirth begins on a drive"),
        ] {
            let error = settle_line(&format!("ioproof verify x.img --standard snia {flags}")).unwrap_err();
            assert!(format!("{error:#} {error:?}").contains(why), "{flags}: {error:?}");
        }
    }
}
