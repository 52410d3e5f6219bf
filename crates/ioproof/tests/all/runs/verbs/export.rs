//! `export`, and the way of a run to another machine.

use super::*;
use std::os::unix::fs::symlink;

#[test]
fn a_run_is_judged_again_where_it_is_imported() {
    let [here, there] = [Sandbox::new(), Sandbox::new()];
    let folder = put(&here, JOB_FILE);
    assert_eq!(here.run(&["runs", "name", "7b21", "golden", "--tag", "night"]).status, 0);
    // A verdict that nobody gave.
    let judgement = fs::read_to_string(folder.join("judgement.json")).unwrap();
    fs::write(folder.join("judgement.json"), judgement.replace("\"exit_status\": 3", "\"exit_status\": 0")).unwrap();
    let said = here.run(&["runs", "export", "golden"]);
    assert!(said.status == 0 && said.stdout.contains(&format!("{JOB_FILE}.json")), "{said:?}");
    let file = here.path(&format!("{JOB_FILE}.json"));
    let said = there.run(&["runs", "import", &file]);
    assert!(said.status == 0 && said.stdout.contains("judged again: exit status 3"), "{said:?}");
    let fresh = here.run(&["report", "golden", "--json", "--rejudge"]).json();
    assert_eq!(there.run(&["report", "7b21", "--json"]).json(), fresh);
    let row = there.run(&["runs", "list", "--json"]).json()["runs"][0].clone();
    assert!(row["imported_at"].is_string() && row["name"].is_null() && row["tags"] == serde_json::json!([]), "names are of a store: {row}");
    assert!(there.run(&["runs", "list"]).stdout.contains("@elsewhere"));
    let again = there.run(&["runs", "import", &file, &file]);
    assert!(again.status == 0 && again.stdout.matches("it is in the store already").count() == 2, "{again:?}");
    assert_eq!((there.runs(), here.run(&["runs", "import", &file]).status), (vec![JOB_FILE.to_owned()], 0), "also where it was measured");
    assert_eq!(there.run(&["report", &file]).status, 0, "it is read as it is");
    there.run(&["report", "last"]).refuses(&["there is no run `last`", "measured here"]);
    there.run(&["sweep", "--resume", "7b21"]).refuses(&["was measured on another machine"]);
}

#[test]
fn an_export_replaces_only_an_export() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    put(&sandbox, JOB_FILE);
    let file = sandbox.work().join("x.ioproof");
    let export = |run: &str| sandbox.run(&["runs", "export", run, "-o", "x.ioproof"]);
    assert_eq!((export("3f9a").status, export("7b21").status), (0, 0));
    let whole = fs::read(&file).unwrap();
    let text = String::from_utf8_lossy(&whole);
    assert!(text.contains(&format!("\"id\":\"{JOB_FILE}\"")) && text.contains(",\"ioproof_stamp\":\""), "{text}");
    // A copy bears no mark.
    fs::remove_file(&file).unwrap();
    fs::write(&file, &whole).unwrap();
    export("3f9a").refuses(&["exists and is not what ioproof wrote"]);
    fs::write(&file, "dear diary").unwrap();
    export("3f9a").refuses(&["exists and is not what ioproof wrote"]);
    assert_eq!(fs::read(&file).unwrap(), b"dear diary");
    fs::remove_file(&file).unwrap();
    symlink("precious", &file).unwrap();
    export("3f9a").refuses(&["is a link"]);
    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    export("3f9a").refuses(&["no regular file"]);
    sandbox.run(&["runs", "export", "3f9a", "-o", "no/such/x"]).refuses(&["there is no folder no/such"]);
    for folder in ["z/", "z//", "z/.", "./z/"] {
        sandbox.run(&["runs", "export", "3f9a", "-o", folder]).refuses(&["the name of a folder", "hint: leave the slash out"]);
    }
    assert!(!sandbox.work().join("z").exists());
    let help = sandbox.run(&["runs", "export", "--help"]).stdout;
    assert!(help.contains("is replaced only if it is empty or an export that nobody changed since"), "{help}");
    sandbox.run(&["runs", "export", "3f9a", "-o", "-"]).refuses(&["name a file"]);
    sandbox.run(&["runs", "export", "nothing"]).refuses(&["there is no run `nothing`"]);
}

#[test]
fn damaged_stages_are_left_out_and_said() {
    let [here, there] = [Sandbox::new(), Sandbox::new()];
    let folder = put(&here, JOB_FILE);
    fs::write(folder.join("stages/0001.json"), "{}").unwrap();
    let said = here.run(&["runs", "export", "7b21", "-o", "x.ioproof"]);
    assert!(said.status == 0 && said.stderr.contains("left out: ") && said.stderr.contains("0001.json"), "{said:?}");
    assert_eq!(there.run(&["runs", "import", &here.path("x.ioproof")]).status, 0);
    let notes = there.run(&["report", "7b21", "--json"]).json()["run"]["notes"].to_string();
    assert!(notes.contains("stages are missing here before"), "{notes}");
}

#[test]
fn what_was_changed_is_not_carried_and_digests_go_along() {
    let [here, there] = [Sandbox::new(), Sandbox::new()];
    assert_eq!(here.run(&["verify", "--size", "16MiB", "--rw", "randread", "--runs", "3", "--ios", "2000", "--backend", "null"]).status, 0);
    let id = here.runs().remove(0);
    let export = || here.run(&["runs", "export", &id, "-o", "x.ioproof"]);
    assert_eq!((export().status, there.run(&["runs", "import", &here.path("x.ioproof")]).status), (0, 0));
    let notes = || there.run(&["report", &id, "--json"]).json()["run"]["notes"].to_string();
    assert!(!notes().contains("changed or damaged"), "{}", notes());
    for file in ["stages/0000.json", "judgement.json"] {
        let spaced = |folder: PathBuf| {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            fs::write(folder.join(file), text + " ").unwrap();
        };
        spaced(store(&there).join(&id));
        assert!(notes().contains(&format!("{file} was changed or damaged")), "it was imported with digests: {}", notes());
        spaced(store(&here).join(&id));
    }
    let said = export();
    assert!(said.status == 0 && said.stderr.contains("left out: ") && said.stderr.contains("0000.json was changed or damaged"), "{said:?}");
    fs::write(store(&here).join(&id).join("run.json"), fs::read_to_string(store(&here).join(&id).join("run.json")).unwrap() + " ").unwrap();
    export().refuses(&["run.json was changed or damaged since the run was stored", "hint: "]);
    assert_eq!(here.run(&["runs", "rm", &id]).status, 0);
    assert!(!store(&here).join(&id).exists(), "nothing is left of it");
}
