//! Recorded I/O: it is issued again as the log says, and what was issued is recorded.

use crate::common::{MIB, go_on, is_zero, job, scratch, workload};
use ioproof_core::io_log::{RecordedIo, RecordedKind};
use ioproof_core::job::{JobSpec, Recording, Until};
use ioproof_core::shape::{Order, Shape};
use ioproof_core::workload::Pattern;
use ioproof_engine::{BackendChoice, ClockChoice, EngineError, Options};
use std::sync::Arc;

const BLOCK: u32 = 4096;

fn io(at_ms: u64, kind: RecordedKind, target: u32, block: u64) -> RecordedIo {
    let bytes = if matches!(kind, RecordedKind::Read | RecordedKind::Write) { BLOCK } else { 0 };
    RecordedIo { at_ns: at_ms * 1_000_000, offset_bytes: block * u64::from(BLOCK), bytes, target, kind }
}

fn spec(read_percent: u8, ios: usize) -> JobSpec {
    let mut workload = workload(Pattern::Random, read_percent, BLOCK, 1, 4);
    workload.shape = Shape { order: Order::Recorded, ..Shape::PLAIN };
    let recording = Recording { recorded_ios: 100, ..Recording::default() };
    JobSpec { recording, ..job(workload, MIB, Until::Ios(ios as u64)) }
}

fn options(replay: &Arc<[RecordedIo]>, backend: BackendChoice) -> Options<'_> {
    Options { replay: Some(replay), ..Options::new(backend, ClockChoice::System) }
}

#[test]
fn recorded_io_is_issued_in_its_order_at_its_place_and_not_before_its_time() {
    use RecordedKind::{Datasync, Fsync, Read, Write};
    let log: Arc<[RecordedIo]> =
        [io(0, Write, 0, 7), io(0, Write, 1, 3), io(20, Fsync, 0, 0), io(20, Datasync, 1, 0), io(60, Read, 1, 3)].into();
    for backend in [BackendChoice::IO_URING, BackendChoice::LIBAIO, BackendChoice::PSYNC] {
        let (first, second) = (scratch(MIB), scratch(MIB));
        let outcome = go_on(&spec(50, log.len()), &[&first, &second], &options(&log, backend)).unwrap();
        assert_eq!([outcome.read.ios, outcome.write.ios, outcome.sync.ios], [1, 2, 2], "{}", backend.name());
        let places =
            |handle, at: usize| crate::common::blocks(handle, MIB).iter().enumerate().all(|(n, block)| is_zero(block) == (n != at));
        assert!(places(&first, 7) && places(&second, 3), "{}", backend.name());
        let issued: Vec<RecordedIo> = outcome.recorded.iter().map(|io| RecordedIo { at_ns: 0, ..*io }).collect();
        assert_eq!(issued.len(), log.len());
        assert!(log.iter().all(|io| issued.contains(&RecordedIo { at_ns: 0, ..*io })), "{issued:?}");
        assert!(outcome.recorded[4].at_ns >= 60_000_000 && outcome.elapsed_ns >= 60_000_000);
    }
}

#[test]
fn a_log_that_does_not_fit_is_refused_before_any_io() {
    use RecordedKind::{Read, Write};
    let handle = scratch(MIB);
    let refused = |read_percent, io: RecordedIo| {
        let log: Arc<[RecordedIo]> = [io].into();
        go_on(&spec(read_percent, 1), &[&handle], &options(&log, BackendChoice::PSYNC)).unwrap_err()
    };
    assert!(matches!(refused(100, io(0, Write, 0, 0)), EngineError::NotPermitted), "it writes more than the job says");
    for (read_percent, io) in [
        (0, io(0, Read, 0, 0)),
        (100, io(0, Read, 1, 0)),
        (100, io(0, Read, 0, 256)),
        (100, RecordedIo { bytes: 2 * BLOCK, ..io(0, Read, 0, 0) }),
        (100, RecordedIo { offset_bytes: u64::MAX, ..io(0, Read, 0, 0) }),
    ] {
        assert!(matches!(refused(read_percent, io), EngineError::BadJob(_)), "{io:?}");
    }
    let without = Options::new(BackendChoice::PSYNC, ClockChoice::System);
    assert!(matches!(go_on(&spec(100, 1), &[&handle], &without), Err(EngineError::BadJob(_))), "there is no log");
}
