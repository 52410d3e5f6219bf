//! A command of `ioproof verify` with a given load: the one that was typed, without its load, outputs and what else would not fit.

use crate::limited_by::SWITCHES;
use crate::record::{JobRecord, RunRecord};
use crate::text::shell_word;
use crate::units::block_size;
use crate::workload::{Durability, Pattern, Workload};

/// Flags with a value that a further run gives anew, or does without.
const REPLACED: [&str; 11] =
    ["--rw", "--bs", "--depth", "--workers", "--backend", "-o", "--output", "--format", "--latency-target", "--baseline", "--fail-if"];
/// Flags without a value that it does without.
const DROPPED: [&str; 4] = ["--json", "--live", "--dry-run", "--precondition"];
/// Flags of consent, which only a load that writes keeps.
const CONSENT: [&str; 4] = ["--destroy", "--overwrite", "--destroy-unknown-content", "--destroy-unseen-users"];
/// Flags that settle how long it takes.
const TIME: [&str; 2] = ["--time", "--quick"];

/// Words of a command, the program's name first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CommandWords {
    words: Vec<String>,
    /// Position of the target among them; none where it was left out.
    target: Option<usize>,
}

impl CommandWords {
    /// The command that runs this load on the job's target; none where no flags say it.
    pub(super) fn of(record: &RunRecord, job: &JobRecord, workload: &Workload) -> Option<Self> {
        // Of two targets in turns a job has one, and the command that was typed both.
        let is_typed = record.verb == crate::record::verbs::VERIFY && record.targets.len() < 2;
        let base = if is_typed { typed(record, workload) } else { of_job_file(record, job, workload) };
        let (mut words, target) = base?;
        words.extend(load(workload)?);
        if workload.durability != Durability::None && !has(&words, "--sync") {
            words.extend(["--sync".into(), sync(workload.durability)?.into()]);
        }
        if !TIME.iter().any(|flag| has(&words, flag)) {
            words.extend(["--time".into(), "1m".into()]);
        }
        Some(Self { words, target })
    }

    /// The command as typed, without its outputs, which a further run would replace; none of a record that does not have it.
    pub(super) fn again(record: &RunRecord) -> Option<Self> {
        // A drive on which the run made a filesystem holds it now, so that the same command would be refused.
        if record.verb == crate::record::verbs::LAYERS && has(&record.config.command, "--drive") {
            return None;
        }
        let mut words = Vec::new();
        let mut typed = record.config.command.iter();
        while let Some(word) = typed.next() {
            let flag = word.split('=').next().unwrap_or(word);
            match flag {
                "-o" | "--output" if flag == word => drop(typed.next()),
                "--output" => {}
                joined if joined.starts_with("-o") => {}
                _ => words.push(word.clone()),
            }
        }
        (words.len() > 1).then_some(Self { words, target: None })
    }

    /// The same on another target, which is only read.
    pub(super) fn on(mut self, target: &str) -> Self {
        match (self.target, self.words.iter().position(|word| word.split('=').next() == Some("--dir"))) {
            (Some(at), _) => self.words[at] = target.to_owned(),
            // It names a folder in the place of a target.
            (None, Some(dir)) => {
                let words = if self.words[dir].contains('=') { 1 } else { 2 };
                self.words.splice(dir..dir + words, [target.to_owned()]);
            }
            (None, None) => self.words.insert(2, target.to_owned()),
        }
        Self { target: None, ..self }
    }

    /// The same with one more flag, or with another value of it.
    pub(super) fn with(mut self, flag: &str, value: &str) -> Self {
        match self.words.iter().position(|word| word == flag) {
            Some(at) => self.words[at + 1] = value.to_owned(),
            None => self.words.extend([flag.to_owned(), value.to_owned()]),
        }
        self
    }

    pub(super) fn line(&self) -> String {
        self.words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
    }

    /// The same from a shell that first leaves the control group in whose folder this file is; none for the topmost group, which nobody leaves.
    pub(super) fn outside_of(&self, file: &str) -> Option<String> {
        let (group, name) = file.rsplit_once('/')?;
        let root = topmost(group, name)?;
        let script = format!("echo $$ > {}/cgroup.procs && exec {}", shell_word(root), self.line());
        (group != root).then(|| format!("sh -c {}", shell_word(&script)))
    }
}

