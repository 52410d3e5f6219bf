//! Several targets of one run, each alone and all at once, on files of the test's own; the write rule holds for each.

use crate::common::{MIB, ProgramOutput, Sandbox};

/// Words of a short run whose length nothing but its counts decides.
const SHORT: [&str; 9] = ["verify", "--workers", "1", "--depth", "2", "--runs", "6", "--ios", "100"];

fn verify(sandbox: &Sandbox, targets: &[&str], more: &[&str]) -> ProgramOutput {
    sandbox.run(&[&SHORT, targets, more].concat())
}

/// Purposes and jobs of the stages of a run.
fn stages(json: &serde_json::Value) -> Vec<(String, Vec<u64>)> {
    let jobs = |stage: &serde_json::Value| stage["rounds"].as_array().unwrap().iter().map(|round| round["job"].as_u64().unwrap()).collect();
    let all = json["run"]["stages"].as_array().unwrap().iter();
    all.map(|stage| (stage["purpose"].as_str().unwrap().to_owned(), jobs(stage))).collect()
}

#[test]
fn each_is_measured_alone_and_all_at_once() {
    let sandbox = Sandbox::new();
    let files = ["a", "b", "c"].map(|name| sandbox.file(name, 4 * MIB));
    let before = files.each_ref().map(|file| std::fs::read(file).unwrap());
    let said = verify(&sandbox, &["a", "b", "c"], &["--rw", "randread", "--json"]);
    let json = said.json();
    let alone = |job: u64| ("measure".to_owned(), vec![job]);
    let all = ("together".to_owned(), vec![0, 1, 2]);
    let turn = [alone(0), alone(1), alone(2), all];
    let found = stages(&json);
    assert!(found.len() >= 24, "{found:?}");
    for (number, stages) in found.chunks(4).enumerate() {
        let mut stages = stages.to_vec();
        if number % 2 == 1 {
            stages.reverse();
        }
        assert_eq!(stages, turn, "turn {number}");
    }
    let row = &json["judgement"]["together"]["rows"][0];
    assert_eq!(row["members"].as_array().unwrap().len(), 3);
    let median = |of: &serde_json::Value| of["iops"]["median"].as_f64().unwrap();
    assert!(median(&row["apart"]) > 0.0 && row["share"]["runs"].as_u64().unwrap() >= 6, "{row}");
    assert_eq!(json["judgement"]["rows"].as_array().unwrap().len(), 3, "claims are judged by each alone");
    assert_eq!(files.each_ref().map(|file| std::fs::read(file).unwrap()), before, "none was written");
    for format in ["text", "markdown", "html"] {
        let page = sandbox.run(&["report", "last", "--format", format]).stdout;
        assert!(page.contains("Each alone and all at once") && page.contains("all 3, added up"), "{format}: {page}");
    }
    let table = sandbox.run(&["report", "last", "--format", "csv"]).stdout;
    assert!(table.contains("share_at_once") && table.contains("each alone, added up"), "{table}");
    verify(&sandbox, &["a", "b"], &["--rw", "randread"]);
    let [first, second] = sandbox.runs().try_into().unwrap();
    let told = sandbox.run(&["compare", &first, &second, "--json"]).json();
    assert_eq!(told["rows"][0]["name"], "all at once", "{told}");
    sandbox.run(&["verify", "a", "--rw", "randread", "--workers", "1", "--depth", "2", "--runs", "1", "--ios", "10"]);
    sandbox.run(&["compare", &first, "last"]).refuses(&["has 3 targets", "by what all of them give at once"]);
}

#[test]
fn none_is_written_without_the_consent_of_all() {
    let sandbox = Sandbox::new();
    let files = ["a", "b"].map(|name| sandbox.file(name, MIB));
    let before = files.each_ref().map(|file| std::fs::read(file).unwrap());
    verify(&sandbox, &["a", "b"], &["--rw", "randwrite"]).refuses(&["all of it writes", "--overwrite a consents"]);
    verify(&sandbox, &["a", "b"], &["--rw", "randread", "--overwrite", "b"]).refuses(&["b would be written, and a only read"]);
    verify(&sandbox, &["a", "b"], &["--rw", "randwrite", "--overwrite", "c"]).refuses(&["--overwrite \"c\" names none of the targets"]);
    verify(&sandbox, &["a", "b", "./a"], &["--rw", "randread"]).refuses(&["against itself"]);
    assert_eq!(files.each_ref().map(|file| std::fs::read(file).unwrap()), before);
    let dry = verify(&sandbox, &["a", "b"], &["--rw", "randwrite", "--overwrite", "a", "--overwrite", "b", "--dry-run"]);
    assert!(dry.status == 0 && dry.stdout.contains("each alone and all at once: 6 runs of each"), "{dry:?}");
    assert_eq!(files.each_ref().map(|file| std::fs::read(file).unwrap()), before, "a rehearsal writes nothing");
    assert!(sandbox.runs().is_empty(), "nothing was measured");
    let said = verify(&sandbox, &["a", "b"], &["--rw", "randwrite", "--overwrite", "a", "--overwrite", "b"]);
    assert!(said.stdout.contains("all 2, added up"), "{said:?}");
    assert!(files.iter().zip(&before).all(|(file, before)| std::fs::read(file).unwrap() != *before));
}

#[test]
fn what_cannot_be_done_with_several_is_said() {
    let sandbox = Sandbox::new();
    ["a", "b"].iter().for_each(|name| drop(sandbox.file(name, MIB)));
    for (words, said) in [
        (["--rw", "randwrite", "--check", "--json"].as_slice(), "--check does not go with several targets"),
        (&["--rw", "randread", "--baseline", "last"], "--baseline"),
        (&["--rw", "randread", "--backend", "null"], "--backend null"),
        (&["--rw", "randread", "--dir", "."], "cannot be used with"),
    ] {
        verify(&sandbox, &["a", "b"], words).refuses(&[said]);
    }
    verify(&sandbox, &["a", "nonesuch"], &["--rw", "randread"]).refuses(&["nonesuch: no such target"]);
    sandbox.run(&["sweep", "a", "b"]).refuses(&["a sweep has one target"]);
    sandbox.run(&["sync", "a", "b"]).refuses(&["sync has one target"]);
    sandbox.run(&["verify", "a", "b", "--interleave", "a", "b"]).refuses(&["cannot be used with"]);
    let many: Vec<String> = (0..65).map(|at| at.to_string()).collect();
    sandbox.run(&[["verify"].as_slice(), &many.iter().map(String::as_str).collect::<Vec<_>>()].concat()).refuses(&["64 are the most"]);
    assert!(sandbox.runs().is_empty());
}
