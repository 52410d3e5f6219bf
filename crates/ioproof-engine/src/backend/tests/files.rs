//! Duties that all backends share.

use super::*;
use std::collections::HashMap;
use std::os::unix::fs::OpenOptionsExt;

#[test]
fn what_is_written_is_what_is_read_whatever_the_order_of_slots_and_targets() {
    for choice in real() {
        let files = [file(&[0; 16 * BLOCK as usize]), file(&[0; 16 * BLOCK as usize])];
        let bench = BackendBench::new(choice, &[&files[0], &files[1]], 16 * u64::from(BLOCK));
        let mut backend = bench.backend(choice);
        let mut written = HashMap::new();
        for round in 0..6_u32 {
            let ios: Vec<Io> = (0..bench.depth).map(|n| scattered(IoOperation::Write, round, n, bench.depth)).collect();
            for io in &ios {
                let byte = (round * 16 + io.slot + 1) as u8;
                bench.put(io.slot, byte);
                written.insert((io.target, io.offset), byte);
            }
            assert_eq!(backend.run(&ios), vec![BLOCK as i32; ios.len()], "{choice:?}");
        }
        for ((target, offset), byte) in &written {
            let mut found = vec![0; BLOCK as usize];
            files[*target as usize].read_exact_at(&mut found, *offset).unwrap();
            assert!(found.iter().all(|b| b == byte), "{choice:?}: {byte} is not at {offset} of {target}");
        }
        for round in 0..6_u32 {
            let ios: Vec<Io> = (0..bench.depth).map(|n| scattered(IoOperation::Read, round, n, bench.depth)).collect();
            assert_eq!(backend.run(&ios), vec![BLOCK as i32; ios.len()], "{choice:?}");
            for io in &ios {
                let byte = written[&(io.target, io.offset)];
                assert!(bench.got(io.slot).iter().all(|b| *b == byte), "{choice:?}: slot {} did not read {byte}", io.slot);
            }
        }
    }
}

/// The same block and target for the same `round` and `n`, the slots in an order that differs between writing and reading.
fn scattered(operation: IoOperation, round: u32, n: u32, depth: u32) -> Io {
    let block = u64::from((round * depth + n) * 7 % 32);
    let slot = if operation == IoOperation::Write { (n + round) % depth } else { depth - 1 - n };
    Io { target: (block / 16) as u32, ..io(operation, slot, block % 16) }
}

#[test]
fn many_more_ios_than_the_queue_is_deep_come_back_once_each() {
    for choice in all() {
        let target = file(&[7; 4 * BLOCK as usize]);
        let bench = BackendBench::new(choice, &[&target], 4 * u64::from(BLOCK));
        let mut backend = bench.backend(choice);
        let (mut started, mut done, mut free) = (0, 0, (0..bench.depth).collect::<Vec<_>>());
        while done < 1000 {
            while let Some(slot) = free.pop_if(|_| started < 1000) {
                backend.start(&[io(IoOperation::Read, slot, u64::from(slot))]);
                started += 1;
                backend.enter(0);
            }
            backend.enter(LONG_NS);
            for (slot, result) in backend.take() {
                assert_eq!(result, BLOCK as i32);
                assert!(!free.contains(&slot), "{choice:?}: slot {slot} was done twice");
                free.push(slot);
                done += 1;
            }
        }
        assert_eq!((done, free.len()), (1000, bench.depth as usize), "{choice:?}");
    }
}

#[test]
fn what_is_done_shows_without_waiting() {
    for choice in all() {
        let target = file(&[7; BLOCK as usize]);
        let bench = BackendBench::new(choice, &[&target], BLOCK.into());
        let mut backend = bench.backend(choice);
        backend.start(&[io(IoOperation::Read, 0, 0)]);
        let start = Instant::now();
        let mut taken = Vec::new();
        while taken.is_empty() && start.elapsed() < Duration::from_nanos(LONG_NS) {
            backend.enter(0);
            taken = backend.take();
        }
        assert_eq!(taken, [(0, BLOCK as i32)], "{choice:?}");
    }
}

