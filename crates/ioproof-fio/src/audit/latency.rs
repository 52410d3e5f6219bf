//! Latencies that are wanted and not measured.

use super::context::JobContext;
use super::rule::{LanguageCheck, LanguageFinding, LanguageRule, found, rule};

use ioproof_core::finding::{Evidence, Severity};

pub(super) const RULES: &[LanguageRule] = &[
    rule("latency-not-measured", Severity::Warn, LanguageCheck::Job(not_measured))
        .about("percentiles, logs or goals of latencies that gtod_reduce or disable_* take away")
        .fires_on("[a]\nfilename=/dev/nvme0n1\ngtod_reduce=1\npercentile_list=50:99.9\n")
        .silent_on("[a]\nfilename=/dev/nvme0n1\npercentile_list=50:99.9\n")
        .covers(&["no-latency"]),
    rule("no-latency", Severity::Info, LanguageCheck::Job(no_latency))
        .about("a job that takes no latency at all")
        .fires_on("[a]\nfilename=/dev/nvme0n1\ngtod_reduce=1\n")
        .silent_on("[a]\nfilename=/dev/nvme0n1\ndisable_slat=1\n"),
];

fn no_latency(job: &JobContext) -> Option<LanguageFinding> {
    let report = &job.set.report;
    let title = format!("{} leaves every latency out: the job has rates and nothing else", culprits(job));
    let figures = vec![Evidence::text("left out by", culprits(job))];
    (report.no_slat && report.no_clat && report.no_lat)
        .then(|| found(title, figures, "leave it out; ioproof times each I/O at little cost"))
}

fn not_measured(job: &JobContext) -> Option<LanguageFinding> {
    let report = &job.set.report;
    let taken = (report.no_slat, report.no_clat, report.no_lat);
    let is_typed = |option| job.typed(option).is_some();
    // Percentiles of completion latency are shown unasked, so only asking for them shows that they are wanted.
    let wants_clat = report.clat_percentiles && (is_typed("clat_percentiles") || (is_typed("percentile_list") && !report.lat_percentiles));
    let wanted: Vec<&str> = [
        ("percentiles of completion latency", wants_clat && taken.1),
        ("lat_percentiles", report.lat_percentiles && taken.2),
        ("slat_percentiles", report.slat_percentiles && taken.0),
        ("write_lat_log", job.set.logs.latency.is_some() && (taken.0 || taken.1 || taken.2)),
        ("write_hist_log", job.set.logs.histogram.is_some() && taken.1),
        ("latency_target", job.set.latency_target.target_ns > 0 && taken.2),
    ]
    .into_iter()
    .filter_map(|(what, is_lost)| is_lost.then_some(what))
    .collect();
    let figures = vec![Evidence::text("left out by", culprits(job))];
    let title = format!("the job asks for {}, but {} leaves that latency out", wanted.join(" and "), culprits(job));
    (!wanted.is_empty()).then(|| found(title, figures, "leave out gtod_reduce and disable_*"))
}

fn culprits(job: &JobContext) -> String {
    let report = &job.set.report;
    let off = [("disable_slat=1", report.no_slat), ("disable_clat=1", report.no_clat), ("disable_lat=1", report.no_lat)];
    match job.typed("gtod_reduce") {
        Some(value) => format!("gtod_reduce={value}"),
        None => off.into_iter().filter_map(|(option, is_off)| is_off.then_some(option)).collect::<Vec<_>>().join(" and "),
    }
}
