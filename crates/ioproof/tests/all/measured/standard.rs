//! The tests of a standard on a file: consent, an interruption in their middle, and the report.

use crate::common::{MIB, Sandbox};

const TESTS: [&str; 11] =
    ["verify", "data", "--standard", "snia-client", "--tests", "tp", "--time", "20ms", "--overwrite", "data", "--json"];

#[test]
fn without_consent_nothing_is_tested_and_a_dry_run_says_what_would_be() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 8 * MIB);
    sandbox.run(&TESTS[..8]).refuses(&["may not write to it", "hint: --overwrite data consents"]);
    sandbox.run(&[&TESTS[..10], &["--rw", "randread"]].concat()).refuses(&["--rw does not go with --standard"]);
    let dry = sandbox.run(&[&TESTS[..10], &["--dry-run"]].concat());
    for text in ["SNIA SSS PTS 2.0.2, PTS-C: active range 6 MiB (75 %), 20 ms a cell", "5 to 25 rounds of 2 cells", "nothing was written"] {
        assert!(dry.stdout.contains(text), "{text}: {dry:?}");
    }
}

#[test]
fn interrupted_tests_go_on_where_they_were_and_end_steady_or_say_that_they_are_not() {
    let sandbox = Sandbox::new();
    sandbox.file("data", 8 * MIB);
    sandbox.interrupt(sandbox.begin(&TESTS), 5, || {});
    sandbox.run(&["verify", "--resume", "last"]).refuses(&["consent is given for each run anew", "--overwrite data"]);
    let whole = sandbox.run(&["verify", "--resume", "last", "--overwrite", "data", "--json"]);
    let report = whole.json();
    assert!(report["run"]["notes"].to_string().contains("goes on with run"), "{}", report["run"]["notes"]);
    let passes = report["run"]["stages"].as_array().unwrap().iter().filter(|stage| stage["purpose"] == "precondition").count();
    assert_eq!(passes, 4, "two before each test, of which those before the interruption are not made again");
    let tests = report["judgement"]["standard"]["tests"].as_array().unwrap();
    let ends: Vec<&str> = tests.iter().map(|test| test["state"].as_str().unwrap()).collect();
    assert!(ends.len() == 2 && ends.iter().all(|end| ["steady", "not_steady"].contains(end)), "{ends:?}");
    assert!(tests.iter().all(|test| test["rounds"].as_array().unwrap().len() >= 5 && test["window"].is_object()), "{tests:?}");
    assert!(whole.status == 3 || !ends.contains(&"not_steady"), "{whole:?}");
}
