//! Files that are made and removed by their names: only those that the job makes, that are ours, or that their owner gave up.

use crate::common::{ProgramOutput, Sandbox};

const FILES: [&str; 3] = ["job.0.0", "job.0.1", "job.0.2"];

fn run(sandbox: &Sandbox, engine: &str, more: &[&str]) -> ProgramOutput {
    let engine = format!("--ioengine={engine}");
    sandbox.run(&[&["run", "--name=job", "--nrfiles=3", "--filesize=4k", &engine], more].concat())
}

fn there(sandbox: &Sandbox) -> usize {
    FILES.iter().filter(|file| sandbox.work().join(file).exists()).count()
}

#[test]
fn what_a_run_made_is_made_anew_by_the_next_and_nothing_else() {
    let sandbox = Sandbox::new();
    for _ in 0..3 {
        assert_eq!((run(&sandbox, "filecreate", &[]).status, there(&sandbox)), (0, 3));
    }
    let mine = sandbox.work().join(FILES[1]);
    std::fs::write(&mine, "mine").unwrap();
    for engine in ["filecreate", "filedelete"] {
        run(&sandbox, engine, &[]).refuses(&["not written", FILES[1], "--overwrite"]);
        assert_eq!((std::fs::read(&mine).unwrap(), there(&sandbox)), (b"mine".to_vec(), 3), "{engine}");
    }
    let consent = ["--overwrite", FILES[1]];
    assert_eq!(run(&sandbox, "filecreate", &consent).status, 0);
    assert_eq!(mine.metadata().unwrap().len(), 0);
}

#[test]
fn files_are_removed_and_those_that_are_left_stay_ours() {
    let sandbox = Sandbox::new();
    assert_eq!((run(&sandbox, "filedelete", &["--number_ios=2"]).status, there(&sandbox)), (0, 1));
    assert_eq!((run(&sandbox, "filestat", &[]).status, there(&sandbox)), (0, 3), "looked up, and made where they were missing");
    assert_eq!((run(&sandbox, "filedelete", &[]).status, there(&sandbox)), (0, 0));
    std::fs::write(sandbox.work().join(FILES[2]), [7; 4096]).unwrap();
    assert_eq!(run(&sandbox, "filestat", &[]).status, 0, "whoever's it is");
    assert_eq!(std::fs::read(sandbox.work().join(FILES[2])).unwrap(), [7; 4096]);
    let consent = ["--overwrite", FILES[2]];
    assert_eq!((run(&sandbox, "filedelete", &consent).status, there(&sandbox)), (0, 0));
}

#[test]
fn a_file_is_made_or_removed_by_one_clone_alone() {
    let sandbox = Sandbox::new();
    for engine in ["filecreate", "filedelete"] {
        run(&sandbox, engine, &["--filename=one", "--numjobs=2"]).refuses(&["one is used more than once", engine]);
        run(&sandbox, engine, &["--filename=one:./one"]).refuses(&["used more than once"]);
    }
    assert!(!sandbox.work().join("one").exists());
}

#[test]
fn a_dry_run_makes_and_removes_nothing() {
    let sandbox = Sandbox::new();
    let made = run(&sandbox, "filecreate", &["--dry-run"]);
    assert_eq!((made.status, there(&sandbox)), (0, 0));
    assert!(made.stdout.contains("would run"), "{}", made.stdout);
    assert_eq!((run(&sandbox, "filecreate", &[]).status, there(&sandbox)), (0, 3));
    assert_eq!((run(&sandbox, "filedelete", &["--dry-run"]).status, there(&sandbox)), (0, 3));
}

#[test]
fn what_fio_counts_otherwise_is_refused_before_anything_is_made() {
    let sandbox = Sandbox::new();
    run(&sandbox, "filecreate", &["--bs=1k"]).refuses(&["one operation a file", "filesize="]);
    run(&sandbox, "filestat", &["--fsync=1"]).refuses(&["no syncs"]);
    assert_eq!(there(&sandbox), 0);
}
