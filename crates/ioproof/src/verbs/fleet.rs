//! `ioproof fleet`: many machines measured the same way, through Slurm, SSH or processes here. The files of its folder are all the state there is.

mod report;
mod results;

use crate::flags::help::brief;
use crate::verbs::measure::all_drives::gravest;
use anyhow::{Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use ioproof_core::text::visible;
use ioproof_fleet::{Fleet, FleetFolder, FleetState, Launcher, NodeEnd, Phase, Plan, Seen, prepare};
use ioproof_process::{interrupt, messages, output};
use ioproof_store::run_id;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

pub const EXAMPLES: &str = "Examples:
  ioproof fleet run rack7.toml --launcher slurm --out rack7
                                          every idle drive of the plan's nodes, only reading; goes on after a kill
  ioproof fleet status rack7              each node: waiting, running, done, failed, with the reason
  ioproof fleet collect rack7             brings in what has ended meanwhile
  ioproof fleet cancel rack7              ends all of it; nothing is left on any node
  ioproof fleet report rack7 -o rack7.html
                                          which drives and nodes stand out

docs/fleet.md has a plan, and what to type on day one.";

const RUN_EXAMPLES: &str = "Examples:
  ioproof fleet run rack7.toml --launcher slurm --out rack7
  ioproof fleet run rack7.toml --launcher ssh --out rack7
  ioproof fleet run rack7.toml --launcher slurm --out rack7 --detach
                                          hands the nodes over and ends; `fleet collect` brings in the results

Ctrl-C ends this command and no node; the same command goes on. Exit status: 1 a drive misses a claim; 2 a node failed, or nothing was measured;
3 a drive cannot be judged, or it was interrupted; else 0.";

/// First and longest wait between two looks at the nodes.
const LOOKS: (Duration, Duration) = (Duration::from_millis(300), Duration::from_secs(10));

/// Parts of a fleet's life.
#[derive(Debug, Subcommand)]
pub enum FleetAction {
    /// Measure the nodes of a plan, or go on with it
    #[command(after_help = RUN_EXAMPLES)]
    Run(FleetRun),
    /// Show the state of each node
    Status(FleetShown),
    /// Bring in the results of nodes that have ended, and fetch damaged files again
    Collect(FleetShown),
    /// End all nodes, and keep what they have measured
    Cancel(FleetShown),
    /// Say which drives and nodes stand out: text, a page, a workbook, a table
    #[command(after_help = brief(report::EXAMPLES), after_long_help = report::EXAMPLES, mut_args = report::in_help)]
    Report(report::FleetReportFlags),
}

/// Flags of `fleet run`.
#[derive(Debug, Args)]
pub struct FleetRun {
    /// The plan, a TOML file
    plan: PathBuf,
    /// Way in which nodes are reached
    #[arg(long, value_name = "slurm|ssh|local", value_parser = launchers())]
    launcher: Launcher,
    /// Folder of state and results; with Slurm on a filesystem that all nodes see  [default: the plan's name without its ending]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// End once the nodes are handed over; with Slurm they go on, and nothing more is begun
    #[arg(long)]
    detach: bool,
}

/// Flags of whatever looks at a fleet.
#[derive(Debug, Args)]
pub struct FleetShown {
    /// Folder of the fleet
    dir: PathBuf,
    /// Print JSON on standard output
    #[arg(long)]
    json: bool,
}

fn launchers() -> impl TypedValueParser<Value = Launcher> {
    let names = [("slurm", "Job arrays of Slurm"), ("ssh", "ssh and scp"), ("local", "Processes of this machine")];
    PossibleValuesParser::new(names.map(|(name, help)| PossibleValue::new(name).help(help))).map(|name| match name.as_str() {
        "slurm" => Launcher::Slurm,
        "ssh" => Launcher::Ssh,
        _ => Launcher::Local,
    })
}

/// Runs the verb.
///
/// # Errors
/// When there is no such plan or fleet, or another process works on it.
pub fn run(action: &FleetAction) -> Result<u8> {
    match action {
        FleetAction::Run(args) => begin(args),
        FleetAction::Status(args) => status(args),
        FleetAction::Collect(args) => collect(args),
        FleetAction::Cancel(args) => cancel(args),
        FleetAction::Report(args) => report::run(args),
    }
}

fn begin(args: &FleetRun) -> Result<u8> {
    let read = |path: &Path| std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let text = read(&args.plan)?;
    let plan = Plan::read(&text)?;
    let consent = plan.consent.as_ref().map(|file| read(&args.plan.with_file_name(file))).transpose()?;
    let folder = FleetFolder::at(args.out.as_deref().unwrap_or(&args.plan.with_extension("")));
    let id = run_id::new_id(&Timestamp::now().to_string());
    prepare(&folder, &text, &plan, args.launcher, &id, consent.as_deref().map(str::as_bytes))?;
    let mut fleet = Fleet::open(&folder)?;
    let stop = interrupt::flag()?;
    let (mut wait, began) = (LOOKS.0, Instant::now());
    while !fleet.step() {
        if args.detach || stop.load(Relaxed) {
            break;
        }
        let until = Instant::now() + wait;
        while Instant::now() < until && !stop.load(Relaxed) {
            std::thread::sleep(LOOKS.0.min(until.saturating_duration_since(Instant::now())));
        }
        wait = (began.elapsed() / 10).clamp(LOOKS.0, LOOKS.1);
    }
    let is_over = fleet.state().nodes.iter().all(|node| node.phase.is_over());
    if !is_over {
        messages::say(&format!(
            "the nodes go on; the same command does too, and `ioproof fleet cancel {}` ends them",
            folder.path().display()
        ));
    }
    show(&folder, fleet.state(), &[], false)?;
    Ok(if is_over || args.detach { exit_status(&folder, fleet.state()) } else { interrupt::INTERRUPTED })
}

fn status(args: &FleetShown) -> Result<u8> {
    let folder = FleetFolder::open(&args.dir)?;
    match Fleet::open(&folder) {
        Ok(fleet) => show(&folder, fleet.state(), &fleet.look(), args.json)?,
        // Whoever works on it writes its state with every step.
        Err(_) => show(&folder, &folder.state()?, &[], args.json)?,
    }
    Ok(0)
}

fn collect(args: &FleetShown) -> Result<u8> {
    let folder = FleetFolder::open(&args.dir)?;
    let mut fleet = Fleet::open(&folder)?;
    fleet.collect();
    fleet.fetch_again();
    show(&folder, fleet.state(), &[], args.json)?;
    Ok(exit_status(&folder, fleet.state()))
}

fn cancel(args: &FleetShown) -> Result<u8> {
    let folder = FleetFolder::open(&args.dir)?;
    let mut fleet = Fleet::open(&folder)?;
    fleet.cancel();
    show(&folder, fleet.state(), &[], args.json)?;
    let is_left = fleet.state().nodes.iter().any(|node| !node.phase.is_over());
    Ok(if is_left { 2 } else { 0 })
}

/// The gravest of all nodes, as of all drives of one.
fn exit_status(folder: &FleetFolder, state: &FleetState) -> u8 {
    let ends: Vec<NodeEnd> = state.nodes.iter().filter_map(|node| folder.end(&node.name).ok().flatten()).collect();
    let has = |status: u8| ends.iter().any(|end| end.exit_status == status);
    let is_any = |phase: Phase| state.nodes.iter().any(|node| node.phase == phase);
    gravest(has, is_any(Phase::Failed), is_any(Phase::Cancelled))
}

/// The document of `fleet status --json`.
#[derive(Serialize)]
struct StatusJson<'a> {
    state: &'a FleetState,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_finished_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_finished_at: Option<String>,
}

