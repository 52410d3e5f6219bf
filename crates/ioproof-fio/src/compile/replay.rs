//! A clone that replays recorded I/O: what the engine is to do comes from the log, and how it is done from the job.

use super::{Compiled, NOTED_IOS, compile};
use crate::iolog::IoLog;
use crate::region::Existing;
use crate::settings::{
    Blocks, FileSettings, JobSettings, LatencyTargetSettings, PaceSettings, Region, SyncSettings, ThinkSettings, TimeSettings,
};
use crate::values::{Amount, Mode, PerDirection, Rw, Suffix};
use ioproof_core::io_log::RecordedKind;
use ioproof_core::job::{Span, Until};
use ioproof_core::shape::Order;

/// Makes the engine's job of a clone that replays `log` on its files.
///
/// # Errors
/// Says what of the log cannot be done, with these files.
pub fn compile_replay(
    settings: &JobSettings,
    clone: u32,
    number: u32,
    existing: &[Existing],
    seed: u64,
    log: &IoLog,
) -> Result<Compiled, String> {
    check(settings, existing, log)?;
    let ends = log.ends_bytes();
    let shares = Shares::of(log);
    let room: Vec<Existing> = existing.iter().map(|file| Existing { is_endless: true, ..*file }).collect();
    let mut compiled = compile(&as_job(settings, shares, log, existing.len()), clone, number, &room, seed)?;
    let whole = ends.iter().copied().max().unwrap_or(0).max(1);
    let spec = &mut compiled.spec;
    spec.span = Span { offset_bytes: 0, length_bytes: whole };
    let needs_bytes = if ends.len() == existing.len() { ends } else { vec![whole; existing.len()] };
    spec.placement.target_spans = needs_bytes.iter().map(|end| Span { offset_bytes: 0, length_bytes: *end }).collect();
    spec.until = Until::Ios(log.ios.len() as u64);
    spec.at_most_ns = (settings.time.runtime_ns > 0).then_some(settings.time.runtime_ns);
    spec.at_most_bytes = None;
    spec.recording.noted_ios = if spec.recording.noted_ios > 0 { (log.ios.len() as u64).min(NOTED_IOS) } else { 0 };
    spec.recording.recorded_ios = if settings.replay.record.is_some() { (log.ios.len() as u64 + 1).min(NOTED_IOS) } else { 0 };
    spec.workload.read_percent = shares.read_percent;
    spec.workload.shape.trim_percent = shares.trim_percent;
    spec.workload.shape.order = Order::Recorded;
    spec.workload.shape.separate_streams = false;
    spec.placement.order_hint = None;
    compiled.needs_bytes = needs_bytes;
    Ok(compiled)
}

/// Refuses a log that has nothing, and what has no meaning beside one.
fn check(settings: &JobSettings, existing: &[Existing], log: &IoLog) -> Result<(), String> {
    if log.ios.is_empty() {
        return Err("its log has no I/O that could be replayed".into());
    }
    if settings.verify.method.is_some() {
        return Err("what is replayed is not verified: leave out verify or read_iolog".into());
    }
    for (target, ((name, end), file)) in (0u32..).zip(log.files.iter().zip(log.ends_bytes()).zip(existing)) {
        let trims = log.ios.iter().any(|io| io.target == target && io.kind == RecordedKind::Trim);
        if trims && !file.is_device && !file.is_endless {
            return Err(format!("its log trims {name}, which is no device: replay_skip=trim leaves trims out"));
        }
        let is_fixed = file.is_device || !log.changes(target);
        if is_fixed && !file.is_endless && file.bytes < end {
            return Err(format!("its log goes to byte {end} of {name}, which has {}", file.bytes));
        }
    }
    Ok(())
}

/// Shares of reads and trims in a log; at least 1 where there is any. Percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shares {
    read_percent: u8,
    trim_percent: u8,
}

impl Shares {
    fn of(log: &IoLog) -> Self {
        let count = |kind: RecordedKind| log.ios.iter().filter(|io| io.kind == kind).count() as u64;
        let (reads, writes, trims) = (count(RecordedKind::Read), count(RecordedKind::Write), count(RecordedKind::Trim));
        let all = (reads + writes + trims).max(1);
        let kinds = u64::from(reads > 0) + u64::from(writes > 0) + u64::from(trims > 0);
        // Each kind that occurs has one percent, and the rest is shared out; what is left over by rounding is the largest's.
        let share = |of: u64| if of == 0 { 0 } else { (1 + of * (100 - kinds) / all) as u8 };
        let (read, write, trim) = (share(reads), share(writes), share(trims));
        let left = 100u8.saturating_sub(read + write + trim);
        match () {
            () if all == 1 && kinds == 0 => Self { read_percent: 100, trim_percent: 0 },
            () if reads >= writes && reads >= trims => Self { read_percent: read + left, trim_percent: trim },
            () if trims > writes => Self { read_percent: read, trim_percent: trim + left },
            () => Self { read_percent: read, trim_percent: trim },
        }
    }
}

