//! The identifier of a run, and the seed of its offsets.

/// The id of a run that began then (RFC 3339): local time to the millisecond, so that ids sort by when their runs began, and four random digits.
pub fn new_id(started_at: &str) -> String {
    let began: jiff::Timestamp = started_at.parse().unwrap_or_else(|_| jiff::Timestamp::now());
    let local = began.to_zoned(ioproof_process::zone::local());
    format!("{}-{:04x}", local.strftime("%Y%m%d-%H%M%S-%3f"), seed() & 0xffff)
}

/// True for an id as runs have it: `20261121-031500-128-3f9a`, in older ones without the milliseconds.
pub fn is_id(text: &str) -> bool {
    let digits = |part: &str, length: usize| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    let drawn = |part: &str| part.len() == 4 && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match text.split('-').collect::<Vec<_>>().as_slice() {
        [day, time, last] => digits(day, 8) && digits(time, 6) && drawn(last),
        [day, time, ms, last] => digits(day, 8) && digits(time, 6) && digits(ms, 3) && drawn(last),
        _ => false,
    }
}

pub fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library seeds its hash maps from the kernel's random source.
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_second_sort_by_when_their_runs_began() {
        let all: Vec<String> = (0..1000).map(|ms| new_id(&format!("2026-11-21T16:31:05.{ms:03}Z"))).collect();
        assert!(all.is_sorted(), "{all:?}");
        assert!(all[7].contains("-007-") && new_id("2026-11-21T16:31:06Z") > all[999], "{}", all[7]);
    }

    #[test]
    fn the_time_of_the_record_is_that_of_the_id() {
        let now = ioproof_runner::now().rfc3339;
        let ms = &now[now.len() - 4..now.len() - 1];
        assert!(new_id(&now).contains(&format!("-{ms}-")), "{now}");
    }
    #[test]
    fn ids_are_of_one_form() {
        assert!(is_id("20261121-031500-128-3f9a") && is_id("20261121-031500-3f9a"));
        for text in ["", ".", "last", "20261121-031500-128-3F9A", "20261121-031500", "20261121/031500-3f9a", "20261121-031500-3f9a-"] {
            assert!(!is_id(text), "{text}");
        }
    }
}
