//! `ioproof run` with `verify`: what is read back, and whether every kind of damage is seen, whoever wrote the data before.

use crate::common::{ProgramOutput, Sandbox, noise};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const KIB: usize = 1024;
const BLOCK: usize = 4 * KIB;

/// Of 128 blocks.
const JOB: [&str; 4] = ["--name=job", "--bs=4k", "--size=512k", "--ioengine=psync"];
const WRITE: [&str; 3] = ["--rw=randwrite", "--verify=crc32c", "--do_verify=0"];
const READ: [&str; 2] = ["--rw=read", "--verify=crc32c"];

fn run(sandbox: &Sandbox, options: &[&str]) -> ProgramOutput {
    run_on(sandbox, &["--filename=data"], options)
}

fn run_on(sandbox: &Sandbox, files: &[&str], options: &[&str]) -> ProgramOutput {
    sandbox.run(&[&["run", "--output-format=json"], &JOB[..], files, options].concat())
}

/// Reads, writes and error of a job of the report.
fn figures(said: &ProgramOutput, job: usize) -> (u64, u64, i64) {
    let report: Value = said.json();
    let job = &report["jobs"][job];
    let ios = |direction: &str| job[direction]["total_ios"].as_u64().unwrap();
    (ios("read"), ios("write"), job["error"].as_i64().unwrap())
}

#[track_caller]
fn succeeds(said: &ProgramOutput, reads: u64, writes: u64) {
    assert_eq!((said.status, figures(said, 0)), (0, (reads, writes, 0)), "{}", said.stderr);
}

/// The job ends in fio's error for data that are not what was written, and says so.
#[track_caller]
fn finds(said: &ProgramOutput, words: &str) {
    assert_eq!((said.status, figures(said, 0).2), (1, 84), "{}", said.stderr);
    assert!(said.stderr.contains(words), "`{words}` is missing in {}", said.stderr);
}

fn damage(sandbox: &Sandbox, change: impl FnOnce(&mut [u8])) {
    let path = sandbox.work().join("data");
    let mut content = std::fs::read(&path).unwrap();
    change(&mut content);
    std::fs::write(&path, content).unwrap();
}

fn flip(content: &mut [u8]) {
    content[100_100] ^= 4;
}

fn exchange(content: &mut [u8]) {
    let (before, after) = content.split_at_mut(17 * BLOCK);
    before[3 * BLOCK..4 * BLOCK].swap_with_slice(&mut after[..BLOCK]);
}

fn wipe(content: &mut [u8]) {
    content[5 * BLOCK..6 * BLOCK].fill(0);
}

#[test]
fn what_an_earlier_run_wrote_is_known_by_its_headers() {
    let sandbox = Sandbox::new();
    succeeds(&run(&sandbox, &WRITE), 0, 128);
    let read = run(&sandbox, &READ);
    succeeds(&read, 128, 0);
    assert!(read.stderr.contains("not whether it is the newest"), "{}", read.stderr);
    succeeds(&run(&sandbox, &["--rw=randread", "--verify=md5", "--bs=16k"]), 32, 0);
}

#[test]
fn every_damage_to_what_an_earlier_run_wrote_is_seen() {
    let sandbox = Sandbox::new();
    for (change, words) in [
        (flip as fn(&mut [u8]), "1 piece of 512 bytes is not what was written, the first: corrupt at byte 99840: the header says checksum"),
        (
            exchange,
            "16 pieces of 512 bytes are not what was written, the first: misplaced at byte 12288: what stands there was written for byte 69632",
        ),
        (wipe, "8 pieces of 512 bytes are not what was written, the first: corrupt at byte 20480: zeros stand there"),
    ] {
        succeeds(&run(&sandbox, &[&WRITE[..], &["--overwrite", "data"]].concat()), 0, 128);
        damage(&sandbox, change);
        finds(&run(&sandbox, &READ), words);
        finds(&run(&sandbox, &["--rw=randwrite", "--verify=crc32c", "--verify_only=1"]), words);
    }
}

