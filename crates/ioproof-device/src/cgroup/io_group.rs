//! Limits on I/O of control groups, and what their processes have done together of that which is limited.

use super::{Group, groups};
use ioproof_core::facts::{LimitedResource, OwnLimit};
use ioproof_core::record::LimitUse;
use ioproof_target::System;
use std::time::Instant;

/// One kind of limit: the key of `io.max`, the file of version 1, and where each version counts what was done.
struct Kind {
    resource: LimitedResource,
    key: &'static str,
    file: &'static str,
    /// Key of `io.stat`.
    counted: &'static str,
    /// File of version 1, and the word of its line.
    counted_in: (&'static str, &'static str),
}

const KINDS: [Kind; 4] = [
    Kind {
        resource: LimitedResource::ReadIops,
        key: "riops",
        file: "blkio.throttle.read_iops_device",
        counted: "rios",
        counted_in: ("blkio.throttle.io_serviced", "Read"),
    },
    Kind {
        resource: LimitedResource::WriteIops,
        key: "wiops",
        file: "blkio.throttle.write_iops_device",
        counted: "wios",
        counted_in: ("blkio.throttle.io_serviced", "Write"),
    },
    Kind {
        resource: LimitedResource::ReadBytes,
        key: "rbps",
        file: "blkio.throttle.read_bps_device",
        counted: "rbytes",
        counted_in: ("blkio.throttle.io_service_bytes", "Read"),
    },
    Kind {
        resource: LimitedResource::WriteBytes,
        key: "wbps",
        file: "blkio.throttle.write_bps_device",
        counted: "wbytes",
        counted_in: ("blkio.throttle.io_service_bytes", "Write"),
    },
];

/// Values of the keys of one device's line, as `8:0 rbps=1048576 wbps=max`.
fn keys<'a>(text: &'a str, device: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let line = text.lines().find_map(|line| line.strip_prefix(device)?.strip_prefix(' '));
    line.unwrap_or_default().split_whitespace().filter_map(|pair| pair.split_once('='))
}

pub(super) fn limits(system: &System, group: &Group) -> Vec<OwnLimit> {
    let text = |file: &str| system.sys_text(&format!("{}/{file}", group.folder)).unwrap_or_default();
    let limit = |kind: &Kind, file: &str, device: &str, value: &str| {
        let source = format!("/sys/{}/{file}", group.folder);
        Some(OwnLimit { resource: kind.resource, device: Some(device.to_owned()), value: value.parse::<u64>().ok()? as f64, source })
    };
    if group.is_version_2 {
        let max = text("io.max");
        let devices = max.lines().filter_map(|line| Some(line.split_once(' ')?.0));
        let of = |device| keys(&max, device).filter_map(move |(key, value)| limit(kind_of(key)?, "io.max", device, value));
        return devices.flat_map(of).collect();
    }
    let of = |kind: &Kind| -> Vec<OwnLimit> {
        text(kind.file)
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(device, value)| limit(kind, kind.file, device, value))
            .collect()
    };
    KINDS.iter().flat_map(of).collect()
}

fn kind_of(key: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.key == key)
}

/// Counts, at one moment, of all that the processes of each limited group have done together.
#[derive(Debug, Clone)]
pub(crate) struct IoCounts {
    at: Instant,
    counts: Vec<(OwnLimit, u64)>,
}

impl IoCounts {
    pub(crate) fn take(system: &System) -> Self {
        let of = |group: Group| {
            let counted = |limit: OwnLimit| Some((count(system, &group, &limit)?, limit)).map(|(count, limit)| (limit, count));
            limits(system, &group).into_iter().filter_map(counted).collect::<Vec<_>>()
        };
        Self { at: Instant::now(), counts: groups(system, "blkio").into_iter().flat_map(of).collect() }
    }

    /// Rates between the two moments; none of a limit that was not there at both.
    pub(crate) fn since(&self, earlier: &Self) -> Vec<LimitUse> {
        let seconds = self.at.duration_since(earlier.at).as_secs_f64();
        let of = |(limit, count): &(OwnLimit, u64)| {
            let (_, before) = earlier.counts.iter().find(|(other, _)| other == limit)?;
            let per_second = count.saturating_sub(*before) as f64 / seconds;
            per_second.is_finite().then(|| LimitUse { limit: limit.clone(), per_second })
        };
        self.counts.iter().filter_map(of).collect()
    }
}

/// I/Os or bytes that a group has done so far on the device of a limit. Version 2 counts in `io.stat`, version 1 in `blkio.throttle.*`; a device is missing
/// in both until something was done on it.
fn count(system: &System, group: &Group, limit: &OwnLimit) -> Option<u64> {
    let kind = KINDS.iter().find(|kind| kind.resource == limit.resource)?;
    let device = limit.device.as_deref()?;
    let text = |file: &str| system.sys_text(&format!("{}/{file}", group.folder));
    if group.is_version_2 {
        let stat = text("io.stat")?;
        return Some(keys(&stat, device).find_map(|(key, value)| (key == kind.counted).then(|| value.parse().ok())?).unwrap_or(0));
    }
    let (file, word) = kind.counted_in;
    let line = format!("{device} {word} ");
    Some(text(file)?.lines().find_map(|row| row.strip_prefix(&line)?.trim().parse().ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(files: &[(&str, &str)]) -> Vec<(LimitedResource, u64)> {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        IoCounts::take(&System::captured(dir.path())).counts.into_iter().map(|(limit, count)| (limit.resource, count)).collect()
    }

    #[test]
    fn both_versions_count_what_the_whole_group_did() {
        let version_2 = [
            ("proc/self/cgroup", "0::/job\n"),
            ("sys/fs/cgroup/job/io.max", "8:0 rbps=max wbps=9 riops=500 wiops=max\n8:16 rbps=1 wbps=max riops=max wiops=max\n"),
            ("sys/fs/cgroup/job/io.stat", "8:0 rbytes=40960 wbytes=512 rios=10 wios=1 dbytes=0 dios=0\n"),
        ];
        let expected = [(LimitedResource::WriteBytes, 512), (LimitedResource::ReadIops, 10), (LimitedResource::ReadBytes, 0)];
        assert_eq!(counts(&version_2), expected);
        let version_1 = [
            ("proc/self/cgroup", "7:blkio:/a\n"),
            ("sys/fs/cgroup/blkio/a/blkio.throttle.read_iops_device", "7:0 51\n"),
            ("sys/fs/cgroup/blkio/a/blkio.throttle.io_serviced", "7:0 Read 33\n7:0 Write 4\nTotal 37\n"),
        ];
        assert_eq!(counts(&version_1), [(LimitedResource::ReadIops, 33)]);
        assert_eq!(counts(&version_1[..2]), [], "nobody counts");
    }

    #[test]
    fn rates_are_of_the_time_between() {
        let limit = OwnLimit { resource: LimitedResource::ReadIops, device: Some("7:0".into()), value: 51.0, source: "io.max".into() };
        let earlier = IoCounts { at: Instant::now(), counts: vec![(limit.clone(), 100)] };
        let later = IoCounts { at: earlier.at + std::time::Duration::from_secs(2), counts: vec![(limit.clone(), 200)] };
        assert_eq!(later.since(&earlier), [LimitUse { limit, per_second: 50.0 }]);
        assert_eq!(IoCounts { counts: Vec::new(), ..earlier }.since(&later), []);
    }
}
