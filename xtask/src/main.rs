//! The project's own tasks: `cargo xtask VERB`.
//!
//! One file a verb. Dependencies are those that the program needs too: everybody who runs the tests compiles this program first.

#![forbid(unsafe_code)]

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

use anyhow::{Context, Result};
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
    let is_help = |arg: &String| matches!(arg.as_str(), "-h" | "--help" | "help");
    let rows = VERBS.iter().map(|verb| format!("    cargo xtask {:<36} {}\n", format!("{} {}", verb.name, verb.usage), verb.about));
    let overview = format!("The project's own tasks.\n\n{}\n`cargo xtask VERB --help` says more.\n", rows.collect::<String>());
    match args.split_first() {
        None => print!("{overview}"),
        Some((name, _)) if is_help(name) => print!("{overview}"),
        Some((name, rest)) => {
            let verb = VERBS.iter().find(|verb| verb.name == name).with_context(|| format!("there is no verb `{name}`\n\n{overview}"))?;
            if !rest.first().is_some_and(is_help) {
                return (verb.run)(rest);
            }
            println!("cargo xtask {} {}\n\n{}", verb.name, verb.usage, verb.help.trim());
        }
    }
    Ok(if args.is_empty() { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn workspace_root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}
