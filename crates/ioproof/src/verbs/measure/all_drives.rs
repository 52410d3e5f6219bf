//! `verify --all-idle-drives`: one run a drive, one after the other or several at once, each kept as a run file in a folder. What cannot be measured is told and stops nothing.
//!
//! Needs no network and nothing of a fleet; `ioproof fleet` runs it on each node. A drive whose run file is there already is not measured again.

use super::verify::measure;
use crate::flags::verify::{CONSENTS, VerifyFlags};
use crate::settle::{self, RunOutputs};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use clap::builder::TypedValueParser;
use ioproof_core::facts::TargetKind;
use ioproof_core::text::visible;
use ioproof_fleet::{DriveEnd, NodeEnd, RefusedDrive, check_run_file, run_file_name, write_end};
use ioproof_inventory::drives::is_drive;
use ioproof_process::complaint::{self, complaint};
use ioproof_process::{interrupt, messages, output};
use ioproof_report::Format;
use ioproof_session::request::{SessionRequest, TargetRequest};
use ioproof_target::output_file::make_folders;
use ioproof_target::{Consent, System, reasons_against, threads};
use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// No list of serial numbers is larger. Bytes.
const MOST_BYTES: u64 = 16 << 20;

/// Time between two looks at whether a wait is to end.
const LOOK: Duration = Duration::from_millis(20);

/// Flags of `verify` about all drives of a machine.
#[derive(Debug, Args)]
pub struct AllDrivesFlags {
    /// Measure every drive that nothing uses, or of the targets those; --time is for each
    #[arg(long, requires = "out", conflicts_with_all = ["interleave", "dir", "destroy", "overwrite", "output", "format", "json", "live", "baseline", "fail_if", "standard", "resume"])]
    all_idle_drives: bool,
    /// Folder for a run file of each drive, and for end.json, which tells how all of it ended; what is there already is not measured again
    #[arg(long, value_name = "DIR", requires = "all_idle_drives")]
    out: Option<PathBuf>,
    /// Drives at once, each in a process of its own on its share of the CPUs; what they share, as an adapter, may hold them back
    #[arg(long, value_name = "N", requires = "all_idle_drives", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=256).map(usize::from))]
    at_once: usize,
    /// Write the drives whose serial numbers are in this file, one a line; what they hold is lost
    #[arg(long, value_name = "FILE", requires = "all_idle_drives", group = CONSENTS)]
    consent: Option<PathBuf>,
    /// Fleet that this machine is a node of
    #[arg(long, value_name = "ID", requires = "all_idle_drives", hide = true)]
    fleet: Option<String>,
    /// Moment at which the first drive begins, by this machine's clock: nanoseconds since 1970
    #[arg(long, value_name = "NS", requires = "all_idle_drives", hide = true)]
    start_at: Option<i64>,
}

impl AllDrivesFlags {
    /// Folder of the results, where all drives are to be measured.
    pub fn folder(&self) -> Option<&Path> {
        self.out.as_deref().filter(|_| self.all_idle_drives)
    }
}

