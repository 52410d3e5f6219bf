//! smartctl, whatever the protocol of the drive, and camcontrol.

pub(super) mod camcontrol;
pub(super) mod diskinfo;
pub(super) mod hdparm;
pub(super) mod logs;
mod loose;
pub(super) mod scsi;
pub(super) mod sg_logs;
pub(super) mod sginfo;
pub(super) mod smartctl;
pub(super) mod smartctl_json;
pub(super) mod smartctl_rows;
mod smartd_info;
pub(super) mod tables;
