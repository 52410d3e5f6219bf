//! The write rule and users that have no descriptor in the table of a process: mappings, threads with a table of their own. Needs root.

use crate::common::*;
use ioproof_target::{Changed, Consent, JobFiles, OpenRequest, Opened, OwnFiles, Space, System, TargetError, openers};
use rustix::fs::{Mode, OFlags};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn open(path: &Path, flags: OFlags) -> OwnedFd {
    rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty()).unwrap()
}

/// A shared page of a file or device whose descriptor is closed already.
struct Mapped(*mut std::ffi::c_void);

impl Mapped {
    fn new(path: &Path) -> Self {
        use rustix::mm::{MapFlags, ProtFlags, mmap};
        let fd = open(path, OFlags::RDWR);
        // SAFETY: the kernel chooses the place, so no memory of this process is replaced.
        let page = unsafe { mmap(std::ptr::null_mut(), 4096, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &fd, 0) };
        Self(page.unwrap())
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the page was mapped above, and nothing points into it.
        unsafe { rustix::mm::munmap(self.0, 4096) }.unwrap();
    }
}

#[test]
fn a_device_that_is_mapped_with_no_descriptor_open() {
    let device = Loop::new(8 * MIB);
    let mapped = Mapped::new(&device.device);
    assert_eq!(refused_untouched(&device), ["writers"]);
    drop(mapped);
    assert!(permit(&device.device, &destroy(&device.name())).is_ok());
}

#[test]
fn the_file_behind_a_loop_device_that_is_mapped() {
    let device = Loop::new(8 * MIB);
    let mapped = Mapped::new(&device.image);
    assert_eq!(refused_untouched(&device), ["writers"]);
    drop(mapped);
    assert!(permit(&device.device, &destroy(&device.name())).is_ok());
}

#[test]
fn a_thread_with_a_table_of_descriptors_of_its_own() {
    let device = Loop::new(8 * MIB);
    let (opened, is_open) = std::sync::mpsc::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let path = device.device.clone();
    let thread = std::thread::spawn(move || {
        // SAFETY: no descriptor that this thread uses from here on is shared with another thread.
        unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::FILES) }.unwrap();
        // SAFETY: the table is this thread's own by now, and this thread owns none of what is open in it: copies of what other tests have open.
        assert_eq!(unsafe { libc::close_range(3, libc::c_uint::MAX, 0) }, 0);
        let fd = open(&path, OFlags::RDWR);
        opened.send(()).unwrap();
        let _ = ended.recv();
        drop(fd);
    });
    is_open.recv().unwrap();
    assert_eq!(refused_untouched(&device), ["writers"]);
    drop(end);
    thread.join().unwrap();
}

/// Another process with a device open for writing, as its standard output; it ends when dropped.
struct Holder(Child);

