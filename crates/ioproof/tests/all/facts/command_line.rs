//! Help, mistakes on the command line, datasheets and an empty run store.

use crate::common::Sandbox;

#[test]
fn without_a_verb_it_helps() {
    let said = Sandbox::new().run(&[]);
    assert!(said.status == 2 || said.status == 0, "{said:?}");
    assert!(format!("{}{}", said.stdout, said.stderr).contains("ioproof verify"));
}

#[test]
fn help_has_examples() {
    let sandbox = Sandbox::new();
    for args in [vec!["--help"], vec!["verify", "--help"], vec!["report", "--help"]] {
        let said = sandbox.run(&args);
        assert_eq!(said.status, 0);
        assert!(said.stdout.contains("Examples:"), "{args:?}");
    }
}

#[test]
fn quiet_leaves_errors_with_their_hints() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 1 << 20);
    // psync keeps one I/O outstanding.
    let job = ["run", "--name=a", "--filename=data", "--rw=read", "--bs=4k", "--size=64k", "--ioengine=psync", "--iodepth=32"];
    assert!(sandbox.run(&job).stderr.contains("warning: "));
    for quiet in [[&["--quiet"], &job[..]].concat(), [&job[..], &["--output=results.txt"]].concat()] {
        let said = sandbox.run(&quiet);
        assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{quiet:?}");
    }
    let said = sandbox.run(&[&["--quiet"], &job[..], &["--strict"]].concat());
    assert!(said.status == 2 && said.stderr.lines().all(|line| line.starts_with("error: ") || line.starts_with("hint: ")), "{said:?}");
    assert!(said.stderr.matches("error: ").count() > 1, "the mistakes, and that they end the run: {said:?}");
}

#[test]
fn colours_come_where_they_are_wanted() {
    let sandbox = Sandbox::new();
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261203-101500-7b21");
    let is_colored = |args: &[&str]| sandbox.run(&[args, &["runs", "show", run]].concat()).stdout.contains("\u{1b}[");
    assert!(is_colored(&["--color", "always"]) && !is_colored(&["--color", "never"]) && !is_colored(&[]));
}

