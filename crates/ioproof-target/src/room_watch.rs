//! Room while a run writes. On a filesystem that writes nothing in place, what is written over keeps its old place for as long as a part of it is in use, or until the filesystem
//! commits; on others a file may take more than its size. How much that comes to is not known beforehand, so whoever writes there is ended before the room of others begins.

use crate::filesystem::{self, Lower, Room, lower};
use crate::free_space::overwriting::{may_share, shared_bytes, writes_elsewhere};
use crate::room_below::stack_of_open;
use crate::system::System;
use ioproof_core::facts::StackNode;
use ioproof_core::units::binary_size;
use rustix::fs::{Mode, OFlags};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// Files of a filesystem whose holes are looked at; where there are more, nobody can tell what of the room they were to take.
const MOST_FILES: usize = 64;

/// A filesystem that is looked at.
#[derive(Debug)]
struct Place {
    /// Files or a folder on it, with their sizes.
    held: Vec<(OwnedFd, u64)>,
    path: String,
    device: u64,
    kind: Kind,
    /// Most that the page cache may hold of what is written to it. Bytes.
    most_dirty_bytes: u64,
    /// Bytes beside the part of others and what the files are still to get, when it was first looked at.
    first_bytes: u64,
    /// The same at the last look.
    last_bytes: u64,
    /// Free bytes beside the part of others at the last look.
    last_free_bytes: u64,
    /// True where there was any room beside the part of others then.
    had_room: bool,
}

/// The ways in which writing takes room.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    /// Writing over takes new room.
    elsewhere: bool,
    /// Files get their room only now.
    grows: bool,
}

/// Looks at the room of filesystems while they are written to.
#[derive(Debug, Default)]
pub struct RoomWatch {
    places: Vec<Place>,
    commits: u32,
}

impl RoomWatch {
    /// Watches the filesystem of a file or folder of which `size_bytes` are written, through the page cache or past it, where it writes nothing in place or gives the file its
    /// room only now. An overlay whose upper layer cannot be seen may be one of these.
    pub fn add(&mut self, fd: impl AsFd, path: &str, size_bytes: u64, direct: bool) {
        let known = rustix::fs::fstat(&fd).ok().zip(rustix::io::fcntl_dupfd_cloexec(&fd, 3).ok());
        let Some((stat, held)) = known else { return };
        let elsewhere = writes_elsewhere(fd.as_fd());
        let is_file = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
        let grows = is_file && hole_bytes(&held, size_bytes) > 0 || matches!(lower(&fd), Some(Lower::Unseen));
        if !(elsewhere || grows || is_file && may_share(fd.as_fd())) {
            return;
        }
        let kind = Kind { elsewhere, grows };
        let most_dirty_bytes = if direct { 0 } else { size_bytes };
        match self.places.iter_mut().find(|place| place.device == stat.st_dev) {
            Some(place) => place.add(held, size_bytes, most_dirty_bytes, kind),
            None => {
                let (path, device) = (path.to_owned(), stat.st_dev);
                self.places.push(Place::new(vec![(held, size_bytes)], path, device, most_dirty_bytes, kind));
            }
        }
    }

    /// Watches that of a file or folder by its path.
    pub fn add_path(&mut self, path: &str, size_bytes: u64) {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        if Path::new(path).metadata().is_ok_and(|meta| meta.is_file() || meta.is_dir())
            && let Ok(fd) = rustix::fs::open(path, flags, Mode::empty())
        {
            self.add(fd, path, size_bytes, false);
        }
    }

    /// Watches those of the files of loop devices below an open file.
    pub fn add_below_open(&mut self, system: &System, file: impl AsFd) {
        stack_of_open(system, file).iter().for_each(|stack| self.add_below(stack));
    }

    /// Watches those of the files of loop devices in a stack.
    pub fn add_below(&mut self, stack: &StackNode) {
        if let Some(file) = &stack.backing_file {
            self.add_path(file, stack.size_bytes);
        }
        stack.under.iter().for_each(|under| self.add_below(under));
    }

