//! The first lines for a buyer: the drive's speed in a sentence, whether it keeps its promises, and why that is so.
//!
//! The figures are those of the rows, each with its block size; a figure that is not the drive's is left out.

use super::rows::ReasonView;
use super::{Conditions, FindingView, RowView, counted};
use ioproof_core::claim::Metric;
use ioproof_core::describe::NO_DATASHEET;
use ioproof_core::finding::{Effect, Severity};
use ioproof_core::judgement::Judgement;
use ioproof_core::layers::{LayerKind, LayerRow, Layers};
use ioproof_core::record::RunRecord;
use ioproof_core::stats::Estimate;
use ioproof_core::sweep::SeriesLine;
use ioproof_core::syncs::{GoalResult, Syncs, Way};
use ioproof_core::text::visible;
use ioproof_core::units::{block_size, latency, three_digits};
use ioproof_core::verdict::Verdict;

/// Jobs of a job file that the first sentence names.
const MOST_JOBS: usize = 3;
/// From so many times the lower end on an interval stands beside its figure.
const WIDE: f64 = 2.0;
/// Findings that the reasons name.
const MOST_WHY: usize = 3;

/// Events beside the measurement, by the rule that found it, for those who do not know the words of the trade.
const MEANWHILE: [(&str, &str); 12] = [
    ("foreign-io", "somebody else used the disk meanwhile"),
    ("busy-host", "other programs kept the processors busy meanwhile"),
    ("cpu-pressure", "programs had to wait for a processor"),
    ("memory-pressure", "the machine ran short of memory"),
    ("stolen-cpu", "the hypervisor took processor time away"),
    ("page-cache", "some of this is the speed of memory"),
    ("cached-layer", "some of this is the speed of a cache"),
    ("thermal-throttle", "the drive slowed itself down because it was hot"),
    ("cpu-throttled", "processors slowed themselves down because they were hot"),
    ("stalls", "at times it stood still for a moment"),
    ("cliff", "the speed fell during the run"),
    ("not-steady", "the speed was not steady"),
];

/// The first lines of a page.
pub(crate) struct Lead {
    pub speed: String,
    pub verdict: String,
    /// Without the number of claims and that there is no datasheet, which the verdict has said.
    pub why: Vec<String>,
    /// The rule that found what spoils most figures, which the verdict says.
    pub spoilt_by: Option<&'static str>,
}

impl Lead {
    pub(super) fn new(
        rows: &[RowView],
        series: &[SeriesLine],
        record: &RunRecord,
        judgement: &Judgement,
        findings: &[FindingView],
    ) -> Self {
        let reason = visible(&judgement.exit_reason);
        let syncs = judgement.results.syncs.as_ref();
        let goals = syncs.map(|syncs| syncs.goals.as_slice()).unwrap_or_default();
        let figures = match (syncs, judgement.results.layers.as_ref().and_then(of_layers)) {
            (Some(syncs), _) => of_syncs(syncs, rows),
            (None, Some(layers)) => Some(layers),
            (None, None) => {
                let workloads = || of_workloads(&rows.iter().collect::<Vec<_>>()).map(|text| capitalized(&text));
                of_sweep(series).map(|text| capitalized(&text)).or_else(|| of_jobs(rows)).or_else(|| of_targets(rows)).or_else(workloads)
            }
        };
        // Under other conditions another run would tell no more.
        let is_judged = |verdict: Verdict| verdict != Verdict::CannotTell;
        let is_answered = goals.iter().any(|goal| is_judged(goal.verdict)) || rows.iter().filter_map(|row| row.verdict).any(is_judged);
        let spoilt = spoilt(rows, findings).filter(|_| !is_answered);
        let speed = match figures {
            Some(figures) if spoilt.is_some() => format!("{figures}."),
            Some(figures) => format!("{figures}{}.", meanwhile(findings)),
            None if rows.iter().any(RowView::is_invalid) => "What was measured is not the drive's speed.".into(),
            None => "Nothing was measured.".into(),
        };
        let is_of_goal = !goals.is_empty() && reason.starts_with("the limit of ");
        let is_said =
            is_of_goal || reason.contains("no datasheet") || reason.contains("claim") && reason.starts_with(|c: char| c.is_ascii_digit());
        let spoilt_by = spoilt.as_ref().map(|(_, rule)| *rule);
        let why = why(if is_said { "" } else { &reason }, findings, spoilt_by);
        let unjudged = match judgement.results.layers {
            Some(_) => "Layers are held against one another, not against a datasheet.",
            None if judgement.results.standard.is_some() => "Tests of a standard are held against no datasheet.",
            None if record.notes.iter().any(|note| note.starts_with(NO_DATASHEET)) => {
                "No datasheet, so no verdict: --datasheet NAME adds one."
            }
            None if record.targets.iter().any(|target| target.datasheet.is_some()) => {
                "The datasheet claims nothing for this drive, so no verdict."
            }
            None => "No datasheet, so no verdict.",
        };
        // The sum of the verdicts, the answers to the limits of programs, and what spoils the run.
        let judged = Some(verdict(rows, unjudged)).filter(|_| goals.is_empty() || rows.iter().any(|row| row.verdict.is_some()));
        let verdict: Vec<String> = judged.into_iter().chain(goals.iter().map(answer)).chain(spoilt.map(|(text, _)| text)).collect();
        Self { speed, verdict: verdict.join(" "), why, spoilt_by }
    }
}

