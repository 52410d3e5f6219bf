//! Growth of a file: how long it must be, and how much of it may be written.

/// The growth of a regular file that jobs ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Growth {
    /// The size that it must have. Bytes.
    pub size_bytes: u64,
    /// The part that is reserved or filled where it is not as large yet. Bytes.
    pub laid_out_bytes: u64,
    /// Most that is written of it. Bytes.
    pub written_bytes: u64,
    /// Size of the smallest writes, where they may go anywhere in it: each takes whole blocks of its filesystem. 0: they leave nothing out. Bytes.
    pub least_write_bytes: u64,
    /// Nothing is written beyond so much of it. Bytes.
    pub span_bytes: u64,
}

impl Growth {
    /// One of which all of these bytes are written.
    #[must_use]
    pub fn of_all(size_bytes: u64, written_bytes: u64) -> Self {
        Self { size_bytes, laid_out_bytes: 0, written_bytes, least_write_bytes: 0, span_bytes: written_bytes }
    }

    /// The same with what another job writes of it, maybe elsewhere.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let span_bytes = self.span_bytes.max(other.span_bytes).max(self.size_bytes).max(other.size_bytes);
        let least = [self.least_write_bytes, other.least_write_bytes].into_iter().filter(|bytes| *bytes > 0).min();
        Self {
            size_bytes: self.size_bytes.max(other.size_bytes),
            laid_out_bytes: self.laid_out_bytes.max(other.laid_out_bytes),
            written_bytes: self.written_bytes.saturating_add(other.written_bytes),
            least_write_bytes: least.unwrap_or(0),
            span_bytes,
        }
    }

    /// Most that is written, in whole blocks of a filesystem.
    pub(super) fn written_in_blocks(&self, block_bytes: u64) -> u64 {
        let written = self.written_bytes.min(self.span_bytes);
        if self.least_write_bytes == 0 || block_bytes == 0 || self.least_write_bytes.is_multiple_of(block_bytes) {
            return written;
        }
        let writes = self.written_bytes.div_ceil(self.least_write_bytes);
        let all = match block_bytes.is_multiple_of(self.least_write_bytes) {
            true => writes.saturating_mul(block_bytes),
            // Each may begin and end within a block.
            false => self.written_bytes.saturating_add(writes.saturating_mul(2 * block_bytes)),
        };
        all.min(self.span_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_writes_anywhere_take_whole_blocks() {
        let taken = |written_bytes, least_write_bytes| {
            Growth { least_write_bytes, span_bytes: 1 << 30, ..Growth::of_all(1 << 30, written_bytes) }.written_in_blocks(4096)
        };
        assert_eq!([taken(1 << 20, 4096), taken(1 << 20, 65_536), taken(1 << 20, 0)], [1 << 20; 3]);
        assert_eq!((taken(1 << 20, 512), taken(6000, 6000)), (8 << 20, 6000 + 8192));
        assert_eq!((taken(1 << 29, 512), taken(u64::MAX, 512)), (1 << 30, 1 << 30), "never more than there is");
        let one = Growth { least_write_bytes: 512, span_bytes: 1 << 20, ..Growth::of_all(1 << 20, 1 << 19) };
        let both = one.and(Growth { least_write_bytes: 4096, ..one });
        assert_eq!((both.written_bytes, both.least_write_bytes, both.written_in_blocks(512)), (1 << 20, 512, 1 << 20));
    }
}
