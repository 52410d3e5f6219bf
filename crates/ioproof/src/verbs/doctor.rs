//! `ioproof doctor`: findings about this host and the way to a drive that would distort a measurement, with the command that mends each. Nothing is changed.
//!
//! `scope` says what is looked at, `moment` looks at what the machine is doing now; the rules are `ioproof_pages::doctor`'s.

mod advice_json;
mod moment;
pub mod scope;

use crate::columns::{clip, wrapped};
use advice_json::AdviceJson;
use anyhow::Result;
use clap::Args;
use ioproof_core::finding::{Finding, Severity, Subject};
use ioproof_core::text::visible;
use ioproof_device::{host_page, io_path_pages};
use ioproof_engine::Clock;
use ioproof_inventory::drives::is_root;
use ioproof_pages::doctor::{DriveWay, HostPicture, RULES, distorts, examine};
use ioproof_pages::field::{Field, Page, Value};
use ioproof_process::{messages, output};
use ioproof_session::clock::clock_choice;
use ioproof_target::System;
use scope::DoctorScope;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  ioproof doctor                          this host, and the way to each of its drives
  ioproof doctor /dev/nvme0n1             this host, and the way to this drive
  ioproof doctor /mnt/data                the same for the drives under a directory
  ioproof doctor --json                   with every fact that was looked at, and its source

Nothing is changed; the commands that it prints (behind #, or behind $ where you are not root) can be pasted, and hold until the next boot.
Exit status: 3 something would distort measurements; 2 an error; else 0.";

/// Flags of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorFlags {
    /// A directory, a file, a block device or its kernel name (sda); left out: every drive of this host
    pub target: Option<PathBuf>,
    /// Print the result as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// Exit status when something would distort measurements.
const DISTORTED: u8 = 3;
/// Where titles begin: behind the longest name of a rule.
const INDENT: usize = 25;

/// The document of `doctor --json`.
#[derive(Serialize)]
struct DoctorDocument<'a> {
    exit_status: u8,
    advice: Vec<AdviceJson<'a>>,
    host: &'a [Page],
    drives: &'a [DriveWay],
    layers: &'a [DriveWay],
    note: Option<&'a str>,
}

/// Runs the verb.
///
/// # Errors
/// When there is no such target.
pub fn run(args: &DoctorFlags) -> Result<u8> {
    let system = System::host();
    let scope = match &args.target {
        Some(target) => DoctorScope::under(&system, target)?,
        None => DoctorScope::all(&system),
    };
    let picture = picture(&system, &scope);
    let advice = examine(&picture);
    let status = if distorts(&advice) { DISTORTED } else { 0 };
    if args.json {
        let HostPicture { host, drives, layers } = &picture;
        let document = DoctorDocument {
            exit_status: status,
            advice: advice.iter().map(AdviceJson::new).collect(),
            host,
            drives,
            layers,
            note: scope.note.as_deref(),
        };
        output::or_warn(output::print_document(&document));
    } else {
        output::or_warn(output::print(&text(&picture, &advice, output::width())));
        scope.note.iter().for_each(|note| messages::note(note));
    }
    Ok(status)
}

fn picture(system: &System, scope: &DoctorScope) -> HostPicture {
    let way = |name: &String| DriveWay { pages: io_path_pages(system, name), name: name.clone() };
    let queue = |name: &String| {
        let mut way = way(name);
        way.pages.retain(|page| page.name == "queue");
        way
    };
    let mut drives: Vec<DriveWay> = scope.drives.iter().map(way).collect();
    // The clock is measured after the moment, which must not see it.
    let moment = moment::look(system, &mut drives);
    HostPicture { host: vec![host_page(system), moment, clock_page(system)], drives, layers: scope.layers.iter().map(queue).collect() }
}

