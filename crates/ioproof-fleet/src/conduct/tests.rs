//! A fleet on a launcher that answers from a list: no process, no time.

use super::*;
use crate::launch::Begun;
use anyhow::anyhow;
use std::sync::Mutex;

/// Answers of each node, one a look.
struct Scripted {
    folder: FleetFolder,
    answers: Mutex<BTreeMap<String, Vec<Seen>>>,
    most: Mutex<usize>,
}

impl Launch for Scripted {
    fn keeps_limits(&self) -> bool {
        false
    }

    fn begin(&self, _: &FleetState, parts: &[Part<'_>]) -> Vec<Result<Begun>> {
        let begun = |part: &Part<'_>| match part.node.name.as_str() {
            "away" => Err(anyhow!("not reached")),
            name => Ok(Begun { handle: name.to_owned(), clock: None }),
        };
        parts.iter().map(begun).collect()
    }

    fn look(&self, parts: &[Part<'_>]) -> Vec<Seen> {
        let mut most = self.most.lock().unwrap();
        *most = parts.len().max(*most);
        let mut answers = self.answers.lock().unwrap();
        parts.iter().map(|part| answers.get_mut(&part.node.name).and_then(Vec::pop).unwrap_or(Seen::Ended)).collect()
    }

    fn fetch(&self, part: Part<'_>) -> Result<()> {
        let end = NodeEnd { fleet: Some("id".into()), version: "0".into(), ..NodeEnd::default() };
        self.folder.write_end(&part.node.name, &end)
    }

    fn cancel(&self, _: Part<'_>) -> Result<()> {
        Ok(())
    }

    fn clean(&self, _: Part<'_>) -> Result<()> {
        Ok(())
    }
}

fn fleet(folder: &FleetFolder, plan: &str, answers: &[(&str, &[Seen])]) -> Fleet {
    let parsed = Plan::read(plan).unwrap();
    prepare(folder, plan, &parsed, Launcher::Local, "id", None).unwrap();
    let answers = answers.iter().map(|(name, answers)| ((*name).to_owned(), answers.iter().rev().cloned().collect())).collect();
    let launch = Scripted { folder: folder.clone(), answers: Mutex::new(answers), most: Mutex::new(0) };
    Fleet { launch: Box::new(launch), ..Fleet::open(folder).unwrap() }
}

fn phases(fleet: &Fleet) -> Vec<(Phase, usize)> {
    fleet.state.nodes.iter().map(|node| (node.phase, node.attempts.len())).collect()
}

const PLAN: &str = "limit = '1h'\nat_once = 2\nprogram = '/bin/true'\n[[nodes]]\nname = 'n[1-3]'\n[[nodes]]\nname = 'away'\n";

#[test]
fn a_node_that_fails_is_tried_once_more_and_the_rest_goes_on() {
    let path = tempfile::tempdir().unwrap();
    let folder = FleetFolder::at(path.path());
    let died = Seen::Died("it died".into());
    let mut fleet = fleet(&folder, PLAN, &[("n1", &[Seen::Running, died.clone()]), ("n3", &[died.clone(), died])]);
    let steps = (0..20).take_while(|_| !fleet.step()).count();
    assert!(steps < 19);
    assert_eq!(phases(&fleet), [(Phase::Done, 2), (Phase::Done, 1), (Phase::Failed, 2), (Phase::Failed, 2)]);
    assert_eq!(fleet.state.nodes[3].reason.as_deref(), Some("not reached"));
    assert_eq!(folder.state().unwrap(), fleet.state);
}

#[test]
fn no_more_nodes_run_than_the_plan_lets() {
    let path = tempfile::tempdir().unwrap();
    let folder = FleetFolder::at(path.path());
    let plan = "limit = '1h'\nat_once = 3\nat_once_per_group = 1\n[[nodes]]\nname = 'a[1-3]'\ngroup = 'a'\n[[nodes]]\nname = 'b[1-3]'\ngroup = 'b'\n";
    let mut fleet = fleet(&folder, plan, &[]);
    while !fleet.step() {
        let running: Vec<&str> =
            fleet.nodes_in(Phase::Running).into_iter().filter_map(|at| fleet.state.nodes[at].group.as_deref()).collect();
        assert!(running.len() <= 2 && running.iter().filter(|group| **group == "a").count() <= 1, "{running:?}");
    }
    assert!(phases(&fleet).iter().all(|phase| *phase == (Phase::Done, 1)));
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    let path = tempfile::tempdir().unwrap();
    let folder = FleetFolder::at(path.path());
    let mut first = fleet(&folder, PLAN, &[]);
    first.step();
    assert!(Fleet::open(&folder).is_err(), "another works on it");
    // Its files came here, and the state was not written any more.
    folder.write_end("n3", &NodeEnd { fleet: Some("id".into()), ..NodeEnd::default() }).unwrap();
    drop(first);
    let mut second = fleet(&folder, PLAN, &[]);
    assert_eq!(second.state.nodes.iter().filter(|node| node.phase == Phase::Running).count(), 2);
    while !second.step() {}
    assert_eq!(phases(&second)[..3], [(Phase::Done, 1), (Phase::Done, 1), (Phase::Done, 0)]);
}

#[test]
fn a_folder_holds_one_fleet() {
    let path = tempfile::tempdir().unwrap();
    let folder = FleetFolder::at(path.path());
    let plan = Plan::read(PLAN).unwrap();
    prepare(&folder, PLAN, &plan, Launcher::Local, "id", None).unwrap();
    assert!(prepare(&folder, PLAN, &plan, Launcher::Local, "other", None).is_ok() && folder.state().unwrap().id == "id", "it goes on");
    assert!(prepare(&folder, &format!("{PLAN}\n"), &plan, Launcher::Local, "id", None).unwrap_err().to_string().contains("another fleet"));
    assert!(prepare(&folder, PLAN, &plan, Launcher::Ssh, "id", None).is_err());
    let used = FleetFolder::at(&path.path().join("used"));
    used.make(&plan).unwrap();
    used.write_end("n2", &NodeEnd::default()).unwrap();
    assert!(prepare(&used, PLAN, &plan, Launcher::Local, "id", None).unwrap_err().to_string().contains("results of another fleet"));
}
