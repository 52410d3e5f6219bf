//! Writes an initramfs: a cpio archive in the "newc" format (kernel: Documentation/driver-api/early-userspace/buffer-format.rst).
//!
//! Made in memory, so that it can hold a device node without anybody being root.

use std::collections::BTreeSet;

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_777;
const CHARACTER_DEVICE: u32 = 0o020_600;

/// An archive that grows.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    paths: BTreeSet<String>,
}

impl Archive {
    /// Adds a file that anyone may read and run, and the folders above it. A path that is already there stays as it is.
    pub fn file(&mut self, path: &str, content: &[u8]) {
        self.entry(path, PROGRAM, (0, 0), content);
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, path: &str, target: &str) {
        self.entry(path, LINK, (0, 0), target.as_bytes());
    }

    /// Adds a character device by its numbers.
    pub fn character_device(&mut self, path: &str, major: u32, minor: u32) {
        self.entry(path, CHARACTER_DEVICE, (major, minor), b"");
    }

    /// True when something is at this path.
    pub fn contains(&self, path: &str) -> bool {
        self.paths.contains(path.trim_start_matches('/'))
    }

    /// The finished archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.write("TRAILER!!!", 0, (0, 0), b"");
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, device: (u32, u32), content: &[u8]) {
        let path = path.trim_start_matches('/');
        for (at, _) in path.match_indices('/') {
            if self.paths.insert(path[..at].to_owned()) {
                self.write(&path[..at], FOLDER, (0, 0), b"");
            }
        }
        if self.paths.insert(path.to_owned()) {
            self.write(path, mode, device, content);
        }
    }

    fn write(&mut self, path: &str, mode: u32, device: (u32, u32), content: &[u8]) {
        let inode = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        let size = u32::try_from(content.len()).unwrap_or(u32::MAX);
        let name_size = u32::try_from(path.len() + 1).unwrap_or(u32::MAX);
        // Inode, mode, user, group, links, time, size, device of the file, device it is, length of the name, checksum.
        let fields = [inode, mode, 0, 0, 1, 0, size, 0, 0, device.0, device.1, name_size, 0];
        self.bytes.extend_from_slice(b"070701");
        fields.iter().for_each(|field| self.bytes.extend_from_slice(format!("{field:08X}").as_bytes()));
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    /// Header with name, and content, each end at a multiple of four.
    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, modes and contents, read back by the format's own rules.
    fn read(bytes: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
        let mut at = 0;
        let mut entries = Vec::new();
        while at < bytes.len() {
            assert_eq!(&bytes[at..at + 6], b"070701", "at {at}");
            let field = |i: usize| {
                let digits = std::str::from_utf8(&bytes[at + 6 + 8 * i..at + 14 + 8 * i]).unwrap();
                u32::from_str_radix(digits, 16).unwrap()
            };
            let (size, name_size) = (field(6) as usize, field(11) as usize);
            let name = String::from_utf8(bytes[at + 110..at + 110 + name_size - 1].to_vec()).unwrap();
            let start = (at + 110 + name_size).next_multiple_of(4);
            entries.push((name, field(1), bytes[start..start + size].to_vec()));
            at = (start + size).next_multiple_of(4);
        }
        entries
    }

    #[test]
    fn what_goes_in_comes_out() {
        let mut archive = Archive::default();
        archive.file("/bin/tool", b"12345");
        archive.link("bin/sh", "/bin/tool");
        archive.character_device("dev/console", 5, 1);
        let entries = read(&archive.finish());
        let names: Vec<&str> = entries.iter().map(|(name, _, _)| name.as_str()).collect();
        assert_eq!(names, ["bin", "bin/tool", "bin/sh", "dev", "dev/console", "TRAILER!!!"]);
        assert_eq!((entries[1].1, entries[1].2.as_slice()), (PROGRAM, b"12345".as_slice()));
        assert_eq!(entries[2].2, b"/bin/tool");
    }

    #[test]
    fn the_first_of_one_path_stays() {
        let mut archive = Archive::default();
        archive.file("a", b"first");
        archive.file("/a", b"second");
        assert!(archive.contains("/a") && !archive.contains("b"));
        assert_eq!(read(&archive.finish())[0].2, b"first");
    }
}