/// The folder of the topmost group of a hierarchy: of version 2 where it is mounted, of version 1 a folder below, of a controller.
fn topmost<'a>(group: &'a str, file: &str) -> Option<&'a str> {
    const MOUNT: &str = "/sys/fs/cgroup";
    let below = group.strip_prefix(MOUNT)?;
    let is_version_2 = file.ends_with(".max") || file.ends_with(".high");
    let folder = below.split('/').nth(1).filter(|folder| !is_version_2 || *folder == "unified");
    Some(folder.map_or(MOUNT, |folder| &group[..MOUNT.len() + 1 + folder.len()]))
}

/// The command as typed, without what a further run does not want, and the place of its target in it.
fn typed(record: &RunRecord, workload: &Workload) -> Option<(Vec<String>, Option<usize>)> {
    let mut words = record.config.command.iter();
    let program = words.next()?;
    let mut kept = vec![program.clone(), words.next().filter(|verb| *verb == "verify")?.clone()];
    let mut target = None;
    while let Some(word) = words.next() {
        let (flag, inline) = word.split_once('=').map_or((word.as_str(), false), |(flag, _)| (flag, true));
        let is_unwanted = is_replaced(flag) || DROPPED.contains(&flag) || CONSENT.contains(&flag) && !workload.writes();
        let value = if takes_value(flag) && !inline { words.next() } else { None };
        if !flag.starts_with('-') {
            target = Some(kept.len());
        }
        if !is_unwanted {
            kept.extend([Some(word), value].into_iter().flatten().cloned());
        }
    }
    Some((kept, target))
}

/// True for a flag that is given anew, with its value joined to it too.
fn is_replaced(flag: &str) -> bool {
    REPLACED.contains(&flag) || flag.starts_with("-o")
}

/// True for a flag that has its value in the next word: not `--quick`, and not `-oFILE`.
fn takes_value(flag: &str) -> bool {
    let is_joined = !flag.starts_with("--") && flag.len() > 2;
    flag.starts_with('-') && !is_joined && !SWITCHES.contains(&flag)
}

/// Of a job file: reads of a plain load on the only target, past the page cache, as `verify` reads.
fn of_job_file(record: &RunRecord, job: &JobRecord, workload: &Workload) -> Option<(Vec<String>, Option<usize>)> {
    let [target] = job.targets[..] else { return None };
    let facts = &record.targets.get(target as usize)?.facts;
    let is_plain = workload.shape.is_plain() && !workload.writes() && facts.direct;
    is_plain.then(|| (vec!["ioproof".into(), "verify".into(), facts.given.clone()], Some(2)))
}

/// The flags of a load whose details beyond these are in the command already.
fn load(workload: &Workload) -> Option<Vec<String>> {
    let shape = &workload.shape;
    let mixed = !shape.read_sizes.is_empty() || !shape.write_sizes.is_empty() || shape.read_range.is_some() || shape.write_range.is_some();
    let flags = [
        ("--rw", mix(workload)),
        ("--bs", block_size(workload.block_bytes.into()).replace(' ', "")),
        ("--depth", workload.depth.to_string()),
        ("--workers", workload.workers.to_string()),
    ];
    let backend = workload.backend_name().map(|backend| ("--backend", backend));
    (!mixed).then(|| flags.into_iter().chain(backend).flat_map(|(flag, value)| [flag.to_owned(), value]).collect())
}

fn mix(workload: &Workload) -> String {
    let random = if workload.pattern == Pattern::Random { "rand" } else { "" };
    match (workload.read_percent, workload.shape.trim_percent) {
        (100, _) => format!("{random}read"),
        (0, 0) => format!("{random}write"),
        (0, 100) => format!("{random}trim"),
        (reads, 0) => format!("{random}rw:{reads}"),
        (reads, trims) => format!("{random}rw:{reads}:{trims}"),
    }
}

/// The value of `--sync` for those that a plan has.
fn sync(durability: Durability) -> Option<&'static str> {
    match durability {
        Durability::FdatasyncEach => Some("fdatasync"),
        Durability::FsyncEach => Some("fsync"),
        Durability::Dsync => Some("dsync"),
        Durability::Sync => Some("sync"),
        Durability::Fua => Some("fua"),
        _ => None,
    }
}

