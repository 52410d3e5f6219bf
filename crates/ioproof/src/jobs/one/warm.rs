//! `pre_read`: files are read into the page cache before the clock starts.

use ioproof_target::Handle;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bytes of a read.
const BLOCK: usize = 1 << 20;

/// Reads all files from their start to their end, through the page cache. Those that are open for writing only are left out.
pub fn read(handles: &[&Handle], stop: &AtomicBool) -> io::Result<()> {
    let mut buffer = vec![0; BLOCK];
    for handle in handles.iter().filter(|handle| handle.may_read()) {
        let cached = handle.again(false)?;
        let mut at = 0;
        while at < cached.size_bytes() && !stop.load(Relaxed) {
            match rustix::io::pread(&cached, &mut buffer, at)? {
                0 => break,
                read => at += read as u64,
            }
        }
    }
    Ok(())
}
