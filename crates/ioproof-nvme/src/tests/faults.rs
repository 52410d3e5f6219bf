//! A drive that misbehaves: each fault is told as what it is, and ends every I/O.

use super::*;
use crate::Error;
use crate::wire::Status;

fn opened(fault: Fault) -> Result<Arc<Controller>, Error> {
    Controller::open(Arc::new(Scripted::new(Script { fault, ..Script::default() })))
}

fn bench(fault: Fault) -> Bench {
    Bench::new(Script { fault, ..Script::default() }, 4, 8192)
}

#[test]
fn a_controller_that_never_gets_ready_is_given_the_time_that_it_asks_for() {
    let error = opened(Fault::NeverReady).unwrap_err();
    assert_eq!(error.to_string(), "the controller did not become ready within 1 s");
    assert!(error.hint().unwrap().contains("unbind"));
    assert!(matches!(opened(Fault::FatalAtStart), Err(Error::Fatal)));
}

#[test]
fn a_controller_that_answers_no_admin_command_is_told_by_the_command() {
    let error = opened(Fault::NoAdmin).unwrap_err();
    assert_eq!(error.to_string(), "the controller did not answer Identify");
}

#[test]
fn a_drive_that_is_not_there_is_told_at_once() {
    let drive = Arc::new(Scripted::new(Script { fault: Fault::GoneAt(0), ..Script::default() }));
    let controller = Controller::open(Arc::clone(&drive) as _).unwrap();
    let region = Region::new(1, 4096);
    // SAFETY: the region outlives the queue.
    let mut queue = unsafe { IoQueue::new(&controller, controller.namespace(1).unwrap(), &region.layout, PATIENCE_NS) }.unwrap();
    queue.push(Operation::Read, 0, 0, 4096);
    queue.submit(0).unwrap();
    assert!(matches!(Controller::open(drive), Err(Error::Gone)));
    assert!(matches!(controller.namespace(1), Err(Error::Gone)));
}

#[test]
fn formats_with_metadata_and_other_blocks_are_refused() {
    let refusal = |script: Script| {
        let controller = Controller::open(Arc::new(Scripted::new(script))).unwrap();
        controller.namespace(1).unwrap_err().to_string()
    };
    assert!(refusal(Script { metadata_bytes: 8, ..Script::default() }).contains("8 bytes of metadata"));
    assert!(refusal(Script { block_shift: 11, ..Script::default() }).contains("2^11"));
    let controller = opened(Fault::None).unwrap();
    assert_eq!(controller.namespaces().unwrap(), [1]);
    assert!(controller.namespace(2).unwrap_err().to_string().contains("does not exist"));
}

#[test]
fn a_failed_command_fails_its_io_alone_with_the_errno_of_the_kernel() {
    let mut bench = Bench::new(Script { mdts: 1, ..Script::default() }, 4, 65_536);
    bench.drive.set_fault(Fault::BadBlock(40, Status::UNREADABLE));
    for slot in 0..3 {
        bench.queue.push(Operation::Read, slot, u64::from(slot) * 16_384, 16_384);
    }
    let mut taken = bench.take(3);
    taken.sort_unstable();
    assert_eq!(taken, [(0, 16_384), (1, -libc::ENODATA), (2, 16_384)]);
    assert_eq!(bench.one(Operation::Read, (1 << 24) - 8192, 16_384), -libc::EREMOTEIO);
}

#[test]
fn a_command_that_is_kept_is_aborted_and_the_others_go_on() {
    let mut bench = bench(Fault::Holds(1));
    for slot in 0..3 {
        bench.queue.push(Operation::Read, slot, 0, 4096);
    }
    assert_eq!(bench.take(3), [(0, 4096), (2, 4096), (1, -libc::ETIMEDOUT)]);
    assert_eq!(bench.one(Operation::Read, 0, 4096), 4096, "the queue is still in use");
    assert_eq!(bench.queue.controller().generation(), 0, "no reset");
}

