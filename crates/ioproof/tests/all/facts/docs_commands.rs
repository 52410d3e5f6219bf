//! Every command of README and guide: the program takes it, and what needs no drive, server or second machine runs.

use crate::common::{MIB, Sandbox};
use std::path::Path;

/// The commands that a page shows, without their comments.
fn commands(page: &str) -> Vec<String> {
    let command = |line: &str| {
        let line = line.trim_start().trim_start_matches("$ ").trim_start_matches("sudo ");
        let line = line.strip_prefix("ioproof ")?;
        let line = line.split(" # ").next()?.split(" | ").next()?.trim();
        // In the table of verbs a description follows.
        let line = line.split("  ").next()?;
        (!line.contains("...")).then(|| line.replace(" [TARGET]", "").replace(" [WORD]", ""))
    };
    page.lines()
        .filter(|line| line.starts_with("    ") || line.starts_with("ioproof ") || line.starts_with("$ "))
        .filter_map(command)
        .chain(page.lines().filter_map(in_a_play))
        .collect()
}

/// The command in a line of a play or of a Job.
fn in_a_play(line: &str) -> Option<String> {
    let (_, command) = line.split_once("command:")?.1.split_once("ioproof ")?;
    Some(command.trim_end_matches(['"', ']']).to_owned())
}

fn all() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_dir(root.join("docs/guide")).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<_> = guide.chain(["README.md", "docs/formats.md", "docs/fleet.md"].map(|page| root.join(page))).collect();
    let of = |page: &std::path::PathBuf| {
        let name = page.file_name().unwrap().to_str().unwrap().to_owned();
        commands(&std::fs::read_to_string(page).unwrap()).into_iter().map(move |command| (name.clone(), command)).collect::<Vec<_>>()
    };
    pages.iter().flat_map(of).collect()
}

/// Runs that are there.
const STORED: [&str; 3] = ["old.json", "new.json", "third.json"];

/// The same in a sandbox: no device of this machine is named, and what would take long is only planned.
fn arguments(sandbox: &Sandbox, command: &str) -> Vec<String> {
    let mut runs = STORED.iter().cycle();
    let word = |word: &str| match word.trim_matches('\'') {
        "/mnt/data" | "/mnt/ext4" | "DIR" => sandbox.path("data"),
        "/mnt/xfs" => sandbox.path("data2"),
        "/var/lib/node_exporter/textfile/ioproof.prom" => "ioproof.prom".to_owned(),
        "RUN" | "A" | "B" | "a" | "b" | "c" | "20261121-0315" => (*runs.next().unwrap()).to_owned(),
        "FILE" => "file.html".to_owned(),
        "JOB.fio" => "job.fio".to_owned(),
        word => word.replace("/dev/", "no-device-"),
    };
    let mut words: Vec<String> = command.split_whitespace().map(word).collect();
    match words[0].as_str() {
        "verify" | "sweep" | "sync" | "layers" | "run" if !words.contains(&"--dry-run".to_owned()) => words.push("--dry-run".to_owned()),
        _ => {}
    }
    words
}

/// True for a command that needs what is not here: a server, another machine, a program that must be there, a drive.
fn is_out_of_reach(command: &str) -> bool {
    [
        "fleet ",
        "powercut",
        "/dev/",
        "postgres",
        "--resume",
        "export",
        "runs rm",
        "--drive",
        "device bind",
        "device unbind",
        "device purge",
        "trtype:",
        "trtype=",
        "read_iolog",
    ]
    .iter()
    .any(|word| command.contains(word))
}

#[test]
fn every_command_of_readme_and_guide_is_taken() {
    let sandbox = Sandbox::new();
    sandbox.file("big.img", 64 * MIB);
    for folder in ["data", "data2"] {
        std::fs::create_dir(sandbox.path(folder)).unwrap();
    }
    std::fs::write(sandbox.path("serials.txt"), "S1\n").unwrap();
    std::fs::write(sandbox.path("job.fio"), "[a]\nfilename=big.img\nrw=read\nsize=1m\n").unwrap();
    for name in ["article.md", "first.md", "revised.md"] {
        std::fs::write(sandbox.path(name), "```\n1048576 bytes (1.0 MB) copied, 2.0 s, 524 kB/s\n```\n").unwrap();
    }
    for name in STORED {
        let said = sandbox.run(&["verify", "--size", "16m", "--rw", "randread", "--time", "1s", "-o", name]);
        assert!(said.status != 2, "{said:?}");
    }
    std::fs::create_dir(sandbox.path("data/node1")).unwrap();
    std::fs::copy(sandbox.path("old.json"), sandbox.path("data/node1/S1.json")).unwrap();
    let all = all();
    assert!(all.len() > 60, "{}", all.len());
    let mut wrong = Vec::new();
    for (page, command) in all.iter().filter(|(_, command)| *command != "powercut witness") {
        let arguments = arguments(&sandbox, command);
        let said = sandbox.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let is_misread = said.stderr.contains("Usage:") || said.stderr.contains("try '--help'");
        if is_misread || said.status == 2 && !is_out_of_reach(command) {
            wrong.push(format!("{page}: ioproof {command}\nas {arguments:?}\n{}", said.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
