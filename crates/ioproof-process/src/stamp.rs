//! The stamp at the end of a run file: a digest of all the rest, by which whoever reads it knows that it is whole.

use crate::digest::sha256;

const DIGITS: usize = 64;

/// The form of a stamp: what stands before and behind the digest, and how a file ends without it.
#[derive(Debug, Clone, Copy)]
pub struct FileStamp {
    /// Between the rest and the digest.
    pub before: &'static str,
    /// Between the digest and the end.
    pub after: &'static str,
    pub end: &'static str,
}

impl FileStamp {
    /// Adds the stamp; text that does not end as it must stays as it is.
    pub fn stamped(self, mut bytes: Vec<u8>) -> Vec<u8> {
        if !bytes.ends_with(self.end.as_bytes()) {
            return bytes;
        }
        let digest = self.digest(&bytes[..bytes.len() - self.end.len()]);
        bytes.truncate(bytes.len() - self.end.len());
        bytes.extend_from_slice([self.before, &digest, self.after, self.end].concat().as_bytes());
        bytes
    }

    /// True if a file of these bytes bears the stamp of its own content.
    pub fn fits(self, bytes: &[u8]) -> bool {
        let found = || {
            let rest = bytes.strip_suffix(self.end.as_bytes())?.strip_suffix(self.after.as_bytes())?;
            let (rest, digest) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
            Some((rest.strip_suffix(self.before.as_bytes())?, digest))
        };
        found().is_some_and(|(rest, digest)| self.digest(rest).as_bytes() == digest)
    }

    fn digest(self, rest: &[u8]) -> String {
        sha256(&[rest, self.end.as_bytes()])
    }
}
