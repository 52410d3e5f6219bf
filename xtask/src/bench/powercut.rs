//! `ioproof powercut` by itself: time of a check, acknowledgements a second, the cost of a longer link.
//!
//! The witness shares processors and drive with the writer, so rates are lower than those of two machines; it syncs each batch.

use super::program::{number, timed};
use super::setting::{Scratch, Setting};
use super::table::{Ratio, in_turn, least, median, most, spread};
use super::{Kind, Row};
use crate::command;
use crate::powercut::prover::Witness;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::spawn;
use std::time::{Duration, Instant};

pub const KIND: Kind = Kind {
    name: "powercut",
    columns: &["seconds", "to reach", "peak MB", "to reach", "a second", "to reach", "behind the link", "to reach"],
    titles: || LINES.iter().map(|line| line.0).collect(),
    run,
};

/// Column of a line's first cell, and its cells; the others are empty.
type Cells = (usize, Vec<String>);

type Line = (&'static str, fn(&Setting) -> Result<Cells>);

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
const SECONDS_MOST: f64 = 60.0;
const PEAK_MB_MOST: f64 = 200.0;
const PER_S_LEAST: f64 = 100_000.0;
/// Rate behind the link over the rate without it.
const RATIO_LEAST: f64 = 0.95;

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let (first, cells) = (LINES[index].1)(setting)?;
    let mut row = vec!["-".to_owned(); KIND.columns.len()];
    row.splice(first..first + cells.len(), cells);
    Ok(Row::Cells(row))
}

struct Bench<'a> {
    setting: &'a Setting,
    file: PathBuf,
    witness: Witness,
    folder: Scratch,
}

impl<'a> Bench<'a> {
    fn new(setting: &'a Setting, blocks: u64) -> Result<Self> {
        let folder = setting.fresh("powercut")?;
        let file = folder.0.join("blocks");
        File::create(&file).and_then(|file| file.set_len(blocks * BLOCK_BYTES)).context("cannot make a file")?;
        let witness = Witness::start(&setting.program, &folder.0)?;
        Ok(Self { setting, file, witness, folder })
    }

    fn command(&self, verb: &str, witness: &str) -> Command {
        let mut command = Command::new(&self.setting.program);
        command.args(["powercut", verb]).arg(&self.file).args(["--witness", witness, "--json"]);
        command.env("XDG_STATE_HOME", self.folder.0.join("state")).env("XDG_CONFIG_HOME", self.folder.0.join("config"));
        command
    }

    /// Writes for a time; gives the acknowledgements that the witness has stored, by second.
    fn write(&self, witness: &str, seconds: f64) -> Result<f64> {
        let mut command = self.command("write", witness);
        command.arg("--overwrite").arg(&self.file).args(["--sync", "fdatasync", "--order", "sequential", "--writes-per-sync", "1024"]);
        command.args(["--bs", "512", "--size", "100%", "--time", &format!("{seconds:.1}s")]);
        let out = command.output().context("cannot start ioproof")?;
        let said = || String::from_utf8_lossy(&out.stderr).trim().to_owned();
        let document: Value = serde_json::from_slice(&out.stdout).with_context(said)?;
        Ok(number(&document["stored"])? / number(&document["seconds"])?)
    }

    /// Seconds and peak memory (MB) of a check, which must find every block.
    fn check(&self) -> Result<(f64, f64)> {
        let path = self.folder.0.join("checked");
        let out = File::create(&path).context("cannot make a file")?;
        let (_, seconds, peak_kib) = timed(self.command("check", &self.witness.address).arg("--drive-alone").stdout(out))?;
        let document: Value = serde_json::from_slice(&fs::read(&path)?).context("the check prints no document")?;
        let stream = &document["streams"][0];
        if stream["intact"] != MILLION || stream["blocks"] != MILLION {
            bail!("not every block was written, or one is not intact: {document}");
        }
        Ok((seconds, peak_kib as f64 * 1024.0 / 1e6))
    }
}