/// Cost of a reading of the clock that a run here would go by.
fn clock_page(system: &System) -> Page {
    let clock = Clock::new(clock_choice(system));
    let cost = Field {
        key: "clock_cost_ns".into(),
        title: "a reading of the clock".into(),
        value: Value::Real((clock.cost_ns() * 10.0).round() / 10.0),
        unit: Some("ns".into()),
        source: format!("measured, {}", clock.name()),
    };
    Page { name: "clock".into(), source: clock.name().into(), fields: vec![cost], ..Page::default() }
}

/// All of it for people, in lines of `width` columns. Commands are never broken, so that they can be pasted.
fn text(picture: &HostPicture, advice: &[Finding], width: usize) -> String {
    let drives: Vec<&str> = picture.layers.iter().chain(&picture.drives).map(|drive| drive.name.as_str()).collect();
    let drives = if drives.is_empty() { "no drive".to_owned() } else { visible(&drives.join(", ")) };
    let mut text = String::new();
    let groups = [
        (Severity::Block, "figures would not be the drive's"),
        (Severity::Warn, "would distort measurements"),
        (Severity::Info, "good to know"),
    ];
    for (severity, heading) in groups {
        let group: Vec<&Finding> = advice.iter().filter(|advice| advice.severity == severity).collect();
        if !group.is_empty() {
            let _ = writeln!(text, "{heading}: {}", group.len());
            group.iter().for_each(|advice| show(&mut text, advice, width));
            text.push('\n');
        }
    }
    let end = match distorts(advice) {
        true => "mend what can be mended, and look again",
        false if picture.drives.is_empty() => "nothing of the host would distort a measurement, and of a drive nothing is known",
        false => "nothing here would distort a measurement",
    };
    let _ = writeln!(text, "{} rules looked at the host and {drives}: {end}", RULES.len());
    text
}

fn show(text: &mut String, advice: &Finding, width: usize) {
    let blank = " ".repeat(INDENT);
    let about = if let Subject::Drive(drive) = &advice.subject { format!("{drive}: ") } else { String::new() };
    for (number, line) in wrapped(&visible(&format!("{about}{}", advice.title)), 0, Some(width - INDENT)).iter().enumerate() {
        let label = if number == 0 { format!("  {:<1$}", advice.rule, INDENT - 2) } else { blank.clone() };
        let _ = writeln!(text, "{label}{line}");
    }
    for evidence in &advice.evidence {
        let line = visible(&format!("{}: {}", evidence.name, evidence.describe()));
        let _ = writeln!(text, "{blank}- {}", clip(&line, width - INDENT - 2));
    }
    if !advice.remedy.is_empty() {
        // As a shell shows whose it is. What is for the own shell of somebody without rights needs none, or begins with sudo.
        let prompt = if is_root() { '#' } else { '$' };
        let _ = writeln!(text, "{blank}{prompt} {}", visible(&advice.remedy));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::finding::{Effect, Evidence};

    fn advice(severity: Severity, title: &str, remedy: &str) -> Finding {
        Finding {
            rule: "governor".into(),
            severity,
            subject: Subject::Drive("sda".into()),
            title: title.into(),
            evidence: vec![Evidence::text("governors", "powersave (/sys/x)".repeat(9))],
            effect: Effect::None,
            remedy: remedy.into(),
        }
    }

    #[test]
    fn lines_fit_the_terminal_and_commands_stay_whole() {
        let command = "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
        let all = [advice(Severity::Warn, &"slow as it is ".repeat(12), command), advice(Severity::Info, "x\u{1b}[31m", "")];
        let text = text(&HostPicture::default(), &all, 60);
        assert!(text.lines().filter(|line| !line.contains(command)).all(|line| line.chars().count() <= 90), "{text}");
        let body: Vec<&str> = text.lines().filter(|line| line.starts_with("  ") && !line.contains(command)).collect();
        assert!(body.iter().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.contains(&format!(" {command}\n")) && !text.contains('\u{1b}'), "{text}");
        assert!(text.find("would distort measurements: 1") < text.find("good to know: 1"));
    }

    #[test]
    fn rules_fit_before_the_titles() {
        assert!(RULES.iter().all(|rule| rule.name.len() + 3 <= INDENT));
    }
}