/// Commits of the first database where its filesystem makes so many writes durable.
fn of_layers(layers: &Layers) -> Option<String> {
    let commits = |row: &LayerRow| row.commits_per_s.map(|commits| many(commits.median));
    let database = layers.rows.iter().find(|row| row.kind == LayerKind::Database && row.commits_per_s.is_some())?;
    let writes = Layers::writes_of(&layers.rows, database)?;
    let (title, block) = (visible(&database.title), visible(&writes.title));
    Some(format!("{title} makes {} commits a second where the filesystem does {} {block}", commits(database)?, commits(writes)?))
}

/// Commits of the usual way, or of the first whose figure is the drive's.
fn of_syncs(syncs: &Syncs, rows: &[RowView]) -> Option<String> {
    let is_of_drive = |way: &&Way| rows.iter().filter(|row| row.job == Some(way.job)).all(is_good);
    let way = syncs.usual().into_iter().chain(&syncs.ways).filter(|way| way.commits_per_s.is_some()).find(is_of_drive)?;
    let (commits, workload) = (way.commits_per_s?, &way.workload);
    let writers = if workload.workers == 1 { "One writer makes".into() } else { format!("{} writers together make", workload.workers) };
    let each = way
        .sync
        .and_then(|sync| sync.p50_ns)
        .map_or(String::new(), |ns| format!("; half of the syncs take at most {}", latency(ns as f64)));
    let (block, how) = (block_size(workload.block_bytes.into()), workload.durability.describe());
    let range = range(Some(commits), many);
    Some(format!("{writers} {}{range} commits a second, of {block} with {how}{each}", many(commits.median)))
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn meanwhile(findings: &[FindingView]) -> String {
    let is_found = |rule: &str| findings.iter().any(|finding| finding.rule == rule);
    let said: Vec<&str> = MEANWHILE.into_iter().filter(|(rule, _)| is_found(rule)).map(|(_, text)| text).take(2).collect();
    if said.is_empty() { String::new() } else { format!("; {}", said.join(", and ")) }
}

/// `3.3 GB/s`.
fn rate(bytes_per_s: f64) -> String {
    if bytes_per_s >= 1e9 {
        format!("{} GB/s", three_digits(bytes_per_s / 1e9))
    } else {
        format!("{} MB/s", three_digits(bytes_per_s / 1e6))
    }
}

/// `190 k`, to three digits.
fn many(n: f64) -> String {
    match n {
        n if n >= 1e6 => format!("{} million", three_digits(n / 1e6)),
        n if n >= 1e4 => format!("{} k", three_digits(n / 1e3)),
        n => format!("{:.0}", n.max(0.0)),
    }
}

/// The same for each target by itself, where the rows are of several.
fn of_targets(rows: &[RowView]) -> Option<String> {
    let mut targets: Vec<&str> = rows.iter().filter_map(|row| row.conditions.targets.as_deref()).collect();
    targets.sort_unstable();
    targets.dedup();
    let of = |target: &&str| {
        let own = rows.iter().filter(|row| row.conditions.targets.as_deref() == Some(*target)).collect::<Vec<_>>();
        Some(format!("{target} {}", of_workloads(&own)?))
    };
    let clauses: Vec<String> = targets.iter().take(MOST_JOBS).filter_map(of).collect();
    (targets.len() > 1 && !clauses.is_empty()).then(|| clauses.join(". "))
}

/// The largest figures of reads and writes, and the time of one alone: `reads 3.3 GB/s and 190 k random blocks of 4 KiB a second; ...`.
fn of_workloads(rows: &[&RowView]) -> Option<String> {
    let shares = [("reads", 100), ("writes", 0)];
    let rates: Vec<String> = shares.into_iter().filter_map(|(verb, share)| of_direction(rows, verb, share)).collect();
    let alone = |(_, share): (&str, u8)| {
        let row = measured(rows, share).filter(|row| row.metric == Metric::Latency && row.conditions.outstanding == 1);
        let row = row.min_by(|a, b| median(a).total_cmp(&median(b)))?;
        Some(format!(
            "one {} of {} alone takes {}{}",
            row.conditions.direction,
            size(&row.conditions),
            latency(median(row)),
            range(row.measured, latency)
        ))
    };
    let alone: Vec<String> = shares.into_iter().filter_map(alone).collect();
    let mixed = || rows.iter().find(|row| is_good(row)).map(|row| format!("{}: {}", row.title(), row.metric.show(median(row))));
    let parts: Vec<String> = rates.into_iter().chain(alone).collect();
    if parts.is_empty() { mixed() } else { Some(parts.join("; ")) }
}

fn of_direction(rows: &[&RowView], verb: &str, share: u8) -> Option<String> {
    let largest = |metric, pattern: &str| {
        let of = |row: &&RowView| row.metric == metric && row.conditions.pattern == pattern;
        measured(rows, share).filter(of).max_by(|a, b| median(a).total_cmp(&median(b)))
    };
    let in_row = largest(Metric::Throughput, "sequential").map(|row| rate(median(row)) + &range(row.measured, rate));
    let random = largest(Metric::Iops, "random");
    let random =
        random.map(|row| format!("{}{} random blocks of {} a second", many(median(row)), range(row.measured, many), size(&row.conditions)));
    let all: Vec<String> = in_row.into_iter().chain(random).collect();
    (!all.is_empty()).then(|| format!("{verb} {}", all.join(" and ")))
}

/// Rows of pure reads or pure writes whose figure is the drive's.
fn measured<'a>(rows: &[&'a RowView<'a>], share: u8) -> impl Iterator<Item = &'a RowView<'a>> {
    rows.iter().copied().filter(move |row| is_good(row) && row.conditions.read_percent == share)
}

