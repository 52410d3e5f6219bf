//! Files that nobody should trust.

use super::*;
use crate::common::{self, Said};
use sha2::{Digest, Sha256};
use std::os::unix::fs::symlink;

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An export of these files, right in all its digests.
fn made(id: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let lines: String = files.iter().map(|(name, bytes)| format!("file {name} {} {}\n", bytes.len(), sha256(bytes))).collect();
    sealed(&format!("ioproof run export 1\nid {id}\n{lines}"), &files.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect::<Vec<u8>>())
}

fn sealed(table: &str, rest: &[u8]) -> Vec<u8> {
    [table.as_bytes(), format!("all {}\n", sha256(table.as_bytes())).as_bytes(), rest].concat()
}

fn record() -> Vec<u8> {
    fs::read(fixtures().join(FORMAT_2).join("run.json")).unwrap()
}

fn stage(number: u32) -> Vec<u8> {
    fs::read(fixtures().join(FORMAT_2).join(format!("stages/{number:04}.json"))).unwrap()
}

fn import(sandbox: &Sandbox, bytes: &[u8]) -> Said {
    fs::write(sandbox.work().join("x.ioproof"), bytes).unwrap();
    sandbox.run(&["runs", "import", "x.ioproof"])
}

#[test]
fn what_is_wrong_is_said_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let (record, stage) = (record(), stage(0));
    let right = made(FORMAT_2, &[("run.json", &record), ("stages/0000.json", &stage)]);
    let newer = String::from_utf8(record.clone()).unwrap().replace("\"schema_version\": 2", "\"schema_version\": 99");
    let flipped = |at: usize| {
        let mut bytes = right.clone();
        bytes[at] ^= 1;
        bytes
    };
    let huge = |size: &str| sealed(&format!("ioproof run export 1\nid {FORMAT_2}\nfile run.json {size} {}\n", sha256(b"")), b"");
    let many: String = (0..100_001).map(|number| format!("file stages/{number:04}.json 0 {}\n", sha256(b""))).collect();
    let other_id = "20270101-000000-0001";
    for (what, bytes, word) in [
        ("nothing", Vec::new(), "it is no export of a run"),
        ("text", b"dear diary".to_vec(), "it is no export of a run"),
        ("an archive", b"PK\x03\x04".repeat(1000), "it is no export of a run"),
        ("a later format", b"ioproof run export 2\n".to_vec(), "use a newer ioproof"),
        ("a later record", made(FORMAT_2, &[("run.json", newer.as_bytes())]), "use a newer ioproof"),
        ("a flipped bit in the table", flipped(60), "hint: "),
        ("a flipped bit in a file", flipped(right.len() - 5), "stages/0000.json of it does not fit its SHA-256"),
        ("a part", right[..right.len() - 1].to_vec(), "bytes and is to have"),
        ("more", [&right[..], b"x"].concat(), "bytes and is to have"),
        ("half a table", right[..80].to_vec(), "it has no end"),
        ("a path out of the store", made(FORMAT_2, &[("run.json", &record), ("../../x", b"x")]), "no run has a file of that name"),
        ("a path from the root", made(FORMAT_2, &[("run.json", &record), ("/tmp/x", b"x")]), "no run has a file of that name"),
        ("a file of ours", made(FORMAT_2, &[("run.json", &record), ("lock", b"x")]), "no run has a file of that name"),
        ("an id out of the store", made("../../x", &[("run.json", &record)]), "its id is none that ioproof gives"),
        ("a name for an id", made("last", &[("run.json", &record)]), "its id is none that ioproof gives"),
        ("another id", made(other_id, &[("run.json", &record)]), "its id is not that of its record"),
        ("a file twice", made(FORMAT_2, &[("run.json", &record), ("run.json", &record)]), "a file is in it twice"),
        ("no record", made(FORMAT_2, &[("stages/0000.json", &stage)]), "run.json is not in it"),
        ("no JSON", made(FORMAT_2, &[("run.json", b"{")]), "no record of this format"),
        ("another stage", made(FORMAT_2, &[("run.json", &record), ("stages/0001.json", &stage)]), "stages/0001.json of it is damaged"),
        ("no stage", made(FORMAT_2, &[("run.json", &record), ("stages/0000.json", b"[]")]), "stages/0000.json of it is damaged"),
        ("a deep one", made(FORMAT_2, &[("run.json", &b"[".repeat(100_000))]), "is not imported"),
        ("no size", huge("-1"), "it has no size"),
        ("the largest size", huge("18446744073709551615"), "a file of it is larger than 256 MiB"),
        ("a size that is not there", huge("200000000"), "bytes and is to have"),
        ("many files", sealed(&format!("ioproof run export 1\nid {FORMAT_2}\n{many}"), b""), "more than 100,000 files"),
        ("a line without an end", b"ioproof run export 1\n".iter().copied().chain([b'x'; 100_000]).collect(), "it has no end"),
    ] {
        let said = import(&sandbox, &bytes);
        assert!(said.status == 2 && said.stdout.is_empty() && said.stderr.contains("x.ioproof is not imported"), "{what}: {said:?}");
        assert!(said.stderr.contains(word), "{what}: {}", said.stderr);
        assert!(sandbox.runs().is_empty(), "{what}: {:?}", sandbox.runs());
    }
    assert_eq!(import(&sandbox, &right).status, 0, "what is right is taken");
    assert_eq!(sandbox.left_behind(), ["x.ioproof"]);
}

