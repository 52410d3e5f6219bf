//! Mistakes that the command line alone shows: a flag that no workload of the list can follow, and flags that exclude each other.

use super::{BlockSizes, LoadFlags, MixFlag};
use anyhow::Result;
use ioproof_core::shape::{Fill, Growth, Order};
use ioproof_core::units::binary_size;
use ioproof_core::workload::Pattern;
use ioproof_engine::BackendChoice;
use ioproof_process::complaint::complaint;

/// Test that a workload can follow a flag.
type Fits = fn(&MixFlag) -> bool;
/// A flag, whether it was given, what it is for, and which workloads can follow it.
type FlagNeed = (&'static str, bool, &'static str, Fits);

impl LoadFlags {
    /// Refuses what cannot be meant.
    ///
    /// # Errors
    /// Names the flag, and what would go with it.
    pub fn check(&self) -> Result<()> {
        if let Some((flag, _, what, _)) = self.needs().into_iter().find(|(_, given, _, fits)| *given && !self.rw.iter().any(fits)) {
            return Err(complaint(
                format!("{flag} is for {what}, and --rw names nothing of that kind"),
                format!("name it with --rw, or leave {flag} out"),
            ));
        }
        if let Some((text, hint)) = self.backends().into_iter().find_map(|choice| self.beyond_backend(choice)) {
            return Err(complaint(text, hint));
        }
        match self.contradiction().or_else(|| self.odd_block()).or_else(|| self.stride_too_short()).or_else(|| self.less_than_a_block()) {
            Some((text, hint)) => Err(complaint(text, hint)),
            None => Ok(()),
        }
    }

    /// Direct I/O is of whole sectors.
    fn odd_block(&self) -> Option<(String, &'static str)> {
        let is_odd = |bytes: u32| !bytes.is_multiple_of(512);
        let odd = self.bs.iter().flat_map(BlockSizes::all).find(|bytes| is_odd(*bytes) && !self.buffered)?;
        Some((format!("--bs {odd}: direct I/O is of multiples of 512 B"), "add --buffered for any size, through the page cache"))
    }

    /// I/Os of one size must not overlap.
    fn stride_too_short(&self) -> Option<(String, &'static str)> {
        let Some(Order::Strided { stride_bytes }) = self.stride else { return None };
        let sequential = self.workloads().into_iter().filter(|w| w.pattern == Pattern::Sequential);
        let longest = sequential.map(|w| u64::from(w.largest_block_bytes())).max()?;
        let text = || format!("--stride {} is shorter than a block of {}", binary_size(stride_bytes), binary_size(longest));
        (longest > stride_bytes).then(|| (text(), "make it longer, or --bs smaller"))
    }

    /// A worker that is to end before its first I/O is whole.
    fn less_than_a_block(&self) -> Option<(String, &'static str)> {
        let bytes = self.bytes?;
        let longest = self.workloads().into_iter().map(|w| u64::from(w.largest_block_bytes())).max()?;
        let text = || format!("--bytes {} is less than a block of {}", binary_size(bytes), binary_size(longest));
        (bytes < longest).then(|| (text(), "make it at least a block, or --bs smaller"))
    }

