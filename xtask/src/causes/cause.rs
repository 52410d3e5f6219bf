//! A cause of a bad number as plain data: how it is made, how ioproof is called, which answer is right and which is wrong.
//!
//! The rows are in `table/`; `scene.rs` makes what they say, `grade.rs` holds the answer against them. Deliberately absent: code in rows.

pub use super::served::behaviour::Behaviour;
pub use Truth::{Broken, Kept, Unknowable};
pub use Word::{HostAlone, Limit, Rule, Text, Title};

pub struct Cause {
    pub name: &'static str,
    pub made: &'static str,
    pub place: Place,
    pub meddling: &'static [Meddling],
    /// Arguments of ioproof. `TARGET` is the place, `KERNEL` its kernel name; the datasheet and the time are added to `verify`.
    pub call: &'static str,
    pub promise: Option<Promise>,
    pub answer: Answer,
}

/// A row with defaults for what it leaves out: a served drive of 12 slots of 3 ms, read at depth 12.
pub const fn cause(name: &'static str, made: &'static str) -> Cause {
    let (place, call) = (served(12, 3000), "verify TARGET --rw randread --workers 1 --depth 12");
    Cause { name, made, place, meddling: &[], call, promise: None, answer: answer(&[], &[], &[]) }
}

impl Cause {
    pub const fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    pub const fn amid(mut self, meddling: &'static [Meddling]) -> Self {
        self.meddling = meddling;
        self
    }

    pub const fn call(mut self, call: &'static str) -> Self {
        self.call = call;
        self
    }

    pub const fn promise(mut self, iops: u32, depth: Option<u32>, mix: &'static str, truth: Truth) -> Self {
        self.promise = Some(Promise { iops, depth, mix, truth });
        self
    }

    pub const fn reads(self, iops: u32, depth: u32, truth: Truth) -> Self {
        self.promise(iops, Some(depth), "read", truth)
    }

    pub const fn answer(self, right: &'static [&'static [Word]], wrong: &'static [Word], exits: &'static [i32]) -> Self {
        self.like(answer(right, wrong, exits))
    }

    pub const fn like(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }

    pub const fn healthy(mut self, allowed: &'static [&'static str]) -> Self {
        self.answer.healthy = Some(allowed);
        self
    }
}

#[derive(Clone, Copy)]
pub enum Place {
    /// A loop device on a drive whose truth is known, with direct I/O, 256 MiB; filled with random data where that is true, or of zeros.
    Served(Behaviour, bool),
    /// A loop device with direct I/O on a file of 256 MiB.
    Loop(Content, Ground),
    /// One that goes through the page cache.
    CachedLoop(Content, Ground),
    /// The first partition of such a loop device with direct I/O, from this sector of 512 bytes on.
    Partition(&'static str),
    File(Content, Ground),
    Folder(Ground),
    Zram(Content),
    Node(&'static str),
    Stored(&'static [Edit]),
}

#[derive(Clone, Copy)]
pub struct Edit {
    pub file: &'static str,
    pub at: &'static str,
    pub value: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a table of constants has one of each")]
pub enum Ground {
    Disk,
    Memory,
    /// A new filesystem on a loop device with direct I/O on a file of the tree's disk, with these mount options.
    Mounted(&'static str, &'static str),
    Cached,
    Served(Behaviour),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Random,
    Text,
    Sparse,
    Allocated,
    HalfHoles,
}

#[derive(Clone, Copy)]
pub enum Meddling {
    Burners(usize),
    NicedBurners(usize),
    Reading(Where),
    Writing(Where),
    /// A control group of version 1 with a limit, in which ioproof runs: controller, file, value; `DEVICE` is the numbers of the device.
    Group(&'static str, &'static str, &'static str),
    /// ioproof is stopped for half a second in every two (control groups of version 1, freezer).
    Freezing,
    Through(&'static str),
    Queue(&'static str, &'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Target,
    Backing,
    SameDisk,
}

pub const fn filled(behaviour: Behaviour) -> Place {
    Place::Served(behaviour, true)
}

pub const fn empty(behaviour: Behaviour) -> Place {
    Place::Served(behaviour, false)
}

pub const fn served(slots: usize, service_us: u64) -> Place {
    filled(Behaviour::new(slots, service_us))
}

#[derive(Clone, Copy)]
pub struct Promise {
    pub iops: u32,
    pub depth: Option<u32>,
    pub mix: &'static str,
    pub truth: Truth,
}

#[derive(Clone, Copy)]
pub struct Answer {
    /// All of these must be said, each by one of its words.
    pub right: &'static [&'static [Word]],
    pub wrong: &'static [Word],
    /// Exit statuses that are right; none: all are.
    pub exits: &'static [i32],
    /// A control: of findings that doubt or take away only these may be there.
    pub healthy: Option<&'static [&'static str]>,
}

pub const fn answer(right: &'static [&'static [Word]], wrong: &'static [Word], exits: &'static [i32]) -> Answer {
    Answer { right, wrong, exits, healthy: None }
}

/// Something that can be said, in a place where it counts. Words are looked for in any case of letters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Word {
    Rule(&'static str),
    Title(&'static str),
    Limit(&'static str),
    /// A limit that is the host's CPUs or its hypervisor, without an *or* beside it.
    HostAlone,
    Text(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    Kept,
    Broken,
    /// The figure is not the drive's: both are false.
    Unknowable,
}
