//! Properties of io_uring alone: flags that a kernel may not know, polling, and a kernel thread that submits.

use super::*;
use crate::backend::uring::abi::{CommandEntry, Head, operation};
use crate::backend::uring::ring::{Commands, Ring};
use crate::backend::uring::{ENTERED, SUBMITTED};
use std::os::fd::AsRawFd;

#[test]
fn every_ring_that_the_kernel_sets_up_reads() {
    for flags in ENTERED.into_iter().chain(SUBMITTED) {
        let ring = Ring::new(3, flags);
        match ring {
            Err(e) => assert_eq!(e.raw_os_error(), Some(libc::EINVAL), "{flags:#x}"),
            Ok(ring) => read_often(ring, flags),
        }
    }
}

#[test]
fn a_kernel_that_takes_no_time_to_wait_is_waited_for_otherwise() {
    for flags in ENTERED {
        let Ok(mut ring) = Ring::new(3, flags) else { continue };
        ring.wait_otherwise();
        let start = Instant::now();
        ring.submit_and_wait(5_000_000).unwrap();
        assert!(start.elapsed() >= Duration::from_millis(5), "{flags:#x}");
        read_often(ring, flags);
    }
}

/// More reads than the ring has entries, so that its indices turn over.
fn read_often(mut ring: Ring, flags: u32) {
    let target = file(&[7; BLOCK as usize]);
    let mut buffer = vec![0_u8; BLOCK as usize];
    let head = Head { operation: operation::READ, flags: 0, priority: 0, fd: target.as_raw_fd() };
    for n in 0..100_u64 {
        buffer.fill(0);
        ring.push(head, 0, buffer.as_mut_ptr() as u64, BLOCK, 0, n);
        let mut done = Vec::new();
        while done.is_empty() {
            ring.submit_and_wait(LONG_NS).unwrap();
            ring.reap(|user_data, result| done.push((user_data, result)));
        }
        assert_eq!(done, [(n, BLOCK as i32)], "{flags:#x}");
        assert!(buffer.iter().all(|b| *b == 7), "{flags:#x}");
    }
}

#[test]
fn a_ring_deeper_than_the_kernel_allows_is_refused_with_the_limit() {
    let error = Ring::new(32769, 0).err().unwrap();
    assert!(error.to_string().contains("32768"), "{error}");
}

#[test]
fn a_kernel_thread_submits() {
    let target = file(&[0; 4 * BLOCK as usize]);
    let bench = BackendBench { kernel_submits: true, ..BackendBench::new(BackendChoice::IO_URING, &[&target], 4 * u64::from(BLOCK)) };
    let mut backend = bench.backend(BackendChoice::IO_URING);
    assert!(backend.says().0.iter().any(|f| f == "SQPOLL"));
    for round in 0..50 {
        let ios: Vec<Io> = (0..4).map(|slot| io(IoOperation::Write, slot, (u64::from(slot) + round) % 4)).collect();
        assert_eq!(backend.run(&ios), [BLOCK as i32; 4]);
        assert_eq!(backend.run(&[sync(IoOperation::Datasync)]), [0]);
    }
}

#[test]
fn a_ring_that_polls_says_what_it_needs_and_still_syncs() {
    // A file that is not open with O_DIRECT is polled by no kernel.
    let target = file(&[7; BLOCK as usize]);
    let bench = BackendBench { polled: true, ..BackendBench::new(BackendChoice::IO_URING, &[&target], BLOCK.into()) };
    let mut backend = bench.backend(BackendChoice::IO_URING);
    assert!(backend.says().0.iter().any(|f| f == "IOPOLL"));
    let result = backend.run(&[io(IoOperation::Read, 0, 0)])[0];
    assert_eq!(result, -libc::EOPNOTSUPP);
    assert!(BackendChoice::IO_URING.explain(&io::Error::from_raw_os_error(-result)).unwrap().contains("poll_queues"));
    for operation in [IoOperation::Datasync, IoOperation::Fsync, IoOperation::RangeSync] {
        assert_eq!(backend.run(&[sync(operation)]), [0], "{operation:?}");
    }
}

#[test]
fn commands_go_to_a_namespace_only() {
    let target = file(&[0; BLOCK as usize]);
    let choice = BackendChoice::IO_URING_CMD;
    let error = BackendBench::new(choice, &[&target], BLOCK.into()).make(choice).err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::Unsupported, "{error}");
}

#[test]
fn a_ring_for_commands_takes_and_completes_its_long_entries() {
    // A file takes no commands, so each entry comes back with the kernel's refusal, under its own number.
    let target = file(&[0; BLOCK as usize]);
    let head = Head { operation: operation::URING_CMD, flags: 0, priority: 0, fd: target.as_raw_fd() };
    for flags in ENTERED {
        let Ok(mut ring) = Ring::<Commands<[u64; 10]>>::of_format(3, flags) else { continue };
        for n in 0..20 {
            ring.push_command(CommandEntry { head, user_data: n, ..CommandEntry::default() });
            let mut done = Vec::new();
            while done.is_empty() {
                ring.submit_and_wait(LONG_NS).unwrap();
                ring.reap(|user_data, result| done.push((user_data, result)));
            }
            assert_eq!(done, [(n, -libc::EOPNOTSUPP)], "{flags:#x}");
        }
    }
}

#[test]
fn what_is_in_use_is_said() {
    let target = file(&[0; BLOCK as usize]);
    let bench = BackendBench::new(BackendChoice::IO_URING, &[&target], BLOCK.into());
    let (features, fallbacks) = bench.backend(BackendChoice::IO_URING).says();
    for feature in ["registered buffers", "registered files", "registered ring", "DEFER_TASKRUN", "NO_SQARRAY"] {
        let said = |list: &[String]| list.iter().any(|text| text.starts_with(feature));
        assert!(said(&features) ^ said(&fallbacks), "{feature} must be in use or explained: {features:?} {fallbacks:?}");
    }
}

#[test]
fn a_dropped_ring_lets_go_of_its_target() {
    let target = file(&[0; BLOCK as usize]);
    let bench = BackendBench::new(BackendChoice::IO_URING, &[&target], BLOCK.into());
    let mut backend = bench.backend(BackendChoice::IO_URING);
    backend.run(&[io(IoOperation::Read, 0, 0)]);
    drop((backend, bench));
    // A lease is granted only to the sole holder of an open file.
    // SAFETY: the call takes numbers only.
    let lease = unsafe { libc::fcntl(target.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK) };
    assert_eq!(lease, 0, "{}", io::Error::last_os_error());
}