#[test]
fn lost_data_go_before_results_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    succeeds(&run(&sandbox, &WRITE), 0, 128);
    let folder = sandbox.work().join("d");
    let unwritable = || {
        std::fs::create_dir(&folder).unwrap();
        let gone = ["--allow-exec", "--exec_prerun=rm -r d", "--output=d/out"];
        sandbox.run(&[&["run"], &JOB[..], &["--filename=data"], &READ, &gone].concat())
    };
    let said = unwritable();
    assert_eq!(said.status, 2, "{}", said.stderr);
    damage(&sandbox, flip);
    let said = unwritable();
    assert_eq!(said.status, 1, "{}", said.stderr);
    assert!(said.stderr.contains("the results could not be written to d/out"), "{}", said.stderr);
}

#[test]
fn lost_data_go_before_an_end_at_once() {
    let sandbox = Sandbox::new();
    succeeds(&run(&sandbox, &WRITE), 0, 128);
    damage(&sandbox, wipe);
    for beside in [&[][..], &["--stonewall"]] {
        ends_at_once(&sandbox, beside);
    }
}

/// A job finds the damage, and another goes on beside it or after it until the run is ended at once.
fn ends_at_once(sandbox: &Sandbox, beside: &[&str]) {
    let other = ["--filename=data", "--rw=read", "--bs=4k", "--size=512k", "--time_based", "--runtime=600"];
    let words = [&["run"], &JOB[..], &["--filename=data"], &READ, &["--name=other"], beside, &["--verify=0"], &other].concat();
    let mut child = sandbox.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let told = lines.find(|line| line.contains("data was lost so far")).unwrap();
    assert!(told.contains("8 pieces or I/Os that were read back are not what was written"), "{told}");
    // Both signals are there when it goes on, so the second is no other's end.
    for name in ["-STOP", "-INT", "-TERM", "-CONT"] {
        assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
    }
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(1), "{beside:?}");
}

#[test]
fn a_later_job_of_the_same_run_verifies() {
    let sandbox = Sandbox::new();
    let said = run(&sandbox, &[&WRITE[..], &["--name=reads", "--stonewall", "--filename=data", "--bs=4k", "--size=512k"], &READ].concat());
    assert_eq!((said.status, figures(&said, 0), figures(&said, 1)), (0, (0, 128, 0), (128, 0, 0)), "{}", said.stderr);
}

#[test]
fn what_others_wrote_is_said_to_be_so() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 512 << 10);
    finds(&run(&sandbox, &READ), "bears headers of ioproof");
}

#[test]
fn what_was_written_backwards_from_the_end_is_compared() {
    let write = ["--rw=write:-64k", "--bs=32k", "--size=500k", "--verify=crc32c"];
    let sandbox = Sandbox::new();
    assert_eq!(run(&sandbox, &[&write[..], &["--do_verify=0"]].concat()).status, 0);
    let only = [&write[..], &["--verify_only=1"]].concat();
    assert_eq!(run(&sandbox, &only).status, 0);
    damage(&sandbox, |content| content.fill(0));
    finds(&run(&sandbox, &only), "corrupt at byte ");
}

#[test]
fn what_was_written_between_sectors_is_compared() {
    let append = ["--file_append=1", "--overwrite", "data"];
    for options in [&["--offset=3"][..], &["--offset=3", "--rw=randwrite:4"], &append] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.work().join("data"), noise(1000)).unwrap();
        let write = [&["--rw=write", "--verify=crc32c"], &append[1..], options].concat();
        let written = run(&sandbox, &write);
        assert_eq!((written.status, figures(&written, 0).1), (0, 128), "{}", written.stderr);
        assert!(written.stderr.contains("read back through the page cache"), "{}", written.stderr);
        if options == append {
            continue;
        }
        damage(&sandbox, flip);
        finds(&run(&sandbox, &[&write[..], &["--verify_only=1"]].concat()), "corrupt at byte ");
    }
}