    fn needs(&self) -> [FlagNeed; 26] {
        const READS: &str = "workloads that read";
        const WRITES: &str = "workloads that write";
        const CHANGES: &str = "workloads that write or trim";
        const NAMED: &str = "workloads of your own";
        let (reads, writes, changes): (Fits, Fits, Fits) = (|m| m.reads(), |m| m.writes(), |m| m.read_percent < 100);
        let any: Fits = |_| true;
        [
            ("--bs", !self.bs.is_empty(), NAMED, any),
            ("--depth", !self.depth.is_empty(), NAMED, any),
            ("--workers", !self.workers.is_empty(), NAMED, any),
            ("--worker-span", self.worker_span.is_some(), NAMED, any),
            ("--rate", self.rate.is_some(), NAMED, any),
            ("--poisson", self.poisson.is_some(), NAMED, any),
            ("--latency-target", self.latency_target.is_some(), NAMED, any),
            ("--think", self.think.is_some(), NAMED, any),
            ("--ios", self.ios.is_some(), NAMED, any),
            ("--bytes", self.bytes.is_some(), NAMED, any),
            ("--backend with several names", self.backends().len() > 1, NAMED, any),
            ("--distribution", self.distribution.is_some(), "random order", |m| m.pattern == Pattern::Random),
            ("--stride", self.stride.is_some(), "sequential order", |m| m.pattern == Pattern::Sequential),
            ("--sync", !self.sync.is_empty(), WRITES, writes),
            ("--write-to", !self.write_to.is_empty(), WRITES, writes),
            ("--files", self.files.is_some(), NAMED, any),
            ("--buffered", self.buffered, NAMED, any),
            ("--end-fsync", self.end_fsync, WRITES, writes),
            ("--data", self.data.is_some(), WRITES, writes),
            ("--compressible", self.compressible.is_some(), WRITES, writes),
            ("--duplicates", self.duplicates.is_some(), WRITES, writes),
            ("--check", self.check, WRITES, writes),
            ("--max-read-iops", self.max_read_iops.is_some(), READS, reads),
            ("--max-read-rate", self.max_read_rate.is_some(), READS, reads),
            ("--max-write-iops", self.max_write_iops.is_some(), CHANGES, changes),
            ("--max-write-rate", self.max_write_rate.is_some(), CHANGES, changes),
        ]
    }

    /// A flag that the backend cannot follow, with what to do about it.
    fn beyond_backend(&self, choice: BackendChoice) -> Option<(String, String)> {
        let backend = choice.name();
        let trims = self.rw.iter().any(|mix| mix.trim_percent > 0);
        match () {
            () if self.polled && !choice.can_poll() => {
                let hint = format!("{} can poll", BackendChoice::names_of(BackendChoice::can_poll));
                Some((format!("--polled cannot be had with --backend {backend}"), hint))
            }
            () if self.kernel_submits && !choice.kernel_can_submit() => {
                let can = BackendChoice::names_of(BackendChoice::kernel_can_submit);
                let hint = format!("only {can} has a kernel thread that submits");
                Some((format!("--kernel-submits cannot be had with --backend {backend}"), hint))
            }
            () if !choice.moves_data() && self.backends().len() > 1 => {
                let text = format!("--backend {backend} does no I/O: there is no drive to measure beside the others");
                Some((text, format!("run it by itself, or leave {backend} out")))
            }
            () if self.check && self.is_null() => {
                Some((format!("--check needs data, and --backend {backend} writes none"), "leave one of them out".into()))
            }
            () if trims && !choice.can_trim() => {
                let text = format!("trims cannot be had with --backend {backend}: there is no asynchronous call for them");
                Some((text, "psync and auto can trim, with a thread for each outstanding I/O".into()))
            }
            () => None,
        }
    }

