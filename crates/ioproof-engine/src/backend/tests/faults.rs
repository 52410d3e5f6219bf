//! Effect of the injected faults on the completions of a backend that is sound.

use super::*;

fn faulty(faults: &str) -> Faulty<Null> {
    let target = file(&[]);
    let bench = BackendBench::new(BackendChoice::NULL, &[&target], 0);
    Faulty::new(&BackendSetup { faults: faults.parse().unwrap(), ..bench.setup() }).unwrap()
}

fn one_by_one(backend: &mut impl Backend, count: usize) -> Vec<i32> {
    (0..count).flat_map(|_| backend.run(&[io(IoOperation::Read, 0, 0)])).collect()
}

#[test]
fn errors_and_short_transfers_come_in_their_share() {
    let results = one_by_one(&mut faulty("errors=0.25,short=0.25,seed=5"), 1000);
    let count = |wanted: i32| results.iter().filter(|r| **r == wanted).count();
    let (failed, short, good) = (count(-libc::EIO), count(BLOCK as i32 / 2), count(BLOCK as i32));
    assert_eq!(failed + short + good, 1000);
    // 1000 draws with p = 1/4 have a standard deviation of 14.
    assert!((190..310).contains(&failed) && (190..310).contains(&short), "{failed} {short}");
    assert_eq!(results, one_by_one(&mut faulty("errors=0.25,short=0.25,seed=5"), 1000), "the same seed, the same faults");
}

#[test]
fn a_drive_dies_or_goes_after_a_number_of_ios() {
    let results = one_by_one(&mut faulty("fail_after=2,gone_after=3"), 4);
    assert_eq!(results, [BLOCK as i32, BLOCK as i32, -libc::EIO, -libc::ENODEV]);
}

#[test]
fn a_short_transfer_does_not_change_an_error() {
    let target = tempfile::NamedTempFile::new().unwrap();
    let bench = BackendBench::new(BackendChoice::PSYNC, &[&File::open(target.path()).unwrap()], 0);
    let mut backend = Faulty::<psync::Psync>::new(&BackendSetup { faults: "short=1".parse().unwrap(), ..bench.setup() }).unwrap();
    assert_eq!(one_by_one(&mut backend, 1), [0]);
    assert_eq!(backend.run(&[io(IoOperation::Write, 0, 0)]), [-libc::EBADF]);
}

#[test]
fn lost_ios_do_not_come_back_and_the_others_do() {
    let mut backend = faulty("hang_at=3");
    assert_eq!(one_by_one(&mut backend, 2), [BLOCK as i32; 2]);
    backend.start(&[io(IoOperation::Read, 1, 0)]);
    for _ in 0..3 {
        backend.enter(1_000_000);
        assert_eq!(backend.take(), []);
    }
}

#[test]
fn a_delayed_completion_is_held_back_and_waited_for() {
    let mut backend = faulty("delay_us=3600000000");
    backend.start(&[io(IoOperation::Read, 1, 0)]);
    backend.enter(1_000_000);
    assert_eq!(backend.take(), [], "an hour has not gone by");

    let mut backend = faulty("delay_us=2000");
    let start = Instant::now();
    assert_eq!(backend.run(&[io(IoOperation::Read, 1, 0), io(IoOperation::Read, 3, 0)]), [BLOCK as i32; 2]);
    assert!(start.elapsed() >= Duration::from_millis(2));
}

#[test]
fn a_stall_holds_everything_back_and_ends() {
    let mut backend = faulty("stall_at=3,stall_ms=20");
    assert_eq!(one_by_one(&mut backend, 2), [BLOCK as i32; 2]);
    let start = Instant::now();
    assert_eq!(one_by_one(&mut backend, 1), [BLOCK as i32]);
    assert!(start.elapsed() >= Duration::from_millis(20));

    let mut backend = faulty("stall_at=2,stall_ms=3600000");
    backend.start(&[io(IoOperation::Read, 0, 0), io(IoOperation::Read, 1, 0)]);
    backend.enter(1_000_000);
    assert_eq!(backend.take(), [], "what was started before the stall is held back by it, too");
}
