//! The play and the Job of docs/fleet.md: Ansible runs the one, and every field of the other is one that Kubernetes has.

use crate::common::{Sandbox, said};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// The YAML of the page.
fn yaml(at: usize) -> &'static str {
    let page = include_str!("../../../../../docs/fleet.md");
    page.split("```yaml\n").nth(at + 1).and_then(|rest| rest.split("```").next()).unwrap()
}

#[test]
fn the_play_brings_back_the_run_files_of_a_node_and_leaves_nothing_there() {
    let sandbox = Sandbox::new();
    let (drive, there) = (sandbox.file("a.img", 1 << 20), sandbox.path("there"));
    std::fs::create_dir(&there).unwrap();
    let program = sandbox.work().join("ioproof");
    std::fs::write(&program, format!("#!/bin/sh\nexec {} \"$@\" {}\n", env!("CARGO_BIN_EXE_ioproof"), drive.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let play = yaml(0).replace("/tmp/", &format!("{there}/")).replace("--time 5m", "--time 1s --runs 1 --rw randread --depth 1");
    std::fs::write(sandbox.work().join("play.yml"), play).unwrap();
    let mut ansible = Command::new("ansible-playbook");
    sandbox.prepare(&mut ansible);
    // This machine stands for the node, and whoever runs the test for root.
    let here = "{ansible_connection: local, ansible_become: false, ansible_python_interpreter: /usr/bin/python3}";
    ansible.env("LC_ALL", "C.UTF-8").env("ANSIBLE_GATHERING", "explicit").args(["-i", "rack7,", "play.yml", "-e", here]);
    let ran = said(ansible.output().unwrap());
    assert_eq!(ran.status, 0, "{ran:?}");
    let told = sandbox.run(&["fleet", "report", "results"]);
    assert!(told.stdout.starts_with("1 drive on 1 node: "), "{told:?}");
    assert_eq!(std::fs::read_dir(there).unwrap().count(), 0);
}

#[test]
fn every_field_of_the_job_is_one_of_kubernetes() {
    let judged = |job: &str| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/against/fleet_docs.py");
        said(Command::new("/usr/bin/python3").args([script, job]).output().unwrap())
    };
    let job = judged(yaml(1));
    assert_eq!(job.status, 0, "{job:?}");
    for (right, wrong) in
        [("backoffLimit: 1", "backofLimit: 1"), ("hostPID: true", "hostPID: 1"), ("name: dev, mountPath: /dev", "name: dev")]
    {
        assert!(yaml(1).contains(right) && judged(&yaml(1).replace(right, wrong)).status == 1, "{wrong}");
    }
}
