//! The plan of a standard's tests on a target: what they take in time, bytes and endurance, and the refusals before anything is opened.

use super::found::FoundTarget;
use super::identify::Facts;
use super::left_out::to_write;
use super::purge;
use super::target::Chosen;
use crate::request::StandardRequest;
use anyhow::Result;
use ioproof_core::claim::Metric;
use ioproof_core::course::Course;
use ioproof_core::facts::TargetKind;
use ioproof_core::plan::Plan;
use ioproof_core::record::{DatasheetUse, RunRecord};
use ioproof_core::standard::{MEASUREMENT_WINDOW, MOST_ROUNDS, PASSES, SATURATION_CAPACITIES, SATURATION_NS, Standard, TITLE, Test};
use ioproof_core::text::{counted, visible};
use ioproof_core::units::{binary_size, block_size, decimal_size, duration, percent};
use ioproof_process::complaint::complaint;
use serde::Serialize;
use std::time::Duration;

/// Assumed rate of writing where no datasheet says: a fast drive, so that the estimate is an upper bound for most.
const ASSUMED_BYTES_PER_S: f64 = 3e9;
/// Rate of passes, by and large. Bytes per second.
const PASS_BYTES_PER_S: f64 = 1e9;
/// Time between cells, for counters. Seconds.
const BETWEEN_S: f64 = 0.05;

/// Costs of the tests.
#[derive(Debug, Serialize)]
pub struct StandardPreview {
    specification: &'static str,
    #[serde(flatten)]
    standard: Standard,
    /// Seconds of a cell.
    cell_s: f64,
    least_rounds: usize,
    most_rounds: usize,
    /// Seconds that all takes at least, and at most.
    least_s: f64,
    most_s: f64,
    /// Bytes that are written at most.
    pub bytes_to_write: u64,
}

/// The fastest sequential write that the maker claims, else an assumed one. Bytes per second.
pub fn write_rate(facts: &Facts) -> f64 {
    let claims = facts.datasheet.iter().flat_map(|used| &used.datasheet.claims);
    let writes = claims.filter(|claim| claim.metric == Metric::Throughput && claim.read_percent == 0).map(|claim| claim.value);
    writes.reduce(f64::max).unwrap_or(ASSUMED_BYTES_PER_S)
}

/// The plan with rounds as the standard has them.
///
/// # Errors
/// When the target is not to be written, or keeps nothing.
pub fn planned(plan: Plan, request: &StandardRequest, chosen: &Chosen) -> Result<Plan> {
    let (facts, given) = (chosen.facts(), visible(&chosen.facts().given));
    if facts.kind == TargetKind::Generator {
        return Err(complaint(format!("--standard: {given} keeps nothing that could be tested"), "name a drive, a file or a directory"));
    }
    if !chosen.is_written() {
        let text = format!("--standard writes {given} in full several times, and may not write to it");
        return Err(complaint(text, to_write(facts)));
    }
    let not_purged = purge::against(request.purge, facts, plan.span)?;
    let standard = Standard { not_purged, ..request.on(plan.span) };
    let plan = Plan {
        halves: false,
        skipped: Vec::new(),
        fill: false,
        by_size: false,
        ramp_ns: 0,
        measure_ns: request.cell.as_nanos() as u64,
        time_limited: false,
        min_runs: MEASUREMENT_WINDOW as u32,
        max_runs: MOST_ROUNDS as u32,
        standard: Some(standard),
        ..plan
    };
    let most_s = preview(&plan, ASSUMED_BYTES_PER_S).map_or(0.0, |preview| preview.most_s);
    Ok(Plan { time_ns: (most_s * 1e9) as u64, ..plan })
}

