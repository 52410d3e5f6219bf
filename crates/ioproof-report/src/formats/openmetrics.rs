//! OpenMetrics 1.0 in that part of it which is the Prometheus text format 0.0.4 too, so that node_exporter's textfile collector takes it: gauges only, no
//! timestamps, base units.
//!
//! Made of the tables, so its figures are theirs. The run's id is a label of `ioproof_run_info` alone: elsewhere each run would begin new series.

use crate::tables::{Cell, Content, Table};
use crate::view::{VERDICTS, View};
use ioproof_core::drive_check::{CheckState, DriveCheck};
use ioproof_core::judgement::Judgement;
use ioproof_core::layers::FilesystemVerdict;
use ioproof_core::moment::unix_seconds;
use ioproof_core::record::RunRecord;
use std::collections::HashMap;

pub(super) fn text(record: &RunRecord, judgement: &Judgement) -> String {
    let mut families = Families::default();
    let view = View::new(record, judgement);
    of_run(&mut families, &view);
    judgement.results.layers.iter().flat_map(|layers| &layers.verdicts).for_each(|told| of_filesystem(&mut families, told, record));
    Content::of(Table::Results, &view).named_rows().for_each(|row| of_result(&mut families, &row));
    Content::of(Table::Latency, &view).named_rows().for_each(|row| of_latency(&mut families, &row));
    Content::of(Table::Notes, &view).named_rows().for_each(|row| of_note(&mut families, &row));
    families.text() + "# EOF\n"
}

/// Columns that tell one series from another.
const LABELS: &str = "job targets drive serial workload op pattern read_percent block_size_bytes workers queue_depth_per_worker queue_depth_total \
                      sync special timed statistic doubt";

