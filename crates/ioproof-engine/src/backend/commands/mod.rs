//! Commands of a drive that one call of the kernel hands over: NVMe's Write with FUA for psync, and SCSI's READ and WRITE.

pub(super) mod nvme_fua;
pub(super) mod sg;
