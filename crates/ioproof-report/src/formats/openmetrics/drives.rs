//! Drives as a quick look found them, for node_exporter's textfile collector.

use super::{Families, Labels};
use ioproof_core::drive_check::{CheckState, DriveCheck};
use ioproof_core::moment::unix_seconds;

/// The text of OpenMetrics for these drives, looked at at this moment (RFC 3339).
#[must_use]
pub fn drive_metrics(drives: &[DriveCheck], now: &str) -> String {
    let mut families = Families::default();
    families.add(("check_timestamp", "seconds"), "Moment at which the drives were looked at.", &Vec::new(), unix_seconds(now));
    drives.iter().for_each(|drive| of_drive(&mut families, drive));
    families.text() + "# EOF\n"
}

fn of_drive(families: &mut Families, drive: &DriveCheck) {
    let labels: Labels = vec![("drive", drive.name.clone()), ("serial", drive.serial.clone())];
    let with =
        |more: &[(&'static str, &str)]| [labels.clone(), more.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()].concat();
    families.add(
        ("drive_info", ""),
        "A drive.",
        &with(&[("model", &drive.model), ("firmware", &drive.firmware), ("health", &drive.health)]),
        Some(1.0),
    );
    for state in CheckState::ALL {
        let is_it = f64::from(u8::from(state == drive.state()));
        let labels = with(&[("state", &state.title().to_lowercase())]);
        families.add(
            ("drive_state", ""),
            "1 for the state of the drive by health, link and last verdict, 0 for the others.",
            &labels,
            Some(is_it),
        );
    }
    let link = drive.link.as_ref();
    let last = drive.last.as_ref();
    let figures = [
        (("drive_endurance_used", "ratio"), "Share of its endurance that it counts as used.", drive.used_percent.map(|used| used / 100.0)),
        (("drive_temperature", "celsius"), "Its temperature.", drive.temperature_celsius),
        (("drive_media_errors", ""), "Errors of the medium since it was made.", drive.media_errors.map(|errors| errors as f64)),
        (("drive_link", "bytes_per_second"), "Most that its link carries in one direction.", link.map(|link| link.limit_bytes_per_s)),
        (
            ("drive_link_capable", "bytes_per_second"),
            "The best that the drive could negotiate.",
            link.and_then(|link| link.capable_bytes_per_s),
        ),
        (
            ("drive_last_verdict_timestamp", "seconds"),
            "Moment of its last run with a verdict.",
            last.and_then(|last| unix_seconds(&last.started_at)),
        ),
        (("drive_last_verdict_exit_status", ""), "Exit status of that run: 1 a claim missed.", last.map(|last| last.exit_status.into())),
    ];
    for (name, help, value) in figures {
        families.add(name, help, &labels, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_one_state_and_its_figures() {
        let drive = DriveCheck {
            name: "sda".into(),
            serial: "S\"1".into(),
            health: "failing".into(),
            used_percent: Some(3.0),
            ..DriveCheck::default()
        };
        let text = drive_metrics(&[drive], "2026-11-28T10:00:00Z");
        for line in [
            r#"ioproof_drive_state{drive="sda",serial="S\"1",state="critical"} 1"#,
            r#"ioproof_drive_state{drive="sda",serial="S\"1",state="ok"} 0"#,
            r#"ioproof_drive_endurance_used_ratio{drive="sda",serial="S\"1"} 0.03"#,
            "ioproof_check_timestamp_seconds 1795860000",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