/// A file of zeros costs nothing on a drive and may be of any size; so may the text of a round, which is large once it is read.
#[test]
fn absurd_sizes_are_never_read_into_memory() {
    let sandbox = Sandbox::new();
    fs::File::create(sandbox.work().join("x.ioproof")).unwrap().set_len(1 << 42).unwrap();
    assert_eq!(sandbox.run(&["runs", "import", "x.ioproof"]).status, 2);
    let rounds = format!("{{\"index\":0,\"started_at\":\"x\",\"rounds\":[{}{{}}]}}", "{},".repeat(30_000_000));
    let bomb = made(FORMAT_2, &[("run.json", &record()), ("stages/0000.json", rounds.as_bytes())]);
    let said = import(&sandbox, &bomb);
    assert!(said.status == 2 && said.stderr.contains("of memory"), "{said:?}");
    assert!(sandbox.runs().is_empty());
}

#[test]
fn what_is_no_regular_file_is_no_export() {
    let sandbox = Sandbox::new();
    assert!(Command::new("mkfifo").arg(sandbox.work().join("pipe")).status().unwrap().success());
    for (file, word) in [("pipe", "a pipe"), ("/dev/zero", "no regular file"), (".", "a directory"), ("none", "No such file")] {
        sandbox.run(&["runs", "import", file]).refuses(&[word, "is not imported"]);
    }
    let said = sandbox.run(&["runs", "import", "none", "--json"]);
    assert_eq!((said.status, &said.json()["files"][0]["outcome"]), (2, &"refused".into()));
    sandbox.run(&["runs", "import"]).refuses(&["<FILE>"]);
}

#[test]
fn a_run_is_not_replaced_by_another_with_its_id() {
    let sandbox = Sandbox::new();
    let folder = put(&sandbox, FORMAT_2);
    let other = made(FORMAT_2, &[("run.json", &record()), ("stages/0000.json", &stage(0))]);
    let said = import(&sandbox, &other);
    assert!(said.status == 2 && said.stderr.contains("another run has its id") && folder.join("stages/0002.json").exists(), "{said:?}");
    assert_eq!(sandbox.runs(), [FORMAT_2]);
    fs::remove_dir_all(&folder).unwrap();
    symlink(sandbox.work(), &folder).unwrap();
    assert_eq!(import(&sandbox, &other).status, 2);
    assert_eq!(sandbox.left_behind(), ["x.ioproof"], "a link in the place of the run");
}

#[test]
fn text_from_elsewhere_moves_no_cursor() {
    let sandbox = Sandbox::new();
    let record = String::from_utf8(record()).unwrap().replace("\"/dev/nvme0n1\"", "\"/dev/\\u001b[31m\\n\"");
    let said = import(&sandbox, &made(FORMAT_2, &[("run.json", record.as_bytes())]));
    assert!(said.status == 0 && !said.stdout.contains('\u{1b}') && said.stdout.lines().count() == 1, "{said:?}");
    assert!(!sandbox.run(&["runs", "list"]).stdout.contains('\u{1b}'));
}

