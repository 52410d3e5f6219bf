//! Every rule on its own two job files, all rules on good job files, and published job files with known mistakes.

mod examples;
mod good;
mod machine;
mod noise;
mod seeds;

pub(super) use machine::{facts_of, jobs_of};

use super::*;
use crate::rule_pages;
use crate::schedule::schedule;
use ioproof_core::finding::Severity;
use ioproof_core::method;
use machine::{rules_of, warnings_of};

fn has(text: &str, rule: &str) -> bool {
    rules_of(text).iter().any(|name| name == rule)
}

#[test]
fn every_rule_speaks_for_a_bad_job_and_is_silent_for_a_good_one() {
    for rule in rules() {
        assert!(has(rule.fires_on, rule.name), "{} is silent on {:?}", rule.name, rule.fires_on);
        assert!(!has(rule.silent_on, rule.name), "{} speaks on {:?}: {:?}", rule.name, rule.silent_on, warnings_of(rule.silent_on));
    }
}

#[test]
fn pages_show_what_the_rules_say_of_their_job_files() {
    let title =
        |rule: &LanguageRule| warnings_of(rule.fires_on).into_iter().find(|one| one.finding.rule == rule.name).unwrap().finding.title;
    rule_pages::hold(rules().map(|rule| (rule.name, title(rule))));
}

#[test]
fn pages_say_how_grave_a_mistake_is() {
    rule_pages::say(rules().map(|rule| (rule.name, if rule.severity == Severity::Info { "`note:`" } else { "`warning:`" })));
}

#[test]
fn names_are_unique_and_sentences_are_of_one_line() {
    let mut names: Vec<&str> = rules().map(|rule| rule.name).chain(method::rules().map(|rule| rule.name)).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for warning in rules().flat_map(|rule| warnings_of(rule.fires_on)) {
        for text in [&warning.finding.title, &warning.finding.remedy] {
            assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.') && !text.contains("  "), "{warning:?}");
        }
    }
}

#[test]
fn a_rule_that_counts_says_its_figures() {
    for (text, rule, figures) in [
        ("[a]\nfilename=/data/x\nioengine=sync\niodepth=16\nnumjobs=3\n", "depth-of-one", ["iodepth=16", "1 for each of 3 clones"]),
        ("[a]\nfilename=/data/x\nsize=8g\n", "fits-in-memory", ["8g of data", "16g of memory"]),
        ("[a]\nfilename=/dev/nvme0n1\nsize=10g\nrw=randread\ndirect=1\n", "small-share", ["10g", "1.1 % of the device's 1 TB"]),
        ("[a]\nfilename=/dev/nvme0n1\nnumber_ios=600\n", "tail-samples", ["p99 needs 10000 I/Os", "about 600"]),
        ("[a]\nfilename=/dev/nvme0n1\nrate_iops=100\nruntime=60\n", "tail-samples", ["rate of 100", "about 6000"]),
        ("[a]\nfilename=/data/x\nrw=read\nsize=10g\nruntime=60\n", "ends-early", ["10g", "above 179 MB/s"]),
        ("[a]\nfilename=/data/x\nsize=4g\nbs=4KiB\n", "kib-is-1000", ["bs=4KiB", "4000 bytes"]),
        ("[a]\nfilename=/data/x\nsize=4g\nbs=4k-16k\n", "range-as-list", ["reads take 4k", "writes and trims 16k"]),
        ("[a]\nfilename=/data/x\nsize=10GB\n", "kb-base-unsaid", ["10737418240 bytes", "GB is a power"]),
        ("[a]\nfilename=/data/x\nsize=64g\nrw=randread\npre_read=1\n", "buffered-reads", ["25.0 %", "pre_read=1 fills"]),
        ("[a]\nfilename=/data/sparse\nrw=read\n", "sparse-file", ["1g of its 64g", "1.6 %"]),
    ] {
        let warnings = warnings_of(text);
        let found = warnings.iter().find(|warning| warning.finding.rule == rule).unwrap_or_else(|| panic!("{rule}: {warnings:?}"));
        assert!(figures.iter().all(|figure| found.finding.title.contains(figure)), "{found:?}");
    }
}

#[test]
fn a_warning_names_its_job_and_its_place() {
    let warnings = warnings_of("[global]\nfilename=/data/x\nsize=64g\n\n[one]\nrw=read\ndirect=1\nbs=4KiB\n[two]\nrw=randread\n");
    let of =
        |rule: &str| warnings.iter().find(|warning| warning.finding.rule == rule).map(|warning| (warning.job.as_str(), warning.place.line));
    assert_eq!(of("kib-is-1000"), Some(("one", 8)), "where the option stands");
    assert_eq!(of("buffered-reads"), Some(("two", 9)), "where the job begins");
}

#[test]
fn what_several_jobs_took_over_is_said_once() {
    let warnings = warnings_of("[global]\nfilename=/data/x\nsize=64g\nbs=4KiB\n[a]\nrw=read\n[b]\nrw=read\n");
    assert_eq!(warnings.iter().filter(|warning| warning.finding.rule == "kib-is-1000").count(), 1);
}

#[test]
fn without_facts_only_what_the_job_shows_is_said() {
    let jobs = jobs_of("[a]\nfilename=/data/x\nsize=64m\nrw=randread\niodepth=4\n");
    let names: Vec<_> = audit(&jobs, &schedule(&jobs), &AuditFacts::default()).into_iter().map(|warning| warning.finding.rule).collect();
    let contains = |rule: &str| names.iter().any(|name| name == rule);
    assert!(contains("depth-of-one") && contains("buffered-reads"));
    assert!(!contains("fits-in-memory") && !contains("sparse-file"), "{names:?}");
}

