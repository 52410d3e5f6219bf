//! The number of lines: the audit is of use only where a job that is right gets no line and one that is not a few.

use super::machine::warnings_if_read;
use super::*;
use ioproof_core::finding::Severity;
use ioproof_core::method;
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fio").join(folder);
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|end| end == "fio")).collect()
}

fn lines(folder: &str) -> Vec<usize> {
    let mut all = Vec::new();
    for path in files(folder) {
        let text = std::fs::read_to_string(&path).unwrap();
        let warnings = warnings_if_read(&text).unwrap_or_default();
        let mut places: Vec<(&str, usize)> = Vec::new();
        for warning in &warnings {
            match places.iter_mut().find(|(job, _)| *job == warning.job) {
                Some((_, count)) => *count += 1,
                None => places.push((&warning.job, 1)),
            }
        }
        all.extend(places.into_iter().map(|(_, count)| count));
    }
    all.sort_unstable();
    all
}

#[test]
fn a_job_gets_a_few_lines() {
    for (folder, median, most) in [("valid", 1, 3), ("differential", 1, 3), ("seeds", 3, 4)] {
        let all = lines(folder);
        assert!(all.len() >= 8, "{folder}: {all:?}");
        assert!(all[all.len() / 2] <= median && all[all.len() - 1] <= most, "{folder}: {all:?}");
    }
}

#[test]
fn what_is_covered_is_said_once() {
    for (text, said) in [
        ("[a]\nfilename=/data/x\nsize=1g\nrw=randrw\nioengine=libaio\niodepth=8\n", vec!["fits-in-memory"]),
        ("[a]\nfilename=/data/x\nsize=64g\nrw=write\n", vec!["buffered-writes"]),
        ("[qd8]\nfilename=/dev/nvme0n1\ndirect=1\nrw=read\nioengine=psync\niodepth=8\n", vec!["depth-of-one"]),
        ("[a]\nfilename=/dev/nvme0n1\ndirect=1\nrw=read\nbs=4KiB\n", vec!["kib-is-1000"]),
        ("[a]\nfilename=/dev/nvme0n1\ndirect=1\nrw=randread\nsize=1g\nruntime=9\n", vec!["small-share", "ends-early"]),
    ] {
        let rules: Vec<_> = warnings_if_read(text).unwrap().into_iter().map(|warning| warning.finding.rule).collect();
        assert_eq!(rules, said, "{text}");
    }
}

#[test]
fn what_is_covered_is_a_rule() {
    let names: Vec<&str> = rules().map(|rule| rule.name).collect();
    let names: Vec<&str> = names.into_iter().chain(method::rules().map(|rule| rule.name)).collect();
    for rule in rules() {
        let others = || rule.covers.iter().chain(rule.covered_by);
        assert!(others().all(|name| names.contains(name) && *name != rule.name), "{}", rule.name);
    }
}

#[test]
fn what_nobody_means_is_a_mistake_and_what_one_may_mean_is_not() {
    let severity = |text: &str, name: &str| {
        let found = warnings_if_read(text).unwrap().into_iter().find(|warning| warning.finding.rule == name);
        found.unwrap_or_else(|| panic!("{name} is silent on {text}")).finding.severity
    };
    for (text, name) in [
        ("ioengine=psync\niodepth=32\nfilename=/dev/sdb\ndirect=1", "depth-of-one"),
        ("filename=/data/x\nsize=64g\nrw=randread", "buffered-reads"),
        ("filename=/data/x\nsize=64g\nrw=randwrite", "buffered-writes"),
        ("filename=/data/x\nsize=1g\nrw=randread", "fits-in-memory"),
        ("filename=/dev/sdb\ndirect=1\nbs=4KiB", "kib-is-1000"),
        ("filename=/dev/sdb\ndirect=1\nrw=read\nnumjobs=4", "same-blocks"),
        ("filename=/dev/sdb\ndirect=1\nrw=read\nsize=1g\nruntime=60", "ends-early"),
        ("filename=/dev/sdb\ndirect=1\nrw=read\ntime_based\nruntime=9\npercentile_list=99.999", "percentile-samples"),
        ("filename=/dev/sdb\ndirect=1\nrw=write\nzero_buffers", "zeros"),
        ("filename=/dev/sdb\ndirect=1\nrw=write\nbuffer_pattern=0x0", "zeros"),
        ("filename=/dev/sdb\ndirect=1\nrw=write\nbuffer_pattern=0x12", "patterned-data"),
    ] {
        assert_eq!(severity(&format!("[a]\n{text}\n"), name), Severity::Warn, "{name}");
    }
    for (text, name) in [
        ("filename=/data/x\nsize=64g\nrw=randread\nbuffered=1", "meant-buffered"),
        ("filename=/dev/sdb\ndirect=1\nrw=read\nnumber_ios=5000", "tail-samples"),
        ("filename=/dev/sdb\ndirect=1\nrw=write", "repeated-buffers"),
        ("filename=/dev/sdb\ndirect=1\nrw=write\nbuffer_compress_percentage=60", "compressible-data"),
        ("filename=/dev/sdb\ndirect=1\nrw=write\ndedupe_percentage=60", "duplicate-data"),
        ("filename=/dev/sdb\ndirect=1\nrw=read\nsize=10GB", "kb-base-unsaid"),
    ] {
        assert_eq!(severity(&format!("[a]\n{text}\n"), name), Severity::Info, "{name}");
    }
}
