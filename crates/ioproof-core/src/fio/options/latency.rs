//! What the latency must be.

use super::kind::Kind;
use super::row::{Row, approximated, honoured, put};
use crate::fio::values::TimeUnit::Microseconds;

pub(super) const ROWS: &[Row] = &[
    approximated(
        "max_latency",
        Kind::Times(Microseconds),
        "the job is judged when it has ended, not at the first slow I/O",
        "An I/O that takes longer ends the job in error; no limit by default.",
        |s, v| put(&mut s.latency_goal.max_ns, v.times_ns(Microseconds)),
    ),
    honoured(
        "latency_target",
        Kind::Time(Microseconds),
        "The depth is sought at which the latency stays below this; 0, none, by default.",
        |s, v| put(&mut s.latency_goal.target_ns, v.time_ns(Microseconds)),
    ),
    honoured("latency_window", Kind::Time(Microseconds), "How long each depth is tried.", |s, v| {
        put(&mut s.latency_goal.window_ns, v.time_ns(Microseconds))
    }),
    honoured(
        "latency_percentile",
        Kind::Number(0.0, 100.0),
        "Share of the I/Os that must stay below latency_target, percent; 100 by default.",
        |s, v| put(&mut s.latency_goal.percentile, v.number()),
    ),
    approximated(
        "latency_run",
        Kind::Bool,
        "the job goes on at the depth that was found and does not change it again",
        "Whether the depth goes on to be adjusted after it was found; 0 by default.",
        |s, v| put(&mut s.latency_goal.run_on, v.bool()),
    ),
];
