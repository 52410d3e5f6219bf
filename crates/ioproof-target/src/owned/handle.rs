//! The open target: what the permit gives to the engine. Only this crate makes one.

use crate::block::character::Character;
use crate::owned::named_files::NamedFiles;
use crate::owned::named_scratch::ScratchName;
use crate::owned::passthrough::Passthrough;
use ioproof_core::shape::Growth;
use ioproof_nvme::Drive;
use rustix::fs::{FallocateFlags, Mode, OFlags};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::sync::Arc;

/// Answers of the kernel about what has no pages that could be written back, or where it does not say.
const NO_PAGES: [Errno; 5] = [Errno::SPIPE, Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::PERM];

/// An open target, with what may be done to it.
#[derive(Debug)]
pub struct Handle {
    fd: Arc<OwnedFd>,
    may_write: bool,
    may_read: bool,
    direct: bool,
    size_bytes: u64,
    alignment_bytes: u32,
    /// Multiple of bytes that the target takes past the page cache, however it is open.
    direct_alignment_bytes: u32,
    is_scratch: bool,
    reserves: bool,
    takes_nvme_commands: bool,
    takes_scsi_commands: bool,
    character: Option<Character>,
    /// A drive that was taken from the kernel; the descriptor is then of no use.
    drive: Option<Drive>,
    named: Option<Arc<NamedFiles>>,
    /// Goes with it.
    _name: Option<ScratchName>,
    notes: Vec<String>,
}

impl Handle {
    pub(crate) fn new(fd: OwnedFd, may_read: bool, may_write: bool, direct: bool, size_bytes: u64, alignment_bytes: u32) -> Self {
        Self {
            fd: Arc::new(fd),
            may_write,
            may_read,
            direct,
            size_bytes,
            alignment_bytes,
            direct_alignment_bytes: alignment_bytes,
            is_scratch: false,
            reserves: false,
            takes_nvme_commands: false,
            takes_scsi_commands: false,
            character: None,
            drive: None,
            named: None,
            _name: None,
            notes: Vec::new(),
        }
    }

    /// As one of files by their names, in the place of their content.
    pub(crate) fn of_names(self, named: NamedFiles) -> Self {
        Self { named: Some(Arc::new(named)), ..self }
    }

    /// The names, where calls are made on files by their names and none of them is open.
    #[must_use]
    pub fn named(&self) -> Option<&Arc<NamedFiles>> {
        self.named.as_ref()
    }

    /// As one of a file that only this program knows, which may be made anew.
    pub(crate) fn of_scratch(self, name: Option<ScratchName>, reserves: bool) -> Self {
        Self { is_scratch: true, reserves, _name: name, ..self }
    }

    /// True for a scratch file of a filesystem that sets space aside before it is written (fallocate(2)), as ext2 and some of FUSE do not.
    #[must_use]
    pub fn reserves(&self) -> bool {
        self.reserves
    }

    /// As one of a whole NVMe namespace, whose blocks commands of its own reach by the same numbers.
    pub(crate) fn of_namespace(self, is_namespace: bool) -> Self {
        Self { takes_nvme_commands: is_namespace, ..self }
    }

    /// True where commands to the NVMe namespace that is open reach the bytes of this descriptor, block for block, and it may be written. Those to a partition or a
    /// mapped device reach the drive below it, at other places, past everything that was checked.
    #[must_use]
    pub fn takes_nvme_commands(&self) -> bool {
        self.takes_nvme_commands && self.may_write
    }

    /// As one of a whole SCSI disk, whose blocks commands reach by the same numbers.
    pub(crate) fn of_scsi_disk(self, is_disk: bool) -> Self {
        Self { takes_scsi_commands: is_disk, ..self }
    }

    /// True where commands to the SCSI disk that is open reach the bytes of this descriptor, block for block.
    #[must_use]
    pub fn takes_scsi_commands(&self) -> bool {
        self.takes_scsi_commands
    }

    /// As one of a namespace that has this character device.
    pub(crate) fn with_character(self, character: Option<Character>) -> Self {
        Self { character, ..self }
    }

    /// As one of a drive that was taken from the kernel.
    pub(crate) fn of_drive(self, drive: Drive) -> Self {
        Self { drive: Some(drive), ..self }
    }

    /// The drive, where it was taken from the kernel and this process drives it.
    #[must_use]
    pub fn drive(&self) -> Option<&Drive> {
        self.drive.as_ref()
    }

    /// Makes all that was written durable.
    ///
    /// # Errors
    /// The error of the kernel or of the drive.
    pub fn sync(&self) -> io::Result<()> {
        match &self.drive {
            Some(drive) => Ok(drive.flush()?),
            None => Ok(rustix::fs::fdatasync(&self.fd)?),
        }
    }

    /// True for an NVMe namespace that commands can reach past the block layer.
    #[must_use]
    pub fn takes_passthrough(&self) -> bool {
        self.character.is_some()
    }

    /// True where the target was named by its character device, which takes commands and no plain reads and writes.
    #[must_use]
    pub fn is_character_device(&self) -> bool {
        self.character.as_ref().is_some_and(|character| character.is_given)
    }

    /// Opens the character device of the namespace under the permit of this handle.
    ///
    /// # Errors
    /// Unsupported where it has none, or has metadata beside its blocks; the error of the kernel where the user may not open it.
    pub fn passthrough(&self) -> io::Result<Passthrough> {
        let none = || io::Error::new(io::ErrorKind::Unsupported, "it has no NVMe character device (/dev/ng0n1)");
        Passthrough::open(self.character.as_ref().ok_or_else(none)?, self.may_write, self.fd.as_fd())
    }