    /// Two flags that exclude each other, with what to do about it.
    fn contradiction(&self) -> Option<(String, &'static str)> {
        let uniform = matches!(self.data, Some(Fill::Zero | Fill::Pattern(_)));
        let shares = self.compressible.is_some() || self.duplicates.is_some();
        let other_data = shares || !matches!(self.data, None | Some(Fill::Random));
        let trims = self.rw.iter().any(|mix| mix.trim_percent > 0);
        let grows = self.write_to.iter().any(|growth| matches!(growth, Growth::Append | Growth::AppendReserved));
        let open_loop = self.rate.is_some() || self.poisson.is_some() || self.latency_target.is_some();
        match () {
            () if self.check && other_data => {
                let text = "--check writes data with headers of its own: --data, --compressible and --duplicates do not go with it";
                Some((text.into(), "leave them out"))
            }
            () if self.check && (!self.write_to.is_empty() || self.files.is_some() || self.buffered) => {
                let text = "--check reads one file back, past the page cache: --write-to, --files and --buffered do not go with it";
                Some((text.into(), "leave them out"))
            }
            () if grows && self.rw.iter().any(|mix| mix.reads() && mix.writes()) => {
                let text = "--write-to append and append-reserved begin with an empty file, in which a mix has nothing to read";
                Some((text.into(), "write alone, or take existing or reserved"))
            }
            () if self.check && trims => Some(("--check: what is trimmed cannot be checked".into(), "leave the trims out of --rw")),
            () if self.check && self.latency_target.is_some() => {
                Some(("--check and --latency-target exclude each other".into(), "search first, then check at --rate N"))
            }
            () if open_loop && self.think.is_some() => Some((
                "--think is for a closed loop: an open one has its own times".into(),
                "leave out --think, or --rate, --poisson and --latency-target",
            )),
            () if shares && uniform => {
                let text = "--compressible and --duplicates make no sense of zeros or a pattern";
                Some((text.into(), "use them with --data random or --data fresh"))
            }
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::flags::load::testing::{load, parsed};

    #[test]
    fn what_nothing_can_follow_is_refused() {
        for (words, says) in [
            ("--rw read --distribution free", "--distribution is for random order"),
            ("--rw randread --stride 1MiB", "--stride is for sequential order"),
            ("--rw randread --sync fsync", "--sync is for workloads that write"),
            ("--rw trim --check", "--check is for workloads that write"),
            ("--rw write --max-read-iops 5", "--max-read-iops is for workloads that read"),
            ("--rw read --max-write-rate 5MB", "workloads that write or trim"),
            ("--rw write --data zero --check", "headers of its own"),
            ("--rw write --check --duplicates 5", "headers of its own"),
            ("--rw write --check --write-to append", "reads one file back"),
            ("--rw randwrite --check --files 4", "reads one file back"),
            ("--rw rw:50 --write-to append", "a mix has nothing to read"),
            ("--rw write,randrw:70 --write-to existing,append-reserved", "a mix has nothing to read"),
            ("--rw write,rw:50:10 --check", "cannot be checked"),
            ("--rw write --check --latency-target p99:1ms", "exclude each other"),
            ("--rw write --rate 5 --think 1ms", "closed loop"),
            ("--rw read --stride 64KiB", "shorter than a block of 128 KiB"),
            ("--rw randread,read --bytes 4KiB", "--bytes 4 KiB is less than a block of 128 KiB"),
            ("--rw trim --backend libaio", "trims cannot be had"),
            ("--rw write --data zero --compressible 5", "make no sense"),
            ("--rw write --check --backend null", "writes none"),
            ("--rw read --polled --backend libaio", "--polled cannot be had"),
            ("--rw read --kernel-submits --backend psync", "--kernel-submits cannot be had"),
            ("--rw read --polled --backend io_uring,psync", "--polled cannot be had with --backend psync"),
            ("--rw read --backend io_uring,null", "--backend null does no I/O"),
            ("--backend io_uring,psync", "--backend with several names is for workloads of your own"),
        ] {
            let error = load(words).check().unwrap_err().to_string();
            assert!(error.contains(says), "{words}: {error}");
        }
        load("--rw read,randwrite --distribution free --check --max-read-iops 5").check().unwrap();
        load("--rw trim --max-write-iops 5").check().unwrap();
        load("--rw rw:50 --write-to existing,reserved").check().unwrap();
        load("--rw read,write --write-to append").check().unwrap();
        load("--rw read --bytes 128KiB").check().unwrap();
        load("--backend pvsync2 --polled").check().unwrap();
    }

    #[test]
    fn flags_of_a_load_need_one() {
        for words in ["--bs 4KiB", "--sync fsync", "--check", "--rate 5", "--worker-span 1MiB", "--ios 5", "--rw read --worker-span 3000B"]
        {
            assert!(parsed(words).map_or(true, |load| load.check().is_err()), "{words}");
        }
        for words in ["--rate 5 --poisson 5", "--rate 5 --latency-target p99:1ms", "--ios 5 --bytes 5", "--no-latency --split-latency"] {
            assert!(parsed(&format!("--rw read {words}")).is_err(), "{words}");
        }
    }
}
