//! Published jobs with known mistakes; those that a job file shows are found before it runs.

use super::machine::{jobs_with, warnings_with};

macro_rules! seed {
    ($name:literal) => {
        include_str!(concat!("../../../../../fixtures/fio/seeds/", $name, ".fio"))
    };
}

const FIRST_POSIXAIO: &str = seed!("cruncher-first-posixaio");
const FIRST_SYNC: &str = seed!("cruncher-first-sync");
const REVISED_1: &str = seed!("cruncher-revised-1");
const REVISED_2: &str = seed!("cruncher-revised-2");
const FOUR_CORNERS: &str = seed!("cruncher-revised-four-corners");
const SLOWER: [&str; 2] = [seed!("slower-than-ssd-fsync-0"), seed!("slower-than-ssd-fsync-1")];
const WAL: [&str; 2] = [seed!("daos-wal-1-core"), seed!("daos-wal-8-cores")];

const P3700: Option<&str> = Some("/dev/nvd7");
const S3700: Option<&str> = Some("/dev/da11");

fn found(text: &str, device: Option<&str>, job: &str) -> Vec<String> {
    warnings_with(text, device).into_iter().filter(|warning| warning.job == job).map(|warning| warning.finding.rule).collect()
}

fn has(text: &str, device: Option<&str>, job: &str, rule: &str) -> bool {
    found(text, device, job).iter().any(|name| name == rule)
}

fn says(text: &str, device: Option<&str>, job: &str, rule: &str) -> String {
    let found = warnings_with(text, device).into_iter().find(|warning| warning.job == job && warning.finding.rule == rule);
    found.map(|warning| warning.finding.title).unwrap_or_default()
}

#[test]
fn each_gives_its_jobs() {
    let count = |text, device| jobs_with(text, device).iter().map(|job| job.settings.start.clones).collect::<Vec<_>>();
    assert_eq!([FIRST_POSIXAIO, FIRST_SYNC, REVISED_1, REVISED_2].map(|text| count(text, P3700)), [vec![4], vec![4], vec![4], vec![32]]);
    assert_eq!(count(FOUR_CORNERS, S3700), [32; 4]);
    assert_eq!(SLOWER.map(|text| count(text, None)), [[1], [1]]);
    assert_eq!(WAL.map(|text| count(text, None)), [[1], [8]]);
    assert_eq!(jobs_with(FOUR_CORNERS, S3700)[3].settings.files.names, ["/dev/da11"]);
}

#[test]
fn the_first_calls_sequential_reads_random() {
    for (text, device) in [(FIRST_POSIXAIO, P3700), (FIRST_SYNC, P3700), (FIRST_SYNC, S3700)] {
        let text = says(text, device, "random-read-4k", "name-against-order");
        assert!(text.contains("rw=read is sequential"), "{text}");
    }
    assert!(!has(REVISED_1, P3700, "random-read-4k", "name-against-order"), "the revision mends it");
}

#[test]
fn the_first_reads_the_same_10_gib_in_every_clone() {
    let text = says(FIRST_POSIXAIO, P3700, "random-read-4k", "same-blocks");
    assert!(text.contains("4 sequential clones read the same blocks of 10g"), "{text}");
}

#[test]
fn the_first_keeps_a_depth_of_32_with_an_engine_that_has_none() {
    let text = says(FIRST_SYNC, P3700, "random-read-4k", "depth-of-one");
    assert!(text.contains("iodepth=32 has no effect: ioengine=sync"), "{text}");
    assert!(!has(REVISED_2, P3700, "random-read-4k", "depth-of-one"));
}

#[test]
fn all_of_cruncher_run_half_a_minute_on_a_small_part_of_the_drive() {
    for (device, share) in [(P3700, "0.5 %"), (S3700, "1.3 %")] {
        for text in [REVISED_1, REVISED_2, FOUR_CORNERS] {
            assert!(says(text, device, "random-read-4k", "small-share").contains(share));
            assert!(says(text, device, "random-read-4k", "short-run").contains("30 s"));
        }
    }
    assert!(says(FOUR_CORNERS, S3700, "random-write-4k", "small-share").contains("spare blocks"), "116 % of the datasheet");
}

#[test]
fn cruncher_syncs_where_nothing_is_written() {
    for text in [FIRST_POSIXAIO, FIRST_SYNC, REVISED_1, REVISED_2] {
        assert!(has(text, P3700, "random-read-4k", "sync-without-writes"));
    }
}

#[test]
fn the_four_corners_write_without_a_ramp_and_stream_the_same_blocks() {
    for job in ["random-write-4k", "sequential-write-128k"] {
        assert!(has(FOUR_CORNERS, S3700, job, "no-ramp"), "{job}");
    }
    for job in ["sequential-read-128k", "sequential-write-128k"] {
        assert!(says(FOUR_CORNERS, P3700, job, "same-blocks").contains("32 sequential clones"), "{job}");
    }
}

#[test]
fn slower_than_ssd_measures_the_page_cache_at_a_depth_of_one() {
    for text in SLOWER {
        let rules = found(text, None, "test1");
        for rule in ["depth-of-one", "buffered-reads", "no-ramp"] {
            assert!(rules.iter().any(|name| name == rule), "{rule}: {rules:?}");
        }
    }
}

#[test]
fn slower_than_ssd_leaves_its_writes_in_memory_unless_it_syncs_each() {
    let [without, with] = SLOWER.map(|text| says(text, None, "test1", "buffered-reads"));
    assert!(without.contains("writes end there") && !with.contains("writes end there"), "{without}\n{with}");
}

#[test]
fn the_wal_writes_one_byte_over_and_over_to_a_fresh_drive() {
    for text in WAL {
        let rules = found(text, None, "wal");
        assert!(rules.iter().any(|name| name == "patterned-data") && rules.iter().any(|name| name == "no-ramp"), "{rules:?}");
    }
}

#[test]
fn the_wal_of_several_cores_writes_the_same_blocks() {
    assert!(says(WAL[1], None, "wal", "same-blocks").contains("8 sequential clones write the same blocks"));
    assert!(!has(WAL[0], None, "wal", "same-blocks"));
}

#[test]
fn nobody_is_told_of_percentiles_that_they_did_not_ask_for() {
    assert!(!has(WAL[0], None, "wal", "tail-samples"));
    assert!(!has(FOUR_CORNERS, P3700, "sequential-read-128k", "tail-samples"));
}
