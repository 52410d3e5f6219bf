//! The table: each job file of `fixtures/fio/differential`, and what is compared of it beside what always is (`part::ALWAYS`).

use super::part::Part::{self, *};

/// One job file.
pub struct Case {
    /// Its name without `.fio`.
    pub file: &'static str,
    pub compared: &'static [Part],
    /// Differences on purpose, with the reason.
    pub differs: &'static [(Part, &'static str)],
    /// Reason for which ioproof refuses it, where it does.
    pub refused: Option<&'static str>,
}

const fn case(file: &'static str, compared: &'static [Part]) -> Case {
    Case { file, compared, differs: &[], refused: None }
}

const fn refused(file: &'static str, why: &'static str) -> Case {
    Case { file, compared: &[], differs: &[], refused: Some(why) }
}

impl Case {
    const fn but(mut self, differs: &'static [(Part, &'static str)]) -> Self {
        self.differs = differs;
        self
    }

    /// True where it must run while nothing else does.
    pub fn is_timed(&self) -> bool {
        self.compared.iter().any(|part| part.is_timed())
    }

    /// Everything that is compared of it.
    pub fn parts(&self) -> Vec<Part> {
        let all = super::part::ALWAYS.iter().chain(self.compared).copied();
        all.filter(|part| !self.differs.iter().any(|(but, _)| but == part)).collect()
    }
}

/// I/O that is told in every detail.
const ORDER: &[Part] = &[Totals, Order];
/// Random I/O that comes to each block as often.
const OFFSETS: &[Part] = &[Totals, Offsets];
/// Random I/O that is cut short so that it comes to each block as often.
const ONCE: &[Part] = &[Bytes, Visits, Near(5), Sizes];
const TOTALS: &[Part] = &[Totals];
/// Amounts that are shown in units that the job chooses.
const AMOUNTS: &[Part] = &[Totals, Amounts];

const NO_REPORT: &[(Part, &str)] = &[
    (Header, "where nothing is run, nothing is reported"),
    (Jobs, "as the header"),
    (Options, "as the header"),
    (Keys, "as the header"),
    (Terse, "as the header"),
    (Lines, "as the header"),
];
/// The same of a job that fio makes files for before it fails.
const NOT_RUN: &[(Part, &str)] = &[
    (Header, "a job that cannot run is refused before anything is made"),
    (Jobs, "as the header"),
    (Options, "as the header"),
    (Keys, "as the header"),
    (Terse, "as the header"),
    (Lines, "as the header"),
    (Files, "as the header"),
];
const MERGED: &str = "ioproof syncs once after so many writes; fio does it again before every I/O until the next write";

