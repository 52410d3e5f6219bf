//! Two targets in turns, on files of the test's own; the write rule holds for each.

use crate::common::{MIB, ProgramOutput, Sandbox};

fn interleave(sandbox: &Sandbox, targets: [&str; 2], more: &[&str]) -> ProgramOutput {
    let words = ["verify", "--workers", "1", "--depth", "2", "--runs", "6", "--ios", "100", "--interleave", targets[0], targets[1]];
    sandbox.run(&[&words, more].concat())
}

#[test]
fn both_are_measured_in_turns_and_compared() {
    let sandbox = Sandbox::new();
    let (a, b) = (sandbox.file("a", 4 * MIB), sandbox.file("b", 4 * MIB));
    let before = [&a, &b].map(|file| std::fs::read(file).unwrap());
    let said = interleave(&sandbox, ["a", "b"], &["--rw", "randread", "--json"]);
    let json = said.json();
    let jobs: Vec<u64> =
        json["run"]["stages"].as_array().unwrap().iter().map(|stage| stage["rounds"][0]["job"].as_u64().unwrap()).collect();
    assert!(jobs.len() >= 12 && jobs.chunks(4).all(|four| [0, 1, 1, 0].starts_with(four)), "{jobs:?}");
    assert_eq!(json["run"]["targets"].as_array().unwrap().len(), 2);
    let comparison = &json["comparison"];
    assert!(comparison["rows"][0]["against"][0]["answer"].is_string(), "{comparison}");
    assert_eq!((&comparison["runs"][0]["targets"][0], &comparison["runs"][1]["targets"][0]), (&"a".into(), &"b".into()));
    let again = sandbox.run(&["compare", "last", "--json"]).json();
    assert_eq!(again["rows"], comparison["rows"], "a stored one is compared by itself");
    assert_eq!([&a, &b].map(|file| std::fs::read(file).unwrap()), before, "neither was written");
    sandbox.run(&["verify", "a", "--rw", "randread", "--runs", "1", "--ios", "10", "--baseline", "last"]).refuses(&["took turns"]);
    let id = sandbox.runs().remove(0);
    sandbox.run(&["verify", "a", "--rw", "randread", "--workers", "1", "--depth", "2", "--runs", "1", "--ios", "10"]);
    sandbox.run(&["compare", &id, "last"]).refuses(&["is compared by itself"]);
}

#[test]
fn scratch_files_in_two_folders_are_written_and_removed() {
    let sandbox = Sandbox::new();
    ["one", "two"].iter().for_each(|name| std::fs::create_dir(sandbox.work().join(name)).unwrap());
    let said = interleave(&sandbox, ["one", "two"], &["--size", "4MiB", "--rw", "randwrite,randread"]);
    assert!(said.stdout.contains("B against A") && said.stdout.contains("random write"), "{said:?}");
    assert_eq!(sandbox.left_behind(), ["one", "two"]);
    assert!(["one", "two"].iter().all(|name| std::fs::read_dir(sandbox.work().join(name)).unwrap().next().is_none()));
}

#[test]
fn neither_is_written_without_its_own_consent() {
    let sandbox = Sandbox::new();
    let (a, b) = (sandbox.file("a", MIB), sandbox.file("b", MIB));
    let before = [&a, &b].map(|file| std::fs::read(file).unwrap());
    let writes = ["--rw", "randwrite"];
    interleave(&sandbox, ["a", "b"], &writes).refuses(&["all of it writes", "--overwrite a consents"]);
    interleave(&sandbox, ["a", "b"], &["--rw", "randread", "--overwrite", "a"]).refuses(&["a would be written, and b only read"]);
    interleave(&sandbox, ["a", "b"], &["--rw", "randwrite", "--overwrite", "c"]).refuses(&["names none of the targets"]);
    interleave(&sandbox, ["a", "b"], &["--rw", "randwrite", "--destroy", "x"]).refuses(&["1 of 2 devices"]);
    interleave(&sandbox, ["a", "./a"], &["--rw", "randread"]).refuses(&["against itself"]);
    std::fs::hard_link(&a, sandbox.work().join("again")).unwrap();
    interleave(&sandbox, ["a", "again"], &["--rw", "randread"]).refuses(&["against itself"]);
    assert_eq!([&a, &b].map(|file| std::fs::read(file).unwrap()), before);
    assert!(sandbox.runs().is_empty(), "nothing was measured");
    let said = interleave(&sandbox, ["a", "b"], &["--rw", "randwrite", "--overwrite", "a", "--overwrite", "b", "--json"]);
    assert!(said.json()["comparison"]["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{said:?}");
    assert!([&a, &b].iter().zip(&before).all(|(file, before)| std::fs::read(file).unwrap() != *before));
}

#[test]
fn what_cannot_be_done_in_turns_is_said() {
    let sandbox = Sandbox::new();
    sandbox.file("a", MIB);
    sandbox.file("b", MIB);
    for (words, said) in [
        (["--rw", "randwrite", "--check", "--json"], "--check does not go"),
        (["--rw", "randread", "--baseline", "last"], "--baseline"),
        (["--rw", "randread", "--backend", "null"], "--backend null"),
    ] {
        interleave(&sandbox, ["a", "b"], &words).refuses(&[said]);
    }
    interleave(&sandbox, ["a", "missing/b"], &["--rw", "randread"]).refuses(&["missing"]);
    sandbox.run(&["sweep", "--interleave", "a", "b"]).refuses(&["a sweep has one target"]);
}

#[test]
fn a_rehearsal_lists_both_sides_and_touches_neither() {
    let sandbox = Sandbox::new();
    let (a, b) = (sandbox.file("a", 4 * MIB), sandbox.file("b", 2 * MIB));
    let before = [&a, &b].map(|file| std::fs::read(file).unwrap());
    let words = ["--rw", "randread,randwrite", "--dry-run", "--overwrite", "a", "--overwrite", "b"];
    let said = interleave(&sandbox, ["a", "b"], &words);
    assert_eq!(said.status, 0, "{said:?}");
    let lines: Vec<&str> = said.stdout.lines().collect();
    let at = |text: &str| lines.iter().position(|line| line.starts_with(text)).unwrap_or_else(|| panic!("{text}: {}", said.stdout));
    assert!(at("a: 2 MiB would be used") < at("b: 2 MiB would be used") && at("b: 2 MiB would be used") < at("in turns: 6 runs of each"));
    assert_eq!(lines.iter().filter(|line| line.contains("random write 4 KiB, queue depth 2")).count(), 2, "{}", said.stdout);
    let document = interleave(&sandbox, ["a", "b"], &[words.as_slice(), &["--json"]].concat()).json();
    assert_eq!((&document["sides"][0]["target"]["given"], &document["sides"][1]["target"]["given"]), (&"a".into(), &"b".into()));
    interleave(&sandbox, ["a", "b"], &["--rw", "randwrite", "--dry-run"]).refuses(&["--overwrite a consents"]);
    assert_eq!([&a, &b].map(|file| std::fs::read(file).unwrap()), before);
    assert!(sandbox.runs().is_empty(), "nothing was measured");
}

#[test]
fn a_name_that_nothing_bears_is_held_against_nothing() {
    let sandbox = Sandbox::new();
    sandbox.file("big.img", 4 * MIB);
    for targets in [["big.img", "nonesuch"], ["nonesuch", "big.img"]] {
        for more in [["--rw", "randread"].as_slice(), &["--rw", "randread", "--dry-run"]] {
            interleave(&sandbox, targets, more).refuses(&["nonesuch: no such target", "hint: check the spelling"]);
        }
    }
    assert!(sandbox.runs().is_empty());
}
