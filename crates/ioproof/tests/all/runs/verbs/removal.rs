//! `rm` and `prune`: nothing goes by mistake, and nothing that is not ioproof's.

use super::*;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

#[test]
fn only_the_id_itself_removes_a_run() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    put(&sandbox, JOB_FILE);
    put_as(&sandbox, "20261204-101500-001-00aa", &[]);
    assert_eq!(sandbox.run(&["runs", "name", "3f9a", "golden"]).status, 0);
    sandbox.run(&["runs", "rm", "golden"]).refuses(&["there is no run with the id `golden`", "give its id: 20261121-031500-3f9a"]);
    sandbox.run(&["runs", "rm", "last"]).refuses(&["there is no run with the id `last`"]);
    sandbox.run(&["runs", "rm", "202612"]).refuses(&["`202612` fits 2 runs"]);
    for text in ["", ".", "..", "*", "../runs", "x"] {
        assert_eq!(sandbox.run(&["runs", "rm", text]).status, 2, "{text}");
    }
    sandbox.run(&["runs", "rm", "3f9a", "nothing"]).refuses(&["there is no run with the id `nothing`"]);
    assert_eq!(sandbox.runs().len(), 3, "all are looked for before the first is removed");
    let said = sandbox.run(&["runs", "rm", "20261203", PLANNED]);
    assert!(said.status == 0 && said.stdout.lines().count() == 2 && said.stderr.is_empty(), "{said:?}");
    assert_eq!(sandbox.runs(), ["20261204-101500-001-00aa"]);
    assert_eq!(sandbox.run(&["runs", "rm", "00aa", "--json"]).json()["removed"][0]["id"], "20261204-101500-001-00aa");
}

#[test]
fn a_run_that_is_still_going_on_stays() {
    let sandbox = Sandbox::new();
    let folder = put(&sandbox, PLANNED);
    put(&sandbox, JOB_FILE);
    let lock = go_on(&folder);
    let said = sandbox.run(&["runs", "rm", "3f9a", "7b21"]);
    assert!(said.status == 2 && said.stderr.contains("run 20261121-031500-3f9a is still going on"), "{said:?}");
    assert_eq!(sandbox.runs(), [PLANNED], "the other one goes");
    let pruned = sandbox.run(&["runs", "prune", "--size", "0"]);
    assert!(pruned.status == 2 && pruned.stderr.contains("are left, more than"), "{pruned:?}");
    sandbox.run(&["runs", "export", "3f9a"]).refuses(&["is still going on"]);
    assert!(folder.join("run.json").is_file() && folder.join("stages/0059.json").is_file());
    drop(lock);
    assert_eq!(sandbox.run(&["runs", "prune", "--size", "0"]).status, 0);
    assert!(sandbox.runs().is_empty());
}

#[test]
fn what_ioproof_did_not_write_stays() {
    let sandbox = Sandbox::new();
    let folder = put(&sandbox, PLANNED);
    let precious = sandbox.work().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("0000.json"), "precious").unwrap();
    fs::write(folder.join("notes"), "mine").unwrap();
    symlink(precious.join("0000.json"), folder.join("labels.json")).unwrap();
    fs::remove_dir_all(folder.join("stages")).unwrap();
    symlink(&precious, folder.join("stages")).unwrap();
    let said = sandbox.run(&["runs", "rm", "3f9a"]);
    assert!(said.status == 0 && said.stderr.contains("labels.json, notes, stages"), "{said:?}");
    assert!(!folder.join("run.json").exists());
    assert_eq!(
        (fs::read(folder.join("notes")).unwrap(), fs::read(precious.join("0000.json")).unwrap()),
        (b"mine".to_vec(), b"precious".to_vec())
    );
    let outside = sandbox.work().join("outside");
    put_at(outside.clone(), JOB_FILE);
    symlink(&outside, store(&sandbox).join(JOB_FILE)).unwrap();
    assert_eq!(sandbox.run(&["runs", "rm", JOB_FILE]).status, 2);
    assert!(outside.join("run.json").is_file(), "a link in the store leads out of it");
}

