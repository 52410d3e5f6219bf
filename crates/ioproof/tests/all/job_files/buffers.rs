//! Buffers in a file (`iomem=mmapshared:FILE`), which is written like any file of a job.

use crate::common::{ProgramOutput, Sandbox};

fn run(sandbox: &Sandbox, more: &[&str]) -> ProgramOutput {
    let job = ["run", "--name=job", "--rw=randrw", "--bs=16k", "--size=256k", "--output-format=terse", "--iomem=mmapshared:buffers"];
    sandbox.run(&[&job, more].concat())
}

#[test]
fn buffers_lie_in_a_file_that_the_job_makes() {
    let sandbox = Sandbox::new();
    let file = sandbox.work().join("buffers");
    for engine in ["--ioengine=psync", "--ioengine=libaio", "--ioengine=io_uring"] {
        let ran = run(&sandbox, &[engine, "--iodepth=4"]);
        assert_eq!(ran.status, 0, "{engine}: {}", ran.stderr);
        // What is written lies in the buffers.
        let written = std::fs::read(sandbox.work().join("job.0.0")).unwrap();
        let buffers = std::fs::read(&file).unwrap();
        assert!(buffers.len() >= 2 * 16384 && buffers.len().is_multiple_of(4096), "{engine}: {}", buffers.len());
        let is_written = |block: &[u8]| written.chunks(4096).any(|other| other == block);
        assert!(buffers.chunks(4096).any(is_written), "{engine}");
    }
}

#[test]
fn a_file_of_somebody_else_takes_consent() {
    let sandbox = Sandbox::new();
    let file = sandbox.work().join("buffers");
    std::fs::write(&file, [7; 100]).unwrap();
    run(&sandbox, &[]).refuses(&["not written", "buffers", "--overwrite"]);
    run(&sandbox, &["--readonly", "--rw=randread"]).refuses(&["--readonly"]);
    assert_eq!(std::fs::read(&file).unwrap(), [7; 100]);
    assert_eq!(run(&sandbox, &["--overwrite", "buffers"]).status, 0);
    assert!(file.metadata().unwrap().len() >= 2 * 16384);
}

#[test]
fn buffers_are_of_one_clone_and_in_an_ordinary_file() {
    let sandbox = Sandbox::new();
    run(&sandbox, &["--numjobs=2"]).refuses(&["buffers", "more than once"]);
    run(&sandbox, &["--filename=buffers"]).refuses(&["buffers", "more than once"]);
    run(&sandbox, &["--iomem=mmapshared:/dev/zero"]).refuses(&["no ordinary file"]);
    assert!(!sandbox.work().join("buffers").exists());
}
