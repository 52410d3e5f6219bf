//! Tables, filters, and what lies in the store that no version reads.

use super::*;

#[test]
fn a_line_fits_80_columns_and_its_short_id_stands_for_the_run() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    put_as(&sandbox, "20261204-101500-001-7b21", &[]);
    put_as(&sandbox, "20261204-101500-002-7b21", &[("\"oltp\"", "\"a job with a very long name that no line has room for at all\"")]);
    assert_eq!(sandbox.run(&["runs", "name", "001-7b21", "the-longest-name-that-a-run-may-have-here"]).status, 2);
    assert_eq!(sandbox.run(&["runs", "name", "001-7b21", "the-longest-name-that-a-run-may-bear"]).status, 0);
    let table = sandbox.run(&["runs", "list"]).stdout;
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    let head: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["id", "began", "verb", "drive", "name", "exit", "figure"]);
    let short: Vec<&str> = table.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(short, ["3f9a", "001-7b21", "002-7b21"]);
    for id in &short {
        assert_eq!(sandbox.run(&["runs", "show", id]).status, 0, "{id}");
    }
    assert!(
        table.contains("11-21")
            && table.contains("verify")
            && table.contains("1 misses")
            && table.contains("INTEL SSD")
            && table.contains("2761 MB/s"),
        "{table}"
    );
    sandbox.run(&["runs", "show", "7b21"]).refuses(&["`7b21` fits 2 runs"]);
}

#[test]
fn runs_are_found_by_drive_host_verb_time_and_tag() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    put(&sandbox, JOB_FILE);
    assert_eq!(sandbox.run(&["runs", "name", JOB_FILE, "--tag", "night"]).status, 0);
    let cpu = sandbox.run(&["report", JOB_FILE, "--json"]).json()["run"]["host"]["cpu_model"]["value"].as_str().unwrap().to_owned();
    for (arguments, expected) in [
        (&["--drive", "by-ID"][..], &[PLANNED][..]),
        (&["--drive", "st4000"], &[JOB_FILE]),
        (&["--drive", "fixture0000002"], &[JOB_FILE]),
        (&["--drive", "no such drive"], &[]),
        (&["--verb", "run"], &[JOB_FILE]),
        (&["--verb", "sweep"], &[]),
        (&["--since", "2026-11-22"], &[JOB_FILE]),
        (&["--until", "2026-11-22"], &[PLANNED]),
        (&["--since", "2026-11-21", "--until", "2026-12-03"], &[PLANNED, JOB_FILE]),
        (&["--tag", "night"], &[JOB_FILE]),
        (&["--tag", "night", "--tag", "day"], &[]),
        (&["--host", "no such host"], &[]),
        (&["--verb", "verify", "--drive", "INTEL", "--last", "1"], &[PLANNED]),
        (&["--last", "1"], &[JOB_FILE]),
    ] {
        assert_eq!(listed(&sandbox, arguments), expected, "{arguments:?}");
    }
    assert!(listed(&sandbox, &["--host", &cpu]).contains(&JOB_FILE.to_owned()));
    let found = sandbox.run(&["runs", "find", "NIGHT", "--json"]);
    assert_eq!((found.status, found.json()["runs"][0]["id"].as_str()), (0, Some(JOB_FILE)));
    assert_eq!(sandbox.run(&["runs", "find", "backup", "--json"]).json()["runs"][0]["id"], JOB_FILE, "the name of a job");
    assert_eq!(sandbox.run(&["runs", "find", "no such thing"]).status, 1);
    for wrong in [&["--since", "yesterday"][..], &["--verb", "list"], &["--last", "0"]] {
        sandbox.run(&[&["runs", "list"], wrong].concat()).refuses(&[wrong[0]]);
    }
}

#[test]
fn a_new_run_has_the_name_of_its_host() {
    let sandbox = Sandbox::new();
    let job = ["run", "--name=one", "--ioengine=null", "--rw=read", "--bs=4k", "--size=64k"];
    assert_eq!(sandbox.run(&job).status, 0);
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert_eq!(sandbox.run(&["runs", "list", "--json"]).json()["runs"][0]["host"], host.trim());
    assert_eq!(listed(&sandbox, &["--host", host.trim()]).len(), 1);
}

#[test]
fn what_is_no_run_is_named_in_a_line() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    fs::create_dir(store(&sandbox).join("old")).unwrap();
    fs::create_dir(store(&sandbox).join(".on-its-way")).unwrap();
    fs::write(store(&sandbox).join("notes.txt"), "mine").unwrap();
    let said = sandbox.run(&["runs", "list"]);
    assert_eq!((said.status, said.stdout.lines().count()), (0, 2), "{said:?}");
    assert!(said.stderr.lines().last().unwrap().ends_with(", 2 entries are no runs and left out: notes.txt, old"), "{}", said.stderr);
    assert!(!sandbox.run(&["runs", "list", "--json"]).stderr.contains("no runs"));
}