pub const CASES: &[Case] = &[
    // Order.
    case("read", ORDER),
    case("write-direct", ORDER),
    case("randread", OFFSETS),
    case("randwrite", OFFSETS),
    case("rw", &[Sum, Mix(70)]),
    case("randrw", &[Sum, Mix(70), Regions(8)]),
    case("randrw-by-writes", &[Sum, Mix(80), Regions(8)]),
    case("read-with-gaps", ORDER),
    case("gaps-to-the-end", ORDER),
    case("gaps-past-the-end", ORDER),
    case("gaps-io-size", ORDER),
    case("gaps-number-ios", ORDER),
    case("gaps-files", ORDER),
    case("gaps-small", ORDER),
    case("gaps-offset", ORDER),
    case("gaps-uneven", ORDER),
    case("gaps-uneven-files", ORDER),
    case("read-backwards", ORDER),
    case("read-backwards-far", ORDER),
    case("randread-in-runs", &[Totals, Follows]),
    case("randwrite-identical", &[Totals, Regions(8), Follows]),
    case("randread-identical", OFFSETS),
    case("norandommap-uneven", TOTALS),
    case("norandommap", &[Totals, Regions(16), Follows]),
    case("lfsr", OFFSETS),
    case("tausworthe64", OFFSETS),
    case("seeds", OFFSETS),
    case("percentage-random", &[Totals, Follows]),
    case("zipf-1.2", &[Totals, Busiest]),
    case("pareto-0.2", &[Totals, Busiest]),
    case("normal-10", TOTALS),
    case("zipf-with-centre", &[Totals, Busiest]),
    case("pareto-with-centre", &[Totals, Busiest]),
    case("normal-with-centre", TOTALS),
    case("zoned", &[Totals, Regions(10)]),
    case("zoned-abs", &[Totals, Regions(4)]),
    case("zones", ORDER),
    case("zones-random", &[Totals, Regions(16)]),
    case("zones-end-to-end", ORDER),
    case("zbd", ORDER),
    case("zbd-random", OFFSETS),
    case("zbd-resets", ORDER),
    case("zbd-read", ORDER),
    case("zbd-open", TOTALS),
    case("blockalign", &[Totals, Regions(16)]),
    case("trimwrite", ORDER),
    case("trimwrite-random", OFFSETS),
    case("trimwrite-passes", TOTALS),
    case("trimwrite-some", TOTALS),
    // Blocks.
    case("sizes-by-direction", &[Sum, Mix(50), Sizes]),
    case("bssplit", &[Sum, Sizes, Regions(8)]),
    case("bssplit-by-direction", &[Sum, Mix(50), Sizes]),
    case("bsrange", &[Sum, Sizes]),
    case("bsrange-sequential", &[Bytes, Sizes]),
    case("bsrange-files", &[Bytes, Visits]),
    case("bssplit-once", ONCE),
    case("bsrange-once", ONCE),
    case("bssplit-once-mixed", ONCE),
    case("bssplit-once-files", &[Bytes, Visits, Near(15)]),
    case("bssplit-once-ends", &[Bytes, Visits, Near(15)]),
    case("bssplit-once-verify", &[Bytes, Visits, Near(15)]),
    case("bssplit-random-part", &[Near(5), Follows, Sizes]),
    case("bssplit-lfsr", &[Sum, Sizes, Regions(8)]),
    refused("bs-unaligned", "sizes that are no multiple of the smallest one are not there"),
    case("block-does-not-divide", ORDER),
    case("half-k", ORDER),
    case("bs-tiny", ORDER),
    case("bs-odd", ORDER),
    case("bs-units", ORDER),
    // Region.
    case("offset", ORDER),
    case("offset-percent", ORDER),
    case("offset-align", ORDER),
    case("offset-increment", ORDER),
    case("io-size-more", ORDER),
    case("io-size-less", ORDER),
    case("io-size-below-a-block", &[Bytes]),
    case("io-size-random", TOTALS),
    case("size-percent", OFFSETS),
    case("size-of-file", ORDER),
    case("number-ios", TOTALS),
    case("number-ios-loops", ORDER),
    case("number-ios-passes", OFFSETS),
    case("io-size-loops", ORDER),
    case("loops", ORDER),
    case("loops-random", OFFSETS),
    // Files.
    case("nrfiles", ORDER),
    case("uneven-files", ORDER),
    case("uneven-files-random", OFFSETS),
    case("filesize", ORDER),
    case("filesize-and-size", ORDER),
    case("filesize-above-share", ORDER),
    case("filesize-and-size-random", OFFSETS),
    case("filesize-comma", &[]).but(&[(Files, "the sizes are drawn from the same range by another generator"), (Lines, "as the files")]),
    case("filesize-range", TOTALS).but(&[(Files, "the sizes are drawn from the same range by another generator")]),
    case("create-fsync", ORDER),
    case("service-sequential", ORDER),
    case("service-roundrobin", ORDER),
    case("service-random", TOTALS),
    case("filenames", ORDER),
    case("directories", ORDER),
    case("filename-format", ORDER),
    case("file-append", ORDER),
    case("file-append-files", ORDER),
    case("unlink", ORDER),
    case("create-only", &[]).but(NO_REPORT),
    case("overwrite", OFFSETS),
    case("fallocate-none", ORDER),
    case("fallocate-keep", ORDER),
    case("fallocate-posix", ORDER),
    case("fallocate-truncate", ORDER),
    case("no-file-create", &[]).but(NO_REPORT),
    case("create-on-open", ORDER),
    case("cached", ORDER),
    case("cache-kept", OFFSETS),
    // Rates and times.
    case("rate", &[Totals, Order, Runtime, Rate]),
    case("rate-iops", &[Totals, Offsets, Runtime, Rate]),
    case("rate-by-direction", &[Runtime, Rate]),
    case("rate-bytes-by-direction", &[Sum, Runtime, Rate]),
    case("rate-one-direction", &[Runtime]),
    case("rate-made-up", &[About(12)]),
    case("flow", &[Runtime, About(10)]),
    case("submit-offload", &[Totals, Offsets, Runtime, Rate]),
    case("rate-poisson", &[Runtime, About(20)]),
    case("rate-min", &[Totals, Order, Runtime]),
    case("thinktime", &[Totals, Order, Runtime]),
    case("thinktime-blocks", &[Totals, Order, Runtime]),
    case("thinktime-iotime", &[Runtime, About(25)]),
    case("thinktime-iotime-blocks", &[Totals, Order, Runtime]),
    case("startdelay", &[Totals, Order]),
    case("time-based", &[Runtime]),
    case("runtime-fraction", &[Runtime]),
    case("runtime", &[Runtime, About(4)]),
    case("ramp", &[Runtime, About(4)]),
    case("ramp-longer", TOTALS).but(&[(Keys, "fio times no I/O of a ramp, whatever becomes of it"), (Lines, "as the keys")]),
    // Syncs.
    case("fsync", &[Totals, Order, Syncs]),
    case("fdatasync", &[Totals, Offsets, Syncs]),
    case("end-fsync", &[Totals, Order, Syncs]),
    case("fsync-on-close", &[Totals, Order, Syncs]),
    case("sync-dsync", &[Totals, Order, Syncs]),
    case("sync-sync", &[Totals, Order, Syncs]),
    case("sync-file-range", &[Totals, Order, Syncs]),
    case("fsync-mixed", &[Sum, Mix(50)]).but(&[(Syncs, MERGED)]),
    // Data.
    case("zero-buffers", &[Totals, Order, Contents]),
    case("buffer-pattern", &[Totals, Offsets, Contents]),
    case("buffer-pattern-text", &[Totals, Order, Contents]),
    case("refill", &[Totals, Order, Duplicates]),
    case("repeated-data", ORDER).but(&[(Duplicates, "every block differs in any case, so that no drive can merge them")]),
    case("compressible", &[Totals, Order, Compressible]),
    case("dedupe", &[Totals, Order, Duplicates]),
    case("verify", TOTALS),
    case("verify-later", ORDER),
    case("verify-pattern", &[Totals, Order, Contents]),
    case("verify-pattern-offsets", &[Totals, Order, Contents]),
    case("verify-pattern-mixed", &[Totals, Offsets, Contents]),
    case("verify-mixed", &[Reads, Mix(66)]),
    case("verify-sequential-mixed", &[Reads, Mix(66)]),
    case("verify-part", TOTALS),
    case("verify-files", &[Totals, Offsets]),
    case("verify-bssplit", &[Sizes]),
    case("verify-later-job", &[Totals, Order]),
    case("verify-only", &[Reads]).but(&[(Keys, "fio counts writes that it does not do, with latencies"), (Lines, "as the keys")]),
    // Jobs.
    case("stonewall", TOTALS),
    case("shared-file", TOTALS),
    case("new-group", TOTALS),
    case("group-reporting", OFFSETS),
    case("numjobs", ORDER),
    case("wait-for", TOTALS),
    case("exitall", &[]),
    case("global-between", TOTALS),
    case("description", TOTALS),
    case("bare-flags", TOTALS),
    // Reports.
    case("unified", TOTALS),
    case("unified-both", &[Sum]),
    case("percentiles", TOTALS),
    case("percentiles-all", TOTALS),
    case("no-percentiles", TOTALS),
    case("no-lat", TOTALS),
    case("no-clat", &[Totals]),
    case("no-bandwidth", TOTALS),
    case("unit-base", AMOUNTS),
    case("significant-figures", AMOUNTS),
    case("significant-figures-many", AMOUNTS),
    case("samples", &[Runtime]),
    case("gtod-reduce", TOTALS),
    case("stats-off", &[]).but(&[
        (Jobs, "fio prints a job without a name for one that is not shown"),
        (Keys, "as the jobs"),
        (Options, "as the jobs"),
        (Lines, "as the jobs"),
        (Terse, "as the jobs"),
    ]),
    case("kb-base", AMOUNTS),
    case("steady-state", &[]),
    case("latency-target", &[]),
    // Engines.
    case("engine-sync", OFFSETS),
    case("engine-vsync", OFFSETS),
    case("engine-pvsync", OFFSETS),
    case("engine-pvsync2", OFFSETS),
    case("engine-libaio", OFFSETS),
    case("engine-io_uring", OFFSETS),
    case("engine-posixaio", OFFSETS),
    case("engine-mmap", OFFSETS),
    case("engine-null", OFFSETS).but(&[(Logs, "handing over to nothing is not timed apart from doing it"), (Lines, "as the logs")]),
    case("engine-falloc-read", ORDER),
    case("engine-falloc-write", ORDER),
    case("engine-falloc-random", OFFSETS),
    case("engine-falloc-trim", ORDER),
    case("engine-ftruncate", ORDER),
    case("engine-ftruncate-random", OFFSETS).but(&[(Files, "the file is as long as the last offset, which is drawn")]),
    case("engine-ftruncate-read", &[]).but(NOT_RUN),
    case("engine-filecreate", TOTALS),
    case("engine-filecreate-clones", TOTALS),
    case("engine-filecreate-passes", TOTALS),
    case("engine-filecreate-some", TOTALS),
    case("engine-filecreate-unlink", TOTALS),
    case("engine-filestat", TOTALS),
    case("engine-filestat-random", TOTALS),
    case("engine-filedelete", TOTALS),
    case("engine-filedelete-some", TOTALS),
    case("engine-filedelete-passes", TOTALS).but(&[(Header, "the failure has words of its own")]),
    case("engine-libaio-write", &[Totals, Offsets, Syncs]),
    case("engine-uring-options", OFFSETS),
    case("engine-mmap-write", ORDER),
    case("batches", OFFSETS),
    case("batches-low", OFFSETS),
    case("memory", ORDER),
    refused("memory-file", "the file that the buffers lie in is overwritten, which takes --overwrite"),
    case("host", OFFSETS),
    case("prioclass", OFFSETS),
    case("numa", OFFSETS),
    case("lockmem", OFFSETS),
    case("fadvise-hint", ORDER),
    case("fadvise-hint-mmap", OFFSETS),
    // Devices.
    case("dev-null", TOTALS),
    case("dev-zero", TOTALS),
    // Logs.
    case("logs-named", &[Sum, Mix(50)]),
    case("logs-of-job", &[Totals, LogLines]),
    case("logs-averaged", &[Rate]).but(&[(LogLines, "fio leaves out the last window of bandwidth and IOPS")]),
    case("logs-largest", &[LogLines]),
    case("logs-histogram", &[LogLines]),
    case("logs-shared", &[Totals, LogLines]),
    case("logs-epoch", &[Totals, LogLines]),
    case("logs-clock", &[Totals, LogLines]),
    case("logs-no-bandwidth", &[Totals, LogLines]),
    case("logs-gtod-reduce", &[Totals, LogLines]),
    case("logs-libaio", &[Totals, Offsets, LogLines]),
];
