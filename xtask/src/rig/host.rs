//! Commands of a script in the guest to the host: pulling drives out, putting them in, making drives misbehave, or warn of themselves.
//!
//! A command is a file `NAME.request` in the shared folder's `host`, there by rename; its answer is `NAME.answer`: `ok` or `failed`.

use super::drives::{DRIVES, Drive};
use super::nbd;
use crate::cached::faulty::FaultyDrive;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const POLL: Duration = Duration::from_millis(10);

/// QEMU answers at once, unless it is very busy; a guest lets go of a PCI device first, and may wait five seconds before it begins.
const QEMU_WITHIN: Duration = Duration::from_secs(20);
const SOCKET: &str = "qmp.sock";

/// The faulty drives and the thread that obeys the guest, which ends when this is dropped.
pub struct Host(Arc<AtomicBool>);

impl Host {
    /// Starts the servers, which QEMU wants to find when it starts, and the thread.
    pub fn begin(folder: &Path, drive_bytes: u64) -> Result<Self> {
        let requests = folder.join("share/host");
        fs::create_dir_all(&requests).with_context(|| format!("cannot make {}", requests.display()))?;
        let mut faulty = BTreeMap::new();
        for drive in DRIVES.iter().filter(|drive| drive.faulty) {
            let served = Arc::new(FaultyDrive::new(drive_bytes as usize));
            nbd::serve(&drive.socket(folder), &served)?;
            faulty.insert(drive.serial, served);
        }
        let commander = Commander { requests, socket: folder.join(SOCKET), faulty };
        let host = Self(Arc::default());
        let stop = Arc::clone(&host.0);
        std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                if let Err(error) = commander.look() {
                    eprintln!("xtask: a command from the guest: {error:#}");
                }
                std::thread::sleep(POLL);
            }
        });
        Ok(host)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub fn arguments(folder: &Path) -> [String; 2] {
    ["-qmp".to_owned(), format!("unix:{},server=on,wait=off", super::drives::quoted(&folder.join(SOCKET)))]
}

struct Commander {
    requests: PathBuf,
    socket: PathBuf,
    faulty: BTreeMap<&'static str, Arc<FaultyDrive>>,
}

impl Commander {
    fn look(&self) -> Result<()> {
        let requests = fs::read_dir(&self.requests).into_iter().flatten().flatten().map(|entry| entry.path());
        for request in requests.filter(|path| path.extension().is_some_and(|e| e == "request")) {
            let text = fs::read_to_string(&request)?;
            fs::remove_file(&request)?;
            let answer = match self.execute(&text.split_whitespace().collect::<Vec<_>>()) {
                Ok(text) => format!("ok {text}").trim_end().to_owned() + "\n",
                Err(error) => format!("failed {error:#}\n"),
            };
            let half = request.with_extension("half");
            fs::write(&half, answer).and_then(|()| fs::rename(&half, request.with_extension("answer"))).context("cannot answer")?;
        }
        Ok(())
    }

    fn execute(&self, words: &[&str]) -> Result<String> {
        let drive = |serial: &str, fits: fn(&Drive) -> bool| {
            DRIVES.iter().find(|drive| drive.serial == serial && fits(drive)).with_context(|| format!("{serial} is no drive for this"))
        };
        match words {
            ["plug", serial] => self.qemu("device_add", &drive(serial, Drive::pluggable)?.device(), None)?,
            ["unplug", serial] => {
                let id = drive(serial, Drive::pluggable)?.id;
                self.qemu("device_del", &json!({"id": id}), Some(id))?;
            }
            ["critical", serial, bits] => {
                let bits: u8 = bits.parse().with_context(|| format!("{bits} is no critical warning"))?;
                let path = format!("/machine/peripheral/{}", drive(serial, |_| true)?.controller().context("it is no NVMe drive")?);
                self.qemu("qom-set", &json!({"path": path, "property": "smart_critical_warning", "value": bits}), None)?;
            }
            ["faulty", serial, mode @ ..] => {
                return self.faulty.get(serial).with_context(|| format!("{serial} is no faulty drive"))?.command(mode);
            }
            _ => bail!("there is no such command: {}", words.join(" ")),
        }
        Ok(String::new())
    }

    /// One command in QEMU's machine protocol, a JSON object a line; waits until the device that is to go is gone.
    fn qemu(&self, command: &str, arguments: &Value, going: Option<&str>) -> Result<()> {
        let mut stream = UnixStream::connect(&self.socket).context("cannot reach QEMU")?;
        stream.set_read_timeout(Some(QEMU_WITHIN))?;
        writeln!(stream, "{}", json!({"execute": "qmp_capabilities"}))?;
        writeln!(stream, "{}", json!({"execute": command, "arguments": arguments}))?;
        let (mut answers, mut is_gone) = (0, going.is_none());
        for line in BufReader::new(stream).lines() {
            let said: Value = serde_json::from_str(&line.context("QEMU does not answer, or the guest does not let go")?)?;
            if let Some(error) = said.get("error") {
                bail!("QEMU refuses {command}: {error}");
            }
            answers += usize::from(said.get("return").is_some());
            is_gone |= said["event"] == "DEVICE_DELETED" && said["data"]["device"].as_str() == going;
            if answers == 2 && is_gone {
                return Ok(());
            }
        }
        bail!("QEMU has ended")
    }
}
