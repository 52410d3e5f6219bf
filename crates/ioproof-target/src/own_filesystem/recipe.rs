//! The filesystem that is asked for, with its options, which are read here word by word.

use super::kinds::{FILESYSTEMS, FLAGS, FilesystemKind, Layout, Values};
use rustix::mount::MountFlags;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A filesystem by name, and how it puts drives together: `ext4`, `btrfs:mirror`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilesystemChoice {
    /// Its row.
    pub kind: &'static FilesystemKind,
    /// The layout that was named.
    pub layout: Option<&'static Layout>,
}

impl FromStr for FilesystemChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, layout) = text.split_once(':').map_or((text, None), |(name, layout)| (name, Some(layout)));
        let kind = FilesystemKind::named(name).ok_or_else(|| format!("no such filesystem; there are {}", all_names()))?;
        let layout = layout.map(|layout| of_kind(kind, layout)).transpose()?;
        Ok(Self { kind, layout })
    }
}

fn of_kind(kind: &'static FilesystemKind, name: &str) -> Result<&'static Layout, String> {
    let found = kind.layouts.iter().find(|layout| layout.names.contains(&name));
    let names: Vec<&str> = kind.layouts.iter().map(Layout::name).collect();
    found.ok_or_else(|| match names.as_slice() {
        [] => format!("{} is of one drive and takes no layout", kind.name),
        names => format!("{} has no layout `{name}`; it has {}", kind.name, names.join(", ")),
    })
}

/// Every name that is taken, with its layouts: `ext4, xfs, btrfs[:single|stripe|mirror]`.
fn all_names() -> String {
    let name = |kind: &FilesystemKind| match kind.layouts {
        [] => kind.name.to_owned(),
        layouts => format!("{}[:{}]", kind.name, layouts.iter().map(Layout::name).collect::<Vec<_>>().join("|")),
    };
    FILESYSTEMS.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// A pool whose name is chosen when it is made.
const POOL_IN_WORDS: &str = "ioproof-fs-N";

/// A filesystem with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Its row.
    pub kind: &'static FilesystemKind,
    /// Its layout, where one was named.
    pub layout: Option<&'static Layout>,
    made: Vec<String>,
    mounted: Vec<String>,
}

impl Recipe {
    /// Reads options: of the program each with its value in one text (`-b 1024`), of mount(8) in lists (`noatime,commit=30`).
    ///
    /// # Errors
    /// A sentence on the first that is not taken.
    pub fn read(filesystem: &FilesystemChoice, made: &[String], mounted: &[String]) -> Result<Self, String> {
        let FilesystemChoice { kind, layout } = *filesystem;
        let made: Vec<String> = made.iter().map(|option| words(kind, option)).collect::<Result<Vec<_>, _>>()?.concat();
        // Of two profiles the program would take the last, and the layout would be another than what is told.
        if let Some(layout) = layout
            && let Some(word) = made.iter().find(|word| layout.words.first() == Some(&word.as_str()))
        {
            return Err(format!("`{word}` says once more what {}:{} says: leave one of them out", kind.name, layout.name()));
        }
        let mounted: Vec<String> = mounted.iter().flat_map(|list| list.split(',')).map(str::to_owned).collect();
        mounted.iter().try_for_each(|option| taken_by_mount(kind, option))?;
        // Of two that contradict each other the kernel takes the last.
        let mounted = kind.mounted.iter().map(|option| (*option).to_owned()).chain(mounted).collect();
        Ok(Self { kind, layout, made, mounted })
    }

    /// Filesystem and layout in words: `btrfs mirror`.
    #[must_use]
    pub fn title(&self) -> String {
        self.layout.map_or_else(|| self.kind.name.to_owned(), |layout| format!("{} {}", self.kind.name, layout.name()))
    }

    /// Arguments of the program for these devices, with the words that name a pool.
    pub(super) fn arguments<P: AsRef<Path>>(&self, named: &[String], devices: &[P]) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let is_usual = |(flag, word): &&(&str, &str)| !self.made.windows(2).any(|made| is_of_key(made, flag, key(word)));
        let usual = self.kind.usual.iter().filter(is_usual).flat_map(|(flag, word)| owned(&[flag, word]));
        let layout = self.layout.map_or(&[][..], |layout| layout.words);
        let devices = devices.iter().map(|device| device.as_ref().display().to_string());
        let options = owned(self.kind.always).into_iter().chain(usual).chain(self.made.iter().cloned());
        options.chain(named.iter().cloned()).chain(owned(layout)).chain(devices).collect()
    }

    /// The command that makes it, as it is told: `mkfs.ext4 -q -b 1024 /dev/sdb`.
    #[must_use]
    pub fn command<P: AsRef<Path>>(&self, devices: &[P]) -> String {
        let named = if self.kind.is_pool { vec![POOL_IN_WORDS.to_owned()] } else { Vec::new() };
        format!("{} {}", self.kind.program, self.arguments(&named, devices).join(" "))
    }

    /// Options of its mount in words.
    #[must_use]
    pub fn mount_options(&self) -> String {
        if self.mounted.is_empty() { "the kernel's own options".to_owned() } else { self.mounted.join(",") }
    }

    /// Flags of mount(2), and the options that the filesystem reads itself: where it lies on several devices, also those that the source does not name.
    pub(super) fn for_mount(&self, devices: &[PathBuf]) -> (MountFlags, CString) {
        let flag = |option: &str| FLAGS.iter().find(|(name, _)| *name == option).map(|(_, flag)| *flag);
        let flags = self.mounted.iter().filter_map(|option| flag(option)).collect();
        // A pool knows its devices.
        let others = devices.iter().skip(1).filter(|_| !self.kind.is_pool).map(|device| format!("device={}", device.display()));
        let own: Vec<String> = self.mounted.iter().filter(|option| flag(option).is_none()).cloned().chain(others).collect();
        // What was read has no NUL.
        (flags, CString::new(own.join(",")).unwrap_or_default())
    }
}

