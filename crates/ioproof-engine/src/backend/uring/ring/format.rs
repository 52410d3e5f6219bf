//! The two formats of a ring: entries for files, and longer ones that carry a command to a driver.

use crate::backend::uring::abi::{CommandEntry, Completion, Entry, LongCompletion, setup};
use std::marker::PhantomData;

/// Layout of entries and completions.
pub(in crate::backend) trait Format {
    /// Flags of the set-up that ask for it.
    const FLAGS: u32;
    type Entry;
    type Completion: Copy + Into<Completion>;
}

/// Reads, writes and syncs of files and block devices.
#[derive(Debug)]
pub(in crate::backend) struct Plain;

impl Format for Plain {
    const FLAGS: u32 = 0;
    type Entry = Entry;
    type Completion = Completion;
}

/// Commands of the type `C`, at most 80 bytes long.
#[derive(Debug)]
pub(in crate::backend) struct Commands<C>(PhantomData<C>);

impl<C: Copy> Format for Commands<C> {
    const FLAGS: u32 = setup::SQE128 | setup::CQE32;
    type Entry = CommandEntry<C>;
    type Completion = LongCompletion;
}

impl From<LongCompletion> for Completion {
    fn from(long: LongCompletion) -> Self {
        long.short
    }
}