/// Costs of the tests on a drive that writes at this rate (bytes per second); `None` without a standard.
pub fn preview(plan: &Plan, bytes_per_s: f64) -> Option<StandardPreview> {
    let standard = plan.standard.as_ref()?;
    let cell_s = plan.measure_ns as f64 / 1e9;
    let (mut least_s, mut most_s, mut bytes) = (0.0, 0.0, 0.0);
    for test in &standard.tests {
        let capacity = plan.span.length_bytes as f64;
        let cells: Vec<_> = test.cells(standard).into_iter().filter(|cell| plan.all().any(|planned| planned.workload == *cell)).collect();
        if !test.segments().is_empty() {
            let times = (0..cells.len()).map(|at| test.times_of(at, plan.measure_ns));
            let (rests_s, cells_s) =
                times.fold((0.0, 0.0), |(rests, of_cells), (rest, cell)| (rests + rest as f64 / 1e9, of_cells + cell as f64 / 1e9));
            let all_s = rests_s + cells_s + BETWEEN_S * cells.len() as f64;
            (least_s, most_s, bytes) = (least_s + all_s, most_s + all_s, bytes + cells_s * bytes_per_s);
            continue;
        }
        if *test == Test::WriteSaturation {
            let (enough, day_s) = (capacity * SATURATION_CAPACITIES as f64, SATURATION_NS as f64 / 1e9);
            let steady_s = (MEASUREMENT_WINDOW * test.looks_every()) as f64 * (cell_s + BETWEEN_S);
            (least_s, most_s) = (least_s + steady_s.min(enough / bytes_per_s).min(day_s), most_s + day_s);
            bytes += (enough + bytes_per_s * cell_s).min(bytes_per_s * day_s);
            continue;
        }
        let passes = if test.is_preconditioned() { f64::from(PASSES) * capacity } else { 0.0 };
        let length_s = |at: usize| test.times_of(at, plan.measure_ns).1 as f64 / 1e9;
        let of_look = test.looks_every() as f64 * (0..cells.len()).map(|at| length_s(at) + BETWEEN_S).sum::<f64>();
        let of_rounds = |rounds: usize| passes / PASS_BYTES_PER_S + rounds as f64 * of_look;
        (least_s, most_s) = (least_s + of_rounds(MEASUREMENT_WINDOW), most_s + of_rounds(MOST_ROUNDS));
        let written_s: f64 = cells.iter().enumerate().map(|(at, cell)| f64::from(cell.write_percent()) / 100.0 * length_s(at)).sum();
        bytes += passes + written_s * bytes_per_s * (MOST_ROUNDS * test.looks_every()) as f64;
    }
    Some(StandardPreview {
        specification: TITLE,
        standard: standard.clone(),
        cell_s,
        least_rounds: MEASUREMENT_WINDOW,
        most_rounds: MOST_ROUNDS,
        least_s,
        most_s,
        bytes_to_write: bytes as u64,
    })
}

impl StandardPreview {
    /// `45 min to 3 h`.
    pub fn time(&self) -> String {
        let words = |seconds: f64| duration(Duration::from_secs(seconds.ceil() as u64));
        format!("{} to {}", words(self.least_s), words(self.most_s))
    }

    /// The tests, a line each.
    pub fn lines(&self) -> Vec<String> {
        let Self { standard, cell_s, least_rounds, most_rounds, .. } = self;
        let of_test = |test: &Test| {
            let cells = test.cells(standard);
            let depth = cells[0].concurrency();
            let title = test.title();
            if !test.segments().is_empty() {
                let segments = test.segments().len();
                return format!("  {title}: writes, {} in {segments} segments, run through once", counted(cells.len() as u64, "cell"));
            }
            if *test == Test::DemandIntensity {
                let cells = cells.len();
                return format!("  {title}: {least_rounds} to {most_rounds} rounds of {cells} cells, 1 to 32 threads of 1 to 32 I/Os");
            }
            if !test.is_preconditioned() {
                let block = block_size(cells[0].block_bytes.into());
                let or = if *test == Test::WriteSaturation { ", 4 x the capacity or 24 h" } else { "" };
                let ends = format!("until steady (one cell of {} is looked at){or}", test.looks_every());
                return format!("  {title}: random writes of {block}, queue depth {depth}, {ends}");
            }
            format!(
                "  {title}: {PASSES} sequential passes, then {least_rounds} to {most_rounds} rounds of {} cells, queue depth {depth}",
                cells.len()
            )
        };
        let purge = match &standard.not_purged {
            Some(why) => format!("not purged ({})", visible(why)),
            None => "purged before each test where the drive can be".to_owned(),
        };
        let range = format!(
            "  {TITLE}, {}: active range {} ({} %), {} a cell; {purge}",
            standard.class.title(),
            binary_size(standard.active_range.length_bytes),
            standard.class.active_range_percent(),
            duration_of(*cell_s)
        );
        std::iter::once(range).chain(standard.tests.iter().map(of_test)).collect()
    }
}

