//! The names of bits and values in Identify Controller (Base Specification 2.0c, clause 5.17.2.1).

pub(super) const MULTIPATH: &[(u32, &str)] =
    &[(0, "several ports"), (1, "several controllers"), (2, "SR-IOV virtual function"), (3, "asymmetric access")];

#[rustfmt::skip]
pub(super) const EVENTS: &[(u32, &str)] = &[
    (8, "namespace attributes"), (9, "firmware activation"), (11, "asymmetric access change"), (12, "predictable latency"),
    (13, "LBA status"), (14, "endurance groups"), (15, "normal shutdown"), (27, "zone descriptors"), (31, "discovery log"),
];

#[rustfmt::skip]
pub(super) const ATTRIBUTES: &[(u32, &str)] = &[
    (0, "128-bit host identifier"), (1, "non-operational power state permissive mode"), (2, "NVM sets"), (3, "read recovery levels"),
    (4, "endurance groups"), (5, "predictable latency mode"), (6, "traffic based keep alive"), (7, "namespace granularity"),
    (8, "submission queue associations"), (9, "UUID list"), (10, "multiple domains"), (11, "fixed capacity management"),
    (12, "variable capacity management"), (13, "delete endurance group"), (14, "delete NVM set"), (15, "extended LBA formats"),
];

pub(super) const CONTROLLER_TYPES: &[(u128, &str)] = &[(1, "I/O"), (2, "discovery"), (3, "administrative")];

pub(super) const SUBSYSTEM: &[(u32, &str)] = &[(0, "storage device"), (1, "enclosure")];

pub(super) const MANAGEMENT_ENDPOINTS: &[(u32, &str)] = &[(0, "SMBus"), (1, "PCI Express")];

#[rustfmt::skip]
pub(super) const ADMIN_COMMANDS: &[(u32, &str)] = &[
    (0, "Security Send and Receive"), (1, "Format NVM"), (2, "Firmware Commit and Image Download"), (3, "Namespace Management"),
    (4, "Device Self-test"), (5, "Directives"), (6, "NVMe-MI Send and Receive"), (7, "Virtualization Management"),
    (8, "Doorbell Buffer Config"), (9, "Get LBA Status"), (10, "Command and Feature Lockdown"),
];

#[rustfmt::skip]
pub(super) const LOG_ATTRIBUTES: &[(u32, &str)] = &[
    (0, "SMART per namespace"), (1, "commands supported and effects"), (2, "extended data"), (3, "telemetry"), (4, "persistent events"),
    (5, "supported log pages"), (6, "telemetry data area 4"),
];

pub(super) const SANITIZE: &[(u32, &str)] = &[(0, "crypto erase"), (1, "block erase"), (2, "overwrite"), (29, "no-deallocate inhibited")];

pub(super) const SANITIZE_MEDIA: &[(u128, &str)] = &[(0, "not said"), (1, "not modified"), (2, "modified")];

#[rustfmt::skip]
pub(super) const ASYMMETRIC_ACCESS: &[(u32, &str)] = &[
    (0, "optimized"), (1, "non-optimized"), (2, "inaccessible"), (3, "persistent loss"), (4, "change"), (6, "group does not change"),
    (7, "group may be given"),
];

#[rustfmt::skip]
pub(super) const IO_COMMANDS: &[(u32, &str)] = &[
    (0, "Compare"), (1, "Write Uncorrectable"), (2, "Dataset Management"), (3, "Write Zeroes"), (4, "Save and Select of features"),
    (5, "reservations"), (6, "Timestamp"), (7, "Verify"), (8, "Copy"),
];

pub(super) const FORMAT: &[(u32, &str)] = &[
    (0, "formats all namespaces together"),
    (1, "erases all namespaces together"),
    (2, "cryptographic erase"),
    (3, "not for all namespaces by one command"),
];

pub(super) const FLUSH_ALL: &[(u128, &str)] = &[(0, "not said"), (2, "not supported"), (3, "supported")];

pub(super) const WRITE_PROTECTION: &[(u32, &str)] = &[(0, "write protect"), (1, "until power cycle"), (2, "permanent")];

pub(super) const COPY_FORMATS: &[(u32, &str)] = &[(0, "format 0"), (1, "format 1"), (2, "format 2"), (3, "format 3")];

pub(super) const SCATTER_GATHER: &[(u128, &str)] = &[(0, "not supported"), (1, "any alignment"), (2, "aligned to 4 bytes")];

pub(super) const DISCOVERY_TYPES: &[(u128, &str)] = &[(1, "direct"), (2, "central")];
