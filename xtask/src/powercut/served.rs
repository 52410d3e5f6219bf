//! A drive with a volatile cache as a file of ours (FUSE).
//!
//! This is what requests mean here, as seen on Linux 6.18: a flush of the loop device is an FSYNC, a discard and a write of zeros a FALLOCATE that punches a hole. A loop
//! device knows no FUA, so the block layer makes a WRITE and an FSYNC of it: a drive that honours FUA alone is seen as one only on the file itself, where a write through a
//! descriptor with O_DSYNC and O_DIRECT, or with RWF_DSYNC, is a WRITE whose flags have O_DSYNC, and behind it an FSYNC (`generic_write_sync`, include/linux/fs.h). Of the rig's drives (NBD) FUA is seen.

use crate::cached::behaviours::Habits;
use crate::cached::{Action, CachedDrive, dark};
use crate::fuse::{self, EIO, Io};
use anyhow::Result;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A drive that is served, and outlives its server as a drive its host.
pub struct ServedDrive {
    drive: Mutex<CachedDrive>,
    /// The power has failed.
    dark: Condvar,
}

impl ServedDrive {
    pub fn new(size_bytes: usize, habits: Habits, seed: u64) -> Self {
        Self { drive: Mutex::new(CachedDrive::new(size_bytes, habits, seed)), dark: Condvar::new() }
    }

    /// From now on the drive has nothing in its cache, and its power fails in so many requests.
    pub fn cut_after(&self, requests: u64) {
        let mut drive = self.drive();
        drive.settle();
        drive.cut_after(requests);
    }

    pub fn power_on(&self) {
        self.drive().power_on();
    }

    /// Waits until the power has failed.
    pub fn wait_for_cut(&self, limit: Duration) -> Result<()> {
        dark::wait(self.drive(), |drive| drive, &self.dark, limit)
    }

    fn drive(&self) -> MutexGuard<'_, CachedDrive> {
        self.drive.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fuse::Drive for ServedDrive {
    fn size_bytes(&self) -> u64 {
        self.drive().size_bytes() as u64
    }

    fn io(&self, io: Io<'_>) -> Result<Vec<u8>, i32> {
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let action = match io {
            Io::Read { offset, length } => Action::Read { offset: place(offset), length },
            Io::Write { offset, data, is_durable } => Action::Write { offset: place(offset), data: data.to_vec(), fua: is_durable },
            Io::Clear { offset, length, is_trim } => {
                Action::Clear { offset: place(offset), length: place(length), fua: false, trim: is_trim }
            }
            Io::Flush => Action::Flush,
        };
        let mut drive = self.drive();
        let answer = drive.carry_out(action).map_err(|_| EIO);
        if !drive.is_on() {
            self.dark.notify_all();
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse::Drive;

    #[test]
    fn the_power_fails_when_it_is_told_to_and_the_drive_is_dead_until_it_is_back() {
        let drive = ServedDrive::new(4096, Habits::HONEST, 1);
        let write = |byte| drive.io(Io::Write { offset: 0, data: &[byte; 512], is_durable: false });
        assert_eq!(write(1), Ok(Vec::new()));
        drive.cut_after(1);
        assert_eq!((drive.io(Io::Flush), drive.drive().is_on()), (Ok(Vec::new()), true));
        assert_eq!((drive.io(Io::Flush), drive.drive().is_on()), (Err(EIO), false));
        drive.wait_for_cut(Duration::from_secs(600)).unwrap();
        assert_eq!((write(2), drive.io(Io::Read { offset: 0, length: 1 })), (Err(EIO), Err(EIO)));
        drive.power_on();
        assert_eq!(drive.io(Io::Read { offset: 0, length: 1 }), Ok(vec![1]));
    }

    #[test]
    fn a_cut_that_does_not_come_is_no_cut() {
        let drive = ServedDrive::new(4096, Habits::HONEST, 1);
        assert!(drive.wait_for_cut(Duration::ZERO).unwrap_err().to_string().contains("did not fail"));
    }
}