fn check(setting: &Setting) -> Result<Cells> {
    let bench = Bench::new(setting, MILLION)?;
    let rate = bench.write(&bench.witness.address, f64::from(setting.seconds))?;
    // Half as long again as it takes at this rate, so that each place has had its write.
    bench.write(&bench.witness.address, 1.5 * MILLION as f64 / rate + 1.0)?;
    let (seconds, peak): (Vec<f64>, Vec<f64>) = (0..setting.rounds).map(|_| bench.check()).collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let cells = [
        format!("{:.2}", median(&seconds)),
        most(median(&seconds), Some(SECONDS_MOST), 0),
        spread(&peak),
        most(median(&peak), Some(PEAK_MB_MOST), 0),
        format!("{:.0}", MILLION as f64 / median(&seconds)),
    ];
    Ok((0, cells.to_vec()))
}

/// The witness alone: no writer of blocks is as fast as it is.
fn acknowledgements(setting: &Setting) -> Result<Cells> {
    let rate = || -> Result<f64> {
        let mut command = command::cargo();
        command.args(["run", "--quiet", "--release", "--package", "ioproof-witness", "--example", "witness_rate", "--"]);
        let out = command::output(command.arg(&setting.folder))?;
        String::from_utf8_lossy(&out).trim().parse().context("the witness tells no rate")
    };
    let rates = (0..setting.rounds).map(|_| rate()).collect::<Result<Vec<f64>>>()?;
    Ok((4, vec![spread(&rates), least(median(&rates), Some(PER_S_LEAST), 0)]))
}

/// Pairs of runs in turns: through a relay that holds nothing back, and through one that does, so that the processor time of a relay is on both sides.
fn link(setting: &Setting) -> Result<Cells> {
    let bench = Bench::new(setting, FEW)?;
    let (far, at_hand) = (relay(&bench.witness.address, DELAY)?, relay(&bench.witness.address, Duration::ZERO)?);
    let write = |witness: &str| bench.write(witness, f64::from(setting.seconds));
    let (behind, near) = in_turn(setting.rounds, || write(&far), || write(&at_hand))?;
    let ratio = Ratio::of(&behind, &near);
    let reached = match ratio.ends {
        Some((low, _)) if low >= RATIO_LEAST => "0.95 reached",
        Some((_, high)) if high < RATIO_LEAST => "0.95 missed",
        _ => "0.95 cannot tell",
    };
    Ok((4, vec![spread(&behind), "-".to_owned(), ratio.words(), reached.to_owned()]))
}

/// Begins a relay to a witness that holds what passes for a time, in each direction, as a longer link does; gives the address at which it listens, for as
/// long as this program runs.
fn relay(witness: &str, delay: Duration) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen")?;
    let (address, witness) = (listener.local_addr().context("no address")?, witness.to_owned());
    spawn(move || {
        for writer in listener.incoming().flatten() {
            // A link that does not come about is one that is lost, which a writer sees.
            let _ = join(&writer, &witness, delay);
        }
    });
    Ok(address.to_string())
}

fn join(writer: &TcpStream, witness: &str, delay: Duration) -> std::io::Result<()> {
    let witness = TcpStream::connect(witness)?;
    for (from, to) in [(writer, &witness), (&witness, writer)] {
        to.set_nodelay(true)?;
        let (from, to, (sender, receiver)) = (from.try_clone()?, to.try_clone()?, channel());
        spawn(move || take(from, &sender, delay));
        spawn(move || give(to, &receiver));
    }
    Ok(())
}

fn take(mut from: TcpStream, held: &Sender<(Instant, Vec<u8>)>, delay: Duration) {
    let mut piece = vec![0; 256 << 10];
    while let Ok(count @ 1..) = from.read(&mut piece) {
        if held.send((Instant::now() + delay, piece[..count].to_vec())).is_err() {
            return;
        }
    }
}

fn give(mut to: TcpStream, held: &Receiver<(Instant, Vec<u8>)>) {
    for (due, bytes) in held {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