impl Holder {
    fn new(device: &Path) -> Self {
        let held = std::fs::File::options().read(true).write(true).open(device).unwrap();
        Self(Command::new("sleep").arg("600").stdout(held).spawn().unwrap())
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn in_use(begun: Result<(), Changed>) -> String {
    match begun {
        Err(Changed::InUse { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_job_does_not_begin_on_a_device_that_somebody_uses_since_it_was_permitted() {
    let (device, system) = (Loop::with(32 * MIB, &["--partscan"]), System::host());
    let mut files = JobFiles::new(&system, &Consent::default(), &[device.name()], OwnFiles::nowhere());
    let space = Space::Reserved;
    let request = OpenRequest { write: true, only_grows: false, direct: true, size_bytes: 0, space, whole: false, make: false };
    let opened = files.open(&device.device, request).unwrap();
    let begin = || files.writes().begin(&[&opened.handle]).map(drop);
    begin().unwrap();
    let holder = Holder::new(&device.device);
    let reason = in_use(begin());
    assert!(reason.contains("is open for writing in process"), "{reason}");
    drop(holder);
    begin().unwrap();
    run("addpart", &[device.path(), "1", "2048", "20480"]);
    let reason = in_use(begin());
    assert!(reason.contains("partition"), "{reason}");
    run("delpart", &[device.path(), "1"]);
    begin().unwrap();
}

#[test]
fn a_job_does_not_begin_on_a_file_of_ours_on_which_a_loop_device_lies() {
    let written = Written::new();
    let mut files = written.files();
    let opened = written.open(&mut files).unwrap();
    let begin = || files.writes().begin(&[&opened.handle]).map(drop);
    begin().unwrap();
    let device = attach(&written.path(), &[]);
    let reason = in_use(begin());
    run("losetup", &["--detach", device.to_str().unwrap()]);
    assert!(reason.ends_with("lies on it"), "{reason}");
}

/// Another process with a page of a file mapped and no descriptor open; it ends with its standard input.
struct Mapper(Child);

impl Mapper {
    fn new(path: &Path) -> Self {
        use std::io::Read;
        let script = "open(F, '+<', $ARGV[1]) or die; syscall($ARGV[0]+0, 0, 4096, 3, 1, fileno(F), 0) > 0 or die; close F; $|=1; print 'x'; <STDIN>";
        let mut command = Command::new("perl");
        command.args(["-e", script, &libc::SYS_mmap.to_string()]).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = [0];
        child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        Self(child)
    }
}

impl Drop for Mapper {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// The clauses that refuse; asked again for a while, since a child of another test has everything open between fork and exec.
fn again(open: impl Fn() -> Result<(), TargetError>) -> Vec<&'static str> {
    let mut clauses = Vec::new();
    for _ in 0..10 {
        clauses = match open() {
            Ok(()) => Vec::new(),
            Err(TargetError::Refused(refusals)) => refusals.iter().map(|refusal| refusal.clause).collect(),
            Err(error) => panic!("{error}"),
        };
        if !clauses.contains(&"open-elsewhere") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    clauses
}

/// A file of ours, which a job of each run writes.
struct Written {
    folder: tempfile::TempDir,
    system: System,
}

impl Written {
    fn new() -> Self {
        Self { folder: folder(), system: System::host() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("f")
    }

    fn files(&self) -> JobFiles<'_> {
        JobFiles::new(&self.system, &Consent::default(), &[], OwnFiles::new(self.folder.path().join("made")))
    }

    fn open(&self, files: &mut JobFiles<'_>) -> Result<Opened, TargetError> {
        let space = Space::Reserved;
        let request = OpenRequest { write: true, only_grows: false, direct: false, size_bytes: 65536, space, whole: true, make: true };
        files.open(&self.path(), request)
    }

    /// A run while whose job is at work, and then after it, somebody has the file mapped; the clauses that keep the next run from it.
    fn mapped(&self, during: bool, after: bool) -> Vec<&'static str> {
        let mut first = self.files();
        let mut opened = self.open(&mut first).unwrap();
        let writing = first.writes().begin(&[&opened.handle]).unwrap();
        rustix::io::pwrite(&opened.handle, b"something", 100).unwrap();
        let mapper = during.then(|| Mapper::new(&self.path()));
        drop(writing);
        let mapper = after.then(|| mapper.unwrap_or_else(|| Mapper::new(&self.path())));
        first.settle([&mut opened.handle]).unwrap();
        drop((opened, first, mapper));
        again(|| self.open(&mut self.files()).map(drop))
    }
}

#[test]
fn a_page_that_was_mapped_during_the_run_keeps_the_file_from_being_ours() {
    for (during, after) in [(false, true), (true, true)] {
        // Somebody may have written there, and nothing tells.
        assert_eq!(Written::new().mapped(during, after), ["overwrite"], "{during} {after}");
    }
    assert_eq!(Written::new().mapped(false, false), [] as [&str; 0]);
}

#[test]
fn a_folder_that_is_mounted_into_a_directory_of_consent_is_not_covered() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    for name in ["own", "own/below", "precious"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    let (inside, outside) = (at("own/data"), at("precious/data"));
    for path in [&inside, &outside] {
        std::fs::write(path, vec![0xd7u8; 8192]).unwrap();
    }
    run("mount", &["--bind", at("precious").to_str().unwrap(), at("own/below").to_str().unwrap()]);
    let consent = ioproof_target::Consent { overwrite_all_in: vec![at("own")], ..Default::default() };
    let clauses = std::panic::catch_unwind(|| refused(&at("own/below/data"), &consent));
    // A child of another test may hold it between fork and exec.
    run("umount", &["--lazy", at("own/below").to_str().unwrap()]);
    assert_eq!(clauses.unwrap(), ["overwrite"]);
    assert!(permit(&inside, &consent).is_ok());
}

#[test]
fn a_file_that_is_written_beside_the_overlay_through_which_it_is_seen() {
    let folder = folder();
    let part = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).unwrap();
        path
    };
    let (lower, upper, work) = (part("lower"), part("upper"), part("work"));
    let below = upper.join("data");
    std::fs::write(&below, vec![0xd7u8; 8192]).unwrap();
    let options = format!("lowerdir={},upperdir={},workdir={}", lower.display(), upper.display(), work.display());
    let mounted = Mounted::typed(&["-t", "overlay", "-o", &options, "overlay"]);
    let merged = mounted.path().join("data");
    for (user, wanted) in [(&below, &merged), (&merged, &below)] {
        let _mapper = Mapper::new(user);
        assert_eq!(refused(wanted, &overwrite(wanted)), ["open-elsewhere"], "{}", wanted.display());
    }
    assert!(permit(&merged, &overwrite(&merged)).is_ok());
}

/// A filesystem whose server never answers (FUSE); unmounted at the end.
struct Silent {
    folder: tempfile::TempDir,
    /// Where the server would read; all that waits ends when it is closed.
    server: Option<std::fs::File>,
}

impl Silent {
    fn mount() -> Self {
        let server = std::fs::File::options().read(true).write(true).open("/dev/fuse").unwrap();
        rustix::io::fcntl_setfd(&server, rustix::io::FdFlags::empty()).unwrap();
        let folder = folder();
        let options = format!("fd={},rootmode=40000,user_id=0,group_id=0", server.as_raw_fd());
        run("mount", &["-i", "-t", "fuse", "-o", &options, "silent", folder.path().to_str().unwrap()]);
        rustix::io::fcntl_setfd(&server, rustix::io::FdFlags::CLOEXEC).unwrap();
        Self { folder, server: Some(server) }
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        self.server = None;
        let _ = Command::new("umount").args(["-l", self.folder.path().to_str().unwrap()]).status();
    }
}

/// A dead network filesystem that some process has open must not hold up everybody who asks for consent.
#[test]
fn a_file_that_others_have_open_is_not_asked_of_a_server_that_is_silent() {
    let (folder, mut silent) = (folder(), Silent::mount());
    let path = folder.path().join("data");
    std::fs::write(&path, vec![0xd7; MIB as usize]).unwrap();
    let root = open(silent.folder.path(), OFlags::PATH);
    let mut user = Command::new("sleep").arg("600").stdin(Stdio::from(root)).spawn().unwrap();
    let (told, answer) = std::sync::mpsc::channel();
    std::thread::spawn(move || told.send((permit(&path, &overwrite(&path)).is_ok(), openers(&System::host(), &path))));
    let answer = answer.recv_timeout(std::time::Duration::from_secs(120));
    user.kill().unwrap();
    user.wait().unwrap();
    silent.server = None;
    assert_eq!(answer, Ok((true, Vec::new())));
}