fn is_good(row: &RowView) -> bool {
    // Too few runs take a verdict away, and do not make a figure that of somebody else.
    let is_of_another = |reason: &ReasonView| reason.effect == Effect::Invalid && reason.about != "runs";
    row.measured.is_some_and(|e| e.median.is_finite()) && !row.reasons.iter().any(is_of_another)
}

fn median(row: &RowView) -> f64 {
    row.measured.map_or(0.0, |e| e.median)
}

/// ` (121 µs to 2.42 ms)`, where the ends are so far apart that the figure alone would mislead.
fn range(measured: Option<Estimate>, show: fn(f64) -> String) -> String {
    let wide = measured.filter(|e| e.runs > 1 && e.high > WIDE * e.low.max(0.0));
    wide.map_or_else(String::new, |e| format!(" ({} to {})", show(e.low), show(e.high)))
}

fn size(conditions: &Conditions) -> String {
    block_size(conditions.block_bytes.into())
}

/// A clause for each of the first jobs, by name.
fn of_jobs(rows: &[RowView]) -> Option<String> {
    let clause = |row: &RowView| {
        let job = row.conditions.shortest();
        match row.metric {
            Metric::Latency => format!("{job} takes {} for each {}", latency(median(row)), row.conditions.direction),
            Metric::Throughput => format!("{job} moves {}", rate(median(row))),
            Metric::Iops => format!("{job} does {} I/Os of {} a second", many(median(row)), size(&row.conditions)),
        }
    };
    let named: Vec<&RowView> = rows.iter().filter(|row| row.conditions.job.is_some() && is_good(row)).collect();
    let mut clauses: Vec<String> = named.iter().take(MOST_JOBS).map(|row| clause(row)).collect();
    let more = named.len().saturating_sub(MOST_JOBS);
    clauses.extend((more > 0).then(|| if more == 1 { "one more job is below".into() } else { format!("{more} more jobs are below") }));
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// The most that each kind of load reached, and the least latency.
fn of_sweep(series: &[SeriesLine]) -> Option<String> {
    let mut best: Vec<&SeriesLine> = Vec::new();
    for line in series.iter().filter(|line| !line.points.is_empty()) {
        match best.iter_mut().find(|known| known.group == line.group) {
            Some(known) if most(line) > most(known) => *known = line,
            Some(_) => {}
            None => best.push(line),
        }
    }
    let clauses: Vec<String> = best.iter().take(MOST_JOBS).filter_map(|line| clause(line, series)).collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

fn most(of: &SeriesLine) -> f64 {
    of.points.iter().map(|point| point.rate).fold(0.0, f64::max)
}

fn clause(of: &SeriesLine, all: &[SeriesLine]) -> Option<String> {
    let top = of.points.iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let of_group = all.iter().filter(|other| other.group == of.group).flat_map(|other| &other.points);
    let least = of_group.map(|point| point.latency_ns).reduce(f64::min)?;
    let reached = if of.metric == Metric::Throughput { rate(top.rate) } else { format!("{} a second", many(top.rate)) };
    let by = of.backend.as_ref().map_or_else(String::new, |backend| format!("by {backend} "));
    Some(format!("{}: up to {reached}, {by}at {} {}; each takes {} at the least", of.group, of.axis.name(), top.label, latency(least)))
}

fn answer(result: &GoalResult) -> String {
    let says = match result.verdict {
        Verdict::Meets => "It is fast enough for",
        Verdict::Misses => "It is too slow for",
        _ => "It cannot be told whether it is fast enough for",
    };
    let (goal, most) = (&result.goal, latency(result.goal.most_ns as f64));
    format!("{says} {}, which asks for syncs of at most {most} ({}).", visible(&goal.name), goal.statistic.title())
}

/// The sum of the verdicts in a sentence.
fn verdict(rows: &[RowView], unjudged: &str) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == Some(verdict)).count();
    let (all, meets, misses) = (rows.iter().filter(|row| row.verdict.is_some()).count(), count(Verdict::Meets), count(Verdict::Misses));
    match (all, meets, misses) {
        (0, ..) => unjudged.to_owned(),
        (_, _, 1..) => format!("It delivers less than was promised: {misses} of {} missed.", counted(all as u64, "claim")),
        (_, 0, _) if count(Verdict::Indicative) == all => {
            format!("No verdict on {}: this run had other conditions than the datasheet's.", counted(all as u64, "claim"))
        }
        (_, 0, _) => format!("No verdict on {}: the run cannot carry one.", counted(all as u64, "claim")),
        _ if meets == all => format!("It keeps what was promised: {} met.", counted(all as u64, "claim")),
        _ => format!("It keeps what could be judged: {meets} of {} met, none missed.", counted(all as u64, "claim")),
    }
}

