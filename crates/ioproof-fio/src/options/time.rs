//! Duration of jobs.

use super::kind::{COUNT, Kind};
use super::row::{Row, honoured, no_effect, put};
use crate::values::TimeUnit::Seconds;

const OWN_CLOCK: &str = "ioproof chooses the most exact clock that can be trusted, and says which in its report";

pub(super) const ROWS: &[Row] = &[
    honoured(
        "runtime",
        Kind::Time(Seconds),
        "The job ends after this time of measurement even if there is more to do; 0, no limit, by default.",
        |s, v| put(&mut s.time.runtime_ns, v.time_ns(Seconds)),
    )
    .or(&["timeout"]),
    honoured("time_based", Kind::Flag, "The job begins again until its runtime is over.", |s, v| put(&mut s.time.time_based, v.flag())),
    honoured(
        "ramp_time",
        Kind::Time(Seconds),
        "I/O that is not counted, before the measurement; 0 by default. Of a job that ends before its ramp does, all is counted, and a warning says so; no limit on rates makes up after the ramp for what was missed in it.",
        |s, v| put(&mut s.time.ramp_ns, v.time_ns(Seconds)),
    ),
    honoured(
        "startdelay",
        Kind::TimeRange(Seconds),
        "How long the job waits before it starts; of two, a time between them. 0 by default.",
        |s, v| put(&mut s.time.start_delay_ns, v.time_range_ns(Seconds)),
    ),
    honoured("loops", COUNT, "Passes over the region; 1 by default.", |s, v| {
        s.time.loops = v.whole_as::<u32>()?.max(1);
        Ok(())
    }),
    no_effect("clocksource", Kind::Word(&["gettimeofday", "clock_gettime", "cpu"]), OWN_CLOCK, "The clock that is used."),
    no_effect("gtod_cpu", COUNT, OWN_CLOCK, "A CPU that does nothing but read the clock."),
];
