//! Identity of a target: by what it is known again, since another file or drive may bear its name by now.
//!
//! Each mark is there only where it could be told, and a mark that one of two identities lacks tells nothing. Deliberately absent: names and serial numbers, which the
//! record has elsewhere.

use serde::{Deserialize, Serialize};

/// Marks of a file, a device, or the filesystem in which scratch files are made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// The name that a device keeps over starts of the machine: the worldwide name of a drive, the UUID of a mapped device or an array, the
    /// identifier of a filesystem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permanent_name: Option<String>,
    /// Inode of the file, of the file behind a loop device, or of the root of the filesystem. None where the filesystem does not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inode: Option<u64>,
    /// When that inode was made. Milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born_unix_ms: Option<i64>,
    /// When anything of the file was changed last before the run: content, name, rights (ctime). Milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_unix_ms: Option<i64>,
    /// Byte of its drive or its file at which a partition or a loop device begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_bytes: Option<u64>,
    /// The start of the machine (`boot_id`, random(4)) in which `device` and `diskseq` mean something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// Number of the device, or of the filesystem where that has no device: `8:1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The number that the kernel gives to each medium that it finds, and to none twice (`diskseq`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diskseq: Option<u64>,
    /// The device that the filesystem stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<Box<Identity>>,
}

impl Identity {
    /// Says by which mark another thing bears the name of this one; none where nothing speaks against their being one.
    pub fn difference(&self, now: &Self) -> Option<String> {
        self.of_its_own(now).or_else(|| {
            let (under, now_under) = (self.under.as_ref()?, now.under.as_ref()?);
            under.difference(now_under).map(|text| format!("it lies on another medium: {text}"))
        })
    }

    /// True where a mark that nothing else bears is the same in both, and no mark speaks against it.
    pub fn is_proven(&self, now: &Self) -> bool {
        let is_under = || self.under.as_ref().zip(now.under.as_ref()).is_some_and(|(under, now_under)| under.is_known_again(now_under));
        self.difference(now).is_none() && (self.is_known_again(now) || is_under())
    }

    /// True where it has a mark that lasts.
    fn is_known_again(&self, now: &Self) -> bool {
        let has_name = self.permanent_name.is_some() && self.permanent_name == now.permanent_name;
        let is_inode = (self.inode, self.born_unix_ms) == (now.inode, now.born_unix_ms);
        has_name || self.inode.is_some() && self.born_unix_ms.is_some() && is_inode
    }

    /// Leaves out what the kernel counts anew when it finds a drive again: what is left lasts when a drive alone is switched off and on.
    #[must_use]
    pub fn lasting(&self) -> Self {
        Self {
            boot_id: None,
            device: None,
            diskseq: None,
            under: self.under.as_ref().map(|under| Box::new(under.lasting())),
            ..self.clone()
        }
    }

    fn of_its_own(&self, now: &Self) -> Option<String> {
        let lasting = differs("the name that it keeps for good", self.permanent_name.as_ref(), now.permanent_name.as_ref())
            .or_else(|| differs("the byte at which it begins", self.start_bytes, now.start_bytes))
            .or_else(|| differs("its inode", self.inode, now.inode))
            .or_else(|| differs("when it was made (milliseconds since 1970)", self.born_unix_ms, now.born_unix_ms));
        // A drive that was pulled and put back, and a filesystem that was mounted anew, have other numbers, and are the same by marks that last.
        let counts = !self.is_known_again(now) && self.boot_id.is_some() && self.boot_id == now.boot_id;
        let of_this_start = || {
            differs("the kernel's number of its medium (diskseq)", self.diskseq, now.diskseq)
                .or_else(|| differs("its device number", self.device.as_ref(), now.device.as_ref()))
        };
        lasting.or_else(|| counts.then(of_this_start).flatten())
    }
}

fn differs<T: PartialEq + std::fmt::Display>(mark: &str, then: Option<T>, now: Option<T>) -> Option<String> {
    let (then, now) = (then?, now?);
    (then != now).then(|| format!("{mark} was {then} and is {now}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Identity {
        Identity { inode: Some(12), born_unix_ms: Some(1000), changed_unix_ms: Some(2000), under: Some(Box::new(drive())), ..drive() }
    }

    fn drive() -> Identity {
        Identity { boot_id: Some("a".into()), device: Some("7:0".into()), diskseq: Some(5), ..Identity::default() }
    }

    #[test]
    fn each_mark_tells_two_things_of_one_name_apart() {
        let others = [
            ("inode", Identity { inode: Some(13), ..file() }),
            ("when it was made", Identity { born_unix_ms: Some(1001), ..file() }),
            ("another medium: the kernel's number", Identity { under: Some(Box::new(Identity { diskseq: Some(6), ..drive() })), ..file() }),
        ];
        for (mark, other) in others {
            let told = file().difference(&other).unwrap_or_default();
            assert!(told.contains(mark) && !file().is_proven(&other), "{mark}: {told}");
        }
        let named = |name: &str| Identity { permanent_name: Some(name.into()), ..drive() };
        assert!(named("eui.1").difference(&named("eui.2")).is_some());
        let at = |start_bytes| Identity { start_bytes: Some(start_bytes), ..drive() };
        assert!(at(0).difference(&at(4096)).is_some());
    }

    #[test]
    fn what_changes_while_it_stays_itself_tells_nothing() {
        let written = Identity { changed_unix_ms: Some(9000), ..file() };
        assert_eq!(file().difference(&written), None);
        assert!(file().is_proven(&written));
        let mounted_anew = Identity { device: Some("7:1".into()), ..file() };
        assert_eq!(file().difference(&mounted_anew), None);
        let later = |identity: Identity| Identity { boot_id: Some("b".into()), diskseq: Some(1), ..identity };
        assert_eq!(drive().difference(&later(drive())), None, "numbers of another start of the machine");
        let named = Identity { permanent_name: Some("eui.1".into()), ..drive() };
        assert_eq!(named.difference(&Identity { diskseq: Some(9), ..named.clone() }), None, "pulled and put back");
        let found_anew = Identity { under: Some(Box::new(Identity { diskseq: Some(6), ..drive() })), ..file() };
        assert_eq!(file().lasting().difference(&found_anew), None, "switched off and on");
        assert!(file().lasting().difference(&Identity { inode: Some(13), ..found_anew }).is_some());
        assert_eq!(file().difference(&Identity::default()), None);
        assert!(!file().is_proven(&Identity::default()) && !drive().is_proven(&drive()));
    }
}
