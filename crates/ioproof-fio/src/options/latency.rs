//! Limits and targets of latency.

use super::kind::Kind;
use super::row::{Row, approximated, put};
use crate::values::TimeUnit::Microseconds;

const NOT_SOUGHT: &str = "each window is a run of its own: sequential offsets and the order of blocks begin again, the window is finished also at 100 percent, and without latency_window it is a tenth of a second";

pub(super) const ROWS: &[Row] = &[
    approximated(
        "max_latency",
        Kind::Times(Microseconds),
        "the job ends within a tenth of a second of the first slow I/O",
        "An I/O that takes longer ends the job in error; no limit by default.",
        |s, v| put(&mut s.latency_target.max_ns, v.times_ns(Microseconds)),
    ),
    approximated(
        "latency_target",
        Kind::Time(Microseconds),
        NOT_SOUGHT,
        "The depth is sought at which the latency stays below this; 0, none, by default.",
        |s, v| put(&mut s.latency_target.target_ns, v.time_ns(Microseconds)),
    ),
    approximated("latency_window", Kind::Time(Microseconds), NOT_SOUGHT, "How long each depth is tried.", |s, v| {
        put(&mut s.latency_target.window_ns, v.time_ns(Microseconds))
    }),
    approximated(
        "latency_percentile",
        Kind::Number(0.0, 100.0),
        NOT_SOUGHT,
        "Share of the I/Os that must stay below latency_target, percent; 100 by default.",
        |s, v| put(&mut s.latency_target.percentile, v.number()),
    ),
    approximated(
        "latency_run",
        Kind::Bool,
        NOT_SOUGHT,
        "Whether the depth goes on to be adjusted after it was found; 0 by default.",
        |s, v| put(&mut s.latency_target.run_on, v.bool()),
    ),
];
