//! The mark of a file that this program wrote: an extended attribute with the length and a digest of the content.
//!
//! The digest tells a change from none; it is no seal against somebody who forges one, who could as well write the file himself.

use ioproof_core::splitmix::mixed;
use rustix::fs::XattrFlags;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;

/// Name of the attribute.
const ATTRIBUTE: &str = "user.ioproof.output";

/// The attribute of a file that is still being written, under a name of its own.
const UNFINISHED: &str = "unfinished";

/// The attribute of a file of the state folder, which is no output that a user could have replaced by another.
const STATE: &str = "state";

/// A file that is larger is not read to find out whether it is ours. Bytes.
const MOST_BYTES: u64 = 4 << 30;

/// The length of one read. Bytes.
const PIECE_BYTES: usize = 1 << 18;

/// Length and digest of what was written so far.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    lanes: [u64; 2],
    /// Bytes of a word that is not whole yet.
    rest: [u8; 8],
    size_bytes: u64,
}

impl Mark {
    pub(super) fn new() -> Self {
        Self { lanes: [0x10f0_70af, 0x6d61_726b], rest: [0; 8], size_bytes: 0 }
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Takes in what was written.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let at = (self.size_bytes % 8) as usize;
            self.rest[at] = *byte;
            self.size_bytes += 1;
            if at == 7 {
                self.take(u64::from_le_bytes(self.rest));
                self.rest = [0; 8];
            }
        }
    }

    fn take(&mut self, word: u64) {
        self.lanes = [mixed(self.lanes[0] ^ word), mixed(self.lanes[1].rotate_left(23).wrapping_add(word))];
    }

    /// `1 LENGTH DIGEST`; the first is the version.
    fn text(&self) -> String {
        let mut whole = self.clone();
        whole.take(u64::from_le_bytes(self.rest));
        whole.take(self.size_bytes);
        format!("1 {} {:016x}{:016x}", self.size_bytes, whole.lanes[0], whole.lanes[1])
    }
}

/// Sets the mark. A filesystem without extended attributes is no error: there the caller's check decides.
pub(super) fn write(file: &File, mark: &Mark) {
    let _ = rustix::fs::fsetxattr(file, ATTRIBUTE, mark.text().as_bytes(), XattrFlags::empty());
}

/// True if somebody keeps attributes of his own on a file, which are data though it is empty; true too where there are more than anybody reads.
pub(super) fn has_of_others(file: impl AsFd) -> bool {
    let mut names = [0u8; 4096];
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    match rustix::fs::listxattr(path, &mut names[..]) {
        Ok(length) => {
            names[..length].split(|byte| *byte == 0).any(|name| name.starts_with(b"user.") && !name.starts_with(b"user.ioproof."))
        }
        Err(error) => error == rustix::io::Errno::RANGE,
    }
}

/// Marks a file that has no content yet, so that it can be told if its writer is killed. False where the filesystem takes no such mark.
pub(super) fn begin(file: impl AsFd) -> bool {
    rustix::fs::fsetxattr(file, ATTRIBUTE, UNFINISHED.as_bytes(), XattrFlags::empty()).is_ok()
}

/// Marks a whole file of the state folder.
pub(super) fn write_state(file: impl AsFd) {
    let _ = rustix::fs::fsetxattr(file, ATTRIBUTE, STATE.as_bytes(), XattrFlags::empty());
}

/// The mark of a file, whatever it says.
pub(super) fn read(file: impl AsFd) -> Option<String> {
    let mut text = [0u8; 128];
    let length = rustix::fs::fgetxattr(file, ATTRIBUTE, &mut text[..]).ok()?;
    Some(String::from_utf8_lossy(&text[..length]).into_owned())
}

/// True if a mark is of a file that is ours under a temporary name, whatever it holds: unfinished, or on its way to a name in the state folder.
pub(super) fn is_on_its_way(mark: &str) -> bool {
    [UNFINISHED, STATE].contains(&mark)
}

/// True if the mark is that of the content, which is read to its end.
pub(super) fn fits(mark: &str, file: &File, size_bytes: u64) -> bool {
    let said = mark.split(' ').nth(1).and_then(|length| length.parse().ok());
    said == Some(size_bytes) && size_bytes <= MOST_BYTES && of(file).is_ok_and(|content| content.text() == mark)
}

fn of(file: &File) -> io::Result<Mark> {
    // A filesystem of a server or of a program may have changed below pages that the kernel holds for it.
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    let (mut mark, mut piece) = (Mark::new(), vec![0; PIECE_BYTES]);
    loop {
        match file.read_at(&mut piece, mark.size_bytes) {
            Ok(0) => return Ok(mark),
            Ok(_) if mark.size_bytes > MOST_BYTES => return Err(io::ErrorKind::FileTooLarge.into()),
            Ok(count) => mark.add(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn every_byte_and_the_length_count_however_they_were_added() {
        let text = |pieces: &[&[u8]]| {
            let mut mark = Mark::new();
            pieces.iter().for_each(|piece| mark.add(piece));
            mark.text()
        };
        let whole = text(&[b"a report of nineteen"]);
        assert_eq!(whole, text(&[b"a re", b"port of n", b"", b"ineteen"]));
        for other in [&b"a report of nineteem"[..], b"A report of nineteen", b"a report of nineteen\0", b"a report of ninetee"] {
            assert_ne!(whole, text(&[other]));
        }
        assert_ne!(text(&[b"\0"]), text(&[b"\0\0"]));
    }

    #[test]
    fn a_mark_fits_the_content_alone() {
        let mut file = tempfile::tempfile().unwrap();
        let content = vec![7u8; PIECE_BYTES + 3];
        file.write_all(&content).unwrap();
        let mut mark = Mark::new();
        mark.add(&content);
        let size = content.len() as u64;
        assert!(
            fits(&mark.text(), &file, size)
                && !fits(&mark.text(), &file, size + 1)
                && !fits("", &file, size)
                && !fits("unfinished", &file, size)
        );
        file.write_all(b"x").unwrap();
        assert!(!fits(&mark.text(), &file, size + 1) && !fits(&mark.text(), &file, size));
    }
}
