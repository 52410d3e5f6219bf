//! `cargo xtask bench`: what ioproof itself costs, held against others in turn on the same target, as medians, spreads and ratios.
//!
//! Each kind of contest is one file below `bench/`; `bench/README.md` says how to add one. Nothing here is a test: a slow machine fails nothing.

mod against_fio;
mod ceiling;
pub mod fio;
mod fio_source;
mod fleet;
mod instructions;
mod interval;
mod layers;
mod layers_peers;
mod nvme;
mod outside;
mod pair;
mod peers;
mod powercut;
pub mod program;
mod relay;
mod setting;
mod statistics;
mod syncs;
mod table;

use crate::debian::{self, Package};
use crate::{Verb, command};
use anyhow::{Context, Result, bail};
use setting::Setting;
use std::path::PathBuf;
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

/// The reason for which a peer cannot be run; installs it when root.
fn missing(wanted: &'static Package) -> Result<Option<String>> {
    Ok((!debian::ensure(&[wanted])?.is_empty()).then(|| format!("{} is missing", wanted.name)))
}

const POSTGRES: Package = Package { name: "postgresql", provides: "psql", why: "to hold ioproof against pg_test_fsync and pgbench" };

const FIO: Package = Package { name: "fio", provides: "fio", why: "to compare with it" };

#[derive(Debug, PartialEq)]
pub enum Row {
    Cells(Vec<String>),
    Without(String),
}

/// One kind of contest: a table of its own.
pub struct Kind {
    /// Stands above the titles.
    name: &'static str,
    columns: &'static [&'static str],
    titles: fn() -> Vec<&'static str>,
    run: fn(&Setting, usize) -> Result<Row>,
}

const KINDS: [Kind; 10] = [
    against_fio::KIND,
    ceiling::KIND,
    statistics::KIND,
    outside::KIND,
    instructions::KIND,
    syncs::KIND,
    layers::KIND,
    fleet::KIND,
    powercut::KIND,
    nvme::KIND,
];

struct Options {
    rounds: usize,
    seconds: u32,
    folder: Option<PathBuf>,
    full: bool,
    filter: String,
}

fn main(args: &[String]) -> Result<ExitCode> {
    let options = parse(args)?;
    if !debian::ensure(&[&FIO])?.is_empty() {
        bail!("fio is missing");
    }
    command::run(command::cargo().args(["build", "--release", "--package", "ioproof"]))?;
    let setting = Setting::new(&options)?;
    KINDS.iter().try_for_each(|kind| compete(kind, &setting, &options.filter))?;
    Ok(ExitCode::SUCCESS)
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options { rounds: 5, seconds: 2, folder: None, full: false, filter: String::new() };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0).context("a number is missing");
        match word.as_str() {
            "--rounds" => options.rounds = number()? as usize,
            "--seconds" => options.seconds = number()?,
            "--full" => options.full = true,
            "--in" => options.folder = Some(words.next().context("a folder is missing")?.into()),
            flag if flag.starts_with('-') => bail!("usage: cargo xtask bench {}", VERB.usage),
            filter => options.filter = filter.to_owned(),
        }
    }
    Ok(options)
}

/// Runs the chosen lines of one kind and prints its table as it grows.
fn compete(kind: &Kind, setting: &Setting, filter: &str) -> Result<()> {
    let titles = (kind.titles)();
    let chosen = chosen(kind.name, &titles, filter);
    if chosen.is_empty() {
        return Ok(());
    }
    println!("\n{}", table::heading(kind.name, kind.columns));
    for index in chosen {
        let row = (kind.run)(setting, index).with_context(|| format!("{}: {}", kind.name, titles[index]))?;
        println!("{}", table::row(titles[index], &row));
    }
    Ok(())
}

/// The indices of the lines whose kind or title contains the filter; those of one kind where it is a kind's whole name.
fn chosen(kind: &str, titles: &[&str], filter: &str) -> Vec<usize> {
    let is_other = kind != filter && KINDS.iter().any(|known| known.name == filter);
    (0..if is_other { 0 } else { titles.len() }).filter(|index| kind.contains(filter) || titles[*index].contains(filter)).collect()
}
