//! `ioproof powercut` by itself: time of a check, acknowledgements a second, the cost of a longer link.
//!
//! The witness shares processors and drive with the writer, so rates are lower than those of two machines; it syncs each batch.

use super::interval::{Ratio, in_turn};
use super::program::number;
use super::setting::Setting;
use super::table::{least, median, most, spread};
use super::{Kind, Row, relay};
use crate::command;
use crate::powercut::witness::Witness;
use crate::program::peak_kib;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub const KIND: Kind = Kind {
    name: "powercut",
    columns: &["seconds", "to reach", "peak MB", "to reach", "a second", "to reach", "behind the link", "to reach"],
    titles: || LINES.iter().map(|line| line.0).collect(),
    run,
};

type Line = (&'static str, fn(&Setting) -> Result<[String; 8]>);

const LINES: [Line; 3] = [
    ("check of a million acknowledged blocks", check),
    ("acknowledgements to a witness, one at a call", acknowledgements),
    ("writer behind a link of 1 ms each way", link),
];

const BLOCK_BYTES: u64 = 512;
const MILLION: u64 = 1 << 20;
/// Places of the lines whose blocks are written again and again.
const FEW: u64 = 1 << 16;
const DELAY: Duration = Duration::from_millis(1);
const LOOK: Duration = Duration::from_millis(5);

const SECONDS_MOST: f64 = 60.0;
const PEAK_MB_MOST: f64 = 200.0;
const PER_S_LEAST: f64 = 100_000.0;
/// Rate behind the link over the rate without it.
const RATIO_LEAST: f64 = 0.95;

fn run(setting: &Setting, index: usize) -> Result<Row> {
    (LINES[index].1)(setting).map(|cells| Row::Cells(cells.to_vec()))
}

/// A witness and a file, both in the setting's folder.
struct Bench<'a> {
    setting: &'a Setting,
    folder: PathBuf,
    file: PathBuf,
    witness: Witness,
}

struct Checked {
    seconds: f64,
    peak_mb: f64,
    document: Value,
}

impl<'a> Bench<'a> {
    fn new(setting: &'a Setting, blocks: u64) -> Result<Self> {
        let folder = setting.folder.join("powercut");
        // What an earlier bench left.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let file = folder.join("blocks");
        File::create(&file).and_then(|file| file.set_len(blocks * BLOCK_BYTES)).context("cannot make a file")?;
        let witness = Witness::start(&setting.program, &folder)?;
        Ok(Self { setting, folder, file, witness })
    }

    fn command(&self, verb: &str, witness: &str) -> Command {
        let mut command = Command::new(&self.setting.program);
        command.args(["powercut", verb]).arg(&self.file).args(["--witness", witness, "--json"]);
        command.env("XDG_STATE_HOME", self.folder.join("state")).env("XDG_CONFIG_HOME", self.folder.join("config"));
        command
    }

    /// Writes for a time; gives the acknowledgements that the witness has stored, by second.
    fn write(&self, witness: &str, seconds: f64) -> Result<f64> {
        let mut command = self.command("write", witness);
        command.arg("--overwrite").arg(&self.file).args(["--sync", "fdatasync", "--order", "sequential", "--writes-per-sync", "1024"]);
        command.args(["--bs", "512", "--size", "100%", "--time", &format!("{seconds:.1}s")]);
        let document = document(&mut command)?;
        Ok(number(&document["stored"])? / number(&document["seconds"])?)
    }

