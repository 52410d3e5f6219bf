//! `cargo xtask bench`: what ioproof itself costs, held against others in turn on the same target, as medians, spreads and ratios.
//!
//! Each kind of contest is one file below `bench/`; `bench/README.md` says how to add one. Nothing here is a test: a slow machine fails nothing.

mod against_fio;
mod ceiling;
mod fleet;
mod instructions;
mod layers;
mod layers_peers;
mod nvme;
mod outside;
mod powercut;
mod program;
mod setting;
mod syncs;
mod table;

use crate::debian::{self, Package};
use crate::{Verb, command};
use anyhow::{Context, Result};
use setting::Setting;
use std::process::ExitCode;

pub const VERB: Verb = Verb {
    name: "bench",
    usage: "[--rounds N] [--seconds S] [--in FOLDER] [--full] [FILTER]",
    about: "what ioproof costs beside fio, beside fio's own ceiling and beside itself, and its syncs beside those of databases' tools",
    help: include_str!("bench/README.md"),
    run: main,
};

fn missing(wanted: &'static Package) -> Result<Option<String>> {
    Ok((!debian::ensure(&[wanted])?.is_empty()).then(|| format!("{} is missing", wanted.name)))
}

const POSTGRES: Package = Package { name: "postgresql", provides: "psql", why: "to hold ioproof against pg_test_fsync and pgbench" };
const FIO: Package = Package { name: "fio", provides: "fio", why: "to compare with it" };

pub enum Row {
    Cells(Vec<String>),
    Without(String),
}

pub struct Kind {
    name: &'static str,
    columns: &'static [&'static str],
    titles: fn() -> Vec<&'static str>,
    run: fn(&Setting, usize) -> Result<Row>,
}

const KINDS: [Kind; 10] = [
    against_fio::KIND,
    ceiling::KIND,
    against_fio::STATISTICS,
    outside::KIND,
    instructions::KIND,
    syncs::KIND,
    layers::KIND,
    fleet::KIND,
    powercut::KIND,
    nvme::KIND,
];

fn main(args: &[String]) -> Result<ExitCode> {
    let (setting, filter) = Setting::parse(args)?;
    debian::require(&[&FIO])?;
    command::run(command::cargo().args(["build", "--release", "--package", "ioproof"]))?;
    KINDS.iter().try_for_each(|kind| compete(kind, &setting, &filter))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the lines of one kind whose kind or title contains the filter, and prints its table as it grows; nothing where the filter is another kind's name.
fn compete(kind: &Kind, setting: &Setting, filter: &str) -> Result<()> {
    let titles = (kind.titles)();
    let is_other = kind.name != filter && KINDS.iter().any(|known| known.name == filter);
    let is_chosen = |title: &str| !is_other && (kind.name.contains(filter) || title.contains(filter));
    if titles.iter().any(|title| is_chosen(title)) {
        println!("\n{}", table::heading(kind.name, kind.columns));
    }
    for (index, title) in titles.into_iter().enumerate().filter(|(_, title)| is_chosen(title)) {
        let row = (kind.run)(setting, index).with_context(|| format!("{}: {title}", kind.name))?;
        println!("{}", table::row(title, &row));
    }
    Ok(())
}
