//! Reasons for which a paste could not be read; every message names a line.

pub const TOOLS: &str = "nvmecontrol devlist, identify and logpage -p 2; camcontrol identify; spdk_nvme_identify; nvme list, id-ctrl, id-ns and smart-log (text, JSON); \
    smartctl -x (text, JSON); hdparm -I; sg_logs, sginfo; diskinfo -v; lsblk -o +MODEL; esxcli device list and smart get; \
    storcli and perccli show, MegaCli -PDList and -pdInfo; arcconf getconfig, ssacli pd show detail, promiseutil phydrv -v; \
    CrystalDiskInfo's text; Get-PhysicalDisk, Get-Disk and Get-StorageReliabilityCounter; wmic diskdrive; diskutil info; system_profiler; \
    lshw, hwinfo, inxi -D, fdisk -l, parted -l; medium errors of the kernel and messages of smartd";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasteError {
    #[error("line 1: there is nothing in it")]
    Empty,
    #[error("line {line}: `{text}` is not the beginning of an output that can be read, and nothing after it is; what can be read: {TOOLS}")]
    Unknown { line: usize, text: String },
    #[error("line {line}: there are more than {most} {things}; give fewer drives at a time")]
    TooMany { line: usize, most: usize, things: &'static str },
    #[error("line {line}: the output of {tool} begins here, but it says nothing about a drive{instead}")]
    NoFacts { line: usize, tool: &'static str, instead: String },
}