#[test]
fn several_writers_are_no_error_and_said() {
    let sandbox = Sandbox::new();
    succeeds(&run(&sandbox, &WRITE), 0, 128);
    succeeds(&run(&sandbox, &["--rw=write", "--verify=md5", "--do_verify=0", "--io_size=64k"]), 0, 16);
    let read = run(&sandbox, &READ);
    succeeds(&read, 128, 0);
    assert!(read.stderr.contains("verify: 2 jobs or runs wrote what was read, by the seeds "), "{}", read.stderr);
}

#[test]
fn only_what_was_written_is_read_back() {
    for options in [
        &["--rw=randrw"][..],
        &["--rw=rw", "--rwmixread=80"],
        &["--rw=randwrite", "--io_size=64k"],
        &["--rw=write", "--number_ios=9"],
        &["--rw=randrw", "--filename=one:two"],
        &["--rw=write", "--bssplit=4k/50:16k/50", "--io_size=256k"],
        &["--rw=randrw", "--verify=pattern", "--verify_pattern=%o"],
    ] {
        let sandbox = Sandbox::new();
        let counted = run_on(&sandbox, &[], &[&["--verify=crc32c", "--do_verify=0"], options].concat());
        let (reads, writes, error) = figures(&counted, 0);
        assert!(writes > 0 && error == 0, "{options:?}: {}", counted.stderr);
        let sandbox = Sandbox::new();
        succeeds(&run_on(&sandbox, &[], &[&["--verify=crc32c"], options].concat()), reads + writes, writes);
    }
}

const PATTERN: [&str; 2] = ["--verify=pattern", "--verify_pattern=0xff%o\"ab\""];

#[test]
fn a_pattern_is_written_compared_and_damage_is_told_byte_by_byte() {
    let sandbox = Sandbox::new();
    succeeds(&run(&sandbox, &[&["--rw=randwrite"], &PATTERN[..]].concat()), 128, 128);
    let content = std::fs::read(sandbox.work().join("data")).unwrap();
    for (block, offset) in content.chunks(BLOCK).zip((0u64..).step_by(BLOCK)) {
        let unit = [&[0xff][..], &offset.to_le_bytes(), b"ab"].concat();
        assert!(block.iter().zip(unit.iter().cycle()).all(|(a, b)| a == b), "the block at {offset}");
    }
    let read = [&["--rw=randread"], &PATTERN[..]].concat();
    succeeds(&run(&sandbox, &read), 128, 0);
    damage(&sandbox, |content| content[8192 + 9] = b'x');
    let only = [&["--rw=write", "--verify_only=1"], &PATTERN[..]].concat();
    for options in [&read, &only] {
        finds(
            &run(&sandbox, options),
            "the first: differs at byte 8201: 78 62 ff 00 20 00 00 00 stands there, and 61 62 ff 00 20 00 00 00 was written",
        );
    }
    damage(&sandbox, |content| content[8192 + 9] = b'a');
    succeeds(&run(&sandbox, &read), 128, 0);
    damage(&sandbox, exchange);
    finds(&run(&sandbox, &read), "the first: differs at byte");
    damage(&sandbox, exchange);
    damage(&sandbox, wipe);
    finds(&run(&sandbox, &read), "differs at byte 20480: 00 00 00 00 00 00 00 00 stands there, and ff 00 50 00 00 00 00 00 was written");
}

#[test]
fn to_verify_only_changes_nothing_and_needs_no_permission() {
    let sandbox = Sandbox::new();
    succeeds(&run(&sandbox, &WRITE), 0, 128);
    // A copy is nobody's that ioproof made.
    std::fs::copy(sandbox.work().join("data"), sandbox.work().join("copy")).unwrap();
    let before = std::fs::read(sandbox.work().join("copy")).unwrap();
    for rw in ["--rw=write", "--rw=randwrite"] {
        let only = [rw, "--verify=crc32c", "--verify_only=1"];
        succeeds(&run_on(&sandbox, &["--filename=copy"], &only), 128, 0);
        succeeds(&run_on(&sandbox, &["--filename=copy:data", "--size=1m"], &only), 256, 0);
    }
    assert!(before == std::fs::read(sandbox.work().join("copy")).unwrap());
    sandbox.run(&["run", "--name=job", "--filename=copy", "--rw=write", "--size=512k"]).refuses(&["copy"]);
}

