//! `ioproof audit`: published measurements, read and recomputed. The work is that of `ioproof-audit`; here files are read and results are printed.

use crate::flags::outputs::{self, OutputFlags};
use crate::reports::{self, Reports};
use anyhow::{Context, Result};
use clap::{Arg, Args};
use ioproof_audit::claims::{self, ClaimRow};
use ioproof_audit::measured::Measured;
use ioproof_audit::{Findings, Reading, Sweep, Weight, audit, sweeps, tables, text};
use ioproof_core::claim::Datasheet;
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use ioproof_process::output::{self, SCHEMA_VERSION};
use ioproof_report::{Format, ReportError};
use ioproof_session::datasheets;
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

pub const EXAMPLES: &str = "Examples:
  ioproof audit article.md                a page with job files, outputs and the words about them
  fio job.fio | ioproof audit -           an output alone
  ioproof audit article.md --claims intel-dc-p3700 --claims intel-dc-s3700
                                          the outputs held against datasheets (`ioproof datasheet list`)
  ioproof audit first.md revised.md       several documents: outputs that stand in both, and runs that differ
  ioproof audit article.md -o audit.html  the same as a page; .md for an issue or a wiki
Reads fio (text, JSON), nvmecontrol perftest, spdk_nvme_perf, sysbench fileio, pgbench, pg_test_fsync, diskchecker.pl, dd, hdparm, ioping, iostat -x,
elbencho, CrystalDiskMark, KDiskMark and bonnie++, in Markdown, HTML and plain text.
Exit status: 1 a number is wrong; 3 a figure is doubtful; 2 nothing could be read; else 0.";

/// The part of a document that is read. Bytes.
const MOST_BYTES: u64 = 8 << 20;
/// Width of the report where standard output is no terminal.
const WIDTH: usize = 80;

/// Flags of `audit`.
#[derive(Debug, Args)]
pub struct AuditFlags {
    /// Documents; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Hold the outputs against this datasheet, a name or a file; may be repeated
    #[arg(long, value_name = "DRIVE")]
    pub claims: Vec<String>,
    /// Places of the audit.
    #[command(flatten)]
    pub outputs: OutputFlags,
}

/// Names in the help of outputs what an audit can be written as.
pub fn in_help(arg: Arg) -> Arg {
    outputs::in_help_of(arg, "audit", is_known)
}

fn is_known(format: Format) -> bool {
    matches!(format, Format::Json | Format::Text) || format.has_results_alone()
}

/// Runs the verb.
///
/// # Errors
/// When a file cannot be read, or there is no such datasheet.
pub fn run(args: &AuditFlags) -> Result<u8> {
    let outputs = reports::settle(&args.outputs)?;
    reports::check_formats(&outputs, "an audit", false, is_known)?;
    let reports = Reports::open(&outputs)?;
    args.files.iter().try_for_each(|file| reports.spare_input(file, "one of the documents"))?;
    let sheets: Vec<Datasheet> = args.claims.iter().map(|name| datasheets::find(name)).collect::<Result<_>>()?;
    let readings: Vec<Reading> = args.files.iter().map(|file| read(file)).collect::<Result<_>>()?;
    let mut findings = audit(&readings);
    let claims: Vec<ClaimRow> = sheets.iter().flat_map(|sheet| claims::table(&readings, sheet, sheets.len() == 1)).collect();
    claims::too_good(&claims, &mut findings);
    let audited = Audited { readings: &readings, findings: &findings, claims: &claims };
    let written = reports.write_each(&|format, _, bytes| audited.render(format, WIDTH, bytes));
    let mut bytes = Vec::new();
    audited.render(outputs.shown.unwrap_or(Format::Text), output::columns().unwrap_or(WIDTH), &mut bytes)?;
    output::print_bytes(&bytes)?;
    written?;
    status(&readings, &findings)
}

/// An audit with what it is of.
struct Audited<'a> {
    readings: &'a [Reading],
    findings: &'a Findings,
    claims: &'a [ClaimRow],
}

impl Audited<'_> {
    fn render(&self, format: Format, width: usize, out: &mut Vec<u8>) -> Result<(), ReportError> {
        let Self { readings, findings, claims } = self;
        match format {
            Format::Json => serde_json::to_writer_pretty(&mut *out, &AuditDocument::new(readings, findings, claims))?,
            Format::Text => {
                let lines = text::lines(readings, findings, claims, width.min(WIDTH)).join("\n");
                out.extend(lines.as_bytes());
            }
            _ => {
                let files: Vec<String> = readings.iter().map(|reading| visible(reading.file())).collect();
                let heading = format!("audit of {}", files.join(", "));
                return ioproof_report::render_results(format, &heading, &tables::tables(readings, findings, claims), out);
            }
        }
        out.push(b'\n');
        Ok(())
    }
}

fn status(readings: &[Reading], findings: &Findings) -> Result<u8> {
    let has = |weight: Weight| findings.found.iter().any(|found| found.weight == weight);
    if readings.iter().all(Reading::is_empty) && findings.found.is_empty() {
        let has_command = readings.iter().any(|reading| !reading.commands.is_empty());
        let found = if has_command {
            "commands were found, and no output of theirs that could be read"
        } else {
            "no output, job file or table was found"
        };
        return Err(complaint(found, "give a page or an output of a tool that `ioproof audit --help` names"));
    }
    Ok(match () {
        () if has(Weight::Wrong) => 1,
        () if has(Weight::Doubt) => 3,
        () => 0,
    })
}

fn read(file: &Path) -> Result<Reading> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        let cannot = || format!("cannot read {}", file.display());
        match ioproof_target::open_regular(file) {
            Ok(input) => drop(input.take(MOST_BYTES + 1).read_to_end(&mut bytes).with_context(cannot)?),
            // A pipe that the program was started with.
            Err(_) => bytes = ioproof_target::read_input(file, MOST_BYTES + 1).with_context(cannot)?,
        }
    }
    let is_cut = bytes.len() as u64 > MOST_BYTES;
    if is_cut {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(bytes.len());
        bytes.truncate(end);
    }
    let mut reading = Reading::new(&file.to_string_lossy(), &bytes);
    if is_cut {
        reading.is_cut();
    }
    Ok(reading)
}

/// The document of `audit --json`.
#[derive(Serialize)]
struct AuditDocument<'a> {
    schema_version: u32,
    documents: Vec<ReadDocument<'a>>,
    findings: &'a Findings,
    claims: &'a [ClaimRow],
}

/// A document as it was read.
#[derive(Serialize)]
struct ReadDocument<'a> {
    file: &'a str,
    measured: &'a [Measured],
    sweeps: Vec<Sweep>,
    job_files: usize,
    lines_not_understood: &'a [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    unread_from_line: Option<u32>,
}

impl<'a> AuditDocument<'a> {
    fn new(readings: &'a [Reading], findings: &'a Findings, claims: &'a [ClaimRow]) -> Self {
        let document = |reading: &'a Reading| ReadDocument {
            file: reading.file(),
            measured: &reading.measured,
            sweeps: sweeps(reading),
            job_files: reading.jobs.len(),
            lines_not_understood: &reading.unknown,
            unread_from_line: reading.document.unread_from,
        };
        Self { schema_version: SCHEMA_VERSION, documents: readings.iter().map(document).collect(), findings, claims }
    }
}