fn has(words: &[String], flag: &str) -> bool {
    words.iter().any(|word| word.split('=').next() == Some(flag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Config;
    use crate::testing::record;

    fn command(typed: &[&str], workload: &Workload) -> Option<String> {
        let mut record = record();
        record.config.command = typed.iter().map(|word| (*word).to_owned()).collect();
        Some(CommandWords::of(&record, &record.jobs[0], workload)?.line())
    }

    #[test]
    fn a_load_that_reads_loses_outputs_consent_and_the_old_load() {
        let typed = [
            "ioproof",
            "verify",
            "/dev/sda",
            "--destroy",
            "S1",
            "--time=2m",
            "--rw",
            "randread",
            "-o",
            "a.html",
            "-ob.md",
            "--json",
            "--live",
            "--polled",
        ];
        let reads = Workload::plain(Pattern::Random, 100, 4096, 2, 64);
        assert_eq!(
            command(&typed, &reads).unwrap(),
            "ioproof verify /dev/sda --time=2m --polled --rw randread --bs 4KiB --depth 64 --workers 2"
        );
        let writes = Workload { read_percent: 0, durability: Durability::FdatasyncEach, ..reads };
        let kept = command(&typed, &writes).unwrap();
        assert!(kept.contains("--destroy S1") && kept.ends_with("--sync fdatasync"), "{kept}");
    }

    #[test]
    fn a_mix_and_a_target_with_a_blank() {
        let mix = Workload::plain(Pattern::Sequential, 70, 512, 1, 1);
        let line = command(&["ioproof", "verify", "my dir", "--quick"], &mix).unwrap();
        assert_eq!(line, "ioproof verify 'my dir' --quick --rw rw:70 --bs 512B --depth 1 --workers 1");
        assert_eq!(command(&["ioproof", "report", "last"], &mix), None);
        assert_eq!(command(&[], &mix), None);
    }

    #[test]
    fn another_target_takes_the_place_of_the_one_that_was_typed() {
        let mut record = record();
        let reads = Workload::plain(Pattern::Random, 100, 4096, 1, 1);
        for typed in ["verify x --quick", "verify --quick", "verify --dir x --quick", "verify --dir=x --quick"] {
            record.config.command = std::iter::once("ioproof").chain(typed.split(' ')).map(str::to_owned).collect();
            let on = CommandWords::of(&record, &record.jobs[0], &reads).unwrap().on("/dev/sdb").line();
            assert!(on.starts_with("ioproof verify /dev/sdb --quick --rw"), "{on}");
        }
    }

    #[test]
    fn leaving_a_group() {
        let reads = Workload::plain(Pattern::Random, 100, 4096, 1, 1);
        let mut record = record();
        record.config.command = ["ioproof", "verify", "/dev/sda"].map(str::to_owned).to_vec();
        let command = CommandWords::of(&record, &record.jobs[0], &reads).unwrap();
        let outside = command.outside_of("/sys/fs/cgroup/a/b/io.max").unwrap();
        assert!(outside.starts_with("sh -c 'echo $$ > /sys/fs/cgroup/cgroup.procs && exec ioproof verify /dev/sda "), "{outside}");
        let of_version_1 = command.outside_of("/sys/fs/cgroup/blkio/a/blkio.throttle.read_iops_device").unwrap();
        assert!(of_version_1.contains("> /sys/fs/cgroup/blkio/cgroup.procs"), "{of_version_1}");
        assert_eq!(command.outside_of("/sys/fs/cgroup/io.max"), None);
        assert_eq!(command.outside_of("/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device"), None);
    }

    #[test]
    fn reads_of_a_job_file_and_the_job_file_again() {
        let reads = Workload::plain(Pattern::Random, 100, 4096, 1, 8);
        let mut record = record();
        record.verb = "run".into();
        record.config.command = ["ioproof", "run", "a b.fio"].map(str::to_owned).to_vec();
        assert_eq!(CommandWords::again(&record).unwrap().line(), "ioproof run 'a b.fio'");
        let line = "ioproof sweep x -o a.html -ob.md --output=c.csv --output d.json --depth 1,2";
        let sweep = RunRecord {
            config: Config { command: line.split(' ').map(str::to_owned).collect(), ..record.config.clone() },
            ..record.clone()
        };
        assert_eq!(CommandWords::again(&sweep).unwrap().line(), "ioproof sweep x --depth 1,2", "outputs are left out");
        let of =
            |record: &RunRecord, workload: &Workload| CommandWords::of(record, &record.jobs[0], workload).map(|command| command.line());
        assert_eq!(of(&record, &reads).unwrap(), "ioproof verify /dev/nvme0n1 --rw randread --bs 4KiB --depth 8 --workers 1 --time 1m");
        assert_eq!(of(&record, &Workload { read_percent: 0, ..reads.clone() }), None, "nobody consented to writing");
        record.targets[0].facts.direct = false;
        assert_eq!(of(&record, &reads), None);
    }
}
