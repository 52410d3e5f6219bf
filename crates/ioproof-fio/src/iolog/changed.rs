//! A log as a job is to replay it: `replay_redirect`, `replay_scale`, `replay_align`, `replay_skip`, `replay_no_stall` and `replay_time_scale`.

use super::IoLog;
use crate::settings::{ReplaySettings, ReplaySkip};
use ioproof_core::io_log::{RecordedIo, RecordedKind};

impl IoLog {
    /// The log after what a job changes of it.
    pub fn changed(mut self, replay: &ReplaySettings) -> Self {
        self.ios.retain(|io| !is_skipped(io.kind, replay.skip));
        let scales = self.scales;
        self.ios.iter_mut().for_each(|io| change(io, replay, scales));
        match &replay.redirect {
            Some(name) => {
                self.files = vec![name.clone()];
                self.ios.iter_mut().for_each(|io| io.target = 0);
            }
            None => self.leave_out_unused(),
        }
        self
    }

    /// Leaves out the files that no I/O goes to.
    fn leave_out_unused(&mut self) {
        let mut is_used = vec![false; self.files.len()];
        self.ios.iter().for_each(|io| is_used[io.target as usize] = true);
        let mut next = 0;
        let places: Vec<u32> = is_used
            .iter()
            .map(|used| {
                let place = next;
                next += u32::from(*used);
                place
            })
            .collect();
        self.ios.iter_mut().for_each(|io| io.target = places[io.target as usize]);
        let mut used = is_used.into_iter();
        self.files.retain(|_| used.next().unwrap_or(false));
    }
}

fn is_skipped(kind: RecordedKind, skip: ReplaySkip) -> bool {
    match kind {
        RecordedKind::Read => skip.reads,
        RecordedKind::Write => skip.writes,
        RecordedKind::Trim => skip.trims,
        RecordedKind::Fsync | RecordedKind::Datasync | RecordedKind::RangeSync => skip.syncs,
    }
}

fn change(io: &mut RecordedIo, replay: &ReplaySettings, scales: bool) {
    io.offset_bytes /= u64::from(replay.scale.max(1));
    if replay.align_bytes > 0 {
        io.offset_bytes &= !(replay.align_bytes - 1);
    }
    io.at_ns = match () {
        () if replay.no_stall => 0,
        () if scales => (u128::from(io.at_ns) * 100 / u128::from(replay.time_percent.max(1))).try_into().unwrap_or(u64::MAX),
        () => io.at_ns,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replayed(change: impl Fn(&mut ReplaySettings)) -> (Vec<String>, Vec<(u32, u64, u64)>) {
        let text =
            b"fio version 3 iolog\n0 f add\n0 g add\n0 f open\n0 g open\n0 f write 0 512\n8 g read 20480 512\n20 g write 12288 1024\n";
        let mut settings = ReplaySettings::default();
        change(&mut settings);
        let log = super::super::parse(text).unwrap_or_default().changed(&settings);
        (log.files.clone(), log.ios.iter().map(|io| (io.target, io.offset_bytes, io.at_ns)).collect())
    }

    #[test]
    fn what_a_job_changes_of_a_log() {
        let as_it_is = vec![(0, 0, 0), (1, 20480, 8000), (1, 12288, 20000)];
        let both = vec!["f".to_owned(), "g".to_owned()];
        assert_eq!(replayed(|_| ()), (both.clone(), as_it_is));
        assert_eq!(replayed(|r| (r.scale, r.align_bytes) = (2, 4096)).1, [(0, 0, 0), (1, 8192, 8000), (1, 4096, 20000)]);
        assert_eq!(replayed(|r| r.time_percent = 200).1.iter().map(|io| io.2).collect::<Vec<_>>(), [0, 4000, 10000]);
        assert!(replayed(|r| r.no_stall = true).1.iter().all(|io| io.2 == 0));
        assert_eq!(replayed(|r| r.redirect = Some("x".into())), (vec!["x".into()], vec![(0, 0, 0), (0, 20480, 8000), (0, 12288, 20000)]));
        assert_eq!(replayed(|r| r.skip.writes = true), (vec!["g".into()], vec![(0, 20480, 8000)]));
        assert_eq!(replayed(|r| (r.skip.reads, r.skip.writes) = (true, true)), (vec![], vec![]));
    }
}