#[test]
fn mistakes_are_told() {
    let sandbox = Sandbox::new();
    for (args, word) in [
        (vec!["verifi"], "verify"),
        (vec!["verify", "--siez", "1GiB"], "--size"),
        (vec!["verify", "--size", "banana"], "does not start with a number"),
        (vec!["verify", "--size", "0"], "0 bytes"),
        (vec!["verify", "--time", "3 parsecs"], "not a unit of time"),
        (vec!["verify", "--threshold", "80"], "more than 0 and at most 100"),
        (vec!["verify", "--runs", "0"], "0"),
        (vec!["verify", "--destroy", "X"], "--destroy needs the device"),
        (vec!["verify", "--overwrite", "X"], "--overwrite needs the file"),
        (vec!["verify", ".", "--destroy", "X"], "scratch file"),
        (vec!["verify", "x", "--destroy-unknown-content"], "--destroy"),
        (vec!["verify", "-o", "x.pdf"], ".html"),
        (vec!["verify", "-o", "/no/such/folder/x.html"], "cannot write"),
        (vec!["verify", "--rw", "raed"], "randread"),
        (vec!["verify", "--rw", "rw:70:40"], "more than 100 %"),
        (vec!["verify", "--rw", "read", "--bs", "4KiB:60/16KiB:30"], "90 %"),
        (vec!["verify", "--rw", "randread", "--distribution", "zipf"], "zipf:1.2"),
        (vec!["verify", "--rw", "read", "--distribution", "free"], "random order"),
        (vec!["verify", "--rw", "write", "--sync", "flush"], "fdatasync"),
        (vec!["verify", "--rw", "read", "--sync", "fsync"], "workloads that write"),
        (vec!["verify", "--rw", "read", "--rate", "0"], "10k"),
        (vec!["verify", "--rw", "read", "--rate", "5", "--poisson", "5"], "--poisson"),
        (vec!["verify", "--rw", "read", "--rate", "5", "--think", "1ms"], "closed loop"),
        (vec!["verify", "--rw", "read", "--latency-target", "1ms"], "p99.9:1ms"),
        (vec!["verify", "--rw", "write", "--data", "pattern:xyz"], "deadbeef"),
        (vec!["verify", "--rw", "write", "--compressible", "100"], "0..=99"),
        (vec!["verify", "--rw", "write", "--check", "--data", "zero"], "headers"),
        (vec!["verify", "--rw", "read", "--pin", "0,x"], "0,2,4-7"),
        (vec!["verify", "--rw", "read", "--pin", "8000"], "no CPU 8000"),
        (vec!["verify", "--rw", "read", "--stride", "4KiB"], "shorter than a block"),
        (vec!["verify", "--rw", "read", "--bytes", "4KiB"], "less than a block of 128 KiB"),
        (vec!["verify", "--rw", "read", "--worker-span", "1TiB"], "do not fit"),
        (vec!["verify", "--rw", "read", "--offset", "100B"], "4 KiB"),
        (vec!["verify", "--offset", "1TiB"], "beyond the end"),
        (vec!["verify", "--backend", "fio"], "io_uring"),
        (vec!["verify", "--backend", "psync", "--polled"], "pvsync2"),
        (vec!["verify", "--bs", "4KiB"], "--rw"),
        (vec!["verify", "--check"], "--rw"),
        (vec!["report", "last", "-o", "x"], ".html"),
        (vec!["report", "nothing"], "there is no run"),
        (vec!["datasheet", "show", "no-such-drive"], "there is no datasheet"),
        (vec!["datasheet", "check", "none.toml"], "cannot read none.toml"),
        (vec!["device", "bind", "NO-SUCH-DRIVE"], "no NVMe drive"),
        (vec!["device", "unbind", "NO-SUCH-DRIVE"], "no drive that ioproof has taken"),
        (vec!["device", "purge", "NO-SUCH-DRIVE", "--destroy"], "neither a path nor the serial number"),
        (vec!["device", "purge", "/dev/zero", "--destroy", "x"], "is no drive"),
        (vec!["verify", "trtype:PCIe traddr:ffff:00:00.0"], "device bind"),
        (vec!["verify", "trtype:TCP traddr:10.0.0.1"], "only PCIe is driven"),
    ] {
        let said = sandbox.run(&args);
        assert_eq!(said.status, 2, "{args:?}: {said:?}");
        assert!(said.stderr.contains(word), "{args:?}: {}", said.stderr);
    }
    assert!(sandbox.left_behind().is_empty() && sandbox.runs().is_empty());
}

#[test]
fn the_flags_of_a_load_stand_together_and_have_examples() {
    let help = Sandbox::new().run(&["verify", "--help"]).stdout;
    let (before, load) = help.split_once("Load (with --rw):").unwrap();
    let (load, engine) = load.split_once("Engine:").unwrap();
    assert!(before.contains("--destroy") && before.contains("--json") && !before.contains("--rw <"));
    for flag in ["--rw", "--bs", "--distribution", "--worker-span", "--sync", "--rate", "--latency-target", "--data", "--check", "--ios"] {
        assert!(load.contains(&format!("{flag} ")) || load.contains(&format!("{flag}\n")), "{flag}");
    }
    for flag in ["--backend", "--polled", "--kernel-submits", "--pin", "--huge-pages", "--split-latency"] {
        assert!(engine.contains(flag), "{flag}");
    }
    assert!(!help.contains("--no-latency"));
    let examples = help.split_once("Examples:").unwrap().1;
    for flag in ["--distribution", "--rate", "--latency-target", "--sync", "--check", "--worker-span", "--pin", "--backend null"] {
        assert!(examples.contains(flag), "{flag}");
    }
}

