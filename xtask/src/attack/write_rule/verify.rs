//! Calls of `verify` that would write to a place.

use super::{Place, Trespass, consents};
use crate::attack::attempt::Attempt;
use crate::program::Call;

const LOADS: &str = "
    --rw write | --rw randwrite | --rw randrw:50 | --rw rw:70:10 | --rw trim | --rw randtrim | --rw write,randwrite |
    --rw write --check | --rw write --data zero | --rw write --sync fsync | --precondition";

const EXTRAS: &str = "
     |  | --size 64KiB | --offset 64KiB --size 64KiB | --size 100% | --backend psync | --backend mmap | --backend libaio |
    --bs 512B | --workers 2 --worker-span 64KiB | --dir elsewhere | --dry-run";

pub fn trespass(attempt: &mut Attempt, place: &Place, name: &str) -> Trespass {
    let consent = consents::words(attempt, place, false);
    let (load, extra) = (attempt.random.item(LOADS), attempt.random.item(EXTRAS));
    // With a preconditioning and no consent nothing is to be written, so that nothing is refused; a preview is all that it may be.
    let preview = if load == "--precondition" { "--dry-run" } else { "" };
    let words = [load, extra, preview].into_iter().flat_map(str::split_whitespace).map(str::to_owned);
    let mut words: Vec<String> = words.collect();
    words.dedup();
    let is_dry = words.iter().any(|word| word == "--dry-run");
    let call = Call::new(["verify", name, "--time", "1s", "--runs", "1"]).and(words).and(consent);
    Trespass { call, statuses: if is_dry { &[0, 2, 3] } else { &[2] } }
}
