//! No rule speaks for a good job.

use super::machine::warnings_of;

macro_rules! good {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../../fixtures/fio/good/", $name, ".fio")))
    };
}

#[rustfmt::skip]
const GOOD: [(&str, &str); 10] = [
    good!("concurrent"), good!("corrected-cruncher-four-corners"), good!("corrected-cruncher-random-read"), good!("corrected-daos-wal"),
    good!("corrected-slower-than-ssd"), good!("file-random-read"), good!("file-stream-buffered"), good!("journal"), good!("mixed-rate"),
    good!("verify"),
];

#[test]
fn no_rule_speaks_for_a_good_job() {
    for (name, text) in GOOD {
        // That rule speaks of versions of fio, not of a mistake.
        let mistakes: Vec<_> = warnings_of(text).into_iter().filter(|warning| warning.finding.rule != "syncs-in-a-mix").collect();
        assert_eq!(mistakes, [], "{name}");
    }
}
