//! The tiny writer: just enough of a writer and a checker to prove the drive and the cuts by.
//!
//! It shares nothing with ioproof, so that one can be held against the other. `tiny/plan.rs` has its operations, `tiny/content.rs` what it writes, `tiny/judge.rs` what it makes of what it
//! reads, `tiny/program.rs` the two programs that do so, and `tiny/prover.rs` the side of the campaign.

mod content;
mod judge;
mod plan;
pub mod program;
pub mod prover;

use crate::cached::medium::SECTOR_BYTES;
use plan::{Deed, Durable, Operation, Plan};
use std::io;
use std::ops::Range;

/// Place that operations are done at: a file, a device, or in tests a drive itself.
trait Place {
    fn write(&mut self, at: usize, data: &[u8], durable: Durable) -> io::Result<()>;
    fn trim(&mut self, place: Range<usize>) -> io::Result<()>;
    fn flush(&mut self) -> io::Result<()>;
}

/// Content of a write.
fn bytes(seed: u64, operation: &Operation) -> Vec<u8> {
    if operation.deed == Deed::Trim {
        return vec![0; operation.place.len()];
    }
    let sectors = operation.place.start / SECTOR_BYTES..operation.place.end / SECTOR_BYTES;
    sectors.flat_map(|index| content::sector(seed, operation.number, index as u64)).collect()
}

/// Does one group after another and tells how many are durable, until something fails.
fn write_all(seed: u64, place: &mut impl Place, mut acknowledge: impl FnMut(u64) -> io::Result<()>) -> io::Result<()> {
    for (nth, group) in (1..).zip(Plan::new(seed)) {
        for operation in &group.operations {
            match operation.deed {
                Deed::Write => place.write(operation.place.start, &bytes(seed, operation), group.durable)?,
                Deed::Trim => place.trim(operation.place.clone())?,
            }
        }
        if group.durable == Durable::Flush {
            place.flush()?;
        }
        acknowledge(nth)?;
    }
    Ok(())
}

#[cfg(test)]
pub mod testing {
    //! Cuts without any operating system: the tiny writer on the drive itself, where FUA is seen.

    use super::*;
    use crate::cached::behaviours::Behaviour;
    use crate::cached::{Action, CachedDrive, Failed};
    use crate::powercut::found::Found;
    use crate::random::Random;

    impl Place for CachedDrive {
        fn write(&mut self, at: usize, data: &[u8], durable: Durable) -> io::Result<()> {
            done(self.carry_out(Action::Write { offset: at, data: data.to_vec(), fua: durable == Durable::Fua }))
        }

        fn trim(&mut self, place: Range<usize>) -> io::Result<()> {
            done(self.carry_out(Action::Clear { offset: place.start, length: place.len(), fua: false, trim: true }))
        }

        fn flush(&mut self) -> io::Result<()> {
            done(self.carry_out(Action::Flush))
        }
    }

    fn done(answer: Result<Vec<u8>, Failed>) -> io::Result<()> {
        answer.map(drop).map_err(|_| io::Error::from_raw_os_error(5))
    }

    /// A place whose flushes and FUA are not passed on, as the kernel does with a drive that says write through.
    struct Unflushed<'a>(&'a mut CachedDrive);

    impl Place for Unflushed<'_> {
        fn write(&mut self, at: usize, data: &[u8], _: Durable) -> io::Result<()> {
            self.0.write(at, data, Durable::Flush)
        }

        fn trim(&mut self, place: Range<usize>) -> io::Result<()> {
            self.0.trim(place)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// One cut of a new drive.
    pub fn one_cut(behaviour: &Behaviour, seed: u64) -> Found {
        let mut drive = CachedDrive::new(plan::AREA_BYTES, behaviour.habits, seed);
        drive.cut_after(Random::of(seed, "cut", 0).below(300) + 100);
        let mut acknowledged = 0;
        let tell = |groups| {
            acknowledged = groups;
            Ok(())
        };
        let end = if behaviour.says_write_through {
            write_all(seed, &mut Unflushed(&mut drive), tell)
        } else {
            write_all(seed, &mut drive, tell)
        };
        assert!(end.is_err() && !drive.is_on());
        drive.power_on();
        let area = drive.carry_out(Action::Read { offset: 0, length: plan::AREA_BYTES }).unwrap();
        judge::judge(seed, acknowledged, &area)
    }
}
