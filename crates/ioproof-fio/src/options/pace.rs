//! Duration, rates, pauses, latency and steady state.

use super::kind::{COUNT, MOST, ValueKind};
use super::row::{OptionRow, approximated, flag, honoured, ignored, no_effect, put};
use super::value::OptionValue;
use crate::settings::{Criterion, JobSettings, RateProcess};
use crate::values::TimeUnit::{Microseconds, Seconds};
use crate::values::float;

const OWN_CLOCK: &str = "ioproof chooses the most exact clock that can be trusted, and says which in its report";

pub(super) const TIME: &[OptionRow] = &[
    honoured("runtime", ValueKind::Time(Seconds), |s, v| put(&mut s.time.runtime_ns, v.time_ns(Seconds)))
        .says("The job ends after this time of measurement even if there is more to do; 0, no limit, by default.")
        .or(&["timeout"]),
    flag("time_based", |s| &mut s.time.time_based).says("The job begins again until its runtime is over."),
    honoured("ramp_time", ValueKind::Time(Seconds), |s, v| put(&mut s.time.ramp_ns, v.time_ns(Seconds)))
        .says("I/O that is not counted, before the measurement; 0 by default. Of a job that ends before its ramp does, all is counted, and a warning says so; no limit on rates makes up after the ramp for what was missed in it."),
    honoured("startdelay", ValueKind::TimeRange(Seconds), |s, v| put(&mut s.time.start_delay_ns, v.time_range_ns(Seconds)))
        .says("How long the job waits before it starts; of two, a time between them. 0 by default."),
    approximated("loops", COUNT, |s, v| put(&mut s.time.loops, v.whole_as::<u32>().map(|n| n.max(1))))
        .differs("what was written is read back once, after all passes (by fio after each); a job that only reads back does so in each pass (by fio 3.33 once)")
        .says("Passes over the region; 1 by default.")
        .only_when(|s| s.time.loops > 1 && s.verify.method.is_some()),
    no_effect("clocksource", ValueKind::Word(&["gettimeofday", "clock_gettime", "cpu"]), OWN_CLOCK).says("The clock that is used."),
    no_effect("gtod_cpu", COUNT, OWN_CLOCK).says("A CPU that does nothing but read the clock."),
];

pub(super) const RATE: &[OptionRow] = &[
    honoured("rate", ValueKind::Sizes(0), |s, v| put(&mut s.pace.bytes_per_s, v.sizes()))
        .says("Bytes per second that each clone reads, writes and trims at most; no limit by default."),
    honoured("rate_iops", ValueKind::Wholes(0, MOST), |s, v| put(&mut s.pace.ios_per_s, v.wholes()))
        .says("I/Os per second that each clone does at most; no limit by default."),
    honoured("rate_min", ValueKind::Sizes(0), |s, v| put(&mut s.pace.min_bytes_per_s, v.sizes()))
        .says("Bytes per second below which the job ends in error.")
        .or(&["ratemin"]),
    honoured("rate_iops_min", ValueKind::Wholes(0, MOST), |s, v| put(&mut s.pace.min_ios_per_s, v.wholes()))
        .says("I/Os per second below which the job ends in error."),
    honoured("rate_process", ValueKind::Word(&["linear", "poisson"]), |s, v| put(&mut s.pace.process, v.text().map(|text| if text == "poisson" { RateProcess::Poisson } else { RateProcess::Linear })))
        .says("Whether I/Os of a rate come at even or at random distances; `linear` by default."),
    approximated("rate_cycle", COUNT, |s, v| put(&mut s.pace.cycle_ns, v.whole_as::<u64>().map(|n| n.saturating_mul(1_000_000))))
        .differs("a rate is kept from one I/O to the next; rate_min and rate_iops_min are judged over it, from two seconds after the ramp on, so not in a job that is over by the end of the first such cycle")
        .says("Over how long a rate is averaged, milliseconds; 1000 by default.")
        .or(&["ratecycle"]),
    approximated("rate_ignore_thinktime", ValueKind::Bool, |s, v| put(&mut s.pace.ignore_think, v.bool()))
        .differs("where there are pauses, no more than 10 ms of anything that was missed is made up for, whether by a pause or by a slow drive")
        .says("What was missed in a pause is not made up for; 0 by default.")
        .only_when(|s| s.pace.ignore_think && s.think.ns > 0),
    honoured("thinktime", ValueKind::Time(Microseconds), |s, v| put(&mut s.think.ns, v.time_ns(Microseconds)))
        .says("A pause after some I/Os; 0, none, by default."),
    ignored("thinktime_spin", ValueKind::Time(Microseconds), "0")
        .differs("the whole pause is spent waiting")
        .says("How much of a pause is spent computing; 0 by default."),
    honoured("thinktime_blocks", COUNT, |s, v| put(&mut s.think.every, v.whole_as::<u32>().map(|n| n.max(1))))
        .says("I/Os between two pauses; 1 by default, or as many as there is time for by thinktime_iotime."),
    ignored("thinktime_blocks_type", ValueKind::Word(&["complete", "issue"]), "complete")
        .differs("I/Os are counted when they are submitted")
        .says("Whether I/Os between pauses are counted when they are submitted or done; `complete` by default."),
    honoured("thinktime_iotime", ValueKind::Time(Seconds), |s, v| put(&mut s.think.every_ns, v.time_ns(Seconds)))
        .says("Time between two pauses, unless thinktime_blocks is given and comes first; 0, by thinktime_blocks, by default."),
];