/// Measures all drives and gives the exit status.
///
/// # Errors
/// When the folder cannot be written, or a flag is wrong.
pub fn run(mut flags: VerifyFlags, given: &AllDrivesFlags, folder: &Path, system: &System) -> Result<u8> {
    let started_at = Timestamp::now().to_string();
    let named: Vec<PathBuf> = flags.target.take().into_iter().chain(std::mem::take(&mut flags.more)).collect();
    let consents = given.consent.as_deref().map_or(Ok(Vec::new()), serials)?;
    // The wait for a common start ends with the first signal too.
    let _ = interrupt::flag()?;
    let (request, outputs) = settle::settle(flags, system)?;
    let all = AllDrives { system, folder, request, outputs, named, consents, at_once: given.at_once };
    if all.outputs.dry_run {
        return output::print_lines(all.rehearsed()).map(|()| 0);
    }
    make_folders(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let late_ns = given.start_at.map(wait_until);
    let mut end = all.measure();
    end.start_at = given.start_at.and_then(|at| Timestamp::from_nanosecond(at.into()).ok()).map(|at| at.to_string());
    end.start_late_ns = late_ns;
    end.host = ioproof_device::host(system).name.map(|name| name.value);
    (end.fleet, end.started_at) = (given.fleet.clone(), started_at);
    end.ended_at = Timestamp::now().to_string();
    write_end(folder, &end)?;
    output::print_lines(lines(&end))?;
    Ok(end.exit_status)
}

/// Waits for a moment, or until the run is to end. Gives the time since then in nanoseconds.
fn wait_until(at_ns: i64) -> i64 {
    let left_ns = || i128::from(at_ns) - Timestamp::now().as_nanosecond();
    if left_ns() > 0 {
        messages::say(&format!("waits {:.1} s for the common start", left_ns() as f64 / 1e9));
    }
    while left_ns() > 0 && !interrupt::is_ending() {
        let left = Duration::from_nanos(u64::try_from(left_ns()).unwrap_or(0));
        std::thread::sleep(left.min(LOOK));
    }
    i64::try_from(-left_ns()).unwrap_or(i64::MAX)
}

/// The targets that were named, or every drive that the kernel has.
fn chosen(system: &System, named: &[PathBuf]) -> Vec<PathBuf> {
    if !named.is_empty() {
        return named.to_vec();
    }
    let drives = ioproof_target::disks(system).into_iter().filter(|name| is_drive(system, name));
    drives.map(|name| ioproof_target::node_of(system, &name).unwrap_or_else(|| Path::new("/dev").join(name))).collect()
}

/// Serial number of a drive, and the consent with which it may be measured or the reason against that.
fn look(system: &System, path: &Path, own: &Consent, consents: &[String]) -> (Option<String>, Result<Consent, String>) {
    let target = match ioproof_target::resolve(system, path) {
        Ok(target) => target,
        Err(error) => return (None, Err(complaint::describe(&error.into()))),
    };
    let name = target.facts.stack.as_ref().filter(|_| target.facts.kind == TargetKind::BlockDevice).map(|node| node.name.clone());
    let serial = name.and_then(|name| ioproof_target::serial::serial(system, &name)).map(|serial| serial.value);
    let permit = match reasons_against(system, &target, own) {
        _ if target.is_directory() => Err("a directory is no drive".to_owned()),
        Err(error) => Err(complaint::describe(&error.into())),
        Ok(reasons) if reasons.is_empty() => Ok(Consent { destroy: Consent::naming(system, &target, consents).cloned(), ..own.clone() }),
        Ok(reasons) => Err(reasons.into_iter().map(|refusal| refusal.reason).collect::<Vec<_>>().join("; ")),
    };
    (serial, permit)
}

/// Serial numbers of a file, one a line; `#` begins a remark.
fn serials(path: &Path) -> Result<Vec<String>> {
    let bytes = ioproof_target::read_regular(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    let text =
        String::from_utf8(bytes).map_err(|_| complaint(format!("{} is no text", path.display()), "write one serial number a line"))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// A drive, and the consent with which it is measured or the reason against that.
struct DriveChoice {
    path: PathBuf,
    serial: Option<String>,
    permit: Result<Consent, String>,
    /// Name of its run file.
    file: String,
}

struct AllDrives<'a> {
    system: &'a System,
    folder: &'a Path,
    request: SessionRequest,
    outputs: RunOutputs,
    named: Vec<PathBuf>,
    consents: Vec<String>,
    /// Drives at once, from 1.
    at_once: usize,
}

impl AllDrives<'_> {
    /// A line for each drive: what would become of it.
    fn rehearsed(&self) -> Vec<String> {
        let own = self.consent();
        let line = |path: PathBuf| {
            let (serial, permit) = look(self.system, &path, &own, &self.consents);
            let what = match permit {
                Ok(consent) if consent.destroy.is_some() => "would be written, if nothing is on it".to_owned(),
                Ok(_) => "would be read".to_owned(),
                Err(reason) => format!("would not be measured: {}", visible(&reason)),
            };
            format!("{}: {what}", shown(&path.to_string_lossy(), serial.as_deref()))
        };
        chosen(self.system, &self.named).into_iter().map(line).collect()
    }

    /// Consent that is the same for all drives.
    fn consent(&self) -> Consent {
        self.request.targets.first().map(|target| target.consent.clone()).unwrap_or_default()
    }

    fn measure(&self) -> NodeEnd {
        let mut end =
            NodeEnd { schema_version: ioproof_fleet::SCHEMA_VERSION, version: env!("CARGO_PKG_VERSION").to_owned(), ..NodeEnd::default() };
        let mut files: Vec<String> = Vec::new();
        for paths in chosen(self.system, &self.named).chunks(self.at_once) {
            let looked: Vec<DriveChoice> = paths.iter().map(|path| self.choice(path, &mut files)).collect();
            let done = self.some(&looked);
            for (DriveChoice { path, serial, .. }, done) in looked.into_iter().zip(done) {
                let path = path.display().to_string();
                match done.map_err(|error| complaint::describe(&error)) {
                    Ok(drive) => end.drives.push(DriveEnd { path, serial, ..drive }),
                    Err(reason) => {
                        messages::warning(&format!("{path} is not measured: {reason}"));
                        end.refused.push(RefusedDrive { path, serial, reason });
                    }
                }
            }
        }
        end.interrupted = interrupt::is_ending();
        end.exit_status = exit_status(&end);
        end.first_finished_at = end.drives.iter().map(|drive| drive.ended_at.clone()).min();
        end.last_finished_at = end.drives.iter().map(|drive| drive.ended_at.clone()).max();
        end
    }

    /// Looks at a drive and gives its run file a name. Only now: the drives before it may have taken hours.
    fn choice(&self, path: &Path, files: &mut Vec<String>) -> DriveChoice {
        let (serial, permit) = look(self.system, path, &self.consent(), &self.consents);
        let file = run_file_name(serial.as_deref(), &path.to_string_lossy(), |name| files.iter().any(|other| other == name));
        files.push(file.clone());
        DriveChoice { path: path.to_owned(), serial, permit, file }
    }

    /// Measures drives at once; one alone is measured in this very process.
    fn some(&self, drives: &[DriveChoice]) -> Vec<Result<DriveEnd>> {
        if self.at_once == 1 {
            return drives.iter().map(|drive| self.one(drive, 0)).collect();
        }
        std::thread::scope(|scope| {
            let begin = |(slot, drive)| threads::spawn_within(scope, "drive", move || self.one(drive, slot));
            let begun: Vec<_> = drives.iter().enumerate().map(begin).collect();
            let end = |begun: std::io::Result<ScopedJoinHandle<'_, Result<DriveEnd>>>| {
                begun?.join().unwrap_or_else(|_| Err(anyhow!("it ended without a word")))
            };
            begun.into_iter().map(end).collect()
        })
    }

    /// Measures one drive, where its run file is not there already.
    fn one(&self, drive: &DriveChoice, slot: usize) -> Result<DriveEnd> {
        let consent = drive.permit.clone().map_err(|why| anyhow!(why))?;
        let (path, file, place) = (drive.path.as_path(), &drive.file, self.folder.join(&drive.file));
        let ended = || complaint("the run was ended before it", "run it again with the same --out");
        match check_run_file(&place) {
            Ok(_) => messages::note(&format!("{} was measured before: {} is there", path.display(), place.display())),
            Err(_) if interrupt::is_ending() => return Err(ended()),
            Err(_) if self.at_once > 1 => self.beside(path, &consent, &place, slot)?,
            Err(_) => {
                messages::say(&format!("{}:", path.display()));
                let (mut request, mut outputs) = (self.request.clone(), self.outputs.clone());
                request.plan.command = self.command(path, consent.destroy.as_deref());
                request.targets = vec![TargetRequest { path: Some(path.to_owned()), dir: None, consent }];
                outputs.reports.files = vec![(place.clone(), Format::Json)];
                measure(self.system, &request, &outputs)?;
            }
        }
        let run = check_run_file(&place).map_err(|error| if interrupt::is_ending() { ended() } else { error })?;
        Ok(DriveEnd {
            file: file.clone(),
            sha256: run.sha256,
            exit_status: run.exit_status,
            exit_reason: run.exit_reason,
            started_at: run.started_at,
            ended_at: run.ended_at,
            ..DriveEnd::default()
        })
    }

    /// Measures a drive in a process of its own, on its share of the CPUs where there is one for each.
    fn beside(&self, path: &Path, consent: &Consent, place: &Path, slot: usize) -> Result<()> {
        let mut words = self.command(path, consent.destroy.as_deref());
        let is_pinned = words.iter().any(|word| word == "--pin" || word.starts_with("--pin="));
        words.extend(own_cpus(slot, self.at_once).filter(|_| !is_pinned).into_iter().flat_map(|cpus| ["--pin".to_owned(), cpus]));
        let mut command = Command::new(std::env::current_exe()?);
        command.args(&words[1..]).arg("--quiet").arg("-o").arg(place);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.context("a process of its own cannot be started")?;
        messages::say(&format!("{}: begun", path.display()));
        let mut is_told = false;
        while child.try_wait()?.is_none() {
            if interrupt::is_ending() && !is_told {
                is_told = true;
                // Where a terminal has told it already, it takes both for one.
                Pid::from_raw(child.id().cast_signed()).map(|pid| kill_process(pid, Signal::TERM));
            }
            std::thread::sleep(LOOK);
        }
        let said = child.wait_with_output()?.stderr;
        let said = String::from_utf8_lossy(&said).into_owned();
        match said.lines().find_map(|line| line.strip_prefix("error: ")) {
            Some(why) if !place.exists() => Err(anyhow!(visible(why))),
            _ => Ok(()),
        }
    }

    /// The command that measures one drive the same way.
    fn command(&self, path: &Path, destroy: Option<&str>) -> Vec<String> {
        let mut words = Vec::new();
        let mut typed = settle::command().into_iter();
        while let Some(word) = typed.next() {
            match word.as_str() {
                "--all-idle-drives" => {}
                "--out" | "--consent" | "--fleet" | "--start-at" | "--at-once" => drop(typed.next()),
                other if ["--out=", "--consent=", "--fleet=", "--start-at=", "--at-once="].iter().any(|flag| other.starts_with(flag)) => {}
                other if self.named.iter().any(|named| named.to_string_lossy() == other) => {}
                _ => words.push(word),
            }
        }
        words.insert(words.len().min(2), path.to_string_lossy().into_owned());
        words.extend(destroy.into_iter().flat_map(|serial| ["--destroy".to_owned(), serial.to_owned()]));
        words
    }
}

