//! Names and strings that came from outside reach the terminal with their control characters and reordering characters visible, whichever verb prints them.
use crate::common::{MIB, ProgramOutput, Sandbox};

/// A name that would colour the terminal and turn the rest of its line around.
const FOREIGN: &str = "x\u{1b}[31m\u{202e}gpj";
/// The same as it is shown.
const SHOWN: &str = "x\\u{1b}[31m\\u{202e}gpj";

#[track_caller]
fn shows_it(said: &ProgramOutput) {
    let text = format!("{}{}", said.stdout, said.stderr);
    let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(text.contains(SHOWN) && !text.contains(steers), "{said:?}");
}

fn datasheet(sandbox: &Sandbox, file: &str, family: &str, pattern: &str) -> String {
    let text = format!(
        "name = \"mine\"\nvendor = \"Acme\"\nfamily = \"{family}\"\nmodels = [\"{family}\"]\ninterface = \"nvme\"\nnote = \"{family}\"\n\n\
         [[claim]]\nmetric = \"throughput\"\nvalue = 1\nunit = \"MB/s\"\nqualifier = \"up to\"\npattern = \"{pattern}\"\nmix = \"read\"\n\
         block_size = \"128KiB\"\nsource = \"{family}\"\nconfidence = \"high\"\nnote = \"{family}\"\n"
    );
    let folder = sandbox.config().join("ioproof/datasheets");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(file);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// TOML writes control characters as escapes; the other may stand in it as it is.
const IN_TOML: &str = "x\\u001b[31m\u{202e}gpj";

#[test]
fn strings_of_a_datasheet() {
    let sandbox = Sandbox::new();
    let path = datasheet(&sandbox, "mine.toml", IN_TOML, "sequential");
    shows_it(&sandbox.run(&["datasheet", "list"]));
    let shown = sandbox.run(&["datasheet", "show", "mine"]);
    shows_it(&shown);
    assert_eq!(shown.stdout.matches(SHOWN).count(), 5, "family, models, note, source and the claim's note: {}", shown.stdout);
    assert_eq!(sandbox.run(&["datasheet", "check", &path]).status, 0);
}

#[test]
fn strings_of_a_datasheet_with_mistakes_and_the_file_itself() {
    let sandbox = Sandbox::new();
    let wrong = datasheet(&sandbox, "wrong.toml", "x", IN_TOML);
    shows_it(&sandbox.run(&["datasheet", "check", &wrong]));
    shows_it(&sandbox.run(&["datasheet", "list"]));
    let named = datasheet(&sandbox, &format!("{FOREIGN}.toml"), "x", "sequential");
    shows_it(&sandbox.run(&["datasheet", "check", &named]));
}

#[test]
fn names_of_runs_and_reasons_why_one_cannot_be_read() {
    let sandbox = Sandbox::new();
    let folder = sandbox.state().join("ioproof/runs").join(FOREIGN);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("run.json"), "{}").unwrap();
    let said = sandbox.run(&["runs", "list", "--wide"]);
    shows_it(&said);
    assert_eq!(said.stdout.matches(SHOWN).count(), 2, "the name, and the path in the reason: {}", said.stdout);
}

#[test]
fn names_and_files_of_jobs() {
    let sandbox = Sandbox::new();
    let file = sandbox.file(FOREIGN, MIB).display().to_string();
    let job = [format!("--name={FOREIGN}"), format!("--filename={file}"), format!("--description={FOREIGN}")];
    let arguments = ["run", &job[0], &job[1], &job[2], "--rw=read", "--bs=64k"];
    let run = sandbox.succeeds(&arguments);
    shows_it(&run);
    assert_eq!(run.stdout.matches(SHOWN).count(), 3, "in the header, over the figures, and the description: {}", run.stdout);
    let dry = sandbox.succeeds(&[arguments.as_slice(), &["--dry-run"]].concat());
    shows_it(&dry);
    assert_eq!(dry.stdout.matches(SHOWN).count(), 2, "name and path: {}", dry.stdout);
}

#[test]
fn paths_in_errors() {
    let sandbox = Sandbox::new();
    for verb in ["verify", "identify", "list"] {
        let said = sandbox.run(&[verb, &format!("nowhere/{FOREIGN}")]);
        assert_eq!(said.status, 2, "{said:?}");
        shows_it(&said);
    }
}

#[test]
fn folders_of_captures_and_files_of_reports() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("data", MIB).display().to_string();
    let said = sandbox.run(&["identify", &file, "--capture", FOREIGN]);
    assert!(said.stderr.contains("captured "), "{said:?}");
    assert!(said.stderr.contains(SHOWN) && !said.stderr.contains('\u{202e}'), "{said:?}");
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/20261121-031500-3f9a");
    let said = sandbox.succeeds(&["report", run, "-o", &format!("{FOREIGN}.md")]);
    shows_it(&said);
}
