//! Bytes that a run wrote are part of what the maker rates the drive for: total bytes written (TBW), or drive writes per day over a warranty whose length is
//! not known here (JESD218B has the workloads that such ratings are for).

use crate::findings::prelude::*;

rule! {
    name: "endurance",
    about: "the run wrote a share of what the drive is rated for that is worth knowing",
    check: Check::Run(check),
}

/// Least share of the rated endurance that is worth knowing.
const LEAST_SHARE: f64 = 0.001;
/// Least share of the writes rated for a day, where only those are: a day of a warranty of five years is half of the share above.
const LEAST_OF_A_DAY: f64 = 1.0;

fn check(context: &Context) -> Vec<Finding> {
    (0..).zip(&context.record.targets).filter_map(|(number, target)| of_target(context, number, target)).collect()
}

fn of_target(context: &Context, number: u32, target: &TargetRecord) -> Option<Finding> {
    let written = written_bytes(context, number);
    let (share, figure, words) = share(target.datasheet.as_ref()?, written)?;
    let counts = |health: &&DriveBracket| target.drives.iter().any(|drive| drive.name == health.name);
    let state = context.record.health.iter().find(counts).map(|health| &health.after);
    let so_far = state.and_then(|state| state.written_bytes);
    let told = so_far.map_or(String::new(), |bytes| format!("; the drive counts {} in all", decimal_size(bytes)));
    let title = format!("this run wrote {}, {} of {words}{told}", decimal_size(written), percent(share));
    let mut figures = vec![Evidence::number("written by this run", written as f64, Unit::Bytes), figure];
    figures.extend(so_far.map(|bytes| Evidence::number("written in all, by the drive's count", bytes as f64, Unit::Bytes)));
    let used = state.and_then(|state| state.used_percent);
    figures.extend(used.map(|used| Evidence::number("endurance used, by the drive's count", used / 100.0, Unit::Share)));
    let remedy = "write less (--size, --time), or only read, where the drive is to be kept";
    Some(Finding {
        subject: Subject::Target(target.facts.given.clone()),
        ..finding(&RULE, Severity::Info, Effect::None, title, figures, remedy)
    })
}

/// The share of what the maker states, where it is worth knowing, as a figure and in words.
fn share(used: &DatasheetUse, written: u64) -> Option<(f64, Evidence, String)> {
    let (rated, least, words) = match (used.rated_endurance_bytes(), used.rated_bytes_per_day()) {
        (Some(rated), _) => (rated, LEAST_SHARE, "the rated endurance"),
        (None, Some(rated)) => (rated, LEAST_OF_A_DAY, "the writes rated for a day"),
        (None, None) => return None,
    };
    let share = written as f64 / rated.max(1) as f64;
    let figure = Evidence::number(&format!("share of {words}"), share, Unit::Share).against(least);
    (share >= least).then(|| (share, figure, format!("{words} of {}", decimal_size(rated))))
}

/// Bytes that went to this target alone: what it was filled with, and what was written in every stage. Trims write nothing.
fn written_bytes(context: &Context, target: u32) -> u64 {
    let record = context.record;
    let moves = |workload: &Workload| !workload.trims() && workload.shape.data.command.moves_writes();
    let writes = |job: u32| record.jobs.get(job as usize).is_some_and(|job| job.targets == [target] && moves(&job.workload));
    let rounds = record.stages.iter().flat_map(|stage| &stage.rounds).filter(|round| writes(round.job));
    let filled = record.targets.get(target as usize).map_or(0, |target| target.content.filled_bytes);
    rounds.fold(filled, |sum, round| sum.saturating_add(round.total_bytes.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: rated(Some(100_000_000_000_000), None, 100_000_000_000),
        silent: rated(Some(100_000_000_000_000), None, 99_000_000_000),
    }

    /// A drive of 2 TB that a run filled with so many bytes.
    fn rated(endurance_bytes: Option<u64>, drive_writes_per_day: Option<f64>, filled_bytes: u64) -> RunRecord {
        let mut record = with_claim(record(), 100_000.0, None);
        record.stages.clear();
        record.targets[0].content.filled_bytes = filled_bytes;
        let sheet = &mut record.targets[0].datasheet.as_mut().unwrap().datasheet;
        (sheet.variants[0].endurance_bytes, sheet.drive_writes_per_day) = (endurance_bytes, drive_writes_per_day);
        record
    }

    #[test]
    fn writes_a_day_where_no_total_is_stated_and_nothing_without_either() {
        let day = |filled| RULE.titles(&rated(None, Some(0.5), filled));
        assert_eq!(day(1_500_000_000_000), ["this run wrote 1.5 TB, 150 % of the writes rated for a day of 1 TB"]);
        assert!(day(900_000_000_000).is_empty() && RULE.titles(&rated(None, None, u64::MAX)).is_empty());
    }

    #[test]
    fn what_stages_wrote_counts_and_trims_do_not() {
        let mut record = rated(Some(1_000_000_000_000), None, 0);
        let of = crate::testing::record();
        record.stages.clone_from(&of.stages);
        let found = RULE.titles(&record);
        assert!(found[0].starts_with("this run wrote "), "{found:?}");
        let of_two = record.clone().with(|record| record.jobs.iter_mut().for_each(|job| job.targets = vec![0, 0]));
        assert!(RULE.titles(&of_two).is_empty(), "nobody knows to which of two it went");
        for job in record.jobs.iter_mut().filter(|job| job.workload.writes()) {
            (job.workload.read_percent, job.workload.shape.trim_percent) = (0, 100);
        }
        assert!(RULE.titles(&record).is_empty(), "trims");
    }
    #[test]
    fn the_drives_own_count_is_said_where_it_has_one() {
        let mut record = fires();
        let after = DriveState { written_bytes: Some(5_000_000_000_000), used_percent: Some(7.0), ..DriveState::default() };
        record.health.push(DriveBracket { name: "nvme0n1".into(), before: DriveState::default(), after });
        assert_eq!(RULE.titles(&record), ["this run wrote 100 GB, 0.1 % of the rated endurance of 100 TB; the drive counts 5 TB in all"]);
    }
}
