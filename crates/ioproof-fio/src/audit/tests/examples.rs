//! A job file for each rule of method for which it speaks, and one close to it for which it is silent: what `describe` makes of jobs tells them apart.

use super::machine::{rules_of, warnings_of};
use ioproof_core::method;

/// Name of the rule and a job file with `{bad|good}`: the part for which it speaks, and the one for which it is silent.
const EXAMPLES: [(&str, &str); 40] = [
    ("in-memory", "[a]\nfilename=/{dev/shm|data}/x\nsize=1g\nrw=randread\n"),
    ("fits-in-memory", "[a]\nfilename=/data/x\nsize={8|64}g\nrw=randread\n"),
    ("buffered-reads", "[a]\nfilename=/data/x\nsize=64g\nrw=randread\n{|direct=1\n}"),
    ("buffered-writes", "[a]\nfilename=/data/x\nsize=64g\nrw=randwrite\n{|fdatasync=1\n}"),
    ("meant-buffered", "[a]\nfilename=/data/x\nsize=64g\nrw=randread\n{buffered|direct}=1\n"),
    ("depth-of-one", "[a]\nfilename=/data/x\nsize=64g\nioengine={psync|libaio}\niodepth=32\n"),
    ("buffered-depth", "[a]\nfilename=/data/x\nsize=64g\nioengine=libaio\niodepth=32\n{|direct=1\n}"),
    ("polling-cpus", "[a]\nfilename=/dev/nvme0n1\nioengine=io_uring\nhipri=1\ndirect=1\nnumjobs={16|4}\n"),
    ("name-against-order", "[random-read-4k]\nfilename=/data/x\nsize=64g\nrw={read|randread}\n"),
    ("name-against-direction", "[write-test]\nfilename=/data/x\nsize=64g\nrw={read|write}\n"),
    ("name-against-size", "[read-4k]\nfilename=/data/x\nsize=64g\nbs={128|4}k\n"),
    ("name-against-depth", "[read-qd32]\nfilename=/data/x\nsize=64g\n{|ioengine=libaio\niodepth=8\nnumjobs=4\n}"),
    ("name-against-engine", "[read-libaio]\nfilename=/data/x\nsize=64g\nioengine={io_uring|libaio}\n"),
    ("same-blocks", "[a]\nfilename=/dev/nvme0n1\nsize=10g\nnumjobs=4\nrw=read\nbs=128k\ndirect=1\n{|offset_increment=10g\n}"),
    ("overlapping-clones", "[a]\nfilename=/dev/nvme0n1\nsize=10g\nnumjobs=4\nrw=read\nbs=128k\ndirect=1\noffset_increment={5|10}g\n"),
    (
        "side-by-side",
        "[seq-read]\nfilename=/dev/nvme0n1\nrw=read\nbs=128k\n[rand-read]\n{|stonewall\n}filename=/dev/nvme0n1\nrw=randread\nbs=4k\n",
    ),
    ("within-drive-cache", "[a]\nfilename=/dev/nvme0n1\nsize={1|100}g\nrw=read\ndirect=1\n"),
    ("small-share", "[a]\nfilename=/dev/nvme0n1\n{size=10g\n|}rw=randwrite\ndirect=1\n"),
    ("unaligned", "[a]\nfilename=/dev/nvme0n1\nbs={4000|4096}\ndirect=1\n"),
    ("sparse-file", "[a]\nfilename=/data/{sparse|full}\nrw=randread\ndirect=1\n"),
    (
        "reads-after-trim",
        "[t]\nfilename=/dev/nvme0n1\nrw=trim\nbs=1m\n[{|w]\nstonewall\nfilename=/dev/nvme0n1\nrw=write\n[}r]\nstonewall\nfilename=/dev/nvme0n1\nrw=randread\n",
    ),
    ("zeros", "[a]\nfilename=/dev/nvme0n1\nrw={write|read}\nzero_buffers\n"),
    ("patterned-data", "[a]\nfilename=/dev/nvme0n1\nrw=write\n{buffer_pattern=0xdeadbeef|refill_buffers}\n"),
    ("compressible-data", "[a]\nfilename=/dev/nvme0n1\nrw=write\nbuffer_compress_percentage={60|0\nrefill_buffers}\n"),
    ("duplicate-data", "[a]\nfilename=/dev/nvme0n1\nrw=write\n{dedupe_percentage=30|refill_buffers}\n"),
    ("repeated-buffers", "[a]\nfilename=/dev/nvme0n1\nrw=write\ndirect=1\n{|refill_buffers\n}"),
    ("same-offsets", "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nruntime=30\ntime_based\n{|randrepeat=0\n}"),
    ("unsynced-writes", "[a]\nfilename=/data/x\nsize=64g\nrw=write\nbuffered=1\n{|end_fsync=1\n}"),
    ("sync-with-depth", "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\ndirect=1\nioengine=io_uring\niodepth={32|1}\nsync=1\n"),
    ("fsync-with-depth", "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\ndirect=1\nioengine=libaio\niodepth={16|1}\nfsync=1\n"),
    ("ends-early", "[a]\nfilename=/data/x\nsize=10g\nrw=read\nruntime=60\n{|time_based\n}"),
    ("short-run", "[a]\nfilename=/dev/nvme0n1\nrw=randread\nruntime={30|60}\ntime_based\npercentile_list=50:99\n"),
    ("no-ramp", "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\nruntime=60\ntime_based\n{|ramp_time=30\n}"),
    ("thinktime-with-rate", "[a]\nfilename=/data/x\nsize=64g\n{thinktime=1000\n|}rate_iops=500\n"),
    ("verify-repeats", "[a]\nfilename=/data/x\nsize=1g\nrw=randwrite\nverify=crc32c\n{norandommap\n|}"),
    ("verify-shared-file", "[a]\n{filename=/data/x|directory=/data}\nsize=1g\nrw=write\nverify=crc32c\nnumjobs=4\n"),
    ("pace-beyond-run", "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nruntime=5\nramp_time=2\ntime_based\nthinktime={10|1}s\n"),
    (
        "percentile-samples",
        "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nruntime=60\ntime_based\npercentile_list=50:99:{99.999|99.9}\n",
    ),
    ("tail-samples", "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nnumber_ios={5|10}000\n"),
    (
        "log-of-each-io",
        "[a]\nfilename=/dev/nvme0n1\nrw=randread\nioengine=libaio\niodepth=64\ndirect=1\nruntime=600\ntime_based\nwrite_lat_log=x\n{|log_avg_msec=1000\n}",
    ),
];

#[test]
fn every_rule_of_method_speaks_for_a_bad_job_and_is_silent_for_a_good_one() {
    for (rule, text) in EXAMPLES {
        let (before, (choice, after)) = text.split_once('{').map(|(before, rest)| (before, rest.split_once('}').unwrap())).unwrap();
        let (bad, good) = choice.split_once('|').unwrap();
        let [fires_on, silent_on] = [bad, good].map(|part| format!("{before}{part}{after}"));
        let (fires_on, silent_on) = (fires_on.as_str(), silent_on.as_str());
        assert!(rules_of(fires_on).iter().any(|name| name == rule), "{rule} is silent on {fires_on:?}");
        assert!(!rules_of(silent_on).iter().any(|name| name == rule), "{rule} speaks on {silent_on:?}: {:?}", warnings_of(silent_on));
    }
}

#[test]
fn every_rule_of_method_has_its_examples() {
    let missing = method::rules().map(|rule| rule.name).filter(|name| EXAMPLES.iter().all(|(known, ..)| known != name));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
}