    /// The same with the room that there is now, before anything is written.
    #[must_use]
    pub fn begun(mut self) -> Self {
        self.places.iter_mut().for_each(Place::begin);
        self
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
    fn new(held: Vec<(OwnedFd, u64)>, path: String, device: u64, most_dirty_bytes: u64, kind: Kind) -> Self {
        Self { held, path, device, kind, most_dirty_bytes, first_bytes: 0, last_bytes: 0, last_free_bytes: 0, had_room: false }
    }

    fn add(&mut self, held: OwnedFd, size_bytes: u64, most_dirty_bytes: u64, kind: Kind) {
        self.most_dirty_bytes = self.most_dirty_bytes.saturating_add(most_dirty_bytes);
        self.kind.elsewhere |= kind.elsewhere;
        self.kind.grows |= kind.grows;
        if self.held.len() <= MOST_FILES {
            self.held.push((held, size_bytes));
        }
    }

    fn begin(&mut self) {
        self.first_bytes = self.spare_bytes().unwrap_or(u64::MAX);
        self.last_bytes = self.first_bytes;
        self.last_free_bytes = self.free_bytes().unwrap_or(0);
        self.had_room = self.last_free_bytes > 0;
    }

    fn free_bytes(&self) -> Option<u64> {
        free_bytes(&self.held.first()?.0)
    }

    /// Free bytes beside what the files are still to get.
    fn spare_bytes(&self) -> Option<u64> {
        Some(self.free_bytes()?.saturating_sub(self.hole_bytes()))
    }

    fn look(&mut self, dirty_bytes: u64, commits: &mut u32) -> Option<String> {
        let free_bytes = self.free_bytes()?;
        if !self.kind.elsewhere || self.held.len() > MOST_FILES || self.first_bytes == 0 {
            // Where there was none from the beginning, what is written has its room already.
            let earlier_bytes = self.last_free_bytes;
            if !(self.is_going(free_bytes) && self.had_room) {
                return None;
            }
            // A filesystem may set more aside for what the page cache still holds than that takes, as XFS does.
            *commits += 1;
            let _ = rustix::fs::syncfs(&self.held.first()?.0);
            let free_bytes = self.free_bytes()?;
            self.last_free_bytes = earlier_bytes;
            return self.is_going(free_bytes).then(|| self.reason(free_bytes));
        }
        let now_bytes = self.spare_bytes()?;
        let taken_bytes = self.last_bytes.saturating_sub(now_bytes).saturating_mul(2);
        self.last_bytes = now_bytes;
        let still_bytes = dirty_bytes.min(self.most_dirty_bytes);
        if now_bytes > taken_bytes.max(self.first_bytes / 8).saturating_add(still_bytes) {
            return None;
        }
        // Room comes back when the filesystem commits, so it is told to before its end is said.
        *commits += 1;
        let _ = rustix::fs::syncfs(&self.held.first()?.0);
        self.last_bytes = self.spare_bytes()?;
        (self.last_bytes <= self.first_bytes / 4).then(|| self.reason(self.last_bytes))
    }

    /// True where the room beside the part of others would end before the next look. What these files alone still lack was found to be there, so that is no reason.
    fn is_going(&mut self, free_bytes: u64) -> bool {
        let taken_bytes = self.last_free_bytes.saturating_sub(free_bytes);
        self.last_free_bytes = free_bytes;
        if free_bytes > taken_bytes.saturating_mul(3) {
            return false;
        }
        let others_take = self.held.len() <= MOST_FILES && self.hole_bytes() > free_bytes;
        // Where nothing goes, nothing is taken, and a large file has many extents to look at.
        others_take || free_bytes == 0 && self.kind.grows || taken_bytes > 0 && self.shared_bytes() > free_bytes
    }

    /// Bytes that copies have in common with what is written: writing over them takes room.
    fn shared_bytes(&self) -> u64 {
        self.held.iter().map(|(file, _)| shared_bytes(file.as_fd())).fold(0, u64::saturating_add)
    }

    fn hole_bytes(&self) -> u64 {
        self.held.iter().map(|(file, size_bytes)| hole_bytes(file, *size_bytes)).fold(0, u64::saturating_add)
    }

    fn reason(&self, left_bytes: u64) -> String {
        let (path, left) = (&self.path, binary_size(left_bytes));
        match self.kind.elsewhere {
            true => format!("what is written over at {path} takes new room, and only {left} are left beside what stays free for others"),
            false => format!("what is written at {path} takes room, and {left} are free there beside what is left to others"),
        }
    }
}

/// Bytes that a file of such a size has no room for yet; none of a folder.
fn hole_bytes(file: &OwnedFd, size_bytes: u64) -> u64 {
    let stat = rustix::fs::fstat(file).ok().filter(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file());
    stat.map_or(0, |stat| size_bytes.saturating_sub(u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512)))
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