#[test]
fn a_drive_that_stops_answering_is_reset_and_can_be_used_again() {
    for fault in [Fault::StopsAt(1), Fault::FatalAt(1), Fault::WrongPhase(1)] {
        let mut bench = bench(fault);
        for slot in 0..3 {
            bench.queue.push(Operation::Read, slot, 0, 4096);
        }
        let taken = bench.take(3);
        assert_eq!(taken[0], (0, 4096), "{fault:?}");
        assert!(taken[1..].iter().all(|(_, result)| *result == -libc::ETIMEDOUT), "{fault:?}: {taken:?}");
        assert_eq!(bench.queue.controller().generation(), 1);
        assert_eq!(bench.one(Operation::Read, 0, 4096), -libc::ETIMEDOUT, "queues of before the reset are dead");
        bench.drive.set_fault(Fault::None);
        let Bench { queue, region, .. } = bench;
        let (controller, namespace) = (Arc::clone(queue.controller()), queue.namespace());
        drop(queue);
        // SAFETY: the region outlives the queue.
        let mut queue = unsafe { IoQueue::new(&controller, namespace, &region.layout, PATIENCE_NS) }.unwrap();
        queue.push(Operation::Read, 0, 0, 4096);
        queue.submit(LONG_NS).unwrap();
        let mut results = Vec::new();
        queue.reap(|slot, result| results.push((slot, result)));
        assert_eq!(results, [(0, 4096)], "{fault:?}");
    }
}

#[test]
fn queues_of_other_workers_end_with_a_reset_too() {
    let drive = Arc::new(Scripted::new(Script { fault: Fault::StopsAt(0), ..Script::default() }));
    let controller = Controller::open(Arc::clone(&drive) as _).unwrap();
    let (namespace, region) = (controller.namespace(1).unwrap(), Region::new(1, 4096));
    // SAFETY: the region outlives the queues.
    let make = || unsafe { IoQueue::new(&controller, namespace, &region.layout, PATIENCE_NS) }.unwrap();
    let mut both = [make(), make()];
    both.iter_mut().for_each(|queue| queue.push(Operation::Read, 0, 0, 4096));
    for queue in &mut both {
        let mut results = Vec::new();
        while results.is_empty() {
            queue.submit(LONG_NS).unwrap();
            queue.reap(|_, result| results.push(result));
        }
        assert_eq!(results, [-libc::ETIMEDOUT]);
    }
    assert_eq!(controller.generation(), 1, "one reset for both");
}

#[test]
fn a_wrong_identifier_ends_the_use_of_the_queue() {
    let mut bench = bench(Fault::WrongIdentifier(1));
    for slot in 0..3 {
        bench.queue.push(Operation::Read, slot, 0, 4096);
    }
    bench.queue.submit(LONG_NS).unwrap();
    let mut taken = Vec::new();
    bench.queue.reap(|slot, result| taken.push((slot, result)));
    assert_eq!(taken, [(0, 4096)], "what came before it is good");
    let error = bench.queue.submit(LONG_NS).unwrap_err();
    assert!(error.to_string().contains("completed command 65534, which is not outstanding"), "{error}");
}

#[test]
fn a_drive_that_is_pulled_fails_what_is_outstanding() {
    for fault in [Fault::GoneAt(2), Fault::ZerosAt(2)] {
        let mut bench = bench(fault);
        for slot in 0..4 {
            bench.queue.push(Operation::Write { fua: false }, slot, 0, 4096);
        }
        let taken = bench.take(4);
        assert_eq!(taken[..2], [(0, 4096), (1, 4096)]);
        assert!(taken[2..].iter().all(|(_, result)| *result == -libc::ENODEV), "{fault:?}: {taken:?}");
        assert_eq!(bench.one(Operation::Read, 0, 4096), -libc::ENODEV);
        let Bench { queue, drive, .. } = bench;
        drop(queue);
        assert_eq!(drive.mappings(), 0, "nothing stays mapped for a drive that is gone");
    }
}

#[test]
fn more_commands_than_can_be_named_are_refused() {
    let controller = opened(Fault::None).unwrap();
    let namespace = controller.namespace(1).unwrap();
    let mut region = Region::new(1, 4096);
    region.layout.slots = vec![region.layout.slots[0]; 65_536];
    // SAFETY: the region outlives the call.
    let error = unsafe { IoQueue::new(&controller, namespace, &region.layout, PATIENCE_NS) }.unwrap_err();
    assert!(error.to_string().contains("less depth"));
}
