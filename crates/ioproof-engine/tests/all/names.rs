//! Jobs whose I/Os are calls that take a name: one file each, in the order of the names or in any.

use crate::common::{go_on, job, workload};
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::workload::Pattern;
use ioproof_engine::{BackendChoice, ClockChoice, EngineError, Options, Outcome};
use ioproof_target::{Consent, Handle, JobFiles, NameCall, OpenRequest, OwnFiles, Space, System};
use std::path::PathBuf;

const FILES: u64 = 20;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn paths(&self) -> Vec<PathBuf> {
        (0..FILES).map(|file| self.0.path().join(file.to_string())).collect()
    }

    fn count(&self) -> usize {
        std::fs::read_dir(self.0.path()).unwrap().count()
    }

    /// The names as a target; files that are there are opened and given up before.
    fn names(&self, files: &mut JobFiles<'_>, call: NameCall, are_there: bool) -> Handle {
        let request = OpenRequest {
            write: true,
            only_grows: false,
            direct: false,
            size_bytes: 4096,
            space: Space::Reserved,
            whole: true,
            make: true,
        };
        for path in self.paths().iter().filter(|_| are_there) {
            drop(files.open(path, request).unwrap());
        }
        files.by_name(&self.paths(), call, 4096).unwrap()
    }
}

fn files(system: &System) -> JobFiles<'_> {
    JobFiles::new(system, &Consent::default(), &[], OwnFiles::nowhere())
}

fn spec(pattern: Pattern, until: Until) -> JobSpec {
    job(workload(pattern, 100, 4096, 1, 1), FILES * 4096, until)
}

fn run(engine: &str, spec: &JobSpec, target: &Handle) -> Result<Outcome, EngineError> {
    let backend = BackendChoice::for_fio(engine).unwrap();
    go_on(spec, &[target], &Options::new(backend, ClockChoice::CounterIfInvariant))
}

#[test]
fn each_file_is_made_looked_up_and_removed_once() {
    let (system, folder) = (System::host(), Folder::new());
    let mut files = files(&system);
    let names = folder.names(&mut files, NameCall::Make, false);
    let made = run("filecreate", &spec(Pattern::Sequential, Until::Ios(7)), &names).unwrap();
    assert_eq!((made.read.ios, made.read.latency.count(), folder.count()), (7, 7, 7));
    let rest = run("filecreate", &spec(Pattern::Random, Until::SpanCovered), &names).unwrap();
    assert_eq!((rest.read.ios, rest.errors.failed, folder.count()), (FILES, 0, FILES as usize), "those that it made it opens again");
    for call in [NameCall::Stat, NameCall::LinkStat, NameCall::Statx] {
        let names = folder.names(&mut files, call, false);
        let looked_up = run("filestat", &spec(Pattern::Random, Until::Ios(2 * FILES)), &names).unwrap();
        assert_eq!((looked_up.read.ios, looked_up.errors.failed), (2 * FILES, 0));
    }
}

#[test]
fn what_was_let_go_is_removed_and_a_second_pass_finds_nothing() {
    for pattern in [Pattern::Sequential, Pattern::Random] {
        let (system, folder) = (System::host(), Folder::new());
        let names = folder.names(&mut files(&system), NameCall::Remove, true);
        assert_eq!(folder.count(), FILES as usize);
        let removed = run("filedelete", &spec(pattern, Until::Ios(FILES)), &names).unwrap();
        assert_eq!((removed.read.ios, removed.errors.failed, folder.count()), (FILES, 0, 0));
        let again = run("filedelete", &JobSpec { error_limit: 1, ..spec(pattern, Until::Ios(FILES)) }, &names).unwrap();
        assert_eq!((again.read.ios, again.errors.failed, again.errors.first.map(|first| first.errno)), (0, 1, Some(libc::ENOENT)));
    }
}

#[test]
fn a_file_that_was_put_in_the_place_of_another_stays() {
    let (system, folder) = (System::host(), Folder::new());
    let names = folder.names(&mut files(&system), NameCall::Remove, true);
    let other = folder.0.path().join("other");
    std::fs::write(&other, "mine").unwrap();
    std::fs::rename(other, &folder.paths()[4]).unwrap();
    let removed = run("filedelete", &spec(Pattern::Sequential, Until::Ios(FILES)), &names).unwrap();
    assert_eq!((removed.read.ios, removed.errors.failed), (FILES - 1, 1));
    assert_eq!(std::fs::read(&folder.paths()[4]).unwrap(), b"mine");
}

#[test]
fn names_are_no_target_of_other_backends_and_files_none_of_names() {
    let memory = ioproof_target::nothing(FILES * 4096).unwrap();
    assert!(matches!(run("filestat", &spec(Pattern::Sequential, Until::Ios(1)), &memory), Err(EngineError::NotArmed { .. })));
    let file = ioproof_target::resolve(&System::host(), &std::env::current_exe().unwrap()).unwrap();
    let read_only = ioproof_target::open_to_read(&file).unwrap();
    let refused = run("falloc", &spec(Pattern::Sequential, Until::Ios(1)), &read_only);
    assert!(matches!(refused, Err(EngineError::NotPermitted)), "a read of falloc takes permission to write");
}
