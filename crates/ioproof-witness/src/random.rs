//! Bytes of the kernel's random source.

use rustix::rand::{GetRandomFlags, getrandom};
use std::io;

/// So many bytes that nobody can foresee.
///
/// # Errors
/// When the kernel gives none.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while filled < N {
        match getrandom(&mut bytes[filled..], GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bytes)
}
