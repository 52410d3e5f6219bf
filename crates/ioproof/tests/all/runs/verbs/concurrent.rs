//! Processes side by side on one store.

use super::*;
use crate::common::{self, ProgramOutput};
use std::process::Stdio;

/// Runs all of these at the same time.
fn side_by_side(sandbox: &Sandbox, all: &[Vec<&str>]) -> Vec<ProgramOutput> {
    let begin = |arguments: &Vec<&str>| {
        let mut command = sandbox.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = all.iter().map(begin).collect();
    children.into_iter().map(|child| common::said(child.wait_with_output().unwrap())).collect()
}

#[test]
fn one_name_goes_to_one_run() {
    let sandbox = Sandbox::new();
    let ids: Vec<String> = (1..=6).map(|day| format!("2027010{day}-000000-000{day}")).collect();
    ids.iter().for_each(|id| drop(put_as(&sandbox, id, &[])));
    let all: Vec<Vec<&str>> = ids.iter().map(|id| vec!["runs", "name", id, "golden"]).collect();
    let said = side_by_side(&sandbox, &all);
    assert_eq!(said.iter().filter(|said| said.status == 0).count(), 1, "{said:?}");
    let listed = sandbox.run(&["runs", "list", "--json"]).json();
    let named = listed["runs"].as_array().unwrap().iter().filter(|run| run["name"] == "golden").count();
    assert_eq!(named, 1, "{listed}");
}

#[test]
fn importing_listing_and_removing_do_not_disturb_one_another() {
    let sandbox = Sandbox::new();
    put(&sandbox, PLANNED);
    assert_eq!(sandbox.run(&["runs", "export", "3f9a", "-o", "x.ioproof"]).status, 0);
    fs::remove_dir_all(store(&sandbox).join(PLANNED)).unwrap();
    let import = vec!["runs", "import", "x.ioproof"];
    let list = vec!["runs", "list"];
    let said = side_by_side(&sandbox, &[import.clone(), list.clone(), import.clone(), list.clone(), import.clone(), list.clone(), import]);
    assert!(said.iter().all(|said| said.status == 0 && !said.stdout.contains("unreadable")), "{said:?}");
    assert_eq!(said.iter().filter(|said| said.stdout.contains("imported: ")).count(), 1, "the others know it: {said:?}");
    assert_eq!(sandbox.runs(), [PLANNED]);
    let remove = vec!["runs", "rm", PLANNED];
    let said = side_by_side(&sandbox, &[list.clone(), remove.clone(), list.clone(), remove, list]);
    assert!(said.iter().all(|said| !said.stdout.contains("unreadable")), "{said:?}");
    assert_eq!(said.iter().filter(|said| said.stdout.contains("removed")).count(), 1, "{said:?}");
    assert!(sandbox.runs().is_empty());
}