#[test]
fn an_engine_that_transfers_nothing_is_not_about_a_drive() {
    assert_eq!(rules_of("[a]\nioengine=null\nsize=1g\nrw=write\niodepth=4\nruntime=5\ntime_based\n"), [""; 0]);
}

#[test]
fn near_misses_are_silent() {
    for (text, rule) in [
        ("[reader]\nfilename=/dev/nvme0n1\nrw=randread\n[writer]\nfilename=/dev/nvme0n1\nrw=write\n", "side-by-side"),
        ("[seq-read]\nfilename=/dev/sda\nrw=read\n[rand-read]\nfilename=/dev/sdb\nrw=randread\n", "side-by-side"),
        ("[read]\nfilename=/dev/nvme0n1\nruntime=9\n[write]\nfilename=/dev/nvme0n1\nrw=write\nstartdelay=9\n", "side-by-side"),
        ("[seq-then-random]\nfilename=/data/x\nrw=randread\n", "name-against-direction"),
        ("[write-then-read]\nfilename=/data/x\nrw=read\nsize=64g\n", "name-against-direction"),
        ("[random-read]\nfilename=/data/x\nsize=64g\nrw=randrw\n", "name-against-direction"),
        ("[seq64]\nfilename=/data/x\nrw=randread:64\nsize=64g\n", "name-against-order"),
        ("[read-64k]\nfilename=/data/x\nsize=64k\n", "name-against-size"),
        ("[a]\nfilename=/dev/nvme0n1\nrw=write\nsize=1g\ndirect=1\nfdatasync=1\n", "within-drive-cache"),
        ("[a]\nfilename=/data/x\nrw=write\nsize=1g\nsync=1\n", "fits-in-memory"),
        ("[a]\nfilename=/dev/nvme0n1\nrw=read\nruntime=10\n", "ends-early"),
        ("[a]\nfilename=/dev/sdb\nrw=randread\nruntime=60\n", "ends-early"),
        ("[a]\nfilename=/data/x\nsize=1g\nio_size=10g\nrw=read\nruntime=60\n", "ends-early"),
        ("[a]\nfilename=/dev/nvme0n1\nrw=randread\nruntime=600\nioengine=libaio\niodepth=64\ntime_based\n", "same-offsets"),
        ("[a]\nfilename=/dev/nvme0n1\nrw=randwrite\nioengine=libaio\niodepth=16\nfsync=1024\n", "fsync-with-depth"),
        ("[a]\nfilename=/data/x\nrw=write\nsize=1g\ndo_verify=0\n", "verify-without-method"),
        ("[a]\nfilename=/data/x\nsize=10gb\nkb_base=1000\n", "kb-base-unsaid"),
        ("[a]\nfilename=/data/x\nsize=1g\nbs=4k,16k\n", "range-as-list"),
        ("[a]\ndirectory=/data\nsize=1g\nnumjobs=4\nrw=read\n", "same-blocks"),
        ("[w]\nfilename=/data/sparse\nrw=write\n[r]\nstonewall\nfilename=/data/sparse\nrw=read\n", "sparse-file"),
    ] {
        assert!(!has(text, rule), "{rule} speaks on {text:?}");
    }
}

#[test]
fn other_ways_to_the_same_mistake_are_found() {
    for (text, rule) in [
        ("[a]\nfilename=/dev/nvme0n1\nrw=randtrim\nioengine=libaio\niodepth=8\n", "depth-of-one"),
        ("[a]\nfilename=/data/x\nsize=64g\nioengine=mmap\ndirect=1\n", "buffered-reads"),
        ("[a]\nfilename=/data/x\nsize=64g\nrw=write\nbuffered=1\n", "meant-buffered"),
        ("[a]\nfilename=/dev/nvme0n1\nrw=write\nioengine=libaio\niodepth=8\nsync=dsync\n", "sync-with-depth"),
        ("[a]\nfilename=/dev/nvme0n1\nrw=write\nioengine=libaio\niodepth=8\nfdatasync=8\n", "fsync-with-depth"),
        ("[a]\nfilename=/data/x\nsize=64m\nrw=write\nverify=null\n", "verify-without-method"),
        ("[a]\nfilename=/dev/nvme0n1\ndirect=1\noffset=1000\n", "unaligned"),
        ("[a]\nfilename=/dev/nvme0n1\ndisable_clat=1\nclat_percentiles=1\n", "latency-not-measured"),
        ("[a]\nfilename=/dev/nvme0n1\nrw=randrw\nrwmixread=99\nioengine=libaio\niodepth=8\nnumber_ios=500000\n", "tail-samples"),
        ("[seq 128k]\nfilename=/dev/nvme0n1\nrw=randread\nbs=128k\n", "name-against-order"),
        ("[a]\nfilename=/data/x\nsize=64g\nbssplit=4KiB/50:8k/50\n", "kib-is-1000"),
        ("[randread]\nrw=randread\nsize=1g\n[randwrite]\nrw=randwrite\nsize=1g\n", "side-by-side"),
    ] {
        assert!(has(text, rule), "{rule} is silent on {text:?}: {:?}", rules_of(text));
    }
}
