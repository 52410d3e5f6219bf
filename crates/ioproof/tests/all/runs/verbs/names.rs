//! Names and tags.

use super::*;

#[test]
fn a_name_stands_wherever_a_run_is_asked_for() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    put_as(&sandbox, "20261204-101500-001-00aa", &[]);
    put_as(&sandbox, "20261204-101500-002-00bb", &[]);
    let before = fs::read(store(&sandbox).join(PLANNED).join("run.json")).unwrap();
    for (run, name) in [("3f9a", "golden"), ("00aa", "first"), ("last", "second")] {
        let said = sandbox.run(&["runs", "name", run, name]);
        assert!(said.status == 0 && said.stdout.contains(&format!("name {name}")), "{said:?}");
    }
    assert_eq!(fs::read(store(&sandbox).join(PLANNED).join("run.json")).unwrap(), before, "what was measured stays as it is");
    for arguments in
        [&["report", "golden"][..], &["runs", "show", "golden"], &["compare", "first", "second"], &["runs", "export", "golden"]]
    {
        assert_eq!(sandbox.run(arguments).status, 0, "{arguments:?}");
    }
    sandbox.run(&["sweep", "--resume", "golden"]).refuses(&["run 20261121-031500-3f9a is no sweep"]);
    assert!(sandbox.run(&["runs", "show", "golden"]).stdout.starts_with("name golden\n"));
    assert!(sandbox.run(&["runs", "list"]).stdout.contains("  golden  "));
    sandbox.run(&["report", "golde"]).refuses(&["there is no run `golde`"]);
}

#[test]
fn a_name_is_of_one_run_and_is_taken_for_nothing_else() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    put(&sandbox, JOB_FILE);
    assert_eq!(sandbox.run(&["runs", "name", "3f9a", "golden", "--tag", "b", "--tag", "a", "--tag", "b"]).status, 0);
    sandbox.run(&["runs", "name", "7b21", "golden"]).refuses(&["run 20261121-031500-3f9a has the name `golden`", "--none"]);
    assert_eq!(sandbox.run(&["runs", "name", "3f9a", "golden"]).status, 0, "its own name again");
    for name in ["last", "3f9a", "20261121", "a/b", "../x", "", "x y", "run.json", "\u{1b}[31m", &"x".repeat(41)] {
        let said = sandbox.run(&["runs", "name", "7b21", "--", name]);
        assert!(said.status == 2 && !said.stderr.contains('\u{1b}'), "{name}: {said:?}");
    }
    let labels = |run: &str| sandbox.run(&["runs", "name", run, "--json"]).json();
    assert_eq!((&labels("golden")["tags"], &labels("golden")["id"]), (&serde_json::json!(["a", "b"]), &PLANNED.into()));
    assert_eq!(sandbox.run(&["runs", "name", "golden", "--untag", "a", "--none"]).status, 0);
    assert_eq!((&labels("3f9a")["tags"], &labels("3f9a")["name"]), (&serde_json::json!(["b"]), &serde_json::Value::Null));
    assert_eq!(sandbox.run(&["runs", "name", "7b21", "golden"]).status, 0, "it is free again");
    sandbox.run(&["runs", "name", "3f9a", "x", "--none"]).refuses(&["--none"]);
    sandbox.run(&["runs", "name", fixtures().join(PLANNED).to_str().unwrap(), "golden2"]).refuses(&["is not in the store"]);
}
