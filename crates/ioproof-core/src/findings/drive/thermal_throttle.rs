//! The drive became too hot during the run, by its own count: it slowed itself down, or was above its warning temperature.
//!
//! NVM Express Base Specification 2.0c, 5.16.1.3, figure 207: times of host controlled thermal management, and minutes above the two temperatures.

use crate::findings::prelude::*;

rule! {
    name: "thermal-throttle",
    about: "the drive became too hot and slowed itself down",
    check: Check::EachDrive(of_drive),
    limit: RuleLimit::of_host(Place::Heat, LimitConfidence::Likely, |_, _| "heat: the drive slowed itself down, by its own count".into())
        .looked_at(look),
}

/// Ruled out where every drive of the job counts and none counted any; only drives that can count them are asked.
fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let drives = context.record.drives_of(measured.job);
    let counts = |name: &str| context.record.health.iter().find(|drive| drive.name == name && drive.before.throttles.is_some());
    let counted: Vec<&DriveBracket> = drives.iter().filter_map(|drive| counts(&drive.name)).collect();
    let figure = Evidence::number("times the drive slowed itself down", 0.0, Unit::Count);
    match counted.as_slice() {
        [] if drives.iter().all(|drive| drive.kind != DriveKind::Nvme) => LimitCheck::Absent,
        all if all.len() == drives.len() && all.iter().all(|drive| of_drive(drive).is_none()) => LimitCheck::RuledOut(figure),
        _ => LimitCheck::Open,
    }
}

fn of_drive(drive: &DriveBracket) -> Option<Finding> {
    let more = |later: Option<u64>, earlier: Option<u64>| later.zip(earlier).map_or(0, |(later, earlier)| later.saturating_sub(earlier));
    let throttles = more(drive.after.throttles, drive.before.throttles);
    let minutes = more(drive.after.hot_minutes, drive.before.hot_minutes);
    let seconds = more(drive.after.throttle_seconds, drive.before.throttle_seconds);
    if throttles.saturating_add(minutes).saturating_add(seconds) == 0 {
        return None;
    }
    let for_time = if seconds > 0 { format!(" for {seconds} s") } else { String::new() };
    let title = format!(
        "{} became too hot: it slowed itself down {throttles} times{for_time}, and was {minutes} min above its warning temperature",
        drive.name
    );
    let mut figures = vec![
        Evidence::number("times it slowed itself down", throttles as f64, Unit::Count),
        Evidence::number("time for which it slowed itself down", seconds as f64, Unit::Seconds),
        Evidence::number("above its warning temperature", minutes as f64 * 60.0, Unit::Seconds),
    ];
    figures.extend(drive.after.temperature_celsius.map(|celsius| Evidence::number("temperature in the end", celsius, Unit::Celsius)));
    let remedy = "cool the drive, and measure again";
    Some(finding(&RULE, Severity::Warn, Effect::Harder, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: throttled(7), silent: throttled(5) }

    /// It had slowed itself down five times before.
    fn throttled(after: u64) -> RunRecord {
        let state = |throttles| DriveState { present: true, throttles: Some(throttles), hot_minutes: Some(3), ..DriveState::default() };
        record().with_health(state(5), state(after))
    }

    #[test]
    fn time_alone_is_enough() {
        let state = |seconds| DriveState { present: true, throttles: Some(1), throttle_seconds: Some(seconds), ..DriveState::default() };
        let titles = |after| RULE.titles(&record().with_health(state(5), state(after)));
        assert_eq!(titles(5), [""; 0]);
        assert!(titles(9)[0].contains("slowed itself down 0 times for 4 s"), "{:?}", titles(9));
    }
}
