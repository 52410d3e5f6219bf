//! A drive with a volatile cache as a file of ours (FUSE).
//!
//! As seen on Linux 6.18, a flush of the loop device is an FSYNC, a discard and a write of zeros a FALLOCATE that punches a hole. A loop device knows no FUA, so the block layer makes a
//! WRITE and an FSYNC of it: FUA is seen only on the file itself, where a direct write that must be durable is a WRITE whose flags have O_DSYNC, with an FSYNC behind it.

use crate::cached::Action;
use crate::cached::faulty::FaultyDrive;
use crate::fuse::{self, EIO};

impl fuse::Drive for FaultyDrive {
    fn size_bytes(&self) -> u64 {
        self.size_bytes() as u64
    }

    fn io(&self, action: Action) -> Result<Vec<u8>, i32> {
        self.carry_out(action).map_err(|_| EIO)
    }
}
