//! Bytes of a message, taken from the front.

/// A message that does not say what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);

const SHORT: Malformed = Malformed("a message that ends early");

/// Rest of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageReader<'a> {
    left: &'a [u8],
}

impl<'a> MessageReader<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
    }

    pub(crate) fn left(&self) -> usize {
        self.left.len()
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.left)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (first, left) = self.left.split_first_chunk().ok_or(SHORT)?;
        self.left = left;
        Ok(*first)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Malformed> {
        self.array().map(i64::from_le_bytes)
    }

    /// A text behind its length.
    pub(crate) fn text(&mut self) -> Result<String, Malformed> {
        let length = usize::from(self.u16()?);
        let (text, left) = self.left.split_at_checked(length).ok_or(SHORT)?;
        self.left = left;
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// Holds that nothing is left.
    pub(crate) fn end(&self) -> Result<(), Malformed> {
        if self.left.is_empty() { Ok(()) } else { Err(Malformed("a message with more than belongs to it")) }
    }
}
