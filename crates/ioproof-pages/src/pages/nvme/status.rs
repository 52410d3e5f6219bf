//! Status of a command in words (Base Specification 2.0c, clause 3.3.3.2.1; media errors by the NVM Command Set Specification).

pub(super) const STATUS_TYPES: &[(u128, &str)] =
    &[(0, "generic"), (1, "command specific"), (2, "media and data integrity"), (3, "path"), (7, "vendor specific")];

pub fn status_text(status: u16) -> String {
    const TYPE_AND_CODE: u16 = 0x7ff;
    let number = u128::from(status & TYPE_AND_CODE);
    let name = STATUS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name);
    let kind = || STATUS_TYPES.iter().find(|(known, _)| *known == number >> 8).map_or("reserved", |(_, name)| *name);
    name.map_or_else(|| format!("{} status {:#04x}", kind(), number & 0xff), str::to_owned)
}

#[rustfmt::skip]
pub(super) const STATUS: &[(u128, &str)] = &[
    (0x000, "success"), (0x001, "invalid command opcode"), (0x002, "invalid field in command"), (0x003, "command identifier conflict"),
    (0x004, "data transfer error"), (0x005, "aborted by loss of power"), (0x006, "internal error"), (0x007, "aborted on request"),
    (0x008, "aborted by deletion of its queue"), (0x009, "aborted, fused command failed"), (0x00a, "aborted, fused command missing"),
    (0x00b, "invalid namespace or format"), (0x00c, "command sequence error"), (0x00d, "invalid SGL segment descriptor"),
    (0x00e, "invalid number of SGL descriptors"), (0x00f, "invalid length of data SGL"), (0x010, "invalid length of metadata SGL"),
    (0x011, "invalid type of SGL descriptor"), (0x012, "invalid use of controller memory buffer"), (0x013, "invalid PRP offset"),
    (0x014, "atomic write unit exceeded"), (0x015, "operation denied"), (0x016, "invalid SGL offset"),
    (0x018, "inconsistent host identifier format"), (0x019, "keep alive timer expired"), (0x01a, "invalid keep alive timeout"),
    (0x01b, "aborted by preempt and abort"), (0x01c, "sanitize failed"), (0x01d, "sanitize in progress"),
    (0x01e, "invalid SGL data block granularity"), (0x01f, "command not supported for queue in controller memory"),
    (0x020, "namespace is write protected"), (0x021, "interrupted, retry"), (0x022, "transient transport error"),
    (0x023, "prohibited by command and feature lockdown"), (0x024, "admin command media not ready"), (0x080, "LBA out of range"),
    (0x081, "capacity exceeded"), (0x082, "namespace not ready"), (0x083, "reservation conflict"), (0x084, "format in progress"),
    (0x100, "invalid completion queue"), (0x101, "invalid queue identifier"), (0x102, "invalid queue size"),
    (0x103, "abort command limit exceeded"), (0x105, "asynchronous event request limit exceeded"), (0x106, "invalid firmware slot"),
    (0x107, "invalid firmware image"), (0x108, "invalid interrupt vector"), (0x109, "invalid log page"), (0x10a, "invalid format"),
    (0x10b, "firmware activation needs a conventional reset"), (0x10c, "invalid queue deletion"), (0x10d, "feature cannot be saved"),
    (0x10e, "feature cannot be changed"), (0x10f, "feature is not namespace specific"),
    (0x110, "firmware activation needs a subsystem reset"), (0x111, "firmware activation needs a controller level reset"),
    (0x112, "firmware activation needs more time than allowed"), (0x113, "firmware activation prohibited"),
    (0x114, "overlapping range"), (0x115, "insufficient capacity for namespace"), (0x116, "namespace identifier unavailable"),
    (0x118, "namespace already attached"), (0x119, "namespace is private"), (0x11a, "namespace not attached"),
    (0x11b, "thin provisioning not supported"), (0x11c, "invalid controller list"), (0x11d, "self-test in progress"),
    (0x11e, "boot partition write prohibited"), (0x11f, "invalid controller identifier"), (0x120, "invalid secondary controller state"),
    (0x121, "invalid number of controller resources"), (0x122, "invalid resource identifier"),
    (0x123, "sanitize prohibited while persistent memory region is enabled"), (0x124, "invalid asymmetric access group"),
    (0x125, "asymmetric access attach failed"), (0x180, "conflicting attributes"), (0x181, "invalid protection information"),
    (0x182, "attempted write to read only range"), (0x183, "command size limit exceeded"), (0x280, "write fault"),
    (0x281, "unrecovered read error"), (0x282, "end-to-end guard check error"), (0x283, "end-to-end application tag check error"),
    (0x284, "end-to-end reference tag check error"), (0x285, "compare failure"), (0x286, "access denied"),
    (0x287, "deallocated or unwritten block"), (0x288, "end-to-end storage tag check error"), (0x300, "internal path error"),
    (0x301, "asymmetric access persistent loss"), (0x302, "asymmetric access inaccessible"), (0x303, "asymmetric access transition"),
    (0x360, "controller pathing error"), (0x370, "host pathing error"), (0x371, "aborted by host"),
];