#[test]
fn what_a_device_does_later_shows_without_waiting_too() {
    let path = tempfile::NamedTempFile::new().unwrap();
    path.as_file().write_all_at(&[7; 4 * BLOCK as usize], 0).unwrap();
    path.as_file().sync_all().unwrap();
    // Some filesystems have no direct I/O; there is no later with them.
    let Ok(direct) = File::options().read(true).custom_flags(libc::O_DIRECT).open(path.path()) else { return };
    for choice in ["io_uring", "libaio", "posixaio"].map(named) {
        let bench = BackendBench { writable: false, ..BackendBench::new(choice, &[&direct], 4 * u64::from(BLOCK)) };
        let mut backend = bench.backend(choice);
        for round in 0..20 {
            backend.start(&[io(IoOperation::Read, round % 4, 0), io(IoOperation::Read, (round + 1) % 4, 1)]);
            let (start, mut taken) = (Instant::now(), Vec::new());
            while taken.len() < 2 && start.elapsed() < Duration::from_nanos(LONG_NS) {
                backend.enter(0);
                taken.extend(backend.take());
            }
            taken.sort_unstable();
            let mut expected = [round % 4, (round + 1) % 4].map(|slot| (slot, BLOCK as i32));
            expected.sort_unstable();
            assert_eq!(taken, expected, "{choice:?}");
        }
    }
}

#[test]
fn reads_at_the_end_of_a_file_are_short() {
    for choice in real() {
        let target = file(&[7; 6000]);
        let bench = BackendBench::new(choice, &[&target], 6000);
        let mut backend = bench.backend(choice);
        assert_eq!(backend.run(&[io(IoOperation::Read, 0, 1)]), [6000 - 4096], "{choice:?}");
        assert_eq!(backend.run(&[io(IoOperation::Read, 0, 2)]), [0], "{choice:?}");
    }
}

#[test]
fn a_failed_io_is_a_completion_with_its_errno() {
    for choice in real() {
        let target = tempfile::NamedTempFile::new().unwrap();
        target.as_file().write_all_at(&[7; 4 * BLOCK as usize], 0).unwrap();
        let for_reading = File::open(target.path()).unwrap();
        let bench = BackendBench { writable: false, ..BackendBench::new(choice, &[&for_reading], 4 * u64::from(BLOCK)) };
        let mut backend = bench.backend(choice);
        assert_eq!(backend.run(&[io(IoOperation::Write, 0, 1)]), [-libc::EBADF], "{choice:?}");
        assert_eq!(backend.run(&[io(IoOperation::Read, 0, 1)]), [BLOCK as i32], "{choice:?}: the next one is not held up");
        if bench.depth > 1 {
            let mixed =
                [io(IoOperation::Read, 0, 0), io(IoOperation::Write, 1, 1), io(IoOperation::Read, 2, 2), io(IoOperation::Write, 3, 3)];
            assert_eq!(backend.run(&mixed), [BLOCK as i32, -libc::EBADF, BLOCK as i32, -libc::EBADF], "{choice:?}");
        }
    }
}

#[test]
fn every_sync_gives_nothing_but_success() {
    for choice in all() {
        let target = file(&[0; 2 * BLOCK as usize]);
        let bench = BackendBench::new(choice, &[&target], 2 * u64::from(BLOCK));
        let mut backend = bench.backend(choice);
        for operation in [IoOperation::Datasync, IoOperation::Fsync, IoOperation::RangeSync] {
            assert_eq!(backend.run(&[io(IoOperation::Write, 0, 1)]), [BLOCK as i32]);
            assert_eq!(backend.run(&[sync(operation)]), [0], "{choice:?} {operation:?}");
        }
    }
}

#[test]
fn syncs_among_other_ios_do_not_get_lost() {
    for choice in all().filter(|c| !c.is_synchronous()) {
        let target = file(&[0; 4 * BLOCK as usize]);
        let bench = BackendBench::new(choice, &[&target], 4 * u64::from(BLOCK));
        let ranged = Io { slot: 3, ..sync(IoOperation::RangeSync) };
        let ios = [io(IoOperation::Write, 2, 0), sync(IoOperation::Datasync), ranged, io(IoOperation::Read, 1, 1)];
        assert_eq!(bench.backend(choice).run(&ios), [BLOCK as i32, 0, 0, BLOCK as i32], "{choice:?}");
    }
}