#[test]
fn what_no_version_reads_is_named_and_skipped() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    put_as(&sandbox, "20270101-000000-0001", &[("\"schema_version\": 2", "\"schema_version\": 99")]);
    fs::write(put(&sandbox, JOB_FILE).join("run.json"), "{").unwrap();
    let killed = store(&sandbox).join("20270102-000000-0002");
    fs::create_dir_all(killed.join("stages")).unwrap();
    fs::write(killed.join("lock"), "").unwrap();
    let begins = store(&sandbox).join("20270103-000000-0003");
    fs::create_dir_all(&begins).unwrap();
    let _lock = go_on(&begins);
    let table = sandbox.succeeds(&["runs", "list"]);
    let line = |id: &str| table.stdout.lines().find(|line| line.starts_with(id)).unwrap_or_default();
    assert!(line("0001").contains("unreadable") && line("0001").contains("is of format 99"), "{}", table.stdout);
    assert!(line("7b21").contains("unreadable") && line("0002").contains("killed as it began"), "{}", table.stdout);
    assert!(line("3f9a").contains("MB/s") && line("0003").is_empty(), "one that begins right now is not there yet: {}", table.stdout);
    let filtered = sandbox.run(&["runs", "list", "--drive", "INTEL"]);
    assert_eq!(filtered.stderr.matches("is left out").count(), 3, "{filtered:?}");
    let pruned = sandbox.run(&["runs", "prune", "--size", "0"]);
    assert_eq!((pruned.status, pruned.stderr.matches("cannot be read and stays").count()), (2, 3), "{pruned:?}");
    assert_eq!(listed(&sandbox, &[]).len(), 3);
    sandbox.run(&["runs", "export", "0001"]).refuses(&["is of format 99", "use a newer ioproof"]);
    sandbox.run(&["runs", "show", "0001"]).refuses(&["is of format 99", "use a newer ioproof"]);
    for labels in ["{", "{\"labels_version\":9}"] {
        fs::write(store(&sandbox).join("20270101-000000-0001/labels.json"), labels).unwrap();
        let said = sandbox.run(&["runs", "list"]);
        let pruned = sandbox.run(&["runs", "prune", "--size", "0"]);
        assert!(pruned.stderr.contains("the name of run 20270101-000000-0001 cannot be read, so it stays"), "{pruned:?}");
        assert!(said.status == 0 && said.stderr.contains("the name and tags of run 20270101-000000-0001 cannot be read"), "{said:?}");
    }
}

#[test]
fn every_stored_run_is_read_and_carried() {
    let now = ioproof_core::record::SCHEMA_VERSION;
    let sandbox = Sandbox::new();
    for entry in fs::read_dir(fixtures()).unwrap() {
        let id = entry.unwrap().file_name().into_string().unwrap();
        put(&sandbox, &id);
        let report = sandbox.run(&["report", &id, "--json", "--rejudge"]).json();
        assert_eq!(report["run"]["schema_version"], now, "{id}");
        assert!(report["run"]["stages"][0]["rounds"][0].is_object() && report["judgement"]["rows"][0]["measured"].is_object(), "{id}");
        assert!(!report["run"]["notes"].to_string().contains("missing here"), "{id}");
        assert_eq!(sandbox.run(&["runs", "show", &id]).status, 0, "{id}");
        assert!(listed(&sandbox, &[]).contains(&id));
        let other = Sandbox::new();
        let file = other.path("run.json");
        assert_eq!(sandbox.run(&["runs", "export", &id, "-o", &file]).status, 0, "{id}");
        assert_eq!(other.run(&["runs", "import", &file]).status, 0, "{id}");
        assert_eq!(other.run(&["report", &id, "--json", "--rejudge"]).json(), report, "{id}");
    }
}

#[test]
fn every_action_has_its_examples() {
    let sandbox = Sandbox::new();
    for action in ["list", "show", "find", "name", "export", "import", "prune", "rm"] {
        let said = sandbox.run(&["runs", action, "--help"]);
        assert!(said.status == 0 && said.stdout.contains(&format!("Examples:\n  ioproof runs {action} ")), "{said:?}");
    }
}

#[test]
fn the_last_run_is_the_one_that_began_last_whatever_its_clock_said() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 1 << 20);
    let measure = || assert_ne!(sandbox.run(&["verify", "data", "--rw", "read", "--runs", "1", "--ios", "1"]).status, 2);
    put_as(&sandbox, "22000101-000000-000-aaaa", &[]);
    let last = || sandbox.run(&["runs", "name", "last", "--json"]).json()["id"].as_str().unwrap().to_owned();
    assert_eq!(last(), "22000101-000000-000-aaaa", "nothing began since this is noted");
    measure();
    let first = sandbox.runs().remove(0);
    assert_eq!(last(), first);
    measure();
    let second = sandbox.runs().into_iter().find(|id| *id != first && !id.starts_with("2200")).unwrap();
    assert_eq!(last(), second);
    assert_eq!(sandbox.run(&["runs", "rm", &second]).status, 0);
    assert_eq!(last(), "22000101-000000-000-aaaa", "the one that is noted is gone");
}
