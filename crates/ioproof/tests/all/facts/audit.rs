//! `audit`: documents by name and from standard input, datasheets, JSON, and the exit status.

use crate::common::Sandbox;
use std::path::Path;

fn seed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/audit/seeds").join(name);
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_document_with_a_wrong_number_ends_with_1_and_its_lines_fit_80_columns() {
    let said = Sandbox::new().run(&["audit", &seed("cruncher-nvme-first.md")]);
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.stdout.contains("84,647 IOPS is in no output"), "{}", said.stdout);
    let is_name = |line: &str| line.contains("cruncher-nvme-first.md");
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 80 || is_name(line)), "{}", said.stdout);
}

#[test]
fn datasheets_add_their_table_and_json_has_the_same() {
    let file = seed("cruncher-nvme-revised.md");
    let words = ["audit", &file, "--claims", "intel-dc-p3700", "--claims", "intel-dc-s3700"];
    let said = Sandbox::new().run(&words);
    for figure in ["21.5 %", "66.2 %", "21.9 %", "28.3 %", "75.7 %", "116 %", "88.0 %", "84.7 %"] {
        assert!(said.stdout.contains(figure), "{figure}: {}", said.stdout);
    }
    let document = Sandbox::new().run(&[words.as_slice(), &["--json"]].concat()).json();
    assert_eq!(document["documents"][0]["measured"].as_array().map(Vec::len), Some(22));
    assert!(document["documents"][0]["sweeps"][0]["points"].as_array().is_some_and(|points| points.len() == 8), "{document}");
    assert!(document["claims"].as_array().is_some_and(|rows| rows.iter().any(|row| row["answer"]["verdict"] == "indicative")));
}

#[test]
fn pages_have_the_findings_and_the_claims_and_replace_no_document() {
    let sandbox = Sandbox::new();
    let file = seed("cruncher-nvme-revised.md");
    let said = sandbox.run(&["audit", &file, "--claims", "intel-dc-p3700", "-o", "a.md", "-o", "a.html"]);
    assert_eq!((said.status, said.stdout.contains("\nwrong: ")), (1, true), "{said:?}");
    let (markdown, html) = ["a.md", "a.html"].map(|name| std::fs::read_to_string(sandbox.path(name)).unwrap()).into();
    for part in ["pid 101028", "stale-output", "21.5 %", "indicative"] {
        assert!(markdown.contains(part) && html.contains(part), "{part}");
    }
    assert_eq!((markdown.matches("\n# ").count(), html.matches("<h1>").count()), (0, 1), "{markdown}");
    std::fs::write(sandbox.path("doc.md"), "# ioproof: x\n").unwrap();
    assert_eq!(sandbox.run(&["audit", "doc.md", "-o", "doc.md"]).status, 2);
    assert_eq!(sandbox.run(&["audit", &file, "-o", "a.xlsx"]).status, 2);
}

#[test]
fn an_output_that_is_right_ends_with_0_and_a_text_without_one_with_2() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("dd.txt"), "1048576000 bytes (1.0 GB) copied, 2.0 s, 524 MB/s\r\n").unwrap();
    std::fs::write(sandbox.path("words.txt"), "nothing here\u{1b}[31m\n").unwrap();
    let right = sandbox.run(&["audit", "dd.txt"]);
    assert_eq!((right.status, right.stdout.contains("sound: 1")), (0, true), "{right:?}");
    let long = format!("1048576000 bytes (1.0 GB) copied, 2.0 s, 524 MB/s\n{}", (("x".repeat(1 << 20)) + "\n").repeat(9));
    std::fs::write(sandbox.path("long.txt"), long).unwrap();
    let long = sandbox.run(&["audit", "long.txt"]);
    assert!(long.status == 0 && long.stdout.contains("line 9: from here on"), "{long:?}");
    let nothing = sandbox.run(&["audit", "words.txt"]);
    assert_eq!(nothing.status, 2, "{nothing:?}");
    assert!(nothing.stderr.contains("no output"), "{nothing:?}");
    std::fs::write(sandbox.path("command.txt"), "$ fio job.fio\n\nIt went well.\n").unwrap();
    let command = sandbox.run(&["audit", "command.txt"]);
    assert!(command.status == 2 && command.stderr.contains("no output"), "{command:?}");
    assert_eq!(sandbox.run(&["audit", "missing.txt"]).status, 2);
    assert_eq!(sandbox.run(&["audit", "dd.txt", "--claims", "no-such-drive"]).status, 2);
}
