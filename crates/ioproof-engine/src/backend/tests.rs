//! Every backend against a file: what it says that it did is held against what is in the file. No test asserts a speed.

use super::*;
use crate::buffers::Buffers;
use ioproof_core::job::Span;
use ioproof_core::shape::Data;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod faults;
mod files;
mod metadata;
mod polled;
mod rings;

const BLOCK: u32 = 4096;
/// Every backend that does I/O.
fn real() -> impl Iterator<Item = BackendChoice> {
    all().filter(|choice| choice.moves_data())
}

/// Every backend that works on files, but the choice that is none itself.
fn all() -> impl Iterator<Item = BackendChoice> {
    BackendChoice::all().filter(|choice| *choice != BackendChoice::AUTO && choice.works_on_files())
}

/// The backend of this name.
fn named(name: &str) -> BackendChoice {
    name.parse().unwrap()
}

/// Longer than any I/O on a file takes.
const LONG_NS: u64 = 60_000_000_000;

/// A backend whose type is forgotten, so that a test can go through all of them.
trait AnyBackend {
    fn start(&mut self, ios: &[Io]);
    fn enter(&mut self, wait_ns: u64);
    fn take(&mut self) -> Vec<(u32, i32)>;
    fn says(&self) -> (Vec<String>, Vec<String>);

    /// Does one batch and gives the results by slot.
    fn run(&mut self, ios: &[Io]) -> Vec<i32> {
        self.start(ios);
        let mut results = vec![None; ios.iter().map(|io| io.slot as usize + 1).max().unwrap_or(0)];
        let mut missing = ios.len();
        while missing > 0 {
            self.enter(LONG_NS);
            for (slot, result) in self.take() {
                assert_eq!(results[slot as usize].replace(result), None, "slot {slot} was done twice");
                missing -= 1;
            }
        }
        ios.iter().map(|io| results[io.slot as usize].unwrap()).collect()
    }
}

impl<B: Backend> AnyBackend for B {
    fn start(&mut self, ios: &[Io]) {
        ios.iter().for_each(|io| self.push(*io));
    }

    fn enter(&mut self, wait_ns: u64) {
        self.submit(wait_ns).unwrap();
    }

    fn take(&mut self) -> Vec<(u32, i32)> {
        let mut taken = Vec::new();
        self.reap(|slot, result| taken.push((slot, result)));
        taken
    }

    fn says(&self) -> (Vec<String>, Vec<String>) {
        (self.features(), self.fallbacks())
    }
}

/// Makes a backend and forgets its type.
struct Boxed<'a>(BackendSetup<'a>);

impl WithBackend for Boxed<'_> {
    type Outcome = io::Result<Box<dyn AnyBackend>>;

    fn with<B: Build>(self) -> Self::Outcome {
        B::new(&self.0).map(|backend| Box::new(backend) as Box<dyn AnyBackend>)
    }
}

/// The material of a backend.
struct BackendBench {
    targets: Vec<OpenMedium>,
    buffers: Buffers,
    depth: u32,
    length: u64,
    write_flags: i32,
    polled: bool,
    kernel_submits: bool,
    writable: bool,
}

impl BackendBench {
    fn new(choice: BackendChoice, files: &[&File], length: u64) -> Self {
        let depth = if choice.is_synchronous() { 1 } else { 4 };
        Self {
            targets: files.iter().map(|f| OpenMedium::Descriptor(Arc::new(f.as_fd().try_clone_to_owned().unwrap()))).collect(),
            buffers: Buffers::new(depth as usize, BLOCK as usize, true, true, &Data::default(), false, 1).unwrap(),
            depth,
            length,
            write_flags: 0,
            polled: false,
            kernel_submits: false,
            writable: true,
        }
    }

    fn setup(&self) -> BackendSetup<'_> {
        BackendSetup {
            targets: &self.targets,
            write_flags: self.write_flags,
            polled: self.polled,
            kernel_submits: self.kernel_submits,
            writable: self.writable,
            ..BackendSetup::without_target(&self.buffers, self.depth, Span { offset_bytes: 0, length_bytes: self.length })
        }
    }

    fn make(&self, choice: BackendChoice) -> io::Result<Box<dyn AnyBackend>> {
        choice.with(false, Boxed(self.setup()))
    }

    fn backend(&self, choice: BackendChoice) -> Box<dyn AnyBackend> {
        self.make(choice).unwrap()
    }

    /// Sets what a slot will write.
    fn put(&self, slot: u32, byte: u8) {
        // SAFETY: the slot's part is as long as a block, and its I/O is not under way.
        unsafe { self.buffers.write_at(slot).write_bytes(byte, BLOCK as usize) };
    }

    /// The bytes that a slot has read.
    fn got(&self, slot: u32) -> Vec<u8> {
        self.buffers.read_part(slot, BLOCK).to_vec()
    }
}

fn file(bytes: &[u8]) -> File {
    let file = tempfile::tempfile().unwrap();
    file.write_all_at(bytes, 0).unwrap();
    file
}

fn content(file: &File, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

/// Block number `block` of target 0.
fn io(operation: IoOperation, slot: u32, block: u64) -> Io {
    Io { operation, slot, target: 0, bytes: BLOCK, offset: block * u64::from(BLOCK), priority: 0 }
}

fn sync(operation: IoOperation) -> Io {
    Io { operation, slot: 0, target: 0, bytes: 0, offset: 0, priority: 0 }
}
