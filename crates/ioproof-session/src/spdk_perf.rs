//! `spdk_nvme_perf` on the cells of the own driver, while the drive is with vfio-pci: one run a cell, read by the reader of published outputs.

use anyhow::Result;
use ioproof_audit::Reading;
use ioproof_audit::number::Number;
use ioproof_core::record::{ProgramRun, SPDK_PERF};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_process::complaint::complaint;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time that it may take beside the measurement: it reserves memory and brings the drive up.
const BESIDE: Duration = Duration::from_secs(120);
/// Between two looks if it has ended.
const PAUSE: Duration = Duration::from_millis(20);
/// More than it prints: a pipe as the kernel makes it (pipe(7)).
const PIPE_BYTES: u64 = 64 << 10;

/// The program, where it is installed.
#[derive(Debug, Clone)]
pub struct SpdkPerf(PathBuf);

impl SpdkPerf {
    /// Looks for it in the folders of `PATH`.
    ///
    /// # Errors
    /// When it is in none of them.
    pub fn find() -> Result<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|folder| folder.join(SPDK_PERF)).find(|path| path.is_file());
        found.map(Self).ok_or_else(|| {
            complaint(format!("{SPDK_PERF} is not in any folder of PATH"), "build SPDK and add its build/bin, or leave out --with")
        })
    }

    /// Runs it on a drive by its name; nothing for a workload that it does not have, or where the user ended it.
    ///
    /// # Errors
    /// When it fails, or prints what is not understood.
    pub(crate) fn run(&self, drive: &str, workload: &Workload, seconds: u32, stop: &AtomicBool) -> Result<Option<ProgramRun>> {
        let Some(arguments) = arguments(drive, workload, seconds) else { return Ok(None) };
        let failed = |why: String| complaint(format!("{SPDK_PERF}: {why}"), format!("try it by hand: {SPDK_PERF} {}", typed(&arguments)));
        let mut command = Command::new(&self.0);
        command.args(&arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let limit = Duration::from_secs(seconds.into()) + BESIDE;
        let is_done = end(&mut child, limit, stop).map_err(|error| failed(error.to_string()))?;
        if stop.load(Relaxed) {
            return Ok(None);
        }
        let (printed, said) = (text(child.stdout.take()), text(child.stderr.take()));
        if !is_done {
            let last = said.lines().chain(printed.lines()).rfind(|line| !line.trim().is_empty());
            return Err(failed(last.unwrap_or("it did not end well").trim().to_owned()));
        }
        let read = read(&typed(&arguments), &printed, workload, seconds);
        read.map(Some).ok_or_else(|| failed("its output is not understood".to_owned()))
    }
}

/// Waits for its end; false where it failed or had to be killed.
fn end(child: &mut Child, limit: Duration, stop: &AtomicBool) -> std::io::Result<bool> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if stop.load(Relaxed) || began.elapsed() > limit {
            child.kill()?;
            return child.wait().map(|_| false);
        }
        std::thread::sleep(PAUSE);
    }
}