const NOT_SOUGHT: &str = "each window is a run of its own: sequential offsets and the order of blocks begin again, the window is finished also at 100 percent, and without latency_window it is a tenth of a second";

pub(super) const LATENCY: &[OptionRow] = &[
    approximated("max_latency", ValueKind::Times(Microseconds), |s, v| put(&mut s.latency_target.max_ns, v.times_ns(Microseconds)))
        .differs("the job ends within a tenth of a second of the first slow I/O")
        .says("An I/O that takes longer ends the job in error; no limit by default."),
    approximated("latency_target", ValueKind::Time(Microseconds), |s, v| put(&mut s.latency_target.target_ns, v.time_ns(Microseconds)))
        .differs(NOT_SOUGHT)
        .says("The depth is sought at which the latency stays below this; 0, none, by default."),
    approximated("latency_window", ValueKind::Time(Microseconds), |s, v| put(&mut s.latency_target.window_ns, v.time_ns(Microseconds)))
        .differs(NOT_SOUGHT)
        .says("How long each depth is tried."),
    approximated("latency_percentile", ValueKind::Number(0.0, 100.0), |s, v| put(&mut s.latency_target.percentile, v.number()))
        .differs(NOT_SOUGHT)
        .says("Share of the I/Os that must stay below latency_target, percent; 100 by default."),
    approximated("latency_run", ValueKind::Bool, |s, v| put(&mut s.latency_target.run_on, v.bool()))
        .differs(NOT_SOUGHT)
        .says("Whether the depth goes on to be adjusted after it was found; 0 by default."),
];

pub(super) const STEADY: &[OptionRow] = &[
    honoured(
        "steadystate",
        ValueKind::Form("iops, iops_slope, bw or bw_slope, `:` and a limit, `%` for a share of the mean"),
        set_criterion,
    )
    .says("What must be steady and within which limit for the job to end; `iops_slope:0.01%` by default. It needs steadystate_duration.")
    .or(&["ss"]),
    honoured("steadystate_duration", ValueKind::Time(Seconds), |s, v| put(&mut s.steady_state.duration_ns, v.time_ns(Seconds)))
        .says("How long it must be steady; 0, not looked for, by default.")
        .or(&["ss_dur"]),
    honoured("steadystate_ramp_time", ValueKind::Time(Seconds), |s, v| put(&mut s.steady_state.ramp_ns, v.time_ns(Seconds)))
        .says("How long nothing is looked at first; 0 by default.")
        .or(&["ss_ramp"]),
];

fn set_criterion(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let text = value.text()?;
    let (word, limit) = text.split_once(':').ok_or("a limit is expected after a colon: iops:2%")?;
    let criterion = match word {
        "iops" => Criterion::Iops,
        "iops_slope" => Criterion::IopsSlope,
        "bw" => Criterion::Bandwidth,
        "bw_slope" => Criterion::BandwidthSlope,
        _ => return Err(format!("{word} is no criterion; iops, iops_slope, bw and bw_slope are")),
    };
    let share = limit.strip_suffix('%');
    let limit = match (share, criterion) {
        (None, Criterion::Bandwidth | Criterion::BandwidthSlope) => crate::values::size(limit, value.context)? as f64,
        (share, _) => float(share.unwrap_or(limit))?,
    };
    settings.steady_state.criterion = criterion;
    settings.steady_state.limit = limit;
    settings.steady_state.percent = share.is_some();
    Ok(())
}
