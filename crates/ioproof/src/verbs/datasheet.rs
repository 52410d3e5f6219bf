//! `ioproof datasheet`: lists and shows the datasheets, and checks files of one's own.

use anyhow::Result;
use clap::Subcommand;
use ioproof_core::claim::{Claim, Datasheet};
use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use ioproof_core::{plan::workload_of, workload::Workload};
use ioproof_process::{messages, output};
use ioproof_session::datasheets;
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  ioproof datasheet list                  drive families with a datasheet
  ioproof datasheet show intel-dc-p3700   every claim with its conditions and source
  ioproof datasheet check mine.toml       a file of your own, for --datasheet mine.toml";

/// Actions on datasheets.
#[derive(Debug, Subcommand)]
pub enum DatasheetAction {
    /// One line a family
    List {
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Every claim of one family with its conditions and source
    Show {
        /// Name as in `datasheet list`, or a file
        name: String,
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Check files, beside each other and the datasheets there are, naming line and field of what is wrong
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Runs the verb.
///
/// # Errors
/// When there is no such datasheet.
pub fn run(action: &DatasheetAction) -> Result<u8> {
    match action {
        DatasheetAction::List { json } => list(*json),
        DatasheetAction::Show { name, json } => show(name, *json),
        DatasheetAction::Check { files } => check(files),
    }
}

fn list(as_json: bool) -> Result<u8> {
    let catalogue = datasheets::catalogue();
    let mut all: Vec<&Datasheet> = catalogue.iter().collect();
    if as_json {
        return output::print_field("datasheets", &all).map(|()| 0);
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let width = all.iter().map(|d| visible(&d.name).len()).max().unwrap_or(0).min(1000);
    let line = |sheet: &Datasheet| {
        let sizes: Vec<String> = sheet.variants.iter().map(|v| decimal_size(v.capacity_bytes)).collect();
        let sizes = if sizes.is_empty() { "any capacity".into() } else { sizes.join(", ") };
        let [name, vendor, family] = [&sheet.name, &sheet.vendor, &sheet.family].map(|text| visible(text));
        format!("{name:width$}  {vendor} {family}, {} claims, {sizes}", sheet.claims.len())
    };
    output::print_lines(all.into_iter().map(line)).map(|()| 0)
}

fn show(name: &str, as_json: bool) -> Result<u8> {
    let sheet = datasheets::find(name)?;
    if as_json {
        return output::print_field("datasheet", &sheet).map(|()| 0);
    }
    let lines = head(&sheet).into_iter().chain(sheet.claims.iter().flat_map(describe));
    output::print_lines(lines.map(|line| visible(&line))).map(|()| 0)
}

fn head(sheet: &Datasheet) -> Vec<String> {
    let plp = match sheet.plp {
        Some(true) => "power-loss protection",
        Some(false) => "no power-loss protection",
        None => "power-loss protection not known",
    };
    let models = if sheet.models.is_empty() { "no model pattern known; use --datasheet".to_owned() } else { sheet.models.join(", ") };
    let mut lines = vec![
        format!("{} {} ({})", sheet.vendor, sheet.family, sheet.name),
        format!("  {}, {plp}", sheet.link.as_deref().unwrap_or("link not stated")),
        format!("  models: {models}"),
    ];
    lines.extend(sheet.drive_writes_per_day.map(|d| format!("  {d} drive writes per day")));
    lines.extend(sheet.endurance_bytes.map(|e| format!("  endurance up to {}", decimal_size(e))));
    lines.extend(sheet.variants.iter().map(|v| {
        let endurance = v.endurance_bytes.map_or(String::new(), |e| format!(", endurance {}", decimal_size(e)));
        format!("  {}{endurance}", decimal_size(v.capacity_bytes))
    }));
    lines.extend(sheet.note.iter().map(|n| format!("  note: {n}")));
    lines
}

fn describe(claim: &Claim) -> Vec<String> {
    let workload = Workload { ..workload_of(claim) };
    let statistic = claim.statistic.map_or(String::new(), |s| format!(" {}", s.title()));
    let mut conditions = vec![match claim.queue_depth_total {
        Some(total) => format!("queue depth {total} in total"),
        None => format!("queue depth not stated (run with {})", workload.concurrency()),
    }];
    conditions.extend(claim.workers.map(|w| format!("{w} workers")));
    conditions.extend(claim.span.map(|s| format!("span {}", word(&s))));
    conditions.extend(claim.state.map(|s| format!("state {}", word(&s))));
    conditions.extend(claim.tool.clone());
    if !claim.capacities_bytes.is_empty() {
        conditions.push(claim.capacities_bytes.iter().map(|c| decimal_size(*c)).collect::<Vec<_>>().join(", "));
    }
    let source = format!("      {}; confidence {}", claim.source, word(&claim.confidence));
    let mut lines = vec![
        format!("  {}{statistic}: {} {}", workload.title(), word(&claim.qualifier), claim.metric.show(claim.value)),
        format!("      {}", conditions.join(", ")),
        source,
    ];
    lines.extend(claim.note.iter().map(|n| format!("      note: {n}")));
    lines
}

/// A value as the file format spells it.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text.replace('_', " "),
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

fn check(files: &[PathBuf]) -> Result<u8> {
    let given = files.iter().filter_map(|file| datasheets::check(file).ok()?.ok());
    let others = datasheets::catalogue().with_user(given.collect::<Vec<_>>());
    let mut faulty = 0;
    for file in files {
        let checked = match datasheets::check_beside(file, &others) {
            Ok(checked) => checked,
            Err(e) => {
                faulty += 1;
                messages::say(&ioproof_process::complaint::describe(&e));
                continue;
            }
        };
        match checked {
            Ok(sheet) => output::print(&format!("{}: {} claims, good\n", visible(&file.to_string_lossy()), sheet.claims.len()))?,
            Err(problems) => {
                faulty += 1;
                output::print_lines(problems.iter().map(ToString::to_string))?;
            }
        }
    }
    if faulty > 0 { Err(anyhow::anyhow!("{faulty} of {} files have mistakes", files.len())) } else { Ok(0) }
}
