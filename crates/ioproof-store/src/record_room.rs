//! Memory for records that are read whole: a hostile or a huge one must not take what others need, least of all while something is measured.

use anyhow::Result;
use ioproof_core::record::{Round, Stage};
use ioproof_core::units::binary_size;
use ioproof_process::complaint::complaint;
use ioproof_process::memory_room::available_bytes;
use ioproof_target::System;

/// Memory that a record may take when it is read. A few bytes of text (`{}`) can be a round with all its counters.
#[derive(Debug)]
pub(crate) struct RecordRoom {
    left_bytes: Option<u64>,
}

impl RecordRoom {
    /// Half of what this machine has.
    pub(crate) fn of_host() -> Self {
        Self::new(available_bytes(&System::host()))
    }

    fn new(available_bytes: Option<u64>) -> Self {
        Self { left_bytes: available_bytes.map(|bytes| bytes / 2) }
    }

    /// Takes what a file may need when it is read.
    pub(crate) fn take(&mut self, json: &[u8]) -> Result<()> {
        let objects = json.iter().filter(|byte| **byte == b'{').count();
        let values = json.iter().filter(|byte| matches!(byte, b',' | b'[')).count();
        let taken_bytes = (json.len() + objects * size_of::<Round>().max(size_of::<Stage>()) + values * size_of::<String>()) as u64;
        self.has(taken_bytes)?;
        self.left_bytes = self.left_bytes.map(|left_bytes| left_bytes - taken_bytes);
        Ok(())
    }

    pub(crate) fn has(&self, bytes: u64) -> Result<()> {
        match self.left_bytes {
            Some(left_bytes) if left_bytes < bytes => {
                let text = format!("it could take more than {} of memory, half of what is available", binary_size(left_bytes));
                Err(complaint(text, "use a machine with more memory"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_grow_when_they_are_read_need_room() {
        let mut room = RecordRoom::new(Some(2 << 20));
        room.take(&b"{},".repeat(100)).unwrap();
        assert!(room.take(&b"{},".repeat(10_000)).is_err(), "30 kB of text");
        room.take(&vec![b' '; 100_000]).unwrap();
        RecordRoom::new(None).take(&b"{".repeat(10_000)).unwrap();
    }
}
