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
mod pair;
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
    help: "
Builds ioproof in release mode, installs fio and what else is needed when you are root, and runs the contestants in turn on /dev/zero, /dev/null
and a file of 512 MiB below target/bench. Prints medians of all rounds, their spread, the ratios, and what is to be reached:

    against fio        IOPS and CPU time per I/O, with percentiles on at both unless a line says otherwise
    ceiling            the same of verify and of run against t/io_uring of fio's source without statistics; apt-get fetches the source
    statistics         ioproof with latency statistics against itself without
    outside            what of a synchronous I/O lies outside of the latency that is reported
    instructions       in user space for each I/O, counted by callgrind
    fleet              seconds and peak memory of `ioproof fleet report` for thousands of run files
    powercut           a check of a million blocks, acknowledgements a second that a witness stores, what a link of 1 ms costs the writer
    sync               rates of `ioproof sync` against sysbench's fileio and pg_test_fsync, with the interval of the ratio of pairs (six rounds or more)
    nvme               rates of io_uring_cmd against io_uring on an emulated drive of the rig, by the ratio of pairs in one boot
    layers             rates of the layers of `ioproof layers` against fio, SQLite's own shell and pgbench on a server set up by hand, likewise

What cannot be had, as without a network, is said in its line and left out.

--rounds N    rounds of each line (default 5)
--seconds S   length of one run (default 2)
--in FOLDER   files are made in a folder there (default target/bench)
--full        also 100,000 run files of a fleet, which take 24 GB
FILTER        only lines of this kind, or whose kind or title contains it
",
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
