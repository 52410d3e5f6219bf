//! The verb `verify`, and the way of every verb that measures a request.

use super::all_drives;
use super::finish::finish;
use super::standard::{self, VerifyVerb};
use crate::live::{self, LiveView};
use crate::reports::Reports;
use crate::settle::{self, RunOutputs};
use anyhow::Result;
use ioproof_process::{complaint, interrupt};
use ioproof_report::Format;
use ioproof_session::observers::progress::ProgressLine;
use ioproof_session::request::SessionRequest;
use ioproof_session::{own_driver, session};
use ioproof_target::System;
use std::sync::atomic::Ordering::Relaxed;

pub const EXAMPLES: &str = "Examples:
  ioproof verify                          a scratch file of 1 GiB in this directory, removed afterwards
  ioproof verify /mnt/data --size 20GiB   a scratch file on another filesystem
  ioproof verify big.img                  an existing file, only read
  ioproof verify big.img --overwrite big.img
  ioproof verify /dev/sda                 a whole drive, only read
  ioproof verify /dev/sda --live          the same on a full screen: IOPS, MB/s, latency, depth, CPU, findings while it runs
  ioproof verify /dev/sda --destroy BTTV449503TE800JGN --dry-run
                                          what would be written, and whether it would be allowed
  ioproof verify --datasheet intel-dc-p3700 -o result.html -o result.json
  ioproof verify --rw randread,randrw:70 --bs 4KiB,16KiB --depth 1,32 --workers 1
                                          only these eight workloads
  ioproof verify --rw randread --bs 4KiB:60/16KiB:40 --distribution zipf:1.2
                                          two block sizes; some blocks far more often than others
  ioproof verify --rw randread --rate 20k an open loop: response time counts from when an I/O was to start
  ioproof verify --rw randread --latency-target p99.9:1ms --time 5m
                                          the highest rate at which 99.9 % of the reads take at most 1 ms
  ioproof verify --rw randwrite --sync fsync:8 --end-fsync --split-latency
  ioproof verify --rw randwrite --check   write, read everything back and compare; exit status 1 if data was lost
  ioproof verify --rw rw:70:10 --bs 64KiB --workers 2 --worker-span 256MiB --pin 0,1
                                          70 % reads, 10 % trims, 20 % writes; each worker on a CPU and a part of its own
  ioproof verify --interleave /dev/sda /dev/sdb --rw randread
                                          two drives in turns, so that what changes meanwhile meets both; then compared
  ioproof verify /dev/sda /dev/sdb /dev/sdc --rw randread,read
                                          each alone and all at once, and what they share where that is less than the sum
  ioproof verify --all-idle-drives --out node7
                                          every drive that nothing uses, one after the other, only reading; a run file each
  ioproof verify /dev/sda --baseline last --fail-if worse
                                          held against the run before it; exit status 1 where a figure is worse
  ioproof verify /dev/sda --standard snia --destroy BTTV449503TE800JGN -o sheet.html
                                          the tests of SNIA SSS PTS 2.0.2: hours, and all data on the drive is lost
  ioproof verify --resume last --destroy BTTV449503TE800JGN
                                          goes on with such tests that were interrupted
  ioproof verify --rw randread --backend null
                                          what the generator itself can do, without any I/O

Nothing is ever written to a place that holds data: an existing file and a device are only read, unless --overwrite names
the file, or --destroy names the drive's serial number (of a loop device its kernel name, as loop0) and nothing is on it.";

/// Runs `verify` and gives the exit status.
///
/// # Errors
/// When nothing can be measured; what goes wrong with the drive is part of the record.
pub fn run(args: VerifyVerb) -> Result<u8> {
    let system = System::host();
    if let Some(folder) = args.drives.folder() {
        return all_drives::run(args.verify, &args.drives, folder, &system);
    }
    let (request, outputs) = match standard::settle(&args, &system)? {
        Some(of_standard) => of_standard,
        None => settle::settle(args.verify, &system)?,
    };
    measure(&system, &request, &outputs)
}

/// Measures what a request asks for, reports it and gives the exit status.
pub fn measure(system: &System, request: &SessionRequest, outputs: &RunOutputs) -> Result<u8> {
    if outputs.live {
        live::check()?;
    }
    let reports = Reports::open(&outputs.reports)?;
    request.targets.iter().filter_map(|target| target.path.as_deref()).try_for_each(|path| reports.spare(path))?;
    let stop = interrupt::flag()?;
    let mut progress = ProgressLine::on_stderr();
    let mut request = request.clone();
    let own = if outputs.dry_run { None } else { own_driver::measure(system, &mut request, &stop, &mut progress)? };
    let mut session = match session::open(system, &request, outputs.baseline.as_ref(), &stop) {
        Ok(session) => session,
        Err(error) => return complaint::or_interrupted(error, stop.load(Relaxed)),
    };
    if outputs.dry_run {
        session.say_beforehand();
        return session.show(outputs.reports.shown == Some(Format::Json)).map(|()| 0);
    }
    session.check_engine()?;
    own.map_or(Ok(()), |part| own_driver::join(&mut session, part))?;
    progress.say(&session.opening());
    session.say_beforehand();
    let mut live = if outputs.live { LiveView::begin(session.record())? } else { None };
    let measured = session.measure(live::beside(&mut progress, &mut live))?;
    drop(live);
    progress.clear();
    finish(&request.plan.kind, outputs, reports, &measured)
}