/// The words of one option of the program.
fn words(kind: &FilesystemKind, option: &str) -> Result<Vec<String>, String> {
    let words: Vec<&str> = option.split_ascii_whitespace().collect();
    let known = words.first().and_then(|flag| kind.makes.iter().find(|(name, _)| name == flag));
    let fits = match (known, words.as_slice()) {
        (Some((_, Values::None)), [_]) => true,
        (Some((_, Values::Plain)), [_, value]) => value.split(',').all(|word| is_harmless(word) && !word.contains('=')),
        (Some((_, Values::Keys(keys) | Values::Each(keys))), [_, value]) => {
            value.split(',').all(|word| is_harmless(word) && keys.contains(&key(word)))
        }
        _ => false,
    };
    match (known, words.as_slice()) {
        _ if !fits => Err(not_taken(kind, option)),
        (Some((flag, Values::Each(_))), [_, value]) => {
            Ok(value.split(',').flat_map(|word| [(*flag).to_owned(), word.to_owned()]).collect())
        }
        _ => Ok(words.into_iter().map(str::to_owned).collect()),
    }
}

fn not_taken(kind: &FilesystemKind, option: &str) -> String {
    let with_value = |(name, values): &(&str, Values)| match values {
        Values::None => (*name).to_owned(),
        Values::Plain => format!("{name} VALUE"),
        Values::Keys(keys) | Values::Each(keys) => format!("{name} {}", keys.join("|")),
    };
    let known: Vec<String> = kind.makes.iter().map(with_value).collect();
    format!("`{option}` is no option of {} that is taken here: {}", kind.program, known.join(", "))
}

fn taken_by_mount(kind: &FilesystemKind, option: &str) -> Result<(), String> {
    let is_flag = FLAGS.iter().any(|(name, _)| *name == option);
    if is_flag || is_harmless(option) && kind.mounts.contains(&key(option)) {
        return Ok(());
    }
    let flags = FLAGS.iter().map(|(name, _)| *name);
    let known: Vec<&str> = flags.chain(kind.mounts.iter().copied()).collect();
    Err(format!("`{option}` is no option of a mount of {} that is taken here: {}", kind.name, known.join(", ")))
}

/// True for a flag and its `KEY=VALUE` with this key.
fn is_of_key(words: &[String], flag: &str, key_of: &str) -> bool {
    matches!(words, [made, word] if made == flag && key(word) == key_of)
}

fn key(word: &str) -> &str {
    word.split_once('=').map_or(word, |(key, _)| key)
}

