//! Commands to the running QEMU: its machine protocol, one JSON object a line over a socket in the run's folder.
//!
//! Only what the rig needs: a command with its answer, setting a property, and waiting until QEMU says that a device is gone.

use super::drives::Drive;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// QEMU answers at once, unless it is very busy.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// The guest lets go of a PCI device first, and may wait five seconds before it begins.
const REMOVAL_WITHIN: Duration = Duration::from_secs(20);

/// A connection that is ready for commands.
#[derive(Debug)]
pub struct Qmp {
    stream: BufReader<UnixStream>,
    /// Events that came while an answer was awaited.
    events: Vec<Value>,
}

impl Qmp {
    /// Connects to the socket that QEMU listens on.
    pub fn connect(socket: &Path) -> Result<Self> {
        let stream = UnixStream::connect(socket).with_context(|| format!("cannot reach QEMU at {}", socket.display()))?;
        Self::over(stream)
    }

    fn over(stream: UnixStream) -> Result<Self> {
        stream.set_read_timeout(Some(ANSWER_WITHIN)).context("cannot set a time limit")?;
        let mut qmp = Self { stream: BufReader::new(stream), events: Vec::new() };
        let greeting = qmp.read()?;
        if greeting["QMP"].is_null() {
            bail!("this is not QEMU's greeting: {greeting}");
        }
        qmp.execute("qmp_capabilities", &json!({}))?;
        Ok(qmp)
    }

    /// Puts the drive into its place.
    pub fn plug(&mut self, drive: &Drive) -> Result<()> {
        self.execute("device_add", &drive.device()).map(|_| ())
    }

    /// Takes it out, and waits until it is out: the guest has to let go of a PCI device.
    pub fn unplug(&mut self, drive: &Drive) -> Result<()> {
        self.events.clear();
        self.execute("device_del", &json!({"id": drive.id}))?;
        self.wait_for(|event| event["event"] == "DEVICE_DELETED" && event["data"]["device"] == drive.id)
    }

    /// Sets a property of a device while the machine runs.
    pub fn set(&mut self, device: &str, property: &str, value: &Value) -> Result<()> {
        let arguments = json!({"path": format!("/machine/peripheral/{device}"), "property": property, "value": value});
        self.execute("qom-set", &arguments).map(|_| ())
    }

    fn execute(&mut self, command: &str, arguments: &Value) -> Result<Value> {
        let line = format!("{}\n", json!({"execute": command, "arguments": arguments}));
        self.stream.get_mut().write_all(line.as_bytes()).with_context(|| format!("cannot send {command} to QEMU"))?;
        loop {
            let mut answer = self.read()?;
            if !answer["error"].is_null() {
                bail!("QEMU refuses {command}: {}", answer["error"]["desc"].as_str().unwrap_or("without a reason"));
            }
            match answer.get_mut("return") {
                Some(value) => return Ok(value.take()),
                None => self.events.push(answer),
            }
        }
    }

    fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<()> {
        let end = Instant::now() + REMOVAL_WITHIN;
        while !self.events.iter().any(&wanted) {
            if Instant::now() >= end {
                bail!("the guest did not let go of the device");
            }
            let event = self.read()?;
            self.events.push(event);
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Value> {
        let mut line = String::new();
        let count = self.stream.read_line(&mut line).context("QEMU does not answer")?;
        if count == 0 {
            bail!("QEMU has ended");
        }
        serde_json::from_str(&line).with_context(|| format!("this is not JSON: {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::drives::DRIVES;
    use super::*;

    /// Somebody who says these lines, one after each that is heard, and gives back what was heard.
    fn partner(stream: UnixStream, lines: &'static [&'static str]) -> std::thread::JoinHandle<Vec<Value>> {
        std::thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut heard = Vec::new();
            stream.get_mut().write_all(b"{\"QMP\": {}}\n").unwrap();
            for answer in ["{\"return\": {}}"].iter().chain(lines) {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                heard.push(serde_json::from_str(&line).unwrap());
                stream.get_mut().write_all(format!("{answer}\n").as_bytes()).unwrap();
            }
            heard
        })
    }

    #[test]
    fn a_drive_is_out_when_qemu_says_so() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        // The first event is about another device; the last comes before the answer, as it may.
        let partner = partner(
            theirs,
            &[concat!(
                "{\"event\": \"DEVICE_DELETED\", \"data\": {\"device\": \"scsi-a\"}}\n",
                "{\"event\": \"DEVICE_DELETED\", \"data\": {\"device\": \"nvme-p\"}}\n",
                "{\"return\": {}}"
            )],
        );
        let drive = DRIVES.iter().find(|d| d.id == "nvme-p").unwrap();
        Qmp::over(ours).unwrap().unplug(drive).unwrap();
        let heard = partner.join().unwrap();
        assert_eq!((&heard[1]["execute"], &heard[1]["arguments"]["id"]), (&json!("device_del"), &json!("nvme-p")));
    }

    #[test]
    fn an_end_before_the_removal_is_an_error() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let partner = partner(theirs, &["{\"return\": {}}"]);
        let error = Qmp::over(ours).unwrap().unplug(&DRIVES[0]).unwrap_err();
        partner.join().unwrap();
        assert!(error.to_string().contains("has ended"), "{error:#}");
    }

    #[test]
    fn a_refusal_is_an_error_with_its_reason() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let partner = partner(theirs, &["{\"error\": {\"class\": \"GenericError\", \"desc\": \"slot in use\"}}"]);
        let error = Qmp::over(ours).unwrap().plug(&DRIVES[0]).unwrap_err().to_string();
        partner.join().unwrap();
        assert!(error.contains("device_add") && error.contains("slot in use"), "{error}");
    }
}
