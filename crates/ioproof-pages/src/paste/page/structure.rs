//! A structure of a drive that an output prints number by number, put together again as bytes, each with the line that told it.
//!
//! Deliberately absent: the meaning of the bytes, which `structure_fields` knows.

/// Length of Identify Controller and of Identify Namespace.
pub(crate) const LENGTH_BYTES: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct Structure {
    bytes: Vec<u8>,
    /// The line that told each byte; 0 for those that were not told.
    lines: Vec<usize>,
}

impl Structure {
    pub fn put(&mut self, at: usize, length: usize, number: u128, line: usize) -> bool {
        let bytes = number.to_le_bytes();
        let fits = length <= bytes.len() && at + length <= LENGTH_BYTES && bytes[length..].iter().all(|byte| *byte == 0);
        if !fits {
            return false;
        }
        self.bytes.resize(LENGTH_BYTES, 0);
        self.lines.resize(LENGTH_BYTES, 0);
        self.bytes[at..at + length].copy_from_slice(&bytes[..length]);
        self.lines[at..at + length].fill(line);
        true
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn line(&self, at: usize) -> usize {
        self.lines[at]
    }

    pub fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub fn is_told(&self, at: usize, length: usize) -> bool {
        self.lines.get(at..at + length).is_some_and(|lines| lines.iter().all(|line| *line > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let mut structure = Structure::default();
        assert!(structure.put(256, 2, 0xffff, 3) && !structure.put(256, 2, 0x1_0000, 4) && !structure.put(4095, 2, 1, 5));
        assert_eq!(
            (structure.bytes[256], structure.lines[257], structure.is_told(256, 2), structure.is_told(256, 3)),
            (0xff, 3, true, false)
        );
        assert!(!Structure::default().is_told(0, 1));
    }
}