/// The job that would do such I/O without a log.
fn as_job(settings: &JobSettings, shares: Shares, log: &IoLog, files: usize) -> JobSettings {
    let moved = log.ios.iter().filter(|io| io.kind != RecordedKind::Trim).map(|io| io.bytes).max();
    let largest = u64::from(moved.unwrap_or(0).max(1));
    let mode = match (shares.read_percent, shares.read_percent + shares.trim_percent) {
        (100, _) => Mode::Read,
        (0, _) => Mode::Write,
        _ => Mode::ReadWrite,
    };
    let mut own = settings.clone();
    own.access.rw = Rw { mode, random: true, suffix: Suffix::None };
    own.random.repeats = true;
    own.blocks = Blocks { size: PerDirection::all(if moved.is_some() { largest } else { 512 }), ..Blocks::default() };
    own.region = Region { size: Some(Amount::Bytes(largest.max(512) * files as u64)), ..Region::default() };
    own.files = FileSettings { size_bytes: None, append: false, ..own.files };
    own.time = TimeSettings { time_based: false, loops: 1, ..own.time };
    (own.pace, own.think, own.syncs) =
        (PaceSettings::default(), ThinkSettings::default(), SyncSettings { open: own.syncs.open, ..SyncSettings::default() });
    own.latency_target = LatencyTargetSettings { max_ns: own.latency_target.max_ns, ..LatencyTargetSettings::default() };
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iolog::parse;

    fn compiled(text: &str, existing: &[Existing], change: impl Fn(&mut JobSettings)) -> Result<Compiled, String> {
        let mut settings = JobSettings::default();
        change(&mut settings);
        let log = parse(format!("fio version 3 iolog\n0 f add\n0 g add\n0 f open\n0 g open\n{text}").as_bytes())?;
        compile_replay(&settings, 0, 1, existing, 7, &log)
    }

    #[test]
    fn a_log_says_what_is_done_and_the_job_how() {
        let two = [Existing::default(); 2];
        let made = compiled("0 f write 4096 8192\n1 g write 0 512\n2 f read 0 512\n3 f sync 0 0\n", &two, |s| {
            s.engine.name = crate::settings::EngineName::Libaio;
            s.submission.depth = 8;
            s.time.runtime_ns = 9;
            s.replay.record = Some("x".into());
        });
        let made = made.unwrap_or_else(|error| panic!("{error}"));
        let workload = &made.spec.workload;
        assert_eq!((workload.read_percent, workload.block_bytes, workload.depth, &workload.shape.order), (33, 8192, 8, &Order::Recorded));
        assert_eq!((made.spec.until, made.spec.at_most_ns, made.spec.recording.recorded_ios), (Until::Ios(4), Some(9), 5));
        assert_eq!(made.needs_bytes, [12288, 512]);
        assert!(made.writes());
    }

    #[test]
    fn what_cannot_be_replayed_is_refused() {
        let file = |bytes| Existing { bytes, ..Existing::default() };
        let device = |bytes| Existing { bytes, is_device: true, ..Existing::default() };
        let refused = |text: &str, files: [Existing; 2]| compiled(text, &files, |_| ()).err().unwrap_or_default();
        assert!(refused("", [file(0), file(0)]).contains("no I/O"));
        assert!(refused("0 f read 0 4096\n", [file(100), file(0)]).contains("byte 4096 of f, which has 100"), "fio's read fails too");
        assert!(refused("0 f write 0 4096\n", [device(512), file(0)]).contains("byte 4096 of f"));
        assert!(refused("0 f trim 0 4096\n", [file(8192), file(0)]).contains("no device"));
        assert_eq!(refused("0 f read 0 4096\n0 g write 0 512\n", [file(4096), file(0)]), "");
        assert!(
            compiled("0 f read 0 512\n", &[file(512), file(0)], |s| s.verify.method = Some(crate::settings::Checksum::Pattern)).is_err()
        );
    }

    #[test]
    fn each_kind_has_a_share() {
        let shares = |reads: usize, writes: usize, trims: usize| {
            let lines =
                ["read", "write", "trim"].iter().zip([reads, writes, trims]).map(|(word, n)| format!("0 f {word} 0 512\n").repeat(n));
            let log =
                parse(format!("fio version 3 iolog\n0 f add\n0 f open\n{}", lines.collect::<String>()).as_bytes()).unwrap_or_default();
            let Shares { read_percent, trim_percent } = Shares::of(&log);
            (read_percent, trim_percent)
        };
        assert_eq!([shares(5, 0, 0), shares(0, 5, 0), shares(0, 0, 5), shares(0, 0, 0)], [(100, 0), (0, 0), (0, 100), (100, 0)]);
        assert_eq!([shares(1000, 1, 0), shares(1, 1000, 0), shares(500, 500, 1)], [(99, 0), (1, 0), (50, 1)]);
    }
}
