//! Files that nobody should trust.

use super::*;
use crate::common::{self, ProgramOutput};
use sha2::{Digest, Sha256};
use std::os::unix::fs::symlink;

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A stored run as it is exported, without its digest.
fn unsealed() -> String {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["runs", "export", fixtures().join(JOB_FILE).to_str().unwrap(), "-o", "x.json"]);
    let text = fs::read_to_string(sandbox.work().join("x.json")).unwrap();
    text.split_once(",\"ioproof_stamp\"").unwrap().0.to_owned()
}

fn sealed(text: &str) -> Vec<u8> {
    format!("{text},\"ioproof_stamp\":\"{}\"}}\n", sha256(format!("{text}}}\n").as_bytes())).into_bytes()
}

/// The stored run with some words replaced, right in its digest.
fn made(old: &str, new: &str) -> Vec<u8> {
    let text = unsealed();
    assert!(text.contains(old), "{old}");
    sealed(&text.replace(old, new))
}

fn import(sandbox: &Sandbox, bytes: &[u8]) -> ProgramOutput {
    fs::write(sandbox.work().join("x.json"), bytes).unwrap();
    sandbox.run(&["runs", "import", "x.json"])
}

/// Words of the beginning of the first stage.
fn began(text: &str) -> String {
    let stages = &text[text.find("\"stages\":[{").unwrap()..];
    let began = &stages[stages.find("\"started_at\"").unwrap()..];
    began[..began.find("\"elapsed_ns\"").unwrap() + "\"elapsed_ns\"".len()].to_owned()
}

#[test]
fn what_is_wrong_is_said_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let right = sealed(&unsealed());
    let text = String::from_utf8(right.clone()).unwrap();
    let (id, no_report) = (format!("\"{JOB_FILE}\""), "is no report of a run as JSON");
    for (what, bytes, word) in [
        ("nothing", Vec::new(), no_report),
        ("text", b"dear diary".to_vec(), no_report),
        ("an archive", b"PK\x03\x04".repeat(1000), no_report),
        ("a later format", made("\"schema_version\":2", "\"schema_version\":99"), "use a newer ioproof"),
        ("an older format", made("\"schema_version\":2", "\"schema_version\":1"), "measure again"),
        ("another figure", text.replacen("\"ios\":", "\"ios\":1", 1).into_bytes(), "does not fit its SHA-256"),
        ("another digest", text.replacen("ioproof_stamp\":\"", "ioproof_stamp\":\"0", 1).into_bytes(), "does not fit its SHA-256"),
        ("a space", text.replacen("{\"", "{ \"", 1).into_bytes(), "does not fit its SHA-256"),
        ("a part", right[..right.len() / 2].to_vec(), no_report),
        ("more", [&right[..], b"x"].concat(), no_report),
        ("no digest", format!("{}}}\n", unsealed()).into_bytes(), "it has no digest"),
        ("an id out of the store", made(&id, "\"../../x\""), "its id is none that ioproof gives"),
        ("a name for an id", made(&id, "\"last\""), "its id is none that ioproof gives"),
        ("a stage twice", made("\"stages\":[{\"index\":0,", "\"stages\":[{\"index\":1,"), "a stage is in it twice"),
        ("a stage that never began", made(&began(&text), "\"started_at\":\"\",\"elapsed_ns\""), "a stage of it never began"),
        ("no run", sealed("{\"schema_version\":2"), no_report),
        ("no stage", made("\"stages\":[{", "\"stages\":[[],{"), "have the run exported again"),
        ("a deep one", "[".repeat(100_000).into_bytes(), no_report),
    ] {
        let said = import(&sandbox, &bytes);
        assert!(said.status == 2 && said.stdout.is_empty() && said.stderr.contains("x.json is not imported"), "{what}: {said:?}");
        assert!(said.stderr.contains(word), "{what}: {}", said.stderr);
        assert!(sandbox.runs().is_empty(), "{what}: {:?}", sandbox.runs());
    }
    assert_eq!(import(&sandbox, &right).status, 0, "what is right is taken");
    assert_eq!(sandbox.left_behind(), ["x.json"]);
}

/// A file of zeros costs nothing on a drive and may be of any size; so may the text of a round, which is large once it is read.
#[test]
fn absurd_sizes_are_never_read_into_memory() {
    let sandbox = Sandbox::new();
    fs::File::create(sandbox.work().join("x.json")).unwrap().set_len(1 << 42).unwrap();
    assert_eq!(sandbox.run(&["runs", "import", "x.json"]).status, 2);
    let rounds = format!("\"stages\":[{{\"index\":9,\"started_at\":\"x\",\"rounds\":[{}{{}}]}},{{", "{},".repeat(30_000_000));
    let said = import(&sandbox, &made("\"stages\":[{", &rounds));
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
    let folder = put(&sandbox, JOB_FILE);
    let other = made("\"ended_at\":\"", "\"ended_at\":\"2");
    let said = import(&sandbox, &other);
    assert!(said.status == 2 && said.stderr.contains("another run has its id") && folder.join("stages/0002.json").exists(), "{said:?}");
    assert_eq!(sandbox.runs(), [JOB_FILE]);
    fs::remove_dir_all(&folder).unwrap();
    symlink(sandbox.work(), &folder).unwrap();
    assert_eq!(import(&sandbox, &other).status, 2);
    assert_eq!(sandbox.left_behind(), ["x.json"], "a link in the place of the run");
}

#[test]
fn text_from_elsewhere_moves_no_cursor() {
    let sandbox = Sandbox::new();
    let said = import(&sandbox, &made("\"/dev/nvme0n1\"", "\"/dev/\\u001b[31m\\n\""));
    assert!(said.status == 0 && !said.stdout.contains('\u{1b}') && said.stdout.lines().count() == 1, "{said:?}");
    assert!(!sandbox.run(&["runs", "list"]).stdout.contains('\u{1b}'));
}

/// A limit on the size of files stands in for a disk that is full; `loops::outputs` has a real one.
#[test]
fn a_disk_that_takes_no_more_leaves_nothing() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("x.json");
    put(&sandbox, PLANNED);
    assert_eq!(sandbox.run(&["runs", "export", "3f9a", "-o", &file]).status, 0);
    fs::remove_dir_all(store(&sandbox).join(PLANNED)).unwrap();
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
    for words in [&["export", &id, "-o", "x.json"][..], &["rm", &id], &["import", "x.json"]] {
        sandbox.succeeds(&[&["runs"], words].concat());
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
    let right = sealed(&unsealed());
    assert_eq!(import(&sandbox, &right).status, 0);
    let known = import(&sandbox, &right);
    assert!(known.status == 0 && known.stdout.contains("it is in the store already"), "{known:?}");
    let mut damaged = right.clone();
    damaged[right.len() - 5] ^= 3;
    import(&sandbox, &damaged).refuses(&["does not fit its SHA-256"]);
    assert_eq!(sandbox.runs(), [JOB_FILE]);
}
