//! Rates and pauses.

use super::kind::{COUNT, Kind, MOST};
use super::row::{Row, approximated, honoured, put};
use crate::settings::{RateProcess, ThinkAt};
use crate::values::TimeUnit::{Microseconds, Seconds};

pub(super) const ROWS: &[Row] = &[
    honoured("rate", Kind::Sizes(0), "Bytes per second that each clone reads, writes and trims at most; no limit by default.", |s, v| {
        put(&mut s.pace.bytes_per_s, v.sizes())
    }),
    honoured("rate_iops", Kind::Wholes(0, MOST), "I/Os per second that each clone does at most; no limit by default.", |s, v| {
        put(&mut s.pace.ios_per_s, v.wholes())
    }),
    honoured("rate_min", Kind::Sizes(0), "Bytes per second below which the job ends in error.", |s, v| {
        put(&mut s.pace.min_bytes_per_s, v.sizes())
    })
    .or(&["ratemin"]),
    honoured("rate_iops_min", Kind::Wholes(0, MOST), "I/Os per second below which the job ends in error.", |s, v| {
        put(&mut s.pace.min_ios_per_s, v.wholes())
    }),
    honoured(
        "rate_process",
        Kind::Word(&["linear", "poisson"]),
        "Whether I/Os of a rate come at even or at random distances; `linear` by default.",
        |s, v| {
            s.pace.process = if v.text()? == "poisson" { RateProcess::Poisson } else { RateProcess::Linear };
            Ok(())
        },
    ),
    approximated(
        "rate_cycle",
        COUNT,
        "a rate is kept from one I/O to the next; rate_min and rate_iops_min are judged over it, from two seconds after the ramp on, so not in a job that is over by the end of the first such cycle",
        "Over how long a rate is averaged, milliseconds; 1000 by default.",
        |s, v| {
            s.pace.cycle_ns = v.whole_as::<u64>()?.saturating_mul(1_000_000);
            Ok(())
        },
    )
    .or(&["ratecycle"]),
    approximated(
        "rate_ignore_thinktime",
        Kind::Bool,
        "where there are pauses, no more than 10 ms of anything that was missed is made up for, whether by a pause or by a slow drive",
        "What was missed in a pause is not made up for; 0 by default.",
        |s, v| put(&mut s.pace.ignore_think, v.bool()),
    )
    .only_when(|s| s.pace.ignore_think && s.think.ns > 0),
    honoured("thinktime", Kind::Time(Microseconds), "A pause after some I/Os; 0, none, by default.", |s, v| {
        put(&mut s.think.ns, v.time_ns(Microseconds))
    }),
    approximated(
        "thinktime_spin",
        Kind::Time(Microseconds),
        "the whole pause is spent waiting",
        "How much of a pause is spent computing; 0 by default.",
        |s, v| put(&mut s.think.spin_ns, v.time_ns(Microseconds)),
    ),
    honoured(
        "thinktime_blocks",
        COUNT,
        "I/Os between two pauses; 1 by default, or as many as there is time for by thinktime_iotime.",
        |s, v| {
            s.think.every = v.whole_as::<u32>()?.max(1);
            Ok(())
        },
    ),
    approximated(
        "thinktime_blocks_type",
        Kind::Word(&["complete", "issue"]),
        "I/Os are counted when they are submitted",
        "Whether I/Os between pauses are counted when they are submitted or done; `complete` by default.",
        |s, v| {
            s.think.at = if v.text()? == "issue" { ThinkAt::Issue } else { ThinkAt::Complete };
            Ok(())
        },
    ),
    honoured(
        "thinktime_iotime",
        Kind::Time(Seconds),
        "Time between two pauses, unless thinktime_blocks is given and comes first; 0, by thinktime_blocks, by default.",
        |s, v| put(&mut s.think.every_ns, v.time_ns(Seconds)),
    ),
];
