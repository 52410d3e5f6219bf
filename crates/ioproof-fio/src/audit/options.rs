//! Options that have no effect beside the others of their job.

use super::context::JobContext;
use super::facts::{FileFacts, FileKind};
use super::rule::{LanguageCheck, LanguageFinding, LanguageRule, found, rule};
use crate::settings::{Checksum, OpenSync, Verify};
use ioproof_core::finding::{Evidence, Severity};

pub(super) const RULES: &[LanguageRule] = &[
    rule("not-laid-out", Severity::Warn, LanguageCheck::Job(not_laid_out))
        .about("reads of files that are made only when they are opened")
        .fires_on("[a]\nfilename=/data/new\nsize=64g\nrw=randread\ncreate_on_open=1\n")
        .silent_on("[a]\nfilename=/data/new\nsize=64g\nrw=randread\n"),
    rule("sync-without-writes", Severity::Info, LanguageCheck::Job(sync_without_writes))
        .about("options that sync in a job that writes nothing")
        .fires_on("[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nend_fsync=1\n")
        .silent_on("[global]\nend_fsync=1\n[a]\nfilename=/dev/nvme0n1\nrw=randread\n[b]\nfilename=/dev/nvme0n1\nrw=write\n")
        .covered_by(&["name-against-direction"]),
    rule("syncs-in-a-mix", Severity::Info, LanguageCheck::Job(syncs_in_a_mix))
        .about("syncs in a mix of reads and writes, which fio counted differently before 3.38")
        .fires_on("[a]\nfilename=/data/x\nsize=10g\nrw=randrw\nfsync=1\n")
        .silent_on("[a]\nfilename=/data/x\nsize=10g\nrw=randwrite\nfsync=1\n"),
    rule("time-based-without-runtime", Severity::Warn, LanguageCheck::Job(without_runtime))
        .about("time_based where no time is given")
        .fires_on("[a]\nfilename=/data/x\nsize=10g\nrw=read\ntime_based\n")
        .silent_on("[a]\nfilename=/data/x\nsize=10g\nrw=read\ntime_based\nruntime=60\n"),
    rule("verify-without-method", Severity::Warn, LanguageCheck::Job(without_method))
        .about("options of verification while nothing is verified")
        .fires_on("[a]\nfilename=/data/x\nsize=1g\nrw=write\nverify_fatal=1\n")
        .silent_on("[a]\nfilename=/data/x\nsize=1g\nrw=write\nverify_fatal=1\nverify=crc32c\n"),
];

fn options(names: &[&str]) -> Vec<Evidence> {
    vec![Evidence::text("options", names.join(", "))]
}

fn not_laid_out(job: &JobContext) -> Option<LanguageFinding> {
    let is_missing = |file: &FileFacts| file.kind == FileKind::Regular && file.bytes.is_none_or(|bytes| bytes == 0);
    let files = &job.set.files;
    let is = job.reads() && files.create_on_open && !files.overwrite && job.clones.iter().flat_map(|clone| &clone.files).any(is_missing);
    let title = "create_on_open=1 makes the files empty when they are opened, so there is nothing to read in them";
    is.then(|| found(title, options(&["create_on_open"]), "leave out create_on_open: the files are then written before the job reads them"))
}

fn sync_without_writes(job: &JobContext) -> Option<LanguageFinding> {
    let syncs = &job.set.syncs;
    let asked = [
        ("end_fsync", syncs.end_fsync),
        ("fsync_on_close", syncs.fsync_on_close),
        ("fsync", syncs.fsync_every > 0),
        ("fdatasync", syncs.fdatasync_every > 0),
        ("sync", syncs.open != OpenSync::None),
        ("sync_file_range", syncs.range_every > 0),
    ];
    // In [global] an option is for those jobs that write.
    let is_meant = |option: &str| job.nobody_writes || job.job.typed.iter().any(|(key, _)| key == option);
    let names: Vec<&str> = asked.into_iter().filter(|(option, is_set)| *is_set && is_meant(option)).map(|(option, _)| option).collect();
    let title = format!("{} in a job that only reads: there is nothing to sync", names.join(" and "));
    (!job.writes() && !names.is_empty()).then(|| found(title, options(&names), "leave it out, or check whether rw is what you mean"))
}

fn without_runtime(job: &JobContext) -> Option<LanguageFinding> {
    let is = job.set.time.time_based && job.set.time.runtime_ns == 0;
    let title = "time_based has no effect without runtime: the job ends when its size is done";
    is.then(|| found(title, options(&["time_based"]), "give runtime=, in seconds"))
}

fn without_method(job: &JobContext) -> Option<LanguageFinding> {
    let verify = &job.set.verify;
    match verify.method {
        None => {}
        Some(Checksum::Null) => {
            let title = "verify=null compares nothing, and nothing is read back";
            return Some(found(title, options(&["verify"]), "use verify=crc32c, or leave out verify"));
        }
        Some(_) => return None,
    }
    let names = in_use(verify);
    let title = format!("{} without verify=: nothing is verified", names.join(" and "));
    (!names.is_empty()).then(|| found(title, options(&names), "set verify=crc32c, or leave them out"))
}

fn in_use(verify: &Verify) -> Vec<&'static str> {
    let all = [
        ("verify_only", verify.only),
        ("verify_interval", verify.interval_bytes.is_some()),
        ("verify_offset", verify.header_offset_bytes > 0),
        ("verify_fatal", verify.fatal),
        ("verify_dump", verify.dump),
        ("verify_backlog", verify.backlog.is_some()),
        ("verify_backlog_batch", verify.backlog_batch.is_some()),
    ];
    all.into_iter().filter_map(|(option, is_set)| is_set.then_some(option)).collect()
}

/// fio 3.38 (commit 704a8cfe) began to sync after writes alone; `fsync=N` means N writes in every manual.
fn syncs_in_a_mix(job: &JobContext) -> Option<LanguageFinding> {
    let syncs = &job.set.syncs;
    let asked = [("fsync", syncs.fsync_every > 0), ("fdatasync", syncs.fdatasync_every > 0), ("sync_file_range", syncs.range_every > 0)];
    let names: Vec<&str> = asked.into_iter().filter(|(_, is_set)| *is_set).map(|(option, _)| option).collect();
    let title = format!(
        "{} syncs after writes only, as fio 3.38 and later do; earlier versions also sync after reads and show lower rates",
        names.join(" and ")
    );
    (job.reads() && job.writes() && !names.is_empty())
        .then(|| found(title, options(&names), "compare only with figures of fio 3.38 or later"))
}
