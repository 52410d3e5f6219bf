//! A drive with a volatile cache as a file of ours (FUSE).
//!
//! A loop device knows no FUA: the block layer makes a WRITE and an FSYNC of it. FUA is seen on the file itself, as a WRITE with O_DSYNC.

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
