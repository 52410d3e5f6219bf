//! Nodes as processes that a shell starts, here or over ssh, each in a folder of its own there. They go on without us; what they leave in the folder tells their state.

mod scripts;

use super::shell::Shell;
use super::work::Work;
use super::{Begun, Launch, Part, Seen};
use crate::end::ClockOffset;
use crate::files::check_run_file;
use crate::folder::FleetFolder;
use crate::plan::{Launcher, Plan};
use crate::state::FleetState;
use anyhow::{Context, Result, anyhow};
use ioproof_core::text::visible;
use ioproof_process::complaint::{complaint, describe};
use ioproof_process::messages;
use ioproof_target::threads;
use scripts::Folder;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

/// Nodes that are asked at a time.
const AT_A_TIME: usize = 16;

/// The launchers `ssh` and `local`.
#[derive(Debug)]
pub struct Hosts {
    launcher: Launcher,
    folder: FleetFolder,
    plan: Plan,
    id: String,
    /// The program that goes along.
    program: PathBuf,
    /// Serial numbers that consent.
    consent: Option<PathBuf>,
}

impl Hosts {
    /// A launcher of this fleet.
    #[must_use]
    pub fn new(launcher: Launcher, folder: &FleetFolder, plan: &Plan, id: &str, program: &Path, consent: Option<&Path>) -> Self {
        let (folder, plan, id) = (folder.clone(), plan.clone(), id.to_owned());
        Self { launcher, folder, plan, id, program: program.to_owned(), consent: consent.map(Path::to_owned) }
    }

    fn shell(&self, part: Part<'_>) -> Shell {
        match self.launcher {
            Launcher::Local => Shell::Local,
            _ => Shell::Ssh {
                address: part.node.address.clone().unwrap_or_else(|| part.node.name.clone()),
                options: self.plan.ssh.options.clone(),
            },
        }
    }

    /// The folder of a node where it runs.
    fn there(&self, part: Part<'_>) -> Folder {
        if self.launcher == Launcher::Local {
            let path = self.folder.node(&part.node.name).join("work").to_string_lossy().into_owned();
            return Folder { path, others: None, attempt: part.attempt };
        }
        let base = self.plan.ssh.folder.as_deref().unwrap_or("/tmp");
        let all = format!("{}/ioproof-fleet-", base.trim_end_matches('/'));
        let own = format!("{all}{}-", self.id);
        Folder { path: format!("{own}{}", part.node.name), others: Some((all, own)), attempt: part.attempt }
    }

    fn begin_one(&self, state: &FleetState, part: Part<'_>) -> Result<Begun> {
        let (shell, there) = (self.shell(part), self.there(part));
        let begun = |clock| Begun { handle: there.path.clone(), clock };
        let has = shell.run(&there.make())?;
        if has.contains("begun") {
            return Ok(begun(None));
        }
        let clock = if self.launcher == Launcher::Ssh { Some(round_trip(&shell)?) } else { None };
        let installed = part.node.program.clone().or_else(|| self.plan.program.clone());
        if installed.is_none() && !has.contains("program") {
            shell.push(&self.program, &format!("{}/ioproof.new", there.path))?;
        }
        if let Some(consent) = &self.consent {
            shell.push(consent, &format!("{}/consent.txt", there.path))?;
        }
        let work = Work {
            installed,
            flags: &self.plan.flags,
            targets: &part.node.targets,
            fleet: &self.id,
            has_consent: self.consent.is_some(),
            start_at_ns: state.start_at_ns().map(|at| by_its_clock(at, clock.as_ref())),
        };
        shell.run(&there.begin(&work, self.plan.limit()))?;
        Ok(begun(clock))
    }

    fn look_one(&self, part: Part<'_>) -> Seen {
        match self.shell(part).run(&self.there(part).look()) {
            Ok(said) => scripts::seen(&said, &self.plan.limit),
            Err(error) => Seen::Unknown(describe(&error)),
        }
    }

    /// Does it for each part, several at a time.
    fn each<T: Send>(parts: &[Part<'_>], act: impl Fn(Part<'_>) -> T + Sync) -> Vec<Option<T>> {
        let act = &act;
        let mut done = Vec::new();
        for some in parts.chunks(AT_A_TIME) {
            std::thread::scope(|scope| {
                let begun: Vec<_> = some.iter().map(|part| threads::spawn_within(scope, "node", move || act(*part)).ok()).collect();
                done.extend(begun.into_iter().map(|thread| thread?.join().ok()));
            });
        }
        done
    }
}

/// A moment by the clock of a node, where that is known to differ.
fn by_its_clock(at_ns: i64, clock: Option<&ClockOffset>) -> i64 {
    let off = clock.filter(|clock| clock.offset_ns.abs() > clock.error_ns).map_or(0, |clock| clock.offset_ns);
    at_ns.saturating_add(off)
}

impl Launch for Hosts {
    fn keeps_limits(&self) -> bool {
        false
    }

