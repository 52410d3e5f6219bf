//! The status of an NVMe completion as an errno, the same as a read or write through the block layer would give.

use crate::slot::DIFFERS;

/// Status code type in bits 8 to 10, status code in bits 0 to 7 (NVM Express Base Specification 2.0, figure 94); what the kernel adds above is no part of it.
const STATUS_MASK: i32 = 0x7FF;

/// Negative errno for what the kernel tells of a command: an errno of its own, or a status of the controller; 0 for success. The errnos are those of Linux,
/// `nvme_error_status` (drivers/nvme/host/core.c) with `blk_errors` (block/blk-core.c); the codes those of the base specification, figures 97 to 101.
pub(super) fn errno(answer: i32) -> i32 {
    if answer <= 0 {
        return answer;
    }
    let errno = match answer & STATUS_MASK {
        // Invalid opcode, field or namespace.
        0x001 | 0x002 | 0x00B => libc::EOPNOTSUPP,
        // Interrupted, out of range, not ready.
        0x021 | 0x080 | 0x082 => libc::EREMOTEIO,
        // Capacity exceeded.
        0x081 => libc::ENOSPC,
        // Reservation conflict.
        0x083 => libc::EBADE,
        // Protected from writing, read only; write fault, unrecovered read, access denied, never written.
        0x020 | 0x182 | 0x280 | 0x281 | 0x286 | 0x287 => libc::ENODATA,
        // Invalid protection information; guard, application tag and reference tag checks.
        0x181 | 0x282 | 0x283 | 0x284 => libc::EILSEQ,
        // Compare failure.
        0x285 => -DIFFERS,
        // The path to the host or the controller failed.
        0x370 | 0x371 => libc::ENOLINK,
        _ => libc::EIO,
    };
    -errno
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_the_errno_that_the_block_layer_gives() {
        assert_eq!([errno(0), errno(-libc::EINTR)], [0, -libc::EINTR]);
        assert_eq!(errno(0x281), -libc::ENODATA);
        assert_eq!(errno(0x4281), -libc::ENODATA, "do-not-retry is no part of the code");
        assert_eq!(errno(0x080), -libc::EREMOTEIO);
        assert_eq!(errno(0x4285), DIFFERS);
        assert_eq!(errno(0x001), -libc::EOPNOTSUPP);
        assert_eq!(errno(0x006), -libc::EIO);
    }
}
