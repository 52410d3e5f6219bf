//! A filesystem that writes data to its journal first and to its place later (ext4(5), `data=journal`), so that each byte is written twice.
//!
//! Bytes are counted at the device that the filesystem is on: a mirror below it would count them once more. The rule is silent where the mount options do not name the mode, as where it is
//! a default of the superblock (`tune2fs -o journal_data`), which /proc/self/mountinfo does not show.

use crate::findings::prelude::*;
use crate::layers::VERB;

rule! {
    name: "data-journal",
    about: "the filesystem writes data to its journal first, so that it is written twice",
    check: Check::Run(check),
}

const OPTION: &str = "data=journal";
/// Bytes at the device for a byte, from which on it is seen to be written more than once.
const LEAST: f64 = 1.5;
/// Writes below which a journal tells of nothing but itself.
const WRITES_MIN: u64 = 100;

fn check(context: &Context) -> Vec<Finding> {
    if context.record.verb != VERB {
        return Vec::new();
    }
    context.counted().filter(|measured| measured.workload().writes()).filter_map(|measured| of_job(context, measured)).collect()
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let facts = &context.record.targets_of(measured.job).next()?.facts;
    let (filesystem, device) = (facts.filesystem.as_ref().filter(|of| journals_data(of))?, &facts.stack.as_ref()?.name);
    let each: Vec<f64> = measured.rounds.iter().filter_map(|part| bytes_per_byte(part, device)).collect();
    let (figure, writes) = (measured.estimate_of(&each)?, measured.sum_of(|part| part.write.ios));
    if figure.low < LEAST || writes < WRITES_MIN {
        return None;
    }
    let title = format!(
        "{} at {} writes data to its journal first ({OPTION}): {:.2} bytes reach {device} for each byte that is written",
        filesystem.fs_type, filesystem.mount_point, figure.median
    );
    let evidence = vec![
        Evidence::text("mount option", OPTION).read_at("/proc/self/mountinfo"),
        Evidence::number(&format!("bytes at {device} for each byte"), figure.median, Unit::Average).against(LEAST),
    ];
    let remedy = "mount with data=ordered, which writes data once and is what ext4 does unless it is told otherwise";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, evidence, remedy))
}

fn journals_data(filesystem: &FilesystemFacts) -> bool {
    filesystem.options.split(',').any(|option| option == OPTION)
}

/// Bytes that were written to this device in a round for each byte of the load; none where they were not counted.
fn bytes_per_byte(part: &Part, device: &str) -> Option<f64> {
    let counted = part.stage.devices.as_ref()?.iter().find(|counted| counted.name == device)?;
    (part.total_bytes.1 > 0).then(|| counted.write_bytes as f64 / part.total_bytes.1 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: mounted("rw,relatime,data=journal", 2.1), silent: mounted("rw,relatime", 2.1) }

    /// ext4 with these options, on a device that is written so many bytes for each.
    fn mounted(options: &str, times: f64) -> RunRecord {
        let mut record = layered(Mix::TpcbLike, 6).mounted("ext4", "/srv", options);
        record.targets[0].facts.stack = Some(node("nvme0n1", 0));
        for stage in &mut record.stages {
            let written: u64 = stage.rounds.iter().map(|round| round.total_bytes.1).sum();
            stage.devices.iter_mut().flatten().for_each(|device| device.write_bytes = (written as f64 * times) as u64);
        }
        record
    }

    #[test]
    fn the_figure_is_of_the_writes_and_of_the_device_below_the_filesystem() {
        assert!(RULE.titles(&fires())[0].contains("2.10 bytes reach nvme0n1"), "{:?}", RULE.titles(&fires()));
        assert_eq!(RULE.titles(&fires()).len(), 1, "of the writes alone");
    }

    #[test]
    fn nothing_is_told_where_counters_do_not_show_it() {
        let elsewhere = fires().with(|record| record.targets[0].facts.stack = Some(node("dm-0", 0)));
        let few = fires().with(|record| record.rounds_mut().for_each(|round| round.write.ios = round.write.ios.min(10)));
        let other = RunRecord { verb: "verify".into(), ..fires() };
        RULE.silent_on([fires().uncounted(), elsewhere, few, other]);
        RULE.silent_on([mounted("rw,data=journal", 1.2), mounted("rw,data=journal_x", 2.1)]);
    }
}
