//! Room while a run writes: on a filesystem that writes nothing in place, what is written over keeps its old place for as long as a part of it is in use, or until the filesystem
//! commits. How much that comes to is not known beforehand, so whoever writes there is ended before the room of others begins.

use crate::filesystem::{self, Room, Upper, upper};
use crate::free_space::overwriting::writes_elsewhere;
use crate::system::System;
use ioproof_core::facts::StackNode;
use ioproof_core::units::binary_size;
use rustix::fs::{Mode, OFlags};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// A filesystem that is looked at.
#[derive(Debug)]
struct Place {
    /// A file or folder on it.
    held: OwnedFd,
    path: String,
    device: u64,
    /// Most that the page cache may hold of what is written to it. Bytes.
    most_dirty_bytes: u64,
    /// Free bytes beside the part of others when it was first looked at.
    first_bytes: u64,
    /// The same at the last look.
    last_bytes: u64,
}

/// Looks at the room of filesystems while they are written to.
#[derive(Debug, Default)]
pub struct RoomWatch {
    places: Vec<Place>,
    commits: u32,
}

impl RoomWatch {
    /// Watches the filesystem of a file or folder, where it writes nothing in place, and `most_bytes` of it may be dirty in the page cache. An overlay whose upper layer cannot be
    /// seen may lie on one of these.
    pub fn add(&mut self, fd: impl AsFd, path: &str, most_bytes: u64) {
        let known = rustix::fs::fstat(&fd).ok().zip(rustix::io::fcntl_dupfd_cloexec(&fd, 3).ok());
        let Some((stat, held)) = known.filter(|_| writes_elsewhere(fd.as_fd()) || matches!(upper(&fd), Some(Upper::Unseen))) else {
            return;
        };
        if let Some(place) = self.places.iter_mut().find(|place| place.device == stat.st_dev) {
            place.most_dirty_bytes = place.most_dirty_bytes.saturating_add(most_bytes);
            return;
        }
        let free_bytes = free_bytes(&held).unwrap_or(u64::MAX);
        let place = Place {
            held,
            path: path.into(),
            device: stat.st_dev,
            most_dirty_bytes: most_bytes,
            first_bytes: free_bytes,
            last_bytes: free_bytes,
        };
        self.places.push(place);
    }

    /// Watches those of a file or folder by its path, and of the files of loop devices below it.
    pub fn add_path(&mut self, path: &str, most_bytes: u64) {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        if Path::new(path).metadata().is_ok_and(|meta| meta.is_file() || meta.is_dir())
            && let Ok(fd) = rustix::fs::open(path, flags, Mode::empty())
        {
            self.add(fd, path, most_bytes);
        }
    }

    /// Watches those of the files of loop devices in a stack.
    pub fn add_below(&mut self, stack: &StackNode) {
        if let Some(file) = &stack.backing_file {
            self.add_path(file, stack.size_bytes);
        }
        stack.under.iter().for_each(|under| self.add_below(under));
    }

    /// Times that a filesystem was told to commit, so that it gives back what was written over.
    #[must_use]
    pub fn commits(&self) -> u32 {
        self.commits
    }

    /// Says why whoever writes must end; `None` while there is room.
    pub fn look(&mut self, system: &System) -> Option<String> {
        if self.places.is_empty() {
            return None;
        }
        let dirty_bytes = dirty_bytes(system);
        let Self { places, commits } = self;
        places.iter_mut().find_map(|place| place.look(dirty_bytes, commits))
    }
}

impl Place {
    /// Room comes back when the filesystem commits, so it is told to before its end is said.
    fn look(&mut self, dirty_bytes: u64, commits: &mut u32) -> Option<String> {
        let now_bytes = free_bytes(&self.held)?;
        let taken_bytes = self.last_bytes.saturating_sub(now_bytes).saturating_mul(2);
        self.last_bytes = now_bytes;
        let still_bytes = dirty_bytes.min(self.most_dirty_bytes);
        if now_bytes > taken_bytes.max(self.first_bytes / 8).saturating_add(still_bytes) {
            return None;
        }
        *commits += 1;
        let _ = rustix::fs::syncfs(&self.held);
        self.last_bytes = free_bytes(&self.held)?;
        (self.last_bytes <= self.first_bytes / 4).then(|| self.reason())
    }

    fn reason(&self) -> String {
        let path = &self.path;
        let left = binary_size(self.last_bytes);
        format!("what is written over at {path} takes new room, and only {left} are left beside what stays free for others")
    }
}

/// Free bytes beside the part that is left to others.
fn free_bytes(fd: &OwnedFd) -> Option<u64> {
    let room: Room = filesystem::room(fd).ok()?;
    Some(room.free_bytes.saturating_sub(room.keep_bytes()))
}

/// Bytes that the page cache of this machine still has to write (proc(5), meminfo).
fn dirty_bytes(system: &System) -> u64 {
    let text = system.proc_text("meminfo").unwrap_or_default();
    let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let all = ["Dirty:", "Writeback:"].into_iter().filter_map(of).sum::<u64>();
    all.saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    #[test]
    fn what_waits_in_the_page_cache_is_the_sum_of_two_lines() {
        let tree = Tree::new();
        tree.write("proc/meminfo", "MemTotal:  1 kB\nDirty:       12 kB\nWriteback:    3 kB\nWritebackTmp:  9 kB\n");
        assert_eq!(dirty_bytes(&tree.system()), 15 * 1024);
        tree.write("proc/meminfo", "Dirty: much\n");
        assert_eq!(dirty_bytes(&tree.system()), 0);
    }
}
