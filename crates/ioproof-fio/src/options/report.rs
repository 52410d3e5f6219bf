//! Content of the report.

use super::kind::Kind;
use super::row::{Row, honoured, put, refused_unless_off};
use crate::results::Unified;
use crate::settings::Report;

pub(super) const ROWS: &[Row] = &[
    honoured("group_reporting", Kind::Flag, "One report for all jobs of a group.", |s, v| put(&mut s.report.by_group, v.flag())),
    honoured(
        "unified_rw_reporting",
        Kind::Word(&["none", "mixed", "both", "0", "1", "2"]),
        "All directions as one, each, or both; `none`, each, by default.",
        |s, v| {
            s.report.unified = match v.text()? {
                "mixed" | "1" => Unified::Mixed,
                "both" | "2" => Unified::Both,
                _ => Unified::Separate,
            };
            Ok(())
        },
    ),
    honoured("stats", Kind::Bool, "Whether the job is shown; 1 by default.", |s, v| put(&mut s.report.shown, v.bool())),
    honoured("disk_util", Kind::Bool, "What the kernel counted for the disks; 1 by default.", |s, v| put(&mut s.report.disks, v.bool())),
    honoured("clat_percentiles", Kind::Bool, "Percentiles of completion latency; 1 by default.", |s, v| {
        s.report.clat_percentiles = v.bool()?;
        Ok(())
    }),
    honoured("lat_percentiles", Kind::Bool, "Percentiles of total latency; 0 by default.", |s, v| {
        put(&mut s.report.lat_percentiles, v.bool())
    }),
    honoured("slat_percentiles", Kind::Bool, "Percentiles of submission latency; 0 by default.", |s, v| {
        put(&mut s.report.slat_percentiles, v.bool())
    }),
    honoured(
        "percentile_list",
        Kind::Numbers(20, 0.0, 100.0),
        "Which percentiles, up to twenty between colons; seventeen from 1 to 99.99 by default.",
        |s, v| {
            s.report.percentiles = v.numbers(20)?;
            s.report.percentiles.sort_by(f64::total_cmp);
            Ok(())
        },
    ),
    honoured("significant_figures", Kind::Whole(1, 10), "Digits of rates and sizes in text; 4 by default.", |s, v| {
        put(&mut s.report.figures, v.whole_as())
    }),
    honoured(
        "gtod_reduce",
        Kind::Bool,
        "No latency, and no lines of single I/Os in logs of rates; 0 by default. Samples of rates are shown all the same, by fio too.",
        |s, v| {
            if v.bool()? {
                let Report { no_slat, no_clat, no_lat, no_bandwidth, .. } = &mut s.report;
                [no_slat, no_clat, no_lat, no_bandwidth].into_iter().for_each(|left_out| *left_out = true);
            }
            Ok(())
        },
    ),
    honoured("disable_lat", Kind::Bool, "No total latency; 0 by default.", |s, v| put(&mut s.report.no_lat, v.bool())),
    honoured("disable_clat", Kind::Bool, "No completion latency; 0 by default.", |s, v| put(&mut s.report.no_clat, v.bool())),
    honoured("disable_slat", Kind::Bool, "No submission latency; 0 by default.", |s, v| put(&mut s.report.no_slat, v.bool())),
    honoured(
        "disable_bw_measurement",
        Kind::Bool,
        "No lines of single I/Os in the log of bandwidth; 0 by default. Samples of rates are shown all the same, by fio too.",
        |s, v| put(&mut s.report.no_bandwidth, v.bool()),
    )
    .or(&["disable_bw"]),
    refused_unless_off(
        "block_error_percentiles",
        Kind::Bool,
        "failed I/Os are counted and the first is shown with its offset; how often a block was trimmed before is not kept",
        "A histogram of how many trims it took until a block failed; 0 by default.",
    ),
];
