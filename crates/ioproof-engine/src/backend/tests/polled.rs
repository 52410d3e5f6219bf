//! The driver of our own as a backend, on a scripted drive.

use super::*;
use ioproof_nvme::Drive;
use ioproof_nvme::scripted::{Fault, Script, Scripted};
use ioproof_nvme::wire::Status;

const DEPTH: u32 = 4;

/// A backend on scripted drives. Its buffers outlive it.
struct PolledBench {
    bench: BackendBench,
    drives: Vec<Arc<Scripted>>,
}

impl PolledBench {
    fn new(scripts: &[Script]) -> Self {
        let drives: Vec<Arc<Scripted>> = scripts.iter().map(|script| Arc::new(Scripted::new(*script))).collect();
        let open = |drive: &Arc<Scripted>| OpenMedium::Drive(Drive::open(Arc::clone(drive) as _, 1).unwrap());
        let targets = drives.iter().map(open).collect();
        let buffers = Buffers::new(DEPTH as usize, BLOCK as usize, true, true, &Data::default(), false, 1).unwrap();
        let (length, write_flags, polled, kernel_submits, writable) = (1 << 24, 0, false, false, true);
        Self { bench: BackendBench { targets, buffers, depth: DEPTH, length, write_flags, polled, kernel_submits, writable }, drives }
    }

    fn backend(&self) -> Box<dyn AnyBackend> {
        self.bench.backend(BackendChoice::POLLED)
    }
}

#[test]
fn what_is_written_is_on_the_drive_and_read_again() {
    let it = PolledBench::new(&[Script { reverses: true, ..Script::default() }]);
    let mut backend = it.backend();
    (0..DEPTH).for_each(|slot| it.bench.put(slot, 10 + slot as u8));
    let writes: Vec<Io> = (0..DEPTH).map(|slot| io(IoOperation::Write, slot, slot.into())).collect();
    assert_eq!(backend.run(&writes), [BLOCK as i32; 4]);
    assert!(it.drives[0].content(8192, 4096).iter().all(|byte| *byte == 12));
    let reads: Vec<Io> = (0..DEPTH).map(|slot| io(IoOperation::Read, slot, (DEPTH - 1 - slot).into())).collect();
    assert_eq!(backend.run(&reads), [BLOCK as i32; 4]);
    assert!(it.bench.got(0).iter().all(|byte| *byte == 13) && it.bench.got(3).iter().all(|byte| *byte == 10));
}

#[test]
fn syncs_trims_and_durable_writes_are_commands_of_their_own() {
    let mut it = PolledBench::new(&[Script::default()]);
    it.bench.write_flags = libc::RWF_DSYNC;
    let mut backend = it.backend();
    let each = [IoOperation::Write, IoOperation::Datasync, IoOperation::Fsync, IoOperation::RangeSync, IoOperation::Trim];
    for operation in each {
        assert_eq!(backend.run(&[io(operation, 0, 1)]), [operation.expects(BLOCK)], "{operation:?}");
    }
    let commands = it.drives[0].commands();
    assert_eq!(commands.iter().map(|command| command.opcode()).collect::<Vec<_>>(), [1, 0, 0, 9], "nothing for a page cache");
    assert_eq!(commands[0].dword12 >> 30, 1, "FUA");
}

#[test]
fn several_drives_take_turns() {
    let it = PolledBench::new(&[Script::default(), Script { block_shift: 12, blocks: 4096, ..Script::default() }]);
    let mut backend = it.backend();
    (0..2).for_each(|slot| it.bench.put(slot, 1 + slot as u8));
    let on = |target, slot| Io { target, ..io(IoOperation::Write, slot, 3) };
    assert_eq!(backend.run(&[on(0, 0), on(1, 1)]), [BLOCK as i32; 2]);
    assert_eq!((it.drives[0].content(3 << 12, 1), it.drives[1].content(3 << 12, 1)), (vec![1], vec![2]));
}

#[test]
fn a_failed_io_has_its_errno_and_a_pulled_drive_says_so() {
    let it = PolledBench::new(&[Script { fault: Fault::BadBlock(8, Status::UNREADABLE), ..Script::default() }]);
    let mut backend = it.backend();
    assert_eq!(backend.run(&[io(IoOperation::Read, 0, 1), io(IoOperation::Read, 1, 2)]), [-libc::ENODATA, BLOCK as i32]);
    it.drives[0].set_fault(Fault::GoneAt(0));
    assert_eq!(backend.run(&[io(IoOperation::Read, 0, 1)]), [-libc::ENODEV]);
}

#[test]
fn a_target_that_is_no_drive_of_ours_is_refused() {
    let file = file(&[0; BLOCK as usize]);
    let bench = BackendBench::new(BackendChoice::POLLED, &[&file], BLOCK.into());
    assert_eq!(bench.make(BackendChoice::POLLED).err().unwrap().kind(), io::ErrorKind::Unsupported);
    let it = PolledBench::new(&[Script::default()]);
    for choice in [BackendChoice::LIBAIO, BackendChoice::IO_URING] {
        assert_eq!(it.bench.make(choice).err().map(|error| error.kind()), Some(io::ErrorKind::Unsupported), "{choice:?}");
    }
}