fn text(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    let read = from.map(|from| from.take(PIPE_BYTES).read_to_end(&mut bytes));
    drop(read);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The program's arguments for a workload; `None` for one that it does not have. Several of its cores would all begin a sequential load at block 0.
fn arguments(drive: &str, workload: &Workload, seconds: u32) -> Option<Vec<String>> {
    let Workload { pattern, read_percent, block_bytes, workers, depth, ref backend, .. } = *workload;
    let plain = Workload { backend: backend.clone(), ..Workload::plain(pattern, read_percent, block_bytes, workers, depth) };
    if *workload != plain || pattern == Pattern::Sequential && workers > 1 {
        return None;
    }
    let order = if pattern == Pattern::Random { "rand" } else { "" };
    let direction = match read_percent {
        100 => "read",
        0 => "write",
        _ => "rw",
    };
    let pair = |flag: &str, value: String| [flag.to_owned(), value];
    let mut all: Vec<String> =
        [pair("-q", depth.to_string()), pair("-o", block_bytes.to_string()), pair("-w", format!("{order}{direction}"))]
            .into_iter()
            .chain((direction == "rw").then(|| pair("-M", read_percent.to_string())))
            .chain([pair("-t", seconds.to_string()), pair("-c", core_mask(workers)?), pair("-r", drive.to_owned())])
            .flatten()
            .collect();
    // The table of percentiles.
    all.push("-L".to_owned());
    Some(all)
}

/// The first CPUs that this process may use, one a worker; `None` where they are too few.
fn core_mask(workers: u32) -> Option<String> {
    let allowed = rustix::thread::sched_getaffinity(None).ok()?;
    let cpus: Vec<usize> = (0..128).filter(|cpu| allowed.is_set(*cpu)).take(workers as usize).collect();
    (cpus.len() == workers as usize).then(|| format!("{:#x}", cpus.iter().fold(0_u128, |mask, cpu| mask | 1 << cpu)))
}

/// As a shell takes it.
fn typed(arguments: &[String]) -> String {
    let quoted = arguments.iter().map(|word| if word.contains(' ') { format!("'{word}'") } else { word.clone() });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The figures of its output.
fn read(arguments: &str, printed: &str, workload: &Workload, seconds: u32) -> Option<ProgramRun> {
    let reading = Reading::new(SPDK_PERF, format!("{SPDK_PERF} {arguments}\n{printed}").as_bytes());
    let [measured] = reading.measured.as_slice() else { return None };
    let side = measured.sides.first()?;
    let value = |number: Option<Number>| number.map(|number| number.value).filter(|value| value.is_finite() && *value >= 0.0);
    let latency = &side.latency;
    Some(ProgramRun {
        workload: Workload { backend: Some(SPDK_PERF.to_owned()), ..workload.clone() },
        seconds,
        iops: value(side.iops)?,
        bytes_per_s: value(side.bytes_per_s)?,
        mean_ns: value(latency.mean)?,
        extremes_ns: (value(latency.min)?.round() as u64, value(latency.max)?.round() as u64),
        percentiles_ns: latency.percentiles.iter().map(|(share, number)| (*share, number.value.round() as u64)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVE: &str = "trtype:PCIe traddr:0000:06:00.0";

    /// A script in the place of the program. Made by another process: one that begins meanwhile would hold it open to be written (ETXTBSY).
    fn stand_in(does: &str) -> (SpdkPerf, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(SPDK_PERF);
        let make = r#"printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 755 "$0""#;
        assert!(Command::new("sh").args(["-c", make]).arg(&path).arg(does).status().unwrap().success());
        (SpdkPerf(path), folder)
    }

    fn reads(workers: u32) -> Workload {
        Workload { backend: Some("polled".into()), ..Workload::plain(Pattern::Random, 100, 4096, workers, 32) }
    }

    const PRINTED: &str = "Initializing NVMe Controllers
Attached to NVMe Controller at 0000:06:00.0 [8086:0a54]
Associating PCIE (0000:06:00.0) NSID 1 with lcore 0
Initialization complete. Launching workers.
========================================================
                                                                           Latency(us)
Device Information                     :       IOPS      MiB/s    Average        min        max
PCIE (0000:06:00.0) NSID 1 from core  0:  652439.48    2548.59      49.03       5.12    1617.14
========================================================
Total                                  :  652439.48    2548.59      49.03       5.12    1617.14

Summary latency data for PCIE (0000:06:00.0) NSID 1                  from core 0:
=================================================================================
  1.00000% :    31.289us
 50.00000% :    45.381us
 99.00000% :   101.477us
 99.90000% :   161.143us

Latency histogram for PCIE (0000:06:00.0) NSID 1                  from core 0:
==============================================================================
       Range in us     Cumulative    IO count
    5.120 -     5.250:    0.0100%  (     65)
";

    #[test]
    fn it_is_asked_for_the_cell_and_its_figures_are_read() {
        let (perf, folder) = stand_in("echo \"$*\" >\"$(dirname \"$0\")/asked\"; cat \"$(dirname \"$0\")/printed\"");
        std::fs::write(folder.path().join("printed"), PRINTED).unwrap();
        let run = perf.run(DRIVE, &reads(1), 2, &AtomicBool::new(false)).unwrap().unwrap();
        let asked = std::fs::read_to_string(folder.path().join("asked")).unwrap();
        assert!(asked.starts_with("-q 32 -o 4096 -w randread -t 2 -c 0x"), "{asked}");
        assert!(asked.trim_end().ends_with(&format!("-r {DRIVE} -L")), "{asked}");
        assert_eq!((run.iops, run.mean_ns, run.extremes_ns), (652_439.48, 49_030.0, (5_120, 1_617_140)));
        assert_eq!(run.percentiles_ns[1..], [(50.0, 45_381), (99.0, 101_477), (99.9, 161_143)]);
        assert_eq!(run.workload.backend.as_deref(), Some(SPDK_PERF));
    }

    #[test]
    fn what_it_does_not_have_is_left_out() {
        let word = |workload: &Workload| Some(arguments(DRIVE, workload, 1)?[5..8].to_vec());
        let mixed = Workload { read_percent: 70, ..reads(1) };
        assert_eq!(word(&mixed).unwrap(), ["randrw", "-M", "70"]);
        let in_order = |workers| Workload { pattern: Pattern::Sequential, read_percent: 0, ..reads(workers) };
        assert_eq!(word(&in_order(1)).unwrap()[0], "write");
        assert_eq!([word(&in_order(2)), word(&reads(4_000))], [None, None]);
        let durable = Workload { durability: ioproof_core::workload::Durability::Fua, ..in_order(1) };
        assert_eq!(word(&durable), None);
    }

    #[test]
    fn a_failure_is_told_in_its_words() {
        let told = |does: &str| stand_in(does).0.run(DRIVE, &reads(1), 1, &AtomicBool::new(false)).unwrap_err().to_string();
        assert_eq!(told("echo 'No free 2048 kB hugepages' >&2; exit 1"), "spdk_nvme_perf: No free 2048 kB hugepages");
        assert_eq!(told("echo something else"), "spdk_nvme_perf: its output is not understood");
        let stopped = stand_in("sleep 100").0.run(DRIVE, &reads(1), 1, &AtomicBool::new(true)).unwrap();
        assert_eq!(stopped, None);
    }
}
