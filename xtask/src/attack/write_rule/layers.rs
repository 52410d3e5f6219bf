//! Calls of `layers` that would make a filesystem on a place.

use super::{Place, Trespass, consents};
use crate::attack::attempt::Attempt;
use crate::program::Call;

const FILESYSTEMS: &str = "ext4 | xfs | btrfs";

/// Sizes that fit small devices too, so that nothing is refused for its size alone; options that would have a program overwrite what it finds, or write elsewhere.
const EXTRAS: &str = "
    --size 64KiB --db none | --size 64KiB --db none | --size 64KiB | --size 1% | --mkfs-opt -F | --mkfs-opt -f |
    --mkfs-opt -K | --mount-opt noatime | --dry-run";

pub fn trespass(attempt: &mut Attempt, place: &Place, name: &str) -> Trespass {
    let consent = consents::words(attempt, place, false);
    // What is said of files is no flag of this verb, and would be refused for that alone.
    let consent = if consent.iter().any(|word| word == "--overwrite") { Vec::new() } else { consent };
    let (kind, extra) = (attempt.random.item(FILESYSTEMS), attempt.random.item(EXTRAS));
    let words = extra.split_whitespace().map(str::to_owned);
    let call = Call::new(["layers", "--drive", name, "--fs", kind, "--time", "1s", "--runs", "1"]).and(words).and(consent);
    Trespass { call, statuses: &[2] }
}