/// True for a word that can be neither a path nor a further argument.
fn is_harmless(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-') && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_^=.:-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: &str, made: &[&str], mounted: &[&str]) -> Result<Recipe, String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        Recipe::read(&kind.parse().unwrap(), &owned(made), &owned(mounted))
    }

    #[test]
    fn options_become_a_command_and_flags() {
        let recipe =
            read("ext4", &["-b 1024", "-O ^has_journal,64bit", "-E lazy_itable_init=0,discard"], &["noatime,commit=30", "nodev"]).unwrap();
        let command = recipe.command(&["/dev/sdb"]);
        assert_eq!(command, "mkfs.ext4 -q -b 1024 -O ^has_journal,64bit -E lazy_itable_init=0,discard /dev/sdb");
        let (flags, own) = recipe.for_mount(&["/x/device".into()]);
        assert_eq!((flags, own.to_str().unwrap()), (MountFlags::NOATIME | MountFlags::NODEV, "noinit_itable,commit=30"));
        assert_eq!(read("xfs", &["-K"], &[]).unwrap().command(&["/dev/sdb"]), "mkfs.xfs -q -K /dev/sdb");
    }

    #[test]
    fn several_drives_are_put_together_as_asked() {
        let recipe = read("btrfs:raid1", &["-m raid1c3", "-K"], &["noatime"]).unwrap();
        let devices = ["/x/device".into(), "/x/device2".into()];
        assert_eq!(recipe.command(&devices), "mkfs.btrfs -q -m raid1c3 -K -d raid1 /x/device /x/device2");
        assert_eq!(recipe.for_mount(&devices).1.to_str().unwrap(), "device=/x/device2");
        assert_eq!(recipe.title(), "btrfs mirror");
        assert!(read("btrfs:mirror", &["-d single"], &[]).unwrap_err().contains("leave one of them out"));
        assert!(read("btrfs", &["-d single"], &[]).is_ok());
    }

    #[test]
    fn a_pool_has_a_name_and_properties_of_which_one_replaces_ours() {
        let devices = ["/x/device".into(), "/x/device2".into()];
        let recipe = read("zfs:mirror", &["-o ashift=12", "-O recordsize=8K,compression=off"], &["noatime"]).unwrap();
        let usual = "zpool create -o cachefile=none -O mountpoint=legacy -O primarycache=metadata";
        let rest = "-o ashift=12 -O recordsize=8K -O compression=off ioproof-fs-N mirror /x/device /x/device2";
        assert_eq!(recipe.command(&devices), format!("{usual} {rest}"));
        assert_eq!(recipe.for_mount(&devices).1.to_str().unwrap(), "", "it knows its devices");
        let cached = read("zfs", &["-O primarycache=all"], &[]).unwrap().command(&["/dev/sdb"]);
        assert_eq!(cached, "zpool create -o cachefile=none -O mountpoint=legacy -O primarycache=all ioproof-fs-N /dev/sdb");
    }

    #[test]
    fn only_layouts_that_a_filesystem_has_are_taken() {
        for text in ["ext4:mirror", "btrfs:", "btrfs:raidz", "nosuch", "", "btrfs:mirror:mirror"] {
            assert!(text.parse::<FilesystemChoice>().is_err(), "{text}");
        }
        let error = "btrfs:raidz".parse::<FilesystemChoice>().unwrap_err();
        assert!(error.contains("no layout `raidz`; it has single, stripe, mirror"), "{error}");
    }

    #[test]
    fn nothing_is_taken_that_names_another_device_or_file() {
        let made = [
            ("ext4", "-J device=sdb1"),
            ("ext4", "-J device=LABEL=journal"),
            ("ext4", "-J size=64,device=sdb1"),
            ("ext4", "-d folder"),
            ("ext4", "-z undo"),
            ("ext4", "-F"),
            ("ext4", "-E offset=512"),
            ("ext4", "/dev/sdb"),
            ("ext4", "-b 1024 /dev/sdb"),
            ("ext4", "-b /dev/sdb"),
            ("ext4", "-b -F"),
            ("ext4", "-b1024"),
            ("ext4", "-b"),
            ("ext4", ""),
            ("xfs", "-l logdev=sdb"),
            ("xfs", "-l size=64m,logdev=sdb"),
            ("xfs", "-r rtdev=sdb"),
            ("xfs", "-d name=sdb"),
            ("xfs", "-d file,name=x"),
            ("xfs", "-p proto"),
            ("xfs", "-c options=x"),
            ("xfs", "-f"),
            ("xfs", "-K sdb"),
            ("btrfs", "-f"),
            ("btrfs", "-r folder"),
            ("btrfs", "-K /dev/sdb"),
            ("btrfs", "--csum=xxhash"),
            ("zfs", "-f"),
            ("zfs", "-O mountpoint=/srv"),
            ("zfs", "-O recordsize=8K,mountpoint=none"),
            ("zfs", "-O keylocation=file:x"),
            ("zfs", "-o cachefile=x"),
            ("zfs", "-o altroot=x"),
            ("zfs", "-m x"),
            ("zfs", "-O compression=off log"),
        ];
        for (kind, option) in made {
            assert!(read(kind, &[option], &[]).is_err(), "{kind} {option}");
        }
        let mounted = [
            ("ext4", "journal_path=/dev/sdb"),
            ("ext4", "journal_dev=0x801"),
            ("xfs", "logdev=/dev/sdb"),
            ("xfs", "rtdev=sdb"),
            ("btrfs", "device=/dev/sdb"),
            ("ext4", "ro"),
            ("ext4", "loop"),
            ("ext4", "bind"),
            ("ext4", ""),
            ("ext4", "noatime=1"),
            ("xfs", "commit=30"),
            ("zfs", "zfsutil"),
        ];
        for (kind, option) in mounted {
            assert!(read(kind, &[], &[option]).is_err(), "{kind} {option}");
        }
    }
}
