//! Commands of a script in the guest to the host: pulling drives out, putting them in, making drives misbehave, or warn of themselves.
//!
//! A command is a file `NAME.request` in the shared folder's `host`, there by rename and so never half; its answer is
//! `NAME.answer`, whose first word is `ok` or `failed`. Files need no driver and no port in the guest, and at one look each ten
//! milliseconds the wait does not count.

use super::drives::{DRIVES, Drive};
use super::nbd::Server;
use super::qmp::Qmp;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Pause between two looks for commands.
const POLL: Duration = Duration::from_millis(10);

/// The name of QEMU's socket in the run's folder.
const SOCKET: &str = "qmp.sock";

/// The faulty drives' servers, and the thread that obeys the guest. Ends when dropped.
#[derive(Debug)]
pub struct Host {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Host {
    /// Starts the servers, which QEMU wants to find when it starts, and the thread.
    pub fn begin(folder: &Path, drive_bytes: u64) -> Result<Self> {
        let commander = Commander::new(folder, drive_bytes)?;
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let stop = Arc::clone(&stop);
            move || commander.obey(&stop)
        });
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It only fails when it panicked, which was printed then.
            let _ = thread.join();
        }
    }
}

/// QEMU's arguments for listening to commands.
pub fn arguments(folder: &Path) -> [String; 2] {
    ["-qmp".to_owned(), format!("unix:{},server=on,wait=off", super::drives::quoted(&folder.join(SOCKET)))]
}

#[derive(Debug)]
struct Commander {
    /// Where requests come.
    requests: PathBuf,
    socket: PathBuf,
    /// Connected at the first command that needs it.
    qmp: Option<Qmp>,
    faulty: BTreeMap<&'static str, Server>,
}

impl Commander {
    fn new(folder: &Path, drive_bytes: u64) -> Result<Self> {
        let requests = folder.join("share/host");
        fs::create_dir_all(&requests).with_context(|| format!("cannot make {}", requests.display()))?;
        let drives = DRIVES.iter().filter(|d| d.faulty);
        let faulty = drives.map(|d| Ok((d.serial, Server::start(&d.socket(folder), drive_bytes)?))).collect::<Result<_>>()?;
        Ok(Self { requests, socket: folder.join(SOCKET), qmp: None, faulty })
    }

    fn obey(mut self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            if let Err(error) = self.look() {
                eprintln!("xtask: a command from the guest: {error:#}");
            }
            std::thread::sleep(POLL);
        }
    }

    /// Carries out what is there.
    fn look(&mut self) -> Result<()> {
        for entry in fs::read_dir(&self.requests).context("cannot list the requests")?.flatten() {
            let request = entry.path();
            if request.extension().is_none_or(|e| e != "request") {
                continue;
            }
            let text = fs::read_to_string(&request).context("cannot read a request")?;
            fs::remove_file(&request).context("cannot remove a request")?;
            let answer = match self.execute(&text.split_whitespace().collect::<Vec<_>>()) {
                Ok(text) => format!("ok {text}").trim_end().to_owned() + "\n",
                Err(error) => format!("failed {error:#}\n"),
            };
            let half = request.with_extension("half");
            fs::write(&half, answer).and_then(|()| fs::rename(&half, request.with_extension("answer"))).context("cannot answer")?;
        }
        Ok(())
    }

    fn execute(&mut self, words: &[&str]) -> Result<String> {
        match words {
            ["plug", serial] => self.qmp()?.plug(pluggable(serial)?).map(|()| String::new()),
            ["unplug", serial] => self.qmp()?.unplug(pluggable(serial)?).map(|()| String::new()),
            ["critical", serial, bits] => {
                let bits: u8 = bits.parse().with_context(|| format!("{bits} is no critical warning"))?;
                self.qmp()?.set(controller(serial)?, "smart_critical_warning", &bits.into()).map(|()| String::new())
            }
            ["faulty", serial, mode @ ..] => {
                let server = self.faulty.get(serial).with_context(|| format!("{serial} is no faulty drive"))?;
                server.command(mode)
            }
            _ => bail!("there is no such command: {}", words.join(" ")),
        }
    }

    fn qmp(&mut self) -> Result<&mut Qmp> {
        if self.qmp.is_none() {
            self.qmp = Some(Qmp::connect(&self.socket)?);
        }
        self.qmp.as_mut().context("there is no connection to QEMU")
    }
}

fn pluggable(serial: &str) -> Result<&'static Drive> {
    let found = DRIVES.iter().find(|d| d.serial == serial && d.pluggable());
    found.with_context(|| format!("{serial} is no drive that can be plugged"))
}

fn controller(serial: &str) -> Result<&'static str> {
    let found = DRIVES.iter().find(|d| d.serial == serial).and_then(Drive::controller);
    found.with_context(|| format!("{serial} is no NVMe drive"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for a test, removed when dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("rig-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_request_is_answered_once_and_half_a_one_is_not() {
        let folder = Folder::new("answer");
        let mut commander = Commander::new(&folder.0, 4096).unwrap();
        fs::write(commander.requests.join("a.request"), "faulty FAULTY-S slow read 5\n").unwrap();
        fs::write(commander.requests.join("b.request"), "faulty SATA-A lie\n").unwrap();
        fs::write(commander.requests.join("c"), "faulty FAULTY-S lie\n").unwrap();
        commander.look().unwrap();
        let answer = |name: &str| fs::read_to_string(folder.0.join("share/host").join(name)).unwrap_or_default();
        assert_eq!(answer("a.answer"), "ok\n");
        assert_eq!(answer("b.answer"), "failed SATA-A is no faulty drive\n");
        assert_eq!((answer("a.request"), answer("c.answer")), (String::new(), String::new()));
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_a_reason() {
        let folder = Folder::new("refusal");
        let mut commander = Commander::new(&folder.0, 4096).unwrap();
        let mut refusal = |line: &str| commander.execute(&line.split(' ').collect::<Vec<_>>()).unwrap_err().to_string();
        assert!(refusal("explode").contains("no such command"));
        assert!(refusal("unplug NVME-P").contains("cannot reach QEMU"));
        assert!(refusal("faulty FAULTY-S melt").contains("melt"));
        assert!(pluggable("SATA-A").is_err() && pluggable("NVME-Q").is_ok());
    }

    #[test]
    fn the_thread_ends_with_the_run() {
        let folder = Folder::new("end");
        let host = Host::begin(&folder.0, 4096).unwrap();
        let stop = Arc::clone(&host.stop);
        drop(host);
        assert_eq!(Arc::strong_count(&stop), 1, "the thread has let go of it");
    }
}