    pub(crate) fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }

    /// After the file was made larger. Bytes.
    pub(crate) fn set_size(&mut self, size_bytes: u64) {
        self.size_bytes = size_bytes;
    }

    /// The same target by a descriptor of its own, through the page cache or past it. The permit goes with it.
    ///
    /// # Errors
    /// When the filesystem knows no `O_DIRECT` (EINVAL), or descriptors run out.
    pub fn again(&self, direct: bool) -> io::Result<Self> {
        if let Some(drive) = &self.drive {
            // What hands it to this process opens once only.
            let (fd, drive, notes) = (self.fd.clone(), Some(drive.clone()), self.notes.clone());
            return Ok(Self { fd, drive, notes, _name: None, character: None, named: None, ..*self });
        }
        let mode = match (self.may_read, self.may_write) {
            (_, false) => OFlags::RDONLY,
            (false, true) => OFlags::WRONLY,
            (true, true) => OFlags::RDWR,
        };
        let flags = if direct { mode | OFlags::DIRECT } else { mode };
        let path = format!("/proc/self/fd/{}", self.fd.as_raw_fd());
        let fd = rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())?;
        let alignment_bytes = if direct { self.direct_alignment_bytes } else { 1 };
        Ok(Self {
            fd: Arc::new(fd),
            direct,
            alignment_bytes,
            _name: None,
            notes: self.notes.clone(),
            character: self.character.clone(),
            drive: None,
            named: self.named.clone(),
            ..*self
        })
    }

    /// Gives up writing for good: from here on its descriptor only reads, so that the kernel can tell whether somebody else has the target open for writing.
    /// One that may not be read stays as it is.
    pub(crate) fn rest(&mut self) {
        let path = format!("/proc/self/fd/{}", self.fd.as_raw_fd());
        if let Ok(fd) = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
            (self.fd, self.may_write, self.direct, self.alignment_bytes) = (Arc::new(fd), false, false, 1);
        }
    }

    /// Makes a scratch file anew, as a load wants to find it: with the blocks that it has, empty, or with space set aside.
    ///
    /// # Errors
    /// When it is no scratch file (EPERM), or there is no room, or the filesystem cannot set space aside.
    pub fn begin_anew(&self, growth: Growth) -> io::Result<()> {
        let flags = match growth {
            Growth::Overwrite => return Ok(()),
            _ if !self.is_scratch => return Err(io::Error::from_raw_os_error(libc::EPERM)),
            Growth::Append => None,
            Growth::AppendReserved => Some(FallocateFlags::KEEP_SIZE),
            Growth::Reserved => Some(FallocateFlags::empty()),
        };
        rustix::fs::ftruncate(&self.fd, 0)?;
        if let Some(flags) = flags {
            rustix::fs::fallocate(&self.fd, flags, 0, self.size_bytes)?;
        }
        // What the change itself costs is no part of the first write.
        Ok(rustix::fs::fsync(&self.fd)?)
    }

    /// Closes a second descriptor of it, so that a filesystem that tells failed writes only when a file is closed (close(2): NFS, quotas, FUSE) tells them now.
    ///
    /// # Errors
    /// What it tells, or when there is no descriptor left.
    pub fn close_once(&self) -> io::Result<()> {
        let second = rustix::io::fcntl_dupfd_cloexec(&self.fd, 3)?.into_raw_fd();
        // SAFETY: the descriptor was made here and is used nowhere else; after an error too it is gone on Linux.
        match unsafe { libc::close(second) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Error of bringing to the drive what went through the page cache since it was opened, where the kernel knows of one by now. Nothing is waited for.
    #[must_use]
    pub fn write_back_error(&self) -> Option<Errno> {
        // Behind all pages: where nothing is waited for, only errors that were noted are told, and each once a descriptor (mm/filemap.c, file_check_and_advance_wb_err).
        const BEHIND_ALL: i64 = i64::MAX - 1;
        // SAFETY: the descriptor is open for as long as `self` is; nothing of this process's memory is touched.
        let told = unsafe { libc::sync_file_range(self.fd.as_raw_fd(), BEHIND_ALL, 1, libc::SYNC_FILE_RANGE_WAIT_BEFORE) };
        let error = (told != 0).then(io::Error::last_os_error)?;
        Errno::from_io_error(&error).filter(|errno| !NO_PAGES.contains(errno))
    }

    /// Tells the page cache to forget what it holds of the target; what was written and not synced stays.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn drop_cache(&self) -> io::Result<()> {
        Ok(rustix::fs::fadvise(&self.fd, 0, None, rustix::fs::Advice::DontNeed)?)
    }

    /// The descriptor, for a worker that may outlive the handle. It takes no further one of the process.
    #[must_use]
    pub fn shared(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.fd)
    }

    /// True if the permit covers writing.
    #[must_use]
    pub fn may_write(&self) -> bool {
        self.may_write
    }

    /// True if it can be read.
    #[must_use]
    pub fn may_read(&self) -> bool {
        self.may_read
    }

    /// True if it is open with `O_DIRECT`.
    #[must_use]
    pub fn direct(&self) -> bool {
        self.direct
    }

    /// Size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Smallest unit of I/O in bytes.
    #[must_use]
    pub fn alignment_bytes(&self) -> u32 {
        self.alignment_bytes
    }

    /// Notes for the user on how it was opened: "leases are not supported here, so other users of the file stay unseen".
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