/// A limit on the size of files stands in for a disk that is full; `loops::outputs` has a real one.
#[test]
fn a_disk_that_takes_no_more_leaves_nothing() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("x.ioproof");
    put(&sandbox, FORMAT_1);
    assert_eq!(sandbox.run(&["runs", "export", "3f9a", "-o", &file]).status, 0);
    fs::remove_dir_all(store(&sandbox).join(FORMAT_1)).unwrap();
    let mut command = Command::new("bash");
    sandbox.prepare(&mut command);
    let script = format!("ulimit -f 8; exec {} runs import {file}", env!("CARGO_BIN_EXE_ioproof"));
    let said = common::said(command.args(["-c", &script]).output().unwrap());
    assert!(said.status == 2 && said.stderr.contains("is not imported") && said.stderr.contains("ulimit -f"), "{said:?}");
    assert!(sandbox.runs().is_empty());
}

/// Six runs of 2000 reads each.
const MEASURE: &str = "verify --size 16MiB --rw randread --workers 1 --depth 4 --runs 6 --ios 2000 --backend null --json";

/// True if the newest figures are held against an earlier run, which was measured, made faster than anything, changed, exported, removed and imported.
fn is_held_against(change: impl FnOnce(&mut serde_json::Value)) -> bool {
    let sandbox = Sandbox::new();
    let measure = || sandbox.run(&MEASURE.split(' ').collect::<Vec<_>>()).json();
    measure();
    let id = sandbox.runs().remove(0);
    let folder = sandbox.without_digests(&id);
    let edit = |path: PathBuf, act: &mut dyn FnMut(&mut serde_json::Value)| {
        let mut document = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        act(&mut document);
        fs::write(path, document.to_string()).unwrap();
    };
    for stage in fs::read_dir(folder.join("stages")).unwrap() {
        edit(stage.unwrap().path(), &mut |stage| {
            let elapsed = &mut stage["rounds"][0]["elapsed_ns"];
            *elapsed = (elapsed.as_u64().unwrap() / 100_000 + 1).into();
        });
    }
    let mut change = Some(change);
    edit(folder.join("run.json"), &mut |record| change.take().unwrap()(record));
    for words in [&["export", &id, "-o", "x.ioproof"][..], &["rm", &id], &["import", "x.ioproof"]] {
        let said = sandbox.run(&[&["runs"], words].concat());
        assert_eq!(said.status, 0, "{said:?}");
    }
    measure()["run"]["notes"].to_string().contains(&format!("in an earlier run of this target, {id}"))
}

#[test]
fn an_imported_run_is_an_earlier_one_only_where_marks_prove_that_it_is_of_this_target() {
    assert!(is_held_against(|_| {}), "it was measured here");
    assert!(!is_held_against(|record| record["host"]["name"]["value"] = "elsewhere".into()), "on another machine");
    assert!(!is_held_against(|record| drop(record["targets"][0]["facts"].as_object_mut().unwrap().remove("identity"))), "a name alone");
    assert!(!is_held_against(|record| record["targets"][0]["facts"]["identity"]["inode"] = 1.into()), "on another filesystem");
}

#[test]
fn a_damaged_copy_of_a_run_that_is_there_is_refused() {
    let sandbox = Sandbox::new();
    let right = made(FORMAT_2, &[("run.json", &record()), ("stages/0000.json", &stage(0))]);
    assert_eq!(import(&sandbox, &right).status, 0);
    let known = import(&sandbox, &right);
    assert!(known.status == 0 && known.stdout.contains("it is in the store already"), "{known:?}");
    let mut damaged = right.clone();
    damaged[right.len() - 5] ^= 1;
    import(&sandbox, &damaged).refuses(&["stages/0000.json of it does not fit its SHA-256"]);
    assert_eq!(sandbox.runs(), [FORMAT_2]);
}
