//! When a rate is steady, so that the job can end.

use super::kind::Kind;
use super::row::{Row, honoured, put};
use super::value::Value;
use crate::settings::{Criterion, Settings};
use crate::values::TimeUnit::Seconds;
use crate::values::float;

pub(super) const ROWS: &[Row] = &[
    honoured(
        "steadystate",
        Kind::Form("iops, iops_slope, bw or bw_slope, `:` and a limit, `%` for a share of the mean"),
        "What must be steady and within which limit for the job to end; `iops_slope:0.01%` by default. It needs steadystate_duration.",
        set_criterion,
    )
    .or(&["ss"]),
    honoured("steadystate_duration", Kind::Time(Seconds), "How long it must be steady; 0, not looked for, by default.", |s, v| {
        put(&mut s.steady_state.duration_ns, v.time_ns(Seconds))
    })
    .or(&["ss_dur"]),
    honoured("steadystate_ramp_time", Kind::Time(Seconds), "How long nothing is looked at first; 0 by default.", |s, v| {
        put(&mut s.steady_state.ramp_ns, v.time_ns(Seconds))
    })
    .or(&["ss_ramp"]),
];

fn set_criterion(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
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