#[test]
fn the_first_difference_ends_a_job_that_is_to_end_then() {
    let sandbox = Sandbox::new();
    succeeds(&run(&sandbox, &WRITE), 0, 128);
    damage(&sandbox, wipe);
    let all = run(&sandbox, &READ);
    finds(&all, "zeros");
    assert_eq!(figures(&all, 0).0, 128);
    let fatal = run(&sandbox, &[&READ[..], &["--verify_fatal=1"]].concat());
    finds(&fatal, "zeros");
    assert!(figures(&fatal, 0).0 < 128, "{}", figures(&fatal, 0).0);
}

#[test]
fn noise_is_not_taken_for_a_pattern() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.work().join("data"), noise(512 << 10)).unwrap();
    finds(&run(&sandbox, &["--rw=read", "--verify=pattern", "--verify_pattern=0x01"]), "differs at byte 0: ");
}

#[test]
fn reads_of_damaged_data_are_counted_where_a_job_goes_on_after_them() {
    let sandbox = Sandbox::new();
    succeeds(&run(&sandbox, &WRITE), 0, 128);
    // Two pieces of one block and one of another: two I/Os.
    damage(&sandbox, |content| [4 * BLOCK, 4 * BLOCK + 3 * 512, 60 * BLOCK].into_iter().for_each(|at| content[at + 20] ^= 1));
    let said = run(&sandbox, &[&READ[..], &["--continue_on_error=verify"]].concat());
    finds(&said, "3 pieces of 512 bytes");
    let job = &said.json()["jobs"][0];
    assert_eq!((job["total_err"].as_u64(), job["first_error"].as_i64()), (Some(2), Some(84)));
}

#[test]
fn what_blocks_cover_in_part_is_verified_as_far_as_it_was_written() {
    let sandbox = Sandbox::new();
    let cases: [&[&str]; 2] = [
        &["--rw=randwrite", "--bs=8k", "--ba=4k"],
        &["--rw=write", "--bs=12k", "--zonemode=strided", "--zonesize=64k", "--zonerange=128k", "--time_based", "--runtime=1"],
    ];
    for (number, case) in cases.iter().enumerate() {
        let file = format!("--filename=data{number}");
        let job = [&["run", "--name=a", "--size=1000k", "--verify=crc32c", &file], *case].concat();
        let again = [&job[..], &["--verify_only=1"]].concat();
        assert_eq!([sandbox.run(&job).status, sandbox.run(&again).status], [0, 0], "{case:?}");
        let path = sandbox.work().join(format!("data{number}"));
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.chunks(4096).position(|piece| piece.iter().any(|byte| *byte != 0)).unwrap() * 4096;
        bytes[at + 100] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(sandbox.run(&again).status, 1, "{case:?}: damage is still found");
    }
}

#[test]
fn a_file_by_two_names_and_one_of_two_jobs_at_once_are_told_before_they_are_written() {
    let sandbox = Sandbox::new();
    let write = ["--rw=write", "--verify=crc32c", "--size=512k"];
    let twice = sandbox.run(&[&["run", "--name=a", "--filename=data:./data", "--bs=4k"], &write[..]].concat());
    twice.refuses(&["data and ./data are the same file", "name each file once"]);
    assert!(!sandbox.work().join("data").exists());
    let at_once = ["run", "--strict", "--direct=1", "--filename=data", "--bs=4k"];
    let said = sandbox.run(&[&at_once[..], &write, &["--name=a", "--name=b"]].concat());
    assert!(said.status == 2 && said.stderr.contains("a and b write the same blocks at the same time"), "{said:?}");
}