    fn begin(&self, state: &FleetState, parts: &[Part<'_>]) -> Vec<Result<Begun>> {
        let done = Self::each(parts, |part| self.begin_one(state, part));
        done.into_iter().map(|done| done.unwrap_or_else(|| Err(anyhow!("no thread is to be had")))).collect()
    }

    fn look(&self, parts: &[Part<'_>]) -> Vec<Seen> {
        let done = Self::each(parts, |part| self.look_one(part));
        done.into_iter().map(|seen| seen.unwrap_or_else(|| Seen::Unknown("no thread is to be had".into()))).collect()
    }

    fn fetch(&self, part: Part<'_>) -> Result<()> {
        let (shell, there, own) = (self.shell(part), self.there(part), self.folder.node(&part.node.name));
        let incoming = own.join("incoming");
        let fetch = || -> Result<()> {
            let _ = std::fs::remove_dir_all(&incoming);
            shell.pull(&format!("{}/out", there.path), &incoming).context("its files are not fetched")?;
            damaged(&incoming)
        };
        let mut fetched = fetch();
        if let Err(error) = &fetched {
            messages::warning(&format!("{}: {}; fetched again", part.node.name, visible(&describe(error))));
            fetched = fetch();
        }
        take_in(&incoming, &own)?;
        fetched
    }

    fn cancel(&self, part: Part<'_>) -> Result<()> {
        self.shell(part).run(&self.there(part).end()).map(drop)
    }

    fn clean(&self, part: Part<'_>) -> Result<()> {
        self.shell(part).run(&self.there(part).remove()).map(drop)
    }
}

/// Looks at every run file of a folder.
///
/// # Errors
/// When one does not fit its digest.
fn damaged(folder: &Path) -> Result<()> {
    let files = run_files(folder)?;
    files.iter().try_for_each(|path| check_run_file(path).map(drop))
}

fn run_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let found = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = found.flatten().map(|entry| entry.path());
    Ok(paths.filter(|path| path.extension().is_some_and(|ending| ending == "json") && !path.ends_with("end.json")).collect())
}

/// Moves what was fetched to its place; a damaged file gets another name, and the end comes last.
fn take_in(incoming: &Path, own: &Path) -> Result<()> {
    let moved = |from: &Path, name: &str| {
        std::fs::rename(from, own.join(name)).with_context(|| format!("cannot write {}", own.join(name).display()))
    };
    for path in run_files(incoming)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match check_run_file(&path) {
            Ok(_) => {
                let _ = std::fs::remove_file(own.join(format!("{name}.damaged")));
                moved(&path, &name)?;
            }
            Err(_) => moved(&path, &format!("{name}.damaged"))?,
        }
    }
    for name in ["talk.txt", "end.json"] {
        if incoming.join(name).exists() {
            moved(&incoming.join(name), name)?;
        }
    }
    std::fs::remove_dir_all(incoming).with_context(|| format!("cannot remove {}", incoming.display()))
}

/// Measures the clock of a node: it tells its time when it is asked, and the answer lies between the question and its arrival.
///
/// # Errors
/// When it cannot be reached, or tells no time.
fn round_trip(shell: &Shell) -> Result<ClockOffset> {
    let no_time = || complaint("the node tells no time", "`date +%s%N` must print nanoseconds there");
    let mut child =
        shell.clock().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().context("ssh cannot be started")?;
    let (Some(mut ask), Some(answers)) = (child.stdin.take(), child.stdout.take()) else { return Err(no_time()) };
    let mut answers = BufReader::new(answers).lines();
    // The connection is there once the first one has come.
    let first = answers.next();
    let asked_ns = now_ns();
    let sent = ask.write_all(b"\n");
    let second = answers.next();
    let came_ns = now_ns();
    drop(ask);
    child.wait().context("ssh cannot be waited for")?;
    sent.map_err(|_| no_time())?;
    let there_ns: i64 = first.and(second).and_then(Result::ok).and_then(|line| line.trim().parse().ok()).ok_or_else(no_time)?;
    let (half_ns, middle_ns) = ((came_ns - asked_ns) / 2, asked_ns.midpoint(came_ns));
    Ok(ClockOffset { offset_ns: there_ns - middle_ns, error_ns: half_ns, source: "round trip over ssh".into() })
}

/// Nanoseconds since 1970.
fn now_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_by_the_clock_that_will_be_looked_at() {
        let clock = |offset_ns| ClockOffset { offset_ns, error_ns: 10, source: String::new() };
        assert_eq!(by_its_clock(1000, Some(&clock(500))), 1500);
        assert_eq!(by_its_clock(1000, Some(&clock(-9))), 1000, "within what the measurement can tell");
        assert_eq!(by_its_clock(1000, None), 1000);
    }

    #[test]
    fn a_clock_of_this_machine_is_right() {
        let clock = round_trip(&Shell::Local).unwrap();
        assert!(clock.offset_ns.abs() <= clock.error_ns + 50_000_000, "{clock:?}");
    }

    #[test]
    fn damaged_files_come_in_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let (incoming, own) = (folder.path().join("incoming"), folder.path().join("own"));
        std::fs::create_dir_all(&incoming).unwrap();
        std::fs::create_dir_all(&own).unwrap();
        for name in ["S1.json", "talk.txt", "end.json"] {
            std::fs::write(incoming.join(name), "{}").unwrap();
        }
        assert!(damaged(&incoming).is_err());
        take_in(&incoming, &own).unwrap();
        assert!(
            own.join("S1.json.damaged").exists() && !own.join("S1.json").exists() && own.join("end.json").exists() && !incoming.exists()
        );
    }
}
