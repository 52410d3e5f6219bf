//! CPUs that the bandwidth limit of a control group leaves.
//!
//! `Documentation/admin-guide/cgroup-v2.rst` describes version 2, `Documentation/scheduler/sched-bwc.rst` version 1.
//!
//! Only `host` asks. The groups are looked for where distributions mount them, below `/sys/fs/cgroup`.

use ioproof_target::System;

/// The smallest CPU limit on this process or on a group above it, in CPUs; `None` where there is no limit.
pub(crate) fn cpu_limit(system: &System) -> Option<f64> {
    let groups = system.proc_text("self/cgroup")?;
    groups.lines().flat_map(|line| limits_of(system, line)).min_by(f64::total_cmp)
}

/// The limits along one line of `/proc/self/cgroup`, `0::/user.slice` (version 2) or `4:cpu,cpuacct:/docker/1f` (version 1).
fn limits_of(system: &System, line: &str) -> Vec<f64> {
    let parts: Vec<&str> = line.splitn(3, ':').collect();
    let [_, controllers, path] = parts[..] else { return Vec::new() };
    let (mount, limit): (String, Limit) = match controllers {
        "" => ("fs/cgroup".into(), version_2),
        v1 if v1.split(',').any(|controller| controller == "cpu") => (format!("fs/cgroup/{v1}"), version_1),
        _ => return Vec::new(),
    };
    // A path may name folders that this mount does not show (containers without their own namespace); the ones above still count.
    std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0))
        .filter_map(|path| limit(system, &format!("{mount}{path}")))
        .collect()
}

type Limit = fn(&System, &str) -> Option<f64>;

/// `cpu.max` holds quota and period, `200000 100000`, or `max 100000`.
fn version_2(system: &System, group: &str) -> Option<f64> {
    let text = system.sys_text(&format!("{group}/cpu.max"))?;
    let (quota, period) = text.split_once(' ')?;
    share(quota, period)
}

/// A quota of -1 is no limit.
fn version_1(system: &System, group: &str) -> Option<f64> {
    let text = |file: &str| system.sys_text(&format!("{group}/cpu.cfs_{file}_us"));
    share(&text("quota")?, &text("period")?)
}

fn share(quota_us: &str, period_us: &str) -> Option<f64> {
    let (quota, period): (u64, u64) = (quota_us.parse().ok()?, period_us.parse().ok()?);
    (period > 0).then(|| quota as f64 / period as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limit(files: &[(&str, &str)]) -> Option<f64> {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        cpu_limit(&System::captured(dir.path()))
    }

    #[test]
    fn the_smallest_limit_on_the_way_up() {
        let tree = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/cpu.max", "400000 100000\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
        ];
        assert_eq!(limit(&tree), Some(1.5));
    }

    #[test]
    fn version_1_and_a_path_that_the_mount_does_not_show() {
        let tree = [
            ("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/docker/1f\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(limit(&tree), Some(3.0));
    }

    #[test]
    fn no_limit() {
        assert_eq!(limit(&[]), None);
        assert_eq!(limit(&[("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/cpu.max", "max 100000\n")]), None);
        assert_eq!((share("-1", "100000"), share("1", "0")), (None, None));
    }

    proptest! {
        #[test]
        fn any_line_gives_finite_limits(line in "\\PC{0,30}|[0-9]:(cpu|)?(,x)?:[/a]{0,9}", quota in "[0-9a-z -]{0,24}") {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(dir.path().join("sys/fs/cgroup")).unwrap();
            std::fs::write(dir.path().join("sys/fs/cgroup/cpu.max"), quota).unwrap();
            prop_assert!(limits_of(&System::captured(dir.path()), &line).iter().all(|cpus| cpus.is_finite()));
        }
    }
}
