//! Calls of `verify` that would write to a place, and of `layers` that would make a filesystem on it.

use super::{Place, Trespass, consent};
use crate::attack::attempt::Attempt;
use crate::program::Call;

const LOADS: &str = "
    --rw write | --rw randwrite | --rw randrw:50 | --rw rw:70:10 | --rw trim | --rw randtrim | --rw write,randwrite |
    --rw write --check | --rw write --data zero | --rw write --sync fsync | --precondition";

const EXTRAS: &str = "
    |  | --size 64KiB | --offset 64KiB --size 64KiB | --size 100% | --backend psync | --backend mmap | --backend libaio |
    --bs 512B | --workers 2 --worker-span 64KiB | --dir elsewhere | --dry-run";

pub fn verify(attempt: &mut Attempt, place: &Place, name: &str) -> Trespass {
    let consent = consent(attempt, place, false);
    let (load, extra) = (attempt.random.item(LOADS), attempt.random.item(EXTRAS));
    // With a preconditioning and no consent nothing is to be written, so that nothing is refused; a preview is all that it may be.
    let preview = if load == "--precondition" { "--dry-run" } else { "" };
    let mut words: Vec<&str> = [load, extra, preview].into_iter().flat_map(str::split_whitespace).collect();
    words.dedup();
    let is_dry = words.contains(&"--dry-run");
    let call = Call::new(["verify", name, "--time", "1s", "--runs", "1"]).and(words).and(consent);
    Trespass { call, statuses: if is_dry { &[0, 2, 3] } else { &[2] } }
}

/// Sizes that fit small devices too, so that nothing is refused for its size alone; options that would have a program overwrite what it finds, or write elsewhere.
const EXTRAS_OF_LAYERS: &str = "
    --size 64KiB --db none | --size 64KiB --db none | --size 64KiB | --size 1% | --mkfs-opt -F | --mkfs-opt -f |
    --mkfs-opt -K | --mount-opt noatime | --dry-run";

pub fn layers(attempt: &mut Attempt, place: &Place, name: &str) -> Trespass {
    let consent = consent(attempt, place, false);
    // What is said of files is no flag of this verb, and would be refused for that alone.
    let consent = if consent.iter().any(|word| word == "--overwrite") { Vec::new() } else { consent };
    let (kind, extra) = (attempt.random.item("ext4 | xfs | btrfs"), attempt.random.item(EXTRAS_OF_LAYERS));
    let call = Call::new(["layers", "--drive", name, "--fs", kind, "--time", "1s", "--runs", "1"]);
    Trespass { call: call.and(extra.split_whitespace()).and(consent), statuses: &[2] }
}
