//! Any output of pg_test_fsync is read without a panic: each rate is a number that is no less than 0, of a method that has a name.

#![no_main]

use ioproof_core::record::PgTestFsync;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for printed in [text.to_owned(), format!("Compare file sync methods using one 8kB write:\n{text}")] {
        let rates = PgTestFsync::read("15", 1, &printed).map(|read| read.rates).unwrap_or_default();
        assert!(rates.iter().all(|rate| !rate.method.is_empty() && rate.per_s.is_none_or(|per_s| per_s.is_finite() && per_s >= 0.0)));
    }
});