/// A row as pairs of column and cell.
type Row<'a> = Vec<(&'static str, &'a Cell)>;
type Labels = Vec<(&'static str, String)>;

/// Metrics of one name with their samples, in the order in which they came.
#[derive(Default)]
struct Families(Vec<Family>);

struct Family {
    name: String,
    unit: &'static str,
    help: String,
    /// Labels and value.
    samples: Vec<(String, f64)>,
    /// Samples of each set of labels.
    twins: HashMap<String, u32>,
}

impl Families {
    /// Adds a sample. Two claims of one figure have the same labels: the second one bears a number.
    fn add(&mut self, (name, unit): (&str, &'static str), help: &str, labels: &Labels, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        let name = if unit.is_empty() { format!("ioproof_{name}") } else { format!("ioproof_{name}_{unit}") };
        let at = self.0.iter().position(|family| family.name == name).unwrap_or_else(|| {
            self.0.push(Family { name, unit, help: help.to_owned(), samples: Vec::new(), twins: HashMap::new() });
            self.0.len() - 1
        });
        let Family { samples, twins, .. } = &mut self.0[at];
        let text = shown(labels);
        let twin = twins.entry(text.clone()).and_modify(|twins| *twins += 1).or_insert(1_u32);
        let text = if *twin == 1 { text } else { shown(&[labels.as_slice(), &[("twin", twin.to_string())]].concat()) };
        samples.push((text, value));
    }

    fn text(&self) -> String {
        let family = |Family { name, unit, help, samples, .. }: &Family| {
            let unit = if unit.is_empty() { String::new() } else { format!("# UNIT {name} {unit}\n") };
            let samples: String = samples.iter().map(|(labels, value)| format!("{name}{labels} {value}\n")).collect();
            format!("# HELP {name} {help}\n# TYPE {name} gauge\n{unit}{samples}")
        };
        self.0.iter().map(family).collect()
    }
}

/// `{drive="x",op="read"}`; a label without a value is none.
fn shown(labels: &[(&'static str, String)]) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs = labels.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    let pairs = pairs.collect::<Vec<_>>().join(",");
    if pairs.is_empty() { pairs } else { format!("{{{pairs}}}") }
}

fn text_of(row: &Row, column: &str) -> String {
    match row.iter().find(|(name, _)| *name == column) {
        Some((_, Cell::Text(text))) => text.clone(),
        Some((_, Cell::Count(count))) => count.to_string(),
        _ => String::new(),
    }
}

fn number_of(row: &Row, column: &str) -> Option<f64> {
    match row.iter().find(|(name, _)| *name == column)?.1 {
        Cell::Number(number) => Some(*number),
        Cell::Count(count) => Some(*count as f64),
        _ => None,
    }
}

fn labels_of(row: &Row) -> Labels {
    LABELS.split_whitespace().map(|label| (label, text_of(row, label))).collect()
}

fn of_run(families: &mut Families, view: &View) {
    let info = [
        ("run_id", view.run_id.as_str()),
        ("verb", &view.verb),
        ("version", &view.program_version),
        ("run_status", view.status),
        ("host", &view.host),
        ("targets", &view.identity.targets),
        ("drive", &view.identity.drive),
        ("serial", &view.identity.serial),
        ("firmware", &view.identity.firmware),
        ("datasheet", &view.identity.datasheet),
    ];
    let info = info.map(|(name, value)| (name, value.to_owned())).to_vec();
    families.add(("run_info", ""), "The run that these figures are of.", &info, Some(1.0));
    families.add(("run_started_timestamp", "seconds"), "Moment at which the run began.", &Vec::new(), unix_seconds(&view.started_at));
    let help = "Exit status of the run: 0 no claim missed, 1 a claim missed or data lost, 2 nothing could be judged, 3 something could not be told.";
    families.add(("run_exit_status", ""), help, &Vec::new(), Some(view.judgement.exit_status.into()));
    families.add(
        ("run_warnings", ""),
        "Warnings that take weight from all figures of the run.",
        &Vec::new(),
        Some(view.grave().count() as f64),
    );
}

/// The name, unit and divisor of a metric; none for one that has no family.
fn family(metric: &str) -> Option<(&'static str, &'static str, f64)> {
    match metric {
        "iops" => Some(("rate", "ios_per_second", 1.0)),
        "throughput" => Some(("throughput", "bytes_per_second", 1.0)),
        "latency" => Some(("latency", "seconds", 1e9)),
        "cpu_time_per_io" => Some(("cpu_time_per_io", "seconds", 1e9)),
        "commits" => Some(("commits", "per_second", 1.0)),
        "sync_latency" => Some(("sync_latency", "seconds", 1e9)),
        "flushes_per_commit" => Some(("flushes", "per_commit", 1.0)),
        _ => None,
    }
}

/// Ends of figures. Of too few rounds they are a spread, which `interval_method` says.
const ENDS: [(&str, &str); 2] = [
    ("low", "Lower end of the interval of what was measured; by interval_method spread the smallest of too few rounds for one."),
    ("high", "Upper end of the interval of what was measured; by interval_method spread the largest of too few rounds for one."),
];

/// An end of a figure with the method by which it was found; a single round has none.
fn end_of(row: &Row, column: &str) -> Option<(String, f64)> {
    let is_one_round = number_of(row, "runs").is_some_and(|runs| runs < 2.0);
    number_of(row, column).filter(|_| !is_one_round).map(|end| (text_of(row, "interval_method"), end))
}

fn with_method(labels: &Labels, method: String) -> Labels {
    [labels.as_slice(), &[("interval_method", method)]].concat()
}

fn of_result(families: &mut Families, row: &Row) {
    let labels = labels_of(row);
    let Some((metric, unit, divisor)) = family(&text_of(row, "metric")) else { return };
    let parts = [
        ("value", "result", "Measured: the median over rounds."),
        ("claimed", "claimed", "Promise of the datasheet, or the limit of a program."),
    ];
    for (column, part, help) in parts {
        families.add((&format!("{part}_{metric}"), unit), help, &labels, number_of(row, column).map(|value| value / divisor));
    }
    for (column, help) in ENDS {
        let Some((method, end)) = end_of(row, column) else { continue };
        families.add((&format!("result_{column}_{metric}"), unit), help, &with_method(&labels, method), Some(end / divisor));
    }
    let shares = [
        ("match", "Share of the claim that was delivered; 1 is all of it."),
        ("match_low", "Lower end of that share."),
        ("match_high", "Upper end of that share."),
        ("threshold", "Share of the claim that meets it."),
    ];
    for (name, help) in shares {
        families.add((name, "ratio"), help, &labels, number_of(row, name));
    }
    let verdict = text_of(row, "verdict");
    if !verdict.is_empty() {
        add_verdict(families, "verdict", "1 for the verdict on the claim, 0 for the others.", &labels, &verdict);
    }
}

/// A sample for each verdict that there is.
fn add_verdict(families: &mut Families, name: &str, help: &str, labels: &Labels, verdict: &str) {
    for known in VERDICTS {
        let labels = [labels.as_slice(), &[("verdict", known.title().to_owned())]].concat();
        let is_it = f64::from(u8::from(known.title() == verdict));
        families.add((name, ""), help, &labels, Some(is_it));
    }
}

/// The answer of policy to a filesystem.
fn of_filesystem(families: &mut Families, told: &FilesystemVerdict, record: &RunRecord) {
    let labels = vec![("targets", record.given(told.target))];
    let help = "1 for the verdict on reads through a filesystem against those below it, 0 for the others.";
    add_verdict(families, "filesystem_verdict", help, &labels, told.verdict.title());
    let help = "Share of reads below the filesystem that meets it.";
    families.add(("filesystem_threshold", "ratio"), help, &labels, Some(told.threshold));
}

fn of_latency(families: &mut Families, row: &Row) {
    let seconds = |column: &str| number_of(row, column).map(|ns| ns / 1e9);
    let labels = labels_of(row);
    families.add(("operation_latency", "seconds"), "Latency of what is timed over all rounds.", &labels, seconds("value"));
    for (column, help) in
        [("low", "Lower end of the interval of the mean, as above."), ("high", "Upper end of the interval of the mean, as above.")]
    {
        let Some((method, end)) = end_of(row, column) else { continue };
        families.add((&format!("operation_latency_{column}"), "seconds"), help, &with_method(&labels, method), Some(end / 1e9));
    }
}

fn of_note(families: &mut Families, row: &Row) {
    if text_of(row, "kind") == "finding" {
        let labels = ["rule", "severity", "subject"].map(|label| (label, text_of(row, label))).to_vec();
        families.add(("finding", ""), "A finding that explains a figure, doubts it or takes it away.", &labels, Some(1.0));
    }
}

/// The text of OpenMetrics for these drives, as a quick look found them at this moment (RFC 3339).
#[must_use]
pub fn drive_metrics(drives: &[DriveCheck], now: &str) -> String {
    let mut families = Families::default();
    families.add(("check_timestamp", "seconds"), "Moment at which the drives were looked at.", &Vec::new(), unix_seconds(now));
    drives.iter().for_each(|drive| of_drive(&mut families, drive));
    families.text() + "# EOF\n"
}

fn of_drive(families: &mut Families, drive: &DriveCheck) {
    let labels: Labels = vec![("drive", drive.name.clone()), ("serial", drive.serial.clone())];
    let with =
        |more: &[(&'static str, &str)]| [labels.clone(), more.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()].concat();
    let info = with(&[("model", &drive.model), ("firmware", &drive.firmware), ("health", &drive.health)]);
    families.add(("drive_info", ""), "A drive.", &info, Some(1.0));
    for state in CheckState::ALL {
        let is_it = f64::from(u8::from(state == drive.state()));
        let help = "1 for the state of the drive by health, link and last verdict, 0 for the others.";
        families.add(("drive_state", ""), help, &with(&[("state", &state.title().to_lowercase())]), Some(is_it));
    }
    let (link, last) = (drive.link.as_ref(), drive.last.as_ref());
    let last_began = last.and_then(|last| unix_seconds(&last.started_at));
    let capable = link.and_then(|link| link.capable_bytes_per_s);
    let figures = [
        (("drive_endurance_used", "ratio"), "Share of its endurance that it counts as used.", drive.used_percent.map(|used| used / 100.0)),
        (("drive_temperature", "celsius"), "Its temperature.", drive.temperature_celsius),
        (("drive_media_errors", ""), "Errors of the medium since it was made.", drive.media_errors.map(|errors| errors as f64)),
        (("drive_link", "bytes_per_second"), "Most that its link carries in one direction.", link.map(|link| link.limit_bytes_per_s)),
        (("drive_link_capable", "bytes_per_second"), "The best that the drive could negotiate.", capable),
        (("drive_last_verdict_timestamp", "seconds"), "Moment of its last run with a verdict.", last_began),
        (("drive_last_verdict_exit_status", ""), "Exit status of that run: 1 a claim missed.", last.map(|last| last.exit_status.into())),
    ];
    for (name, help, value) in figures {
        families.add(name, help, &labels, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_the_same_labels_are_numbered_however_many_they_are() {
        const MANY: u32 = 20_000;
        let mut families = Families::default();
        for n in 1..=MANY {
            families.add(("x", ""), "Help.", &vec![("drive", "a".to_owned())], Some(f64::from(n)));
        }
        families.add(("x", ""), "Help.", &vec![("drive", "b".to_owned())], Some(0.0));
        let text = families.text();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines[..2], [r#"ioproof_x{drive="a"} 1"#, r#"ioproof_x{drive="a",twin="2"} 2"#]);
        assert_eq!(lines[MANY as usize - 1..], [r#"ioproof_x{drive="a",twin="20000"} 20000"#, r#"ioproof_x{drive="b"} 0"#]);
    }

    #[test]
    fn labels_are_escaped_and_empty_ones_left_out() {
        assert_eq!(shown(&[("a", "x\"\\\n".into()), ("b", String::new())]), r#"{a="x\"\\\n"}"#);
        assert_eq!(shown(&[("b", String::new())]), "");
    }

    #[test]
    fn the_same_labels_twice_are_told_apart() {
        let mut families = Families::default();
        for value in [1.0, 2.0, f64::NAN] {
            families.add(("x", "seconds"), "h", &vec![("a", "b".into())], Some(value));
        }
        let text = families.text();
        assert!(text.ends_with("ioproof_x_seconds{a=\"b\"} 1\nioproof_x_seconds{a=\"b\",twin=\"2\"} 2\n"), "{text}");
    }

    #[test]
    fn a_drive_has_one_state_and_its_figures() {
        let drive = DriveCheck {
            name: "sda".into(),
            serial: "S\"1".into(),
            health: "failing".into(),
            used_percent: Some(3.0),
            ..DriveCheck::default()
        };
        let text = drive_metrics(&[drive], "2026-11-28T10:00:00Z");
        for line in [
            r#"ioproof_drive_state{drive="sda",serial="S\"1",state="critical"} 1"#,
            r#"ioproof_drive_state{drive="sda",serial="S\"1",state="ok"} 0"#,
            r#"ioproof_drive_endurance_used_ratio{drive="sda",serial="S\"1"} 0.03"#,
            "ioproof_check_timestamp_seconds 1795860000",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
