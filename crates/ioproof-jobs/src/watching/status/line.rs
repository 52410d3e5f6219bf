//! The line itself, in the shape of fio's: `Jobs: 1 (f=1): [r(1)][45.5%][r=412MiB/s][r=105k IOPS][eta 00m:06s]`.

use ioproof_fio::settings::JobSettings;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct StatusFigures {
    pub running: usize,
    pub files: usize,
    pub limit: Option<String>,
    pub ramps: bool,
    pub letters: Vec<char>,
    /// Share that is done, 0 to 1.
    pub share: f64,
    /// Time left, where that is known.
    pub left: Option<Duration>,
    /// I/Os and bytes per second of reads, writes and trims.
    pub rates: [(f64, f64); 3],
}

impl StatusFigures {
    pub fn line(&self) -> String {
        let Self { running, files, limit, .. } = self;
        let start = format!("Jobs: {running} (f={files})");
        if *running == 0 {
            return start;
        }
        let limit = limit.as_ref().map(|limit| format!(", {limit}")).unwrap_or_default();
        let share = if self.ramps { "-.-%".into() } else { format!("{:.1}%", self.share * 100.0) };
        let left = self.left.map(|left| format!("[eta {}]", clock(left))).unwrap_or_default();
        format!("{start}{limit}: [{}][{share}]{}{left}", runs(&self.letters), self.rates())
    }

    /// `[r=412MiB/s][r=105k IOPS]`; nothing while nothing is done.
    fn rates(&self) -> String {
        let active: Vec<_> = ['r', 'w', 't'].into_iter().zip(self.rates).filter(|(_, (ios, _))| *ios > 0.0).collect();
        if active.is_empty() {
            return String::new();
        }
        let list = |of: fn((f64, f64)) -> String| {
            active.iter().map(|(letter, rate)| format!("{letter}={}", of(*rate))).collect::<Vec<_>>().join(",")
        };
        format!("[{}][{} IOPS]", list(|(_, bytes)| bandwidth(bytes)), list(|(ios, _)| short(ios, 1000.0, &["", "k", "M", "G"])))
    }
}

/// `r(1),_(2)`: letters that follow one another as one.
fn runs(letters: &[char]) -> String {
    let each = letters.chunk_by(|a, b| a == b).map(|run| format!("{}({})", run[0], run.len()));
    each.collect::<Vec<_>>().join(",")
}

/// `412MiB/s`.
fn bandwidth(bytes_per_s: f64) -> String {
    short(bytes_per_s, 1024.0, &["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"])
}

/// In the smallest unit in which it has at most four digits before the point; four characters where it has a fraction.
fn short(value: f64, base: f64, units: &[&str]) -> String {
    let (mut value, mut at) = (value.round(), 0);
    while value >= 9999.5 && at + 1 < units.len() {
        (value, at) = (value / base, at + 1);
    }
    let digits = match (at, value) {
        (0, _) | (_, 100.0..) => 0,
        (_, 10.0..) => 1,
        _ => 2,
    };
    format!("{value:.digits$}{}", units[at])
}

/// `00m:06s`, with hours and days where there are any.
fn clock(left: Duration) -> String {
    let seconds = left.as_secs();
    let (days, hours, minutes, rest) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let mut text = if days > 0 { format!("{days:02}d:") } else { String::new() };
    if days > 0 || hours > 0 {
        text.push_str(&format!("{hours:02}h:"));
    }
    format!("{text}{minutes:02}m:{rest:02}s")
}

/// `0-3000 IOPS` or `0B/s-40.0MiB/s`: the least and the most that jobs are request for together. Bytes where any is limited by them.
pub fn limit<'a>(running: impl Iterator<Item = &'a JobSettings>) -> Option<String> {
    let (mut bytes, mut ios) = ((0, 0), (0, 0));
    for settings in running {
        let pace = &settings.pace;
        let used = used(settings);
        let sum = |of: [Option<u64>; 3]| of.into_iter().zip(used).filter(|(_, used)| *used).filter_map(|(rate, _)| rate).sum::<u64>();
        let each = |of: &ioproof_fio::values::PerDirection<Option<u64>>| sum([of.read, of.write, of.trim]);
        bytes = (bytes.0 + each(&pace.min_bytes_per_s), bytes.1 + each(&pace.bytes_per_s));
        ios = (ios.0 + each(&pace.min_ios_per_s), ios.1 + each(&pace.ios_per_s));
    }
    match (bytes, ios) {
        ((0, 0), (0, 0)) => None,
        ((0, 0), (least, most)) => Some(format!("{least}-{most} IOPS")),
        ((least, most), _) => Some(format!("{}-{}", bandwidth(least as f64), bandwidth(most as f64))),
    }
}

/// True for reads, writes and trims of a job.
fn used(settings: &JobSettings) -> [bool; 3] {
    use ioproof_fio::values::Mode;
    match settings.access.rw.mode {
        Mode::Read => [true, false, false],
        Mode::Write => [false, true, false],
        Mode::Trim => [false, false, true],
        Mode::ReadWrite => [true, true, false],
        Mode::TrimWrite => [false, true, true],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_fio::values::PerDirection;

    #[test]
    fn the_line_is_shaped_as_fios_is() {
        let look = StatusFigures {
            running: 1,
            files: 1,
            letters: vec!['r'],
            share: 0.455,
            left: Some(Duration::from_secs(6)),
            rates: [(105_000.0, 412.0 * 1_048_576.0), (0.0, 0.0), (0.0, 0.0)],
            ..StatusFigures::default()
        };
        assert_eq!(look.line(), "Jobs: 1 (f=1): [r(1)][45.5%][r=412MiB/s][r=105k IOPS][eta 00m:06s]");
        let mixed = StatusFigures {
            running: 2,
            files: 2,
            limit: Some("0-3000 IOPS".into()),
            letters: "_rwPP".chars().collect(),
            rates: [(858.0, 858.0 * 4096.0), (0.0, 0.0), (10_300.0, 40.4 * 1_048_576.0)],
            ..look.clone()
        };
        let line = "Jobs: 2 (f=2), 0-3000 IOPS: [_(1),r(1),w(1),P(2)][45.5%][r=3432KiB/s,t=40.4MiB/s][r=858,t=10.3k IOPS][eta 00m:06s]";
        assert_eq!(mixed.line(), line);
        assert_eq!(StatusFigures { ramps: true, left: None, rates: [(0.0, 0.0); 3], ..look }.line(), "Jobs: 1 (f=1): [r(1)][-.-%]");
        assert_eq!(StatusFigures { letters: vec!['_'], ..StatusFigures::default() }.line(), "Jobs: 0 (f=0)");
    }

    #[test]
    fn times_have_hours_and_days_where_there_are_any() {
        let texts = [59, 3661, 90_061].map(|seconds| clock(Duration::from_secs(seconds)));
        assert_eq!(texts, ["00m:59s", "01h:01m:01s", "01d:01h:01m:01s"]);
    }

    #[test]
    fn limits_of_jobs_that_run_add_up() {
        let mut ios = JobSettings::default();
        ios.pace.ios_per_s = PerDirection::all(Some(1000));
        let mut bytes = JobSettings::default();
        bytes.pace.bytes_per_s = PerDirection::all(Some(40 << 20));
        assert_eq!(limit([&ios, &ios].into_iter()), Some("0-2000 IOPS".into()));
        assert_eq!(limit([&ios, &bytes].into_iter()), Some("0B/s-40.0MiB/s".into()));
        assert_eq!(limit([&JobSettings::default()].into_iter()), None);
    }
}
