//! The key that the witness and those who speak to it share: 256 random bits, in a file that only its owner may read.

use crate::hex;
use crate::random::random;
use hmac::{Hmac, KeyInit};
use ioproof_target::{folder_of, open_regular};
use rustix::fs::{Mode, OFlags};
use sha2::Sha256;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// More than this is no key file.
const FILE_BYTES_MAX: u64 = 4096;

/// Rights of everybody but the owner.
const RIGHTS_OF_OTHERS: u32 = 0o077;

/// A shared key.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

/// Reason for which a key file is of no use.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The system refuses.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It does not hold 64 hexadecimal digits in a line.
    #[error("it is no key: a key is a line of 64 hexadecimal digits")]
    NoKey,
    /// Others may read it.
    #[error("others may read it (mode {0:04o}); chmod 600 takes that away")]
    OpenToOthers(u32),
}

impl Key {
    /// Draws a new one.
    ///
    /// # Errors
    /// When the kernel gives no random bytes.
    pub fn draw() -> io::Result<Self> {
        Ok(Self(random()?))
    }

    /// A key of these bytes.
    #[must_use]
    pub fn of(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads the text of a key file: 64 hexadecimal digits, with space around them.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        hex::bytes(text.trim()).map(Self).ok_or(KeyError::NoKey)
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// When it cannot be read, others may read it, or it is no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let file = open_regular(path)?;
        let mode = file.metadata()?.mode() & 0o7777;
        if mode & RIGHTS_OF_OTHERS != 0 {
            return Err(KeyError::OpenToOthers(mode));
        }
        let mut text = String::new();
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(|_| KeyError::NoKey)?;
        Self::parse(&text)
    }

    /// Draws a key into a new file, which only its owner may read.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something bears the name; else when the system refuses.
    pub fn make_file(path: &Path) -> io::Result<Self> {
        let key = Self::draw()?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
        writeln!(file, "{}", hex::digits(&key.0))?;
        file.sync_all()?;
        File::open(folder_of(path))?.sync_all()?;
        Ok(key)
    }

    /// The start of an HMAC-SHA256 with this key.
    pub(crate) fn mac(&self) -> Hmac<Sha256> {
        mac(&self.0)
    }
}

/// The start of an HMAC-SHA256 with these 256 bits.
pub(crate) fn mac(key: &[u8; 32]) -> Hmac<Sha256> {
    // A key shorter than a block is filled up with zeros (RFC 2104, section 2).
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key);
    Hmac::new(&block.into())
}

/// Says nothing of the key.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_file_is_made_once_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let key = Key::make_file(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
        assert_eq!(Key::read(&path).unwrap(), key);
        assert_eq!(Key::make_file(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        assert!(matches!(Key::read(&path), Err(KeyError::OpenToOthers(0o640))));
        assert_eq!(format!("{key:?}"), "Key");
    }

    #[test]
    fn other_files_are_no_keys() {
        for wrong in ["", "secret", &"0".repeat(63), &"g".repeat(64)] {
            assert!(matches!(Key::parse(wrong), Err(KeyError::NoKey)), "{wrong}");
        }
        assert!(Key::parse(&format!(" {}\n", "0a".repeat(32))).is_ok());
    }
}