/// CPUs of one of several that run at once, as a list; none where there is not one for each.
fn own_cpus(slot: usize, at_once: usize) -> Option<String> {
    let allowed = rustix::thread::sched_getaffinity(None).ok()?;
    let cpus: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let share = cpus.get(slot * cpus.len() / at_once..(slot + 1) * cpus.len() / at_once)?;
    (!share.is_empty()).then(|| share.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// The gravest of its drives. 2 where none was measured.
fn exit_status(end: &NodeEnd) -> u8 {
    let has = |status: u8| end.drives.iter().any(|drive| drive.exit_status == status);
    gravest(has, end.drives.is_empty() && !end.interrupted, end.interrupted)
}

/// The gravest of several: a claim is missed, one could not be measured or `failed`, one cannot be judged or is left.
pub fn gravest(has: impl Fn(u8) -> bool, failed: bool, is_left: bool) -> u8 {
    match () {
        () if has(1) => 1,
        () if failed || has(2) => 2,
        () if has(3) || is_left => interrupt::INTERRUPTED,
        () => 0,
    }
}

fn lines(end: &NodeEnd) -> Vec<String> {
    let measured = end.drives.iter().map(|drive| {
        let name = shown(&drive.path, drive.serial.as_deref());
        format!("{name}: exit status {}, {}; {}", drive.exit_status, visible(&drive.exit_reason), drive.file)
    });
    let refused = end
        .refused
        .iter()
        .map(|drive| format!("{}: not measured: {}", shown(&drive.path, drive.serial.as_deref()), visible(&drive.reason)));
    let none = end.drives.is_empty() && end.refused.is_empty();
    measured.chain(refused).chain(none.then(|| "no drives here; name targets, as of loop devices".to_owned())).collect()
}

/// `/dev/sda (SERIAL)`.
fn shown(path: &str, serial: Option<&str>) -> String {
    let serial = serial.map(|serial| format!(" ({})", visible(serial))).unwrap_or_default();
    format!("{}{serial}", visible(path))
}
