//! The descriptor is what was resolved: the same device number, the same medium, the same size. A path can be renamed and a device
//! number can be given to another drive between two looks; a descriptor stays.

use super::Reason;
use crate::block::seen::Seen;
use ioproof_core::units::binary_size;

/// The differences between the device that was resolved and the one that is open.
pub(crate) fn identity(resolved: &Seen, open: &Seen) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if resolved.rdev != open.rdev {
        reasons.push("the path leads to another device than a moment ago".to_owned());
    }
    if resolved.diskseq != open.diskseq {
        reasons.push("the device was exchanged a moment ago (its diskseq differs)".to_owned());
    }
    if resolved.size_bytes != open.size_bytes {
        reasons.push(format!("its size changed from {} to {}", binary_size(resolved.size_bytes), binary_size(open.size_bytes)));
    }
    if open.loop_on_device {
        reasons.push("it is a loop device on another device; give that device itself".to_owned());
    }
    reasons.into_iter().map(Reason::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_counts() {
        let seen = Seen { rdev: 1792, diskseq: Some(12), size_bytes: 1 << 20, loop_on_device: false };
        assert_eq!(identity(&seen, &seen), []);
        for other in [
            Seen { rdev: 1793, ..seen },
            Seen { diskseq: Some(13), ..seen },
            Seen { diskseq: None, ..seen },
            Seen { size_bytes: 1 << 21, ..seen },
            Seen { loop_on_device: true, ..seen },
        ] {
            assert_eq!(identity(&seen, &other).len(), 1, "{other:?}");
        }
    }
}
