//! Memory that is not one run for the drive, and drives that no IOMMU confines.

use super::transfers::{SIZES, writes_and_reads_back_both_ways};
use super::*;
use crate::{Error, Piece};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// A scripted drive on a bus that counts how often it was cut off.
#[derive(Debug)]
struct Watched {
    drive: Scripted,
    is_confined: bool,
    cuts: AtomicU32,
}

impl Watched {
    fn new(script: Script, is_confined: bool) -> Arc<Self> {
        Arc::new(Self { drive: Scripted::new(script), is_confined, cuts: AtomicU32::new(0) })
    }

    fn cuts(&self) -> u32 {
        self.cuts.load(Ordering::Relaxed)
    }
}

impl Bus for Watched {
    fn read32(&self, offset: usize) -> u32 {
        self.drive.read32(offset)
    }

    fn write32(&self, offset: usize, value: u32) {
        self.drive.write32(offset, value);
    }

    fn register_bytes(&self) -> usize {
        self.drive.register_bytes()
    }

    unsafe fn map(&self, start: NonNull<u8>, bytes: usize) -> io::Result<Vec<Piece>> {
        // SAFETY: as demanded of the caller.
        unsafe { self.drive.map(start, bytes) }
    }

    fn unmap(&self, address: u64, bytes: usize) {
        self.drive.unmap(address, bytes);
    }

    fn is_confined(&self) -> bool {
        self.is_confined
    }

    fn cut_off(&self) {
        self.cuts.fetch_add(1, Ordering::Relaxed);
    }

    fn clock_ns(&self) -> u64 {
        self.drive.clock_ns()
    }

    fn pause(&self) {}
}

#[test]
fn all_sizes_arrive_where_memory_is_scattered() {
    for mdts in [0, 2, 5] {
        writes_and_reads_back_both_ways(Script { mdts, scattered: true, ..Script::default() }, &SIZES);
    }
    // Buffers of two to five pages cross from one piece into the next at each of their pages.
    for largest in [8192, 12_288, 20_480] {
        let script = Script { boundary_blocks: 24, scattered: true, ..Script::default() };
        writes_and_reads_back_both_ways(script, &[512, 8192, 4608, largest, largest - 512, largest]);
    }
}

#[test]
fn an_sgl_is_used_only_for_what_the_drive_sees_as_one_run() {
    let mut bench = Bench::new(Script { sgls: true, scattered: true, ..Script::default() }, 1, 131_072);
    for bytes in [32_768, 65_536, 69_632, 131_072] {
        assert_eq!(bench.one(Operation::Read, 0, bytes), bytes as i32);
    }
    let blocks: Vec<bool> = bench.drive.commands().iter().map(|command| command.data_block().is_some()).collect();
    assert_eq!(blocks, [true, true, false, false]);
}

#[test]
fn queues_that_are_not_contiguous_are_refused() {
    let controller =
        Controller::open(Arc::new(Scripted::new(Script { scattered: true, queue_entries: 4096, ..Script::default() }))).unwrap();
    let mut region = Region::new(1, 4096);
    region.layout.slots = vec![region.layout.slots[0]; 1500];
    // SAFETY: the region outlives the call.
    let error = unsafe { IoQueue::new(&controller, controller.namespace(1).unwrap(), &region.layout, PATIENCE_NS) }.unwrap_err();
    assert!(error.to_string().contains("2048 entries are not contiguous"), "{error}");
}

#[test]
fn a_drive_that_is_not_confined_has_huge_pages_and_no_shadow_doorbells() {
    let bus = Watched::new(Script { shadow_doorbells: true, ..Script::default() }, false);
    let told = std::fs::read_to_string("/proc/meminfo").unwrap();
    let free = told.lines().find_map(|line| line.strip_prefix("HugePages_Free:")).unwrap().trim();
    match (free, Controller::open(Arc::clone(&bus) as _)) {
        ("0", Err(Error::Unfit(text))) => assert!(text.contains("sysctl vm.nr_hugepages=64"), "{text}"),
        ("0", other) => panic!("without huge pages: {other:?}"),
        (_, Ok(controller)) => assert!(!controller.facts().shadow_doorbells && !controller.is_confined()),
        (_, Err(error)) => panic!("{free} huge pages are free: {error}"),
    }
    let bus = Watched::new(Script { shadow_doorbells: true, ..Script::default() }, true);
    assert!(Controller::open(bus).unwrap().facts().shadow_doorbells);
}

#[test]
fn a_drive_that_may_still_use_memory_is_cut_off_before_the_memory_is_given_back() {
    let bus = Watched::new(Script { fault: Fault::NoAdmin, ..Script::default() }, true);
    assert!(Controller::open(Arc::clone(&bus) as _).is_err());
    assert_eq!(bus.cuts(), 1, "it may still write the page that was asked for");

    for fault in [Fault::None, Fault::NoAdmin] {
        let bus = Watched::new(Script::default(), true);
        let controller = Controller::open(Arc::clone(&bus) as _).unwrap();
        let region = Region::new(1, 4096);
        // SAFETY: the region outlives the queue.
        let queue = unsafe { IoQueue::new(&controller, controller.namespace(1).unwrap(), &region.layout, PATIENCE_NS) }.unwrap();
        bus.drive.set_fault(fault);
        drop(queue);
        assert_eq!(bus.cuts(), u32::from(fault == Fault::NoAdmin), "{fault:?}: a queue that it did not delete");
        bus.drive.set_fault(Fault::NeverReady);
        assert!(controller.reset().is_err());
        assert!(bus.cuts() > u32::from(fault == Fault::NoAdmin), "{fault:?}: a reset that failed");
    }
}