#[test]
fn prune_keeps_the_size() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    for day in 1..=8 {
        put_as(&sandbox, &format!("2027010{day}-000000-000{day}"), &[]);
    }
    assert_eq!(sandbox.run(&["runs", "name", "0002", "golden"]).status, 0);
    let left = || sandbox.run(&["runs", "prune", "--size", "1GiB", "--json"]).json()["left_bytes"].as_u64().unwrap();
    let one = (left()
        - sandbox.run(&["runs", "prune", "--size", "0", "--dry-run", "--json"]).json()["removed"][0]["freed_bytes"].as_u64().unwrap())
        / 8;
    assert_eq!(sandbox.runs().len(), 9, "a dry run removes nothing");
    let most = 3 * one + one / 2;
    assert_eq!(sandbox.run(&["runs", "prune", "--size", &format!("{most}B")]).status, 0);
    assert!(left() <= most, "{} {most}", left());
    assert_eq!(
        sandbox.runs(),
        ["20270102-000000-0002", "20270107-000000-0007", "20270108-000000-0008"],
        "the oldest go, one with a name stays"
    );
    let said = sandbox.run(&["runs", "prune", "--size", "0"]);
    assert!(said.status == 2 && said.stderr.contains("runs with a name"), "{said:?}");
    assert_eq!(sandbox.runs(), ["20270102-000000-0002"]);
    sandbox.run(&["runs", "prune"]).refuses(&["--size"]);
    sandbox.run(&["runs", "prune", "--size", "much"]).refuses(&["much"]);
}

#[test]
fn what_a_killed_process_left_is_no_run_and_goes() {
    let sandbox = Sandbox::new();
    put(&sandbox, JOB_FILE);
    let half = store(&sandbox).join(".ioproof-4242-0123456789abcdef");
    let lives = store(&sandbox).join(".ioproof-4243-0123456789abcdef");
    for folder in [&half, &lives] {
        put_at(folder.clone(), PLANNED);
    }
    let lock = go_on(&lives);
    assert_eq!(listed(&sandbox, &[]), [JOB_FILE]);
    assert_eq!(sandbox.run(&["runs", "prune", "--size", "1GiB"]).status, 0);
    assert!(!half.exists() && lives.exists(), "one whose process lives stays");
    drop(lock);
    assert_eq!(sandbox.run(&["runs", "rm", JOB_FILE]).status, 0);
    assert!(sandbox.runs().is_empty());
}

/// Sets or clears a flag of a file; false where nobody may, or the filesystem has none.
fn flag(change: &str, path: &Path) -> bool {
    Command::new("chattr").arg(change).arg(path).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Files of a run, but for those that whoever looks at it makes.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let mut files = [below(folder), below(&folder.join("stages"))].concat();
    files.retain(|path| !path.ends_with("lock") && !path.ends_with("summary.json"));
    files.sort();
    files
}

#[test]
fn a_run_of_which_a_file_cannot_be_removed_stays_whole() {
    let sandbox = Sandbox::new();
    let folder = put(&sandbox, JOB_FILE);
    let before = files_of(&folder);
    for file in ["run.json", "stages", "stages/0000.json"].map(|name| folder.join(name)) {
        if !flag("+i", &file) {
            return;
        }
        let pruned = sandbox.run(&["runs", "prune", "--size", "1"]);
        let removed = sandbox.run(&["runs", "rm", JOB_FILE]);
        assert!(flag("-i", &file));
        for said in [&pruned, &removed] {
            assert!(
                said.status == 2 && said.stderr.contains("may not be changed nor removed") && said.stderr.contains(JOB_FILE),
                "{said:?}"
            );
            assert!(!said.stderr.contains("another process"), "{said:?}");
        }
        assert_eq!((sandbox.runs(), files_of(&folder)), (vec![JOB_FILE.to_owned()], before.clone()));
    }
    assert_eq!(sandbox.run(&["runs", "rm", JOB_FILE]).status, 0);
}

#[test]
fn what_is_left_of_a_run_and_cannot_be_removed_is_said() {
    let sandbox = Sandbox::new();
    let half = store(&sandbox).join(".ioproof-4242-0123456789abcdef");
    put_at(half.clone(), JOB_FILE);
    if !flag("+i", &half.join("run.json")) {
        return;
    }
    let said = sandbox.run(&["runs", "prune", "--size", "1GiB"]);
    assert!(flag("-i", &half.join("run.json")));
    assert!(said.status == 2 && said.stderr.contains(".ioproof-4242-0123456789abcdef is what is left of a run"), "{said:?}");
    assert_eq!(sandbox.run(&["runs", "prune", "--size", "1GiB"]).status, 0);
    assert!(!half.exists());
}

#[test]
fn a_link_in_the_place_of_a_run_is_said_and_not_followed() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    let outside = sandbox.work().join("outside");
    put_at(outside.clone(), JOB_FILE);
    symlink(&outside, store(&sandbox).join(JOB_FILE)).unwrap();
    for arguments in [&["runs", "prune", "--size", "1GiB"][..], &["runs", "rm", JOB_FILE]] {
        let said = sandbox.run(arguments);
        assert!(said.status == 2 && said.stderr.contains("it is a link, which is not followed"), "{said:?}");
    }
    assert!(outside.join("run.json").is_file() && sandbox.runs().len() == 2);
}