fn duration_of(seconds: f64) -> String {
    if seconds < 1.0 { ioproof_core::units::latency(seconds * 1e9) } else { duration(Duration::from_secs_f64(seconds)) }
}

/// Refuses tests that may use up more of the drive's rated endurance than was consented to.
///
/// # Errors
/// With the figure, and the flag that consents to it.
pub fn check_endurance(request: Option<&StandardRequest>, found: &FoundTarget) -> Result<()> {
    let rated = found.facts.datasheet.as_ref().and_then(DatasheetUse::rated_endurance_bytes);
    let preview = preview(&found.plan, write_rate(&found.facts));
    let (Some(request), Some(rated), Some(preview)) = (request, rated, preview) else { return Ok(()) };
    let share = preview.bytes_to_write as f64 / rated.max(1) as f64;
    if share <= request.endurance {
        return Ok(());
    }
    let (bytes, rated) = (decimal_size(preview.bytes_to_write), decimal_size(rated));
    let text = format!("the tests may write up to {bytes}, {} of the rated endurance of {rated}", percent(share));
    let consent = (share * 100.0).ceil().min(100.0);
    Err(complaint(text, format!("--endurance {consent}% consents to that; --size and --time make it less")))
}

/// The line that is said when the tests begin, or go on.
pub fn opening(record: &RunRecord) -> Option<String> {
    let (plan, target, course) = (record.plan.as_ref()?, record.target()?, Course::of(record)?);
    let preview = preview(plan, ASSUMED_BYTES_PER_S)?;
    let tests: Vec<&str> = course.tests.iter().filter(|test| !test.is_over()).map(|test| test.test.title()).collect();
    let (size, given) = (binary_size(plan.span.length_bytes), visible(&target.facts.given));
    let class = preview.standard.class.title();
    Some(format!("testing {size} of {given} by {TITLE} ({class}): {}, {} in all", tests.join(", "), preview.time()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::PurgeWish;
    use crate::sources::testing;
    use ioproof_core::job::Span;
    use ioproof_core::plan::Planned;
    use ioproof_core::standard::Class;

    fn plan(tests: Vec<Test>) -> Plan {
        let plan = testing::record(&testing::load("")).plan.unwrap();
        let request = StandardRequest {
            class: Class::Enterprise,
            tests,
            workers: 4,
            depth: 32,
            cell: Duration::from_secs(60),
            endurance: 0.01,
            purge: PurgeWish::Usual,
            taken_up: None,
        };
        let span = Span { offset_bytes: 0, length_bytes: 1_000_000_000_000 };
        let writes = request.workloads().into_iter().map(|workload| Planned { workload, claims: Vec::new() }).collect();
        Plan { reads: Vec::new(), writes, span, ramp_ns: 0, measure_ns: 60_000_000_000, standard: Some(request.on(span)), ..plan }
    }

    #[test]
    fn costs_are_those_of_passes_and_of_the_most_rounds() {
        let throughput = preview(&plan(vec![Test::Throughput128]), 1e9).unwrap();
        assert_eq!(throughput.bytes_to_write, 2_000_000_000_000 + 25 * 60_000_000_000, "two passes, and 25 minutes of writes");
        assert_eq!(throughput.time(), "43 min to 83 min", "2000 s of passes, and 2 x 5 or 2 x 25 cells of 60.05 s");
        let saturation = preview(&plan(vec![Test::WriteSaturation]), 1e9).unwrap();
        assert_eq!(saturation.bytes_to_write, 4_060_000_000_000);
        let demand = preview(&plan(vec![Test::DemandIntensity]), 1e9).unwrap();
        assert_eq!(demand.bytes_to_write, 25 * (300 + 49 * 21) * 1_000_000_000, "five minutes of writes, and 49 of one third");
    }
}