fn show(folder: &FleetFolder, state: &FleetState, seen: &[(String, Seen)], as_json: bool) -> Result<()> {
    let finished = finished(folder, state);
    if as_json {
        let [first, last] = [finished.first(), finished.last()].map(|time| time.map(ToString::to_string));
        return output::print_document(&StatusJson { state, first_finished_at: first, last_finished_at: last });
    }
    let wide = state.nodes.iter().map(|node| node.name.len()).max().unwrap_or(0);
    let mut lines: Vec<String> = Vec::new();
    for node in &state.nodes {
        let now = seen.iter().find(|(name, _)| *name == node.name).map(|(_, seen)| words(seen));
        let result = folder.end(&node.name).ok().flatten().filter(|_| node.phase == Phase::Done).map(|end| result(&end));
        let (word, told) = now.unwrap_or((node.phase.title(), node.reason.as_deref()));
        let told: Vec<&str> = result.as_deref().into_iter().chain(told).collect();
        let tried = if node.attempts.len() > 1 { format!(", {} attempts", node.attempts.len()) } else { String::new() };
        let told = if told.is_empty() { String::new() } else { format!(": {}", visible(&told.join("; "))) };
        lines.push(format!("{:wide$}  {word}{tried}{told}", node.name));
    }
    let over = state.nodes.iter().filter(|node| node.phase == Phase::Done).count();
    lines.push(format!("{over} of {} nodes done", state.nodes.len()));
    if let (Some(first), Some(last), Some(_)) = (finished.first(), finished.last(), &state.start_at) {
        let between = last.duration_since(*first).as_secs_f64();
        lines.push(format!("first drive finished {first:.0}, last {last:.0}, {between:.1} s later (by the clock here)"));
    }
    output::print_lines(lines)
}

/// The state of an attempt in a word, and what is told of it.
fn words(seen: &Seen) -> (&'static str, Option<&str>) {
    match seen {
        Seen::Queued(why) => ("queued", Some(why)),
        Seen::Running => ("running", None),
        Seen::Ended => ("ended", Some("`ioproof fleet collect` brings it in")),
        Seen::Died(why) => ("died", Some(why)),
        Seen::Unknown(why) => ("unknown", Some(why)),
    }
}

fn result(end: &NodeEnd) -> String {
    let counted = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let of = |status: u8| end.drives.iter().filter(|drive| drive.exit_status == status).count();
    let told = [
        counted(end.drives.len(), "measured"),
        counted(of(1), "miss a claim"),
        counted(of(2), "failed"),
        counted(end.refused.len(), "refused"),
        end.refused.first().filter(|_| end.drives.is_empty()).map(|drive| format!("{}: {}", drive.path, drive.reason)),
        end.clock.as_ref().map(|clock| format!("clock {:+.3} s (± {:.3} s)", clock.offset_ns as f64 / 1e9, clock.error_ns as f64 / 1e9)),
        end.start_late_ns.map(|late| format!("began {:+.3} s after the common start", late as f64 / 1e9)),
    ];
    told.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// When each node's first and last drive ended, by the clock here, sorted.
fn finished(folder: &FleetFolder, state: &FleetState) -> Vec<Timestamp> {
    let of = |end: NodeEnd| {
        let off = SignedDuration::from_nanos(end.clock.map_or(0, |clock| clock.offset_ns));
        let times = [end.first_finished_at, end.last_finished_at];
        times.into_iter().flatten().filter_map(|time| time.parse::<Timestamp>().ok()?.checked_sub(off).ok()).collect::<Vec<_>>()
    };
    let mut all: Vec<Timestamp> = state.nodes.iter().filter_map(|node| folder.end(&node.name).ok().flatten()).flat_map(of).collect();
    all.sort_unstable();
    all
}
