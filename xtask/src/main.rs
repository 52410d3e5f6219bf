//! The project's own tasks: `cargo xtask VERB`.
//!
//! One file a verb. Dependencies are those that the program needs too: everybody who runs the tests compiles this program first.

#![forbid(unsafe_code)]

mod apt;
mod attack;
mod bench;
mod cached;
mod causes;
mod command;
mod corpus;
mod debian;
mod fuse;
mod kept;
mod package;
mod powercut;
mod program;
mod random;
mod rig;
mod test;
mod tidy;
mod user;

use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;

struct Verb {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<ExitCode>,
}

const VERBS: &[&Verb] =
    &[&test::VERB, &tidy::VERB, &attack::VERB, &causes::VERB, &corpus::VERB, &package::VERB, &powercut::VERB, &bench::VERB, &rig::VERB];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    dispatch(&args).unwrap_or_else(|error| {
        eprintln!("xtask: {error:#}");
        ExitCode::FAILURE
    })
}

fn dispatch(args: &[String]) -> Result<ExitCode> {
    let Some((name, rest)) = args.split_first() else {
        print!("{}", overview());
        return Ok(ExitCode::from(2));
    };
    if is_help(name) {
        print!("{}", overview());
        return Ok(ExitCode::SUCCESS);
    }
    let Some(verb) = VERBS.iter().find(|v| v.name == name) else {
        bail!("there is no verb `{name}`\n\n{}", overview());
    };
    if rest.first().is_some_and(|arg| is_help(arg)) {
        println!("cargo xtask {} {}\n\n{}", verb.name, verb.usage, verb.help.trim());
        return Ok(ExitCode::SUCCESS);
    }
    (verb.run)(rest)
}

fn is_help(arg: &str) -> bool {
    matches!(arg, "-h" | "--help" | "help")
}

fn overview() -> String {
    let mut text = String::from("The project's own tasks.\n\n");
    for verb in VERBS {
        text.push_str(&format!("    cargo xtask {:<36} {}\n", format!("{} {}", verb.name, verb.usage), verb.about));
    }
    text.push_str("\n`cargo xtask VERB --help` says more.\n");
    text
}

fn workspace_root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}