#[test]
fn a_trim_leaves_zeros_where_it_was_and_nothing_else() {
    for choice in real() {
        let target = file(&[7; 3 * BLOCK as usize]);
        let bench = BackendBench::new(choice, &[&target], 3 * u64::from(BLOCK));
        assert_eq!(bench.backend(choice).run(&[io(IoOperation::Trim, 0, 1)]), [0], "{choice:?}");
        let expected = [[7; BLOCK as usize], [0; BLOCK as usize], [7; BLOCK as usize]].concat();
        assert!(content(&target, expected.len()) == expected, "{choice:?}");
    }
}

#[test]
fn what_cannot_be_trimmed_says_so() {
    let zeros = File::open("/dev/zero").unwrap();
    for choice in real() {
        let bench = BackendBench { writable: false, ..BackendBench::new(choice, &[&zeros], BLOCK.into()) };
        assert_eq!(bench.backend(choice).run(&[io(IoOperation::Trim, 0, 0)]), [-libc::EOPNOTSUPP], "{choice:?}");
    }
}

#[test]
fn with_nothing_to_wait_for_the_time_goes_by() {
    const WAIT: Duration = Duration::from_millis(5);
    for choice in all() {
        let target = file(&[0; BLOCK as usize]);
        let bench = BackendBench::new(choice, &[&target], BLOCK.into());
        let mut backend = bench.backend(choice);
        let mut waits_for_all_of_it = || {
            let start = Instant::now();
            backend.enter(WAIT.as_nanos() as u64);
            start.elapsed() >= WAIT
        };
        // A signal to the process, as other tests send, may end any one wait before its time.
        assert!((0..100).any(|_| waits_for_all_of_it()), "{choice:?}");
        assert_eq!(backend.take(), [], "{choice:?}");
    }
}

#[test]
fn writes_bear_the_flags_that_make_them_durable() {
    for choice in real() {
        let target = file(&[0; BLOCK as usize]);
        let bench = BackendBench { write_flags: libc::RWF_DSYNC, ..BackendBench::new(choice, &[&target], BLOCK.into()) };
        bench.put(0, 9);
        match bench.make(choice) {
            Err(e) => assert!(choice.name() == "posixaio" && e.to_string().contains("POSIX AIO"), "{choice:?}: {e}"),
            Ok(mut backend) => assert_eq!(backend.run(&[io(IoOperation::Write, 0, 0)]), [BLOCK as i32], "{choice:?}"),
        }
        // A flag that no kernel knows fails, so the flags do arrive; a mapping has only its msync.
        let bench = BackendBench { write_flags: 1 << 30, ..bench };
        if !["posixaio", "mmap"].contains(&choice.name()) {
            let result = bench.backend(choice).run(&[io(IoOperation::Write, 0, 0)])[0];
            assert!([-libc::EOPNOTSUPP, -libc::EINVAL].contains(&result), "{choice:?}: {result}");
            assert_eq!(bench.backend(choice).run(&[io(IoOperation::Read, 0, 0)]), [BLOCK as i32], "{choice:?}: reads bear none");
        }
    }
}

#[test]
fn a_mapping_stays_within_the_file() {
    let target = file(&[0; 6000]);
    let error = BackendBench::new(named("mmap"), &[&target], 6001).make(named("mmap")).err().unwrap();
    assert!(error.to_string().contains("ends at 6000"), "{error}");
}

#[test]
fn a_page_that_is_gone_is_an_error_and_not_the_end_of_the_program() {
    let target = file(&[7; 3 * BLOCK as usize]);
    let bench = BackendBench::new(named("mmap"), &[&target], 3 * u64::from(BLOCK));
    let mut backend = bench.backend(named("mmap"));
    target.set_len(u64::from(BLOCK)).unwrap();
    assert_eq!(backend.run(&[io(IoOperation::Read, 0, 1)]), [-libc::EIO]);
    assert_eq!(backend.run(&[io(IoOperation::Write, 0, 1)]), [-libc::EIO], "and again, not what was put into its place");
    assert_eq!(backend.run(&[io(IoOperation::Read, 0, 0)]), [BLOCK as i32], "the others are as before");
    target.set_len(3 * u64::from(BLOCK)).unwrap();
    bench.put(0, 9);
    assert_eq!(backend.run(&[io(IoOperation::Write, 0, 1)]), [BLOCK as i32], "the file is mapped again");
    let expected = [[7; BLOCK as usize], [9; BLOCK as usize], [0; BLOCK as usize]].concat();
    assert!(content(&target, expected.len()) == expected);
}
