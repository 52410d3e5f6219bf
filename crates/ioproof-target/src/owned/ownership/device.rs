//! A device that jobs may write, as it was when it was opened for them, so that what somebody puts onto it before the first of them begins is seen.
//!
//! A device has no times that tell a change, so its content is looked at: signatures, both ends, and samples between them at the same places each time. The
//! permit was given for what was there then, be it nothing. Once a job of the run has written, nobody can tell.

use super::changed::Changed;
use crate::block::is_loop;
use crate::guard::Consent;
use crate::guard::in_use;
use crate::owned::handle::Handle;
use crate::signs::image::{FdSource, Image, Source};
use crate::signs::signature;
use crate::system::System;
use crate::system::kernel::loop_status;
use crate::system::patience::lasting;
use crate::system::sample;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Blocks that are read between the ends: some seconds of a drive that turns, in the order in which it likes them.
const SAMPLES: u64 = 1024;

/// Length of a sample. Bytes.
const SAMPLE_BYTES: u64 = 4096;

/// Time after which no further round of samples begins.
const PATIENCE: Duration = Duration::from_secs(2);

/// The seed of the places: the same each time.
const SEED: u64 = 2;

/// A device with what it held.
#[derive(Debug)]
pub(crate) struct Device {
    path: PathBuf,
    handle: Handle,
    held: Held,
    /// Its kernel name.
    name: String,
    /// The consent with which it was opened.
    consent: Consent,
    /// The file behind it and where its bytes begin there, where it is a loop device.
    behind: Option<Behind>,
}

/// Identity of the file behind a loop device, and the offset in it.
type Behind = ((u64, u64), u64);

/// The content of a device as far as it was looked at.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    /// The name of the first signature.
    signature: Option<String>,
    /// Digests: of both ends, then of each round of samples. A slow device has fewer of them.
    digests: Vec<u64>,
}

impl Device {
    /// Looks at a device that is open to be written and past the page cache.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn new(path: &Path, name: &str, consent: &Consent, handle: &Handle) -> io::Result<Self> {
        let handle = handle.again(true)?;
        let held = Held::of(&source(&handle))?;
        let behind = behind(name, &handle);
        Ok(Self { path: path.to_path_buf(), handle, held, name: name.to_owned(), consent: consent.clone(), behind })
    }

    /// Looks for users.
    ///
    /// # Errors
    /// Somebody uses it by now.
    pub(super) fn check_users(&self) -> Result<(), Changed> {
        let reason = lasting(|| in_use(&System::host(), &self.name, &self.consent));
        reason.map_or(Ok(()), |reason| Err(Changed::InUse { path: self.path.clone(), reason }))
    }

    /// Looks at the content again, and gives the bytes that were read for it.
    ///
    /// # Errors
    /// It holds something else than when it was opened, or cannot be read any more.
    pub(super) fn check_content(&self) -> Result<u64, Changed> {
        if behind(&self.name, &self.handle) != self.behind {
            let found = Some("another part of its file, or another file, lies behind it".to_owned());
            return Err(Changed::Device { path: self.path.clone(), found });
        }
        let source = source(&self.handle);
        let found = match Held::of(&source) {
            Ok(now) if now.is_as(&self.held) => return Ok(source.read_bytes()),
            Ok(now) => now.signature.map(|name| format!("it bears a signature of {name}")),
            Err(error) => Some(format!("what it holds cannot be read: {error}")),
        };
        Err(Changed::Device { path: self.path.clone(), found })
    }
}

impl Held {
    fn of(source: &(dyn Source + Sync)) -> io::Result<Self> {
        let image = Image::new(source)?;
        let signature = signature::find(&image)?.first().map(|trace| trace.name.to_string());
        let ends = [image.head(), image.tail().1].concat();
        let mut digests = vec![digest(&ends)];
        let began = Instant::now();
        for round in sample::rounds(image.size_bytes() / SAMPLE_BYTES, SAMPLES, SEED) {
            let mut samples = Vec::new();
            for block in round {
                samples.extend(image.bytes(block * SAMPLE_BYTES, SAMPLE_BYTES as usize)?.unwrap_or_default());
            }
            digests.push(digest(&samples));
            if began.elapsed() > PATIENCE {
                break;
            }
        }
        Ok(Self { signature, digests })
    }

    /// True where nothing differs in what both looked at.
    fn is_as(&self, before: &Self) -> bool {
        self.signature == before.signature && self.digests.iter().zip(&before.digests).all(|(now, then)| now == then)
    }
}

/// Device, inode and offset behind a loop device; none for other devices.
fn behind(name: &str, handle: &Handle) -> Option<Behind> {
    let status = is_loop(name).then(|| loop_status(handle).ok()).flatten()?;
    Some(((status.device, status.inode), status.offset_bytes))
}

fn source(handle: &Handle) -> FdSource<'_> {
    FdSource::new(handle.as_fd(), handle.size_bytes(), handle.alignment_bytes())
}

/// Of this process alone.
fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 32 << 20;

    fn held(image: &Vec<u8>) -> Held {
        Held::of(image).unwrap()
    }

    #[test]
    fn ends_and_samples_tell_a_change_and_nothing_else_does() {
        let mut image = vec![0u8; SIZE];
        let before = held(&image);
        assert!(held(&image).is_as(&before));
        for at in [0, 100_000, SIZE - 1] {
            image[at] = 1;
            assert!(!held(&image).is_as(&before), "byte {at}");
            image[at] = 0;
        }
        // Each stratum has 8 blocks, of which one is read.
        image[SIZE / 2..SIZE / 2 + (64 << 10)].fill(7);
        assert!(!held(&image).is_as(&before));
    }

    #[test]
    fn a_signature_is_named() {
        let mut image = vec![0u8; SIZE];
        let before = held(&image);
        image[1080..1082].copy_from_slice(&[0x53, 0xef]);
        image[..4].copy_from_slice(b"XFSB");
        assert!(held(&image).signature.is_some_and(|name| name.contains("XFS") || name.contains("ext")) && !held(&image).is_as(&before));
    }

    #[test]
    fn rounds_that_one_look_had_no_time_for_say_nothing() {
        let image = vec![0u8; SIZE];
        let all = held(&image);
        let fewer = Held { signature: None, digests: all.digests[..3].to_vec() };
        assert!(all.is_as(&fewer) && fewer.is_as(&all));
    }
}