/// Sentences on what spoils a run, each with the rules that find it, the gravest first.
const SPOILS: [(&str, &[&str]); 3] = [
    ("This machine was too busy to judge the drive", &["stolen-cpu", "busy-host", "cpu-pressure"]),
    ("The drive was in use by others", &["foreign-io"]),
    ("This machine was short of memory", &["memory-pressure"]),
];

/// The first of them that bears on at least half of the rows, or on the whole run.
fn spoilt(rows: &[RowView], findings: &[FindingView]) -> Option<(String, &'static str)> {
    let of_rule = |rule: &str| {
        let found: Vec<_> = findings.iter().filter(|found| found.rule == rule && found.severity != Severity::Info).collect();
        let first = *found.first()?;
        let is_of_all = first.subject_in_full == "whole run" || first.subject.as_deref() == Some("host");
        (is_of_all || 2 * found.len() >= rows.len()).then_some(first)
    };
    SPOILS.into_iter().find_map(|(sentence, rules)| {
        let (rule, first) = rules.iter().find_map(|rule| Some((*rule, of_rule(rule)?)))?;
        let again = if rule == "stolen-cpu" { "at a quieter time, or on another machine" } else { "when it is idle" };
        Some((format!("{sentence}: {}. Run again {again}.", first.title.trim_end_matches('.')), rule))
    })
}

/// The reason of the judgement, and the gravest findings, each rule once, without the one that the verdict says.
fn why(reason: &str, findings: &[FindingView], said: Option<&str>) -> Vec<String> {
    let findings = findings.iter().filter(|finding| said != Some(finding.rule.as_str()));
    let mut said: Vec<&FindingView> = Vec::new();
    for finding in findings.filter(|finding| finding.severity != Severity::Info && finding.title != reason) {
        if said.len() < MOST_WHY && !said.iter().any(|known| known.rule == finding.rule) {
            said.push(finding);
        }
    }
    let text = |finding: &FindingView| match &finding.subject {
        Some(subject) => format!("{subject}: {}", finding.title),
        None => finding.title.clone(),
    };
    let why: Vec<String> = said.into_iter().map(text).collect();
    std::iter::once(reason.to_owned()).filter(|reason| !reason.is_empty()).chain(why).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_as_a_buyer_says_them() {
        assert_eq!([rate(3.32e9), rate(844e6)], ["3.32 GB/s", "844 MB/s"]);
        assert_eq!([many(190_400.0), many(2.4e6), many(812.4), many(9999.0)], ["190 k", "2.4 million", "812", "9999"]);
        assert_eq!(capitalized("reads"), "Reads");
    }

    #[test]
    fn what_went_on_meanwhile_is_of_rules_that_there_are() {
        for (rule, _) in MEANWHILE {
            assert!(ioproof_core::findings::RULES.iter().any(|known| known.name == rule), "{rule}");
        }
    }
}
