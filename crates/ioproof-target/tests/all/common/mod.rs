//! Loop devices, mounts and swap areas of the tests' own, which go away with the value that stands for them.
//!
//! Nothing here touches a loop device that a test did not attach itself: others on the machine have theirs.

use ioproof_target::{Consent, TargetError, open_to_write, resolve};
use ioproof_target::{Handle, System};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const MIB: u64 = 1 << 20;

/// Runs a command; its output, or a panic with what it said.
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A folder on a drive.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A sparse file.
pub fn image(folder: &Path, name: &str, size_bytes: u64) -> PathBuf {
    let path = folder.join(name);
    std::fs::File::create(&path).unwrap().set_len(size_bytes).unwrap();
    path
}

/// Writes bytes into a file or device.
pub fn put(path: &Path, offset: u64, bytes: &[u8]) {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(bytes, offset).unwrap();
    file.sync_all().unwrap();
}

/// Tells two contents of a file apart: its length, and FNV-1a over words of eight bytes and over the place of each 4 KiB that hold
/// something (most of an image is zeros).
pub fn checksum(path: &Path) -> (u64, u64) {
    let bytes = std::fs::read(path).unwrap();
    let zeros = [0u8; 4096];
    let mut sum = 0xcbf2_9ce4_8422_2325u64;
    for (i, piece) in bytes.chunks(4096).enumerate().filter(|(_, piece)| **piece != zeros[..piece.len()]) {
        let words = piece.chunks(8).map(|c| c.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte)));
        sum = std::iter::once(i as u64).chain(words).fold(sum, |sum, word| (sum ^ word).wrapping_mul(0x100_0000_01b3));
    }
    (bytes.len() as u64, sum)
}

/// A loop device on a file of its own.
pub struct Loop {
    pub device: PathBuf,
    pub image: PathBuf,
    folder: tempfile::TempDir,
}

impl Loop {
    pub fn new(size_bytes: u64) -> Self {
        Self::with(size_bytes, &[])
    }

    /// With further options of losetup.
    pub fn with(size_bytes: u64, options: &[&str]) -> Self {
        let folder = folder();
        let image = image(folder.path(), "image", size_bytes);
        Self::attach(folder, image, options)
    }

    /// After something has filled the file.
    pub fn filled(size_bytes: u64, options: &[&str], fill: impl FnOnce(&Path)) -> Self {
        let folder = folder();
        let image = image(folder.path(), "image", size_bytes);
        fill(&image);
        Self::attach(folder, image, options)
    }

    fn attach(folder: tempfile::TempDir, image: PathBuf, options: &[&str]) -> Self {
        let device = attach(&image, options);
        Self { device, image, folder }
    }

    /// `loop7`.
    pub fn name(&self) -> String {
        self.device.file_name().unwrap().to_str().unwrap().to_owned()
    }

    pub fn path(&self) -> &str {
        self.device.to_str().unwrap()
    }

    /// A partition from 1 MiB on. A kernel that cannot read partition tables is told about it.
    pub fn partition(&self) -> PathBuf {
        let path = PathBuf::from(format!("{}p1", self.path()));
        if !path.exists() {
            let sectors = std::fs::metadata(&self.image).unwrap().len() / 512 - 4096;
            run("addpart", &[self.path(), "1", "2048", &sectors.to_string()]);
        }
        path
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.device).status();
    }
}

/// Attaches a file or device to a free loop device, whose path this is.
pub fn attach(image: &Path, options: &[&str]) -> PathBuf {
    PathBuf::from(run("losetup", &[&["--find", "--show"], options, &[image.to_str().unwrap()]].concat()))
}

/// A mounted filesystem.
pub struct Mounted {
    folder: tempfile::TempDir,
}

impl Mounted {
    pub fn new(device: &Path, options: &str) -> Self {
        Self::typed(&["-o", options, device.to_str().unwrap()])
    }

    pub fn typed(arguments: &[&str]) -> Self {
        let folder = folder();
        run("mount", &[arguments, &[folder.path().to_str().unwrap()]].concat());
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.folder.path()).status();
    }
}

/// A swap area in use.
pub struct Swapped(pub PathBuf);

impl Swapped {
    pub fn new(path: &Path) -> Self {
        run("mkswap", &[path.to_str().unwrap()]);
        run("swapon", &[path.to_str().unwrap()]);
        Self(path.to_path_buf())
    }
}

impl Drop for Swapped {
    fn drop(&mut self) {
        let _ = Command::new("swapoff").arg(&self.0).status();
    }
}

pub fn destroy(name: &str) -> Consent {
    Consent { destroy: Some(name.to_owned()), ..Consent::default() }
}

pub fn destroy_unknown(name: &str) -> Consent {
    Consent { destroy_unknown_content: true, ..destroy(name) }
}

pub fn overwrite(path: &Path) -> Consent {
    Consent { overwrite: vec![path.to_path_buf()], ..Consent::default() }
}

/// Resolves and asks for the handle. Only for loop devices and files of the test's own.
///
/// A refusal over other users is asked again for half a second: a losetup of somebody else that lost the race for the same number holds
/// it for a moment, and so does a child of another test between fork and exec.
pub fn permit(path: &Path, consent: &Consent) -> Result<Handle, TargetError> {
    let target = resolve(&System::host(), path)?;
    assert!(consent.destroy.is_none() || target.facts.resolved.starts_with("/dev/loop"), "{}", target.facts.resolved);
    for _ in 0..10 {
        match open_to_write(&System::host(), &target, consent) {
            Err(TargetError::Refused(refusals)) if refusals.iter().any(|r| PASSING.contains(&r.clause)) => {}
            other => return other,
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    open_to_write(&System::host(), &target, consent)
}

const PASSING: [&str; 3] = ["writers", "exclusive", "open-elsewhere"];

/// The clauses that refuse, each once; a panic where none does.
pub fn refused(path: &Path, consent: &Consent) -> Vec<&'static str> {
    match permit(path, consent) {
        Err(TargetError::Refused(refusals)) => {
            let mut clauses: Vec<&'static str> = refusals.iter().map(|refusal| refusal.clause).collect();
            clauses.dedup();
            clauses
        }
        Err(error) => panic!("an error and no refusal: {error}"),
        Ok(_) => panic!("{} was opened for writing", path.display()),
    }
}

/// Asks with every consent there is, and checks that the backing file stays as it was.
pub fn refused_untouched(device: &Loop) -> Vec<&'static str> {
    run("sync", &[]);
    let before = checksum(&device.image);
    let clauses = refused(&device.device, &destroy_unknown(&device.name()));
    assert_eq!(checksum(&device.image), before, "{clauses:?}");
    clauses
}
