//! Makes the backend: the ring, what is registered with it, and a first read of each target, which shows whether commands get through at all.

use super::*;
use crate::backend::uring::reason;
use ioproof_core::record::NVME_PASSTHROUGH;
use ioproof_core::shape::DataCommand;
use rustix::fd::AsFd;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// Longer than the driver waits for a drive before it resets it (nvme_core.io_timeout, 30 s).
const PATIENCE: Duration = Duration::from_secs(90);
/// One wait for the first answer. Nanoseconds.
const WAIT_NS: u64 = 1_000_000_000;

impl Build for Passthrough {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let media = setup.targets.iter().map(OpenMedium::passthrough).collect::<io::Result<Vec<_>>>()?;
        if setup.polled && media.iter().any(|medium| !medium.polls()) {
            return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
        }
        let targets: Box<[Target]> = media.iter().map(|medium| target(medium)).collect::<io::Result<_>>()?;
        let largest = setup.buffers.largest_bytes();
        let least = targets.iter().map(|target| target.most_bytes).min().unwrap_or(largest);
        let (ring, features, fallbacks) = build(setup, setup.depth.saturating_mul(largest.div_ceil(least).max(1)))?;
        let mut made = Self {
            ring,
            targets,
            parts: (0..setup.depth).map(|slot| parts(setup, slot)).collect(),
            ranges: vec![Range::default(); setup.depth as usize].into(),
            pieces: Pieces::new(setup.depth),
            read: Transfer::read(DataCommand::Transfer),
            write: Transfer::write(setup.command, setup.fua || setup.write_flags != 0),
            fixed_bytes: 0,
            aside: Aside::new(setup)?,
            _media: setup.targets.into(),
            registered_buffers: false,
            registered_files: false,
            features: [vec![NVME_PASSTHROUGH.to_owned()], features].concat(),
            fallbacks,
        };
        made.register(setup, least);
        made.try_reads(setup)?;
        made.read = Transfer::read(setup.command);
        Ok(made)
    }
}

fn target(medium: &ioproof_target::Passthrough) -> io::Result<Target> {
    let block_bytes = medium.block_bytes();
    if !block_bytes.is_power_of_two() {
        return Err(io::Error::new(io::ErrorKind::Unsupported, format!("blocks of {block_bytes} bytes are no power of two")));
    }
    let head = Head { operation: operation::URING_CMD, flags: 0, priority: 0, fd: medium.as_fd().as_raw_fd() };
    let namespace = Namespace { id: medium.namespace_id(), block_shift: block_bytes.trailing_zeros() };
    Ok(Target { head, namespace, most_bytes: medium.most_bytes() })
}

fn parts(setup: &BackendSetup, slot: u32) -> [Part; 2] {
    let [read, write] = setup.buffers.places(slot).map(|place| place as u64);
    let part = |pointer: *mut u8, index| Part { address: pointer as u64, index };
    [part(setup.buffers.read_at(slot), read), part(setup.buffers.write_at(slot), write)]
}

impl Passthrough {
    /// Registers buffers, files and the ring, each as far as the kernel can. A kernel takes a registered buffer only as a whole (Linux 6.1,
    /// `blk_rq_map_user_bvec`), so each part is registered for itself, and serves I/Os of the largest size if one command moves that.
    fn register(&mut self, setup: &BackendSetup, most_bytes: u32) {
        let largest = setup.buffers.largest_bytes();
        if largest > most_bytes {
            self.fallbacks
                .push(format!("registered buffers: an I/O of {largest} bytes takes several commands, of at most {most_bytes} bytes each"));
        } else {
            let mut parts = setup.buffers.parts();
            // SAFETY: the worker keeps the buffers until after the ring is dropped.
            let result = unsafe { self.ring.register_buffers(&mut parts) };
            self.registered_buffers = self.note("registered buffers", &result);
            self.fixed_bytes = if self.registered_buffers { largest } else { 0 };
        }
        let mut fds: Vec<i32> = self.targets.iter().map(|target| target.head.fd).collect();
        let result = self.ring.register_files(&mut fds);
        self.registered_files = self.note("registered files", &result);
        if self.registered_files {
            self.targets.iter_mut().zip(0..).for_each(|(target, index)| {
                target.head = Head { flags: FIXED_FILE, fd: index, ..target.head };
            });
        }
        let result = self.ring.register_self();
        self.note("registered ring", &result);
    }

    fn note(&mut self, feature: &str, result: &io::Result<()>) -> bool {
        match reason(feature, result, 0) {
            None => self.features.push(feature.into()),
            Some(reason) => self.fallbacks.push(reason),
        }
        result.is_ok()
    }

    /// Reads once from each target. An error of the drive is left to the job; one of the kernel means that no command would get through.
    fn try_reads(&mut self, setup: &BackendSetup) -> io::Result<()> {
        let bytes = setup.buffers.largest_bytes();
        let part = setup.buffers.read_at(0);
        // SAFETY: the part is as long as the largest I/O, and no I/O is under way.
        let content = unsafe { std::slice::from_raw_parts(part, bytes as usize) }.to_vec();
        let tried = (0..self.targets.len() as u32).try_for_each(|target| self.try_read(target, bytes));
        // SAFETY: as above; the content may be what the slot is to write.
        unsafe { part.copy_from_nonoverlapping(content.as_ptr(), content.len()) };
        tried
    }

    fn try_read(&mut self, target: u32, bytes: u32) -> io::Result<()> {
        let read = Io { operation: IoOperation::Read, slot: 0, target, bytes, offset: 0, priority: 0 };
        let mut answer = self.answer(read)?;
        if answer == -libc::EINVAL && self.fixed_bytes > 0 {
            self.fixed_bytes = 0;
            answer = self.answer(read)?;
            if answer >= 0 {
                self.features.retain(|feature| feature != "registered buffers");
                self.fallbacks.push("registered buffers: this kernel does not take them with NVMe commands".into());
            }
        }
        // Errnos that `status` makes of the drive's answers are no refusal.
        let refused = [libc::EACCES, libc::EPERM, libc::EINVAL, libc::EOPNOTSUPP, libc::ENOTTY, libc::EBADF, libc::EFAULT, libc::ENOMEM];
        let errno = refused.into_iter().find(|errno| answer == -errno);
        errno.map_or(Ok(()), |errno| Err(io::Error::from_raw_os_error(errno)))
    }

    /// Does one I/O and waits for its result.
    fn answer(&mut self, io: Io) -> io::Result<i32> {
        self.push(io);
        let start = Instant::now();
        let mut answer = None;
        while answer.is_none() {
            if start.elapsed() > PATIENCE {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the drive does not answer a read"));
            }
            self.submit(WAIT_NS)?;
            self.reap(|_, result| answer = Some(result));
        }
        Ok(answer.unwrap_or_default())
    }
}