    fn check(&self) -> Result<Checked> {
        let mut command = self.command("check", &self.witness.address);
        let (began, mut peak) = (Instant::now(), 0);
        let out = File::create(self.folder.join("checked")).context("cannot make a file")?;
        let mut child = command.arg("--drive-alone").stdin(Stdio::null()).stdout(out).spawn().context("cannot start ioproof")?;
        while child.try_wait().context("cannot wait for a check")?.is_none() {
            peak = peak.max(peak_kib(child.id()));
            std::thread::sleep(LOOK);
        }
        let seconds = began.elapsed().as_secs_f64();
        let text = fs::read_to_string(self.folder.join("checked")).context("cannot read what the check said")?;
        let document = serde_json::from_str(&text).with_context(|| format!("no document: {text}"))?;
        Ok(Checked { seconds, peak_mb: peak as f64 * 1024.0 / 1e6, document })
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn document(command: &mut Command) -> Result<Value> {
    let out = command.output().context("cannot start ioproof")?;
    serde_json::from_slice(&out.stdout).with_context(|| String::from_utf8_lossy(&out.stderr).trim().to_owned())
}

fn check(setting: &Setting) -> Result<[String; 8]> {
    let bench = Bench::new(setting, MILLION)?;
    let rate = bench.write(&bench.witness.address, f64::from(setting.seconds))?;
    // Half as long again as it takes at this rate, so that each place has had its write.
    bench.write(&bench.witness.address, 1.5 * MILLION as f64 / rate + 1.0)?;
    let checks = (0..setting.rounds).map(|_| bench.check()).collect::<Result<Vec<Checked>>>()?;
    for checked in &checks {
        let stream = &checked.document["streams"][0];
        if stream["intact"] != MILLION || stream["blocks"] != MILLION {
            bail!("not every block was written, or one is not intact: {}", checked.document);
        }
    }
    let of = |figure: fn(&Checked) -> f64| checks.iter().map(figure).collect::<Vec<f64>>();
    let (seconds, peak) = (of(|checked| checked.seconds), of(|checked| checked.peak_mb));
    Ok([
        format!("{:.2}", median(&seconds)),
        most(median(&seconds), Some(SECONDS_MOST), 0),
        spread(&peak),
        most(median(&peak), Some(PEAK_MB_MOST), 0),
        format!("{:.0}", MILLION as f64 / median(&seconds)),
        none(),
        none(),
        none(),
    ])
}

/// The witness alone: no writer of blocks is as fast as it is.
fn acknowledgements(setting: &Setting) -> Result<[String; 8]> {
    let rate = || -> Result<f64> {
        let mut command = command::cargo();
        command.args(["run", "--quiet", "--release", "--package", "ioproof-witness", "--example", "witness_rate", "--"]);
        let out = command::output(command.arg(&setting.folder))?;
        String::from_utf8_lossy(&out).trim().parse().context("the witness tells no rate")
    };
    let rates = (0..setting.rounds).map(|_| rate()).collect::<Result<Vec<f64>>>()?;
    let reached = least(median(&rates), Some(PER_S_LEAST), 0);
    Ok([none(), none(), none(), none(), spread(&rates), reached, none(), none()])
}

/// Pairs of runs in turns: through a relay that holds nothing back, and through one that does, so that the processor time of a relay is on both sides.
fn link(setting: &Setting) -> Result<[String; 8]> {
    let bench = Bench::new(setting, FEW)?;
    let [far, at_hand] =
        [DELAY, Duration::ZERO].map(|delay| relay::start(&bench.witness.address, delay).map(|address| address.to_string()));
    let (far, at_hand) = (far?, at_hand?);
    let write = |witness: &str| bench.write(witness, f64::from(setting.seconds));
    let (behind, near) = in_turn(setting.rounds, || write(&far), || write(&at_hand))?;
    let ratio = Ratio::of(&behind, &near);
    Ok([none(), none(), none(), none(), spread(&behind), none(), ratio.words(), keeps(&ratio).to_owned()])
}

/// Answer to the aim of a ratio, by its whole interval.
fn keeps(ratio: &Ratio) -> &'static str {
    match ratio.ends {
        Some((low, _)) if low >= RATIO_LEAST => "0.95 reached",
        Some((_, high)) if high < RATIO_LEAST => "0.95 missed",
        _ => "0.95 cannot tell",
    }
}

fn none() -> String {
    "-".to_owned()
}