#[test]
fn shipped_datasheets_are_listed_and_shown() {
    let sandbox = Sandbox::new();
    let list = sandbox.run(&["datasheet", "list"]);
    for name in ["intel-dc-p3700", "intel-dc-s3700", "intel-dc-s4500", "samsung-970-evo-plus", "samsung-pm1733"] {
        assert!(list.stdout.contains(name), "{name}");
    }
    assert!(list.stdout.lines().count() >= 20);
    let shown = sandbox.run(&["datasheet", "show", "intel-dc-p3700"]);
    assert!(shown.stdout.contains("random 70/30 mix 4 KiB: up to 265 kIOPS"), "{}", shown.stdout);
    let json = sandbox.run(&["datasheet", "list", "--json"]).json();
    assert_eq!(json["schema_version"], 1);
    assert!(json["datasheets"].as_array().unwrap().len() >= 20);
}

const OWN: &str = r#"name = "mine"
vendor = "Me"
family = "One"
models = ["MINE*"]
interface = "nvme"
[[claim]]
metric = "iops"
value = 1
unit = "kIOPS"
qualifier = "up to"
pattern = "random"
mix = "read"
block_size = "4KiB"
source = "me"
confidence = "high"
"#;

#[test]
fn a_users_own_datasheets_count_and_mistakes_are_pointed_at() {
    let sandbox = Sandbox::new();
    let folder = sandbox.config().join("ioproof/datasheets");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mine.toml"), OWN).unwrap();
    assert!(sandbox.run(&["datasheet", "list"]).stdout.contains("mine"));
    let bad = sandbox.work().join("bad.toml");
    std::fs::write(&bad, OWN.replace("name = \"mine\"", "name = \"bad\"").replace("qualifier", "qualifer")).unwrap();
    let checked = sandbox.run(&["datasheet", "check", "bad.toml"]);
    assert_eq!(checked.status, 2);
    assert!(checked.stdout.contains("bad.toml:10:") && checked.stdout.contains("qualifer"), "{}", checked.stdout);
    let used = sandbox.run(&["verify", "--datasheet", "bad.toml"]);
    used.refuses(&["bad.toml:10:", "qualifer", "hint: `ioproof datasheet check bad.toml`"]);
    let two = OWN.replace("name = \"mine\"", "name = \"two\"").replace("qualifier", "qualifer").replace("\nunit =", "\nunti =");
    std::fs::write(sandbox.work().join("two.toml"), two).unwrap();
    let used = sandbox.run(&["verify", "--datasheet", "two.toml"]);
    used.refuses(&["two.toml:9:", "(did you mean `unit`?); two.toml:10:", "qualifer"]);
    assert!(!used.stderr.contains("\\n"), "{}", used.stderr);
    std::fs::copy(&bad, folder.join("bad.toml")).unwrap();
    let list = sandbox.run(&["datasheet", "list"]);
    assert!(list.status == 0 && list.stderr.contains("left out") && list.stdout.contains("mine"), "{list:?}");
}

#[test]
fn an_empty_store_is_no_error() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(&["runs", "list"]);
    assert!(said.status == 0 && said.stdout.is_empty() && said.stderr.contains("no runs yet"));
    assert_eq!(sandbox.run(&["runs", "list", "--json"]).json()["runs"].as_array().unwrap().len(), 0);
}

#[test]
fn a_rule_is_explained_by_its_page() {
    let sandbox = Sandbox::new();
    let page = include_str!("../../../../../docs/rules/page-cache.md");
    let said = sandbox.run(&["rules", "page-cache"]);
    assert!(said.status == 0 && said.stdout == page, "{said:?}");
    let rules = sandbox.run(&["rules", "page-cache", "--json"]).json();
    assert_eq!((rules["rules"].as_array().unwrap().len(), rules["rules"][0]["page"].as_str()), (1, Some(page)));
}

#[test]
fn rules_are_listed_with_what_they_look_for() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(&["rules", "page-cach"]);
    assert!(said.status == 0 && said.stdout.starts_with("figures  page-cache  "), "{said:?}");
    let all = sandbox.run(&["rules", "--json"]).json();
    assert!(all["rules"].as_array().unwrap().iter().any(|rule| rule["name"] == "own-limit" && rule["limits"] == true));
    assert!(all["rules"].as_array().unwrap().iter().all(|rule| rule.get("page").is_none()));
    sandbox.run(&["rules", "nothing-of-the-kind"]).refuses(&["nothing-of-the-kind", "lists all"]);
}
