//! The lists of names and values of ZFS: packed as XDR in the labels of its devices, and as they lie in memory in `zpool.cache`
//! (OpenZFS, `nvpair.c`).
//!
//! Read from devices that may hold anything: every length is checked against what is there, and depth has a limit. Only the types that
//! say what a device belongs to are decoded.

mod native;
mod xdr;

/// Deeper than any tree of devices.
const DEPTH_LIMIT: u32 = 16;

/// `NV_ENCODE_NATIVE` and `NV_ENCODE_XDR`, the first byte.
const NATIVE: u8 = 0;
const XDR: u8 = 1;

/// The byte order of the machine that packed it, the second byte: 1 is little. It does not matter to XDR.
const LITTLE_ENDIAN: u8 = 1;

const TYPE_UINT64: u32 = 8;
const TYPE_STRING: u32 = 9;
const TYPE_LIST: u32 = 19;
const TYPE_LISTS: u32 = 20;

/// A value of one of the types that matter here.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Number(u64),
    Text(String),
    Lists(Vec<List>),
    Other,
}

/// Names with their values, in the order in which they were packed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct List {
    pairs: Vec<(String, Value)>,
}

impl List {
    /// The number with this name.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text with this name.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The list or the lists with this name; none where there is no such name.
    pub(crate) fn lists(&self, name: &str) -> &[Self] {
        match self.value(name) {
            Some(Value::Lists(lists)) => lists,
            _ => &[],
        }
    }

    /// Every list that is a value here.
    pub(crate) fn all_lists(&self) -> impl Iterator<Item = &Self> {
        let lists = self.pairs.iter().filter_map(|(_, value)| if let Value::Lists(lists) = value { Some(lists) } else { None });
        lists.flatten()
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Unpacks a list; what follows it is ignored. `None` for anything else.
pub(crate) fn unpack(bytes: &[u8]) -> Option<List> {
    let (header, rest) = bytes.split_first_chunk::<4>()?;
    match header[0] {
        NATIVE => native::unpack(rest, header[1] == LITTLE_ENDIAN, DEPTH_LIMIT),
        XDR => xdr::unpack(rest, DEPTH_LIMIT),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captured from a pool of OpenZFS 2.1.11: a mirror of two with a log and a cache. `signature/zfs/README.md` says more.
    const CACHE: &[u8] = include_bytes!("../signs/signature/zfs/zpool.cache");
    const LABEL: &[u8] = include_bytes!("../signs/signature/zfs/label.bin");

    #[test]
    fn what_zfs_packed_in_either_way_says_the_same() {
        let cache = unpack(CACHE).unwrap();
        let label = unpack(LABEL).unwrap();
        let pool = &cache.lists("tank")[0];
        assert_eq!((pool.text("name"), pool.number("version")), (Some("tank"), Some(5000)));
        assert_eq!((label.text("name"), label.number("version")), (Some("tank"), Some(5000)));
        assert_eq!(pool.number("pool_guid"), label.number("pool_guid"));
        let mirror = &pool.lists("vdev_tree")[0].lists("children")[0];
        assert_eq!(mirror.text("type"), Some("mirror"));
        let paths = |list: &List| list.lists("children").iter().map(|child| child.text("path").unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(paths(mirror), ["/dev/sdc1", "/dev/vda1"]);
        assert_eq!(paths(&label.lists("vdev_tree")[0]), paths(mirror));
    }

    #[test]
    fn whatever_is_cut_off_or_broken_ends_quietly() {
        for whole in [CACHE, LABEL] {
            // A label's list is followed by zeros, which are no part of it.
            let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
            for length in 0..end {
                assert_eq!(unpack(&whole[..length]), None, "{length} bytes");
            }
            for at in 0..end {
                let mut broken = whole.to_vec();
                broken[at] ^= 0xff;
                let _ = unpack(&broken);
            }
        }
        assert_eq!(unpack(&[7; 64]), None);
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| {
            let head = [0_u32, 1, 32, 64, 1, 0x6100_0000, 19, 1].map(u32::to_be_bytes).concat();
            let mut bytes = vec![0_u8; 8];
            bytes.splice(0..0, [0_u8; 8]);
            for _ in 0..depth {
                let mut outer = head.clone();
                outer[8..12].copy_from_slice(&u32::try_from(24 + bytes.len()).unwrap().to_be_bytes());
                outer.extend(&bytes);
                outer.extend([0_u8; 8]);
                bytes = outer;
            }
            [&[1, 1, 0, 0], &bytes[..]].concat()
        };
        assert!(unpack(&nested(10)).is_some());
        assert_eq!(unpack(&nested(20)), None);
    }
}
