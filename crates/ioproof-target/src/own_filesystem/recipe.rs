//! The filesystem that is asked for, with its options, which are read here word by word.

use super::kinds::{FLAGS, FilesystemKind, Values};
use rustix::mount::MountFlags;
use std::ffi::CString;
use std::path::Path;

/// A filesystem with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Its row.
    pub kind: &'static FilesystemKind,
    made: Vec<String>,
    mounted: Vec<String>,
}

impl Recipe {
    /// Reads options: of the program each with its value in one text (`-b 1024`), of mount(8) in lists (`noatime,commit=30`).
    ///
    /// # Errors
    /// A sentence on the first that is not taken.
    pub fn read(kind: &'static FilesystemKind, made: &[String], mounted: &[String]) -> Result<Self, String> {
        let made = made.iter().map(|option| words(kind, option)).collect::<Result<Vec<_>, _>>()?.concat();
        let mounted: Vec<String> = mounted.iter().flat_map(|list| list.split(',')).map(str::to_owned).collect();
        mounted.iter().try_for_each(|option| taken_by_mount(kind, option))?;
        // Of two that contradict each other the kernel takes the last.
        let mounted = kind.mounted.iter().map(|option| (*option).to_owned()).chain(mounted).collect();
        Ok(Self { kind, made, mounted })
    }

    /// Arguments of the program for a device.
    pub(super) fn arguments(&self, device: &Path) -> Vec<String> {
        let quiet = self.kind.quiet.iter().map(|word| (*word).to_owned());
        quiet.chain(self.made.iter().cloned()).chain([device.display().to_string()]).collect()
    }

    /// The command that makes it, as it is told: `mkfs.ext4 -q -b 1024 /dev/sdb`.
    #[must_use]
    pub fn command(&self, device: &Path) -> String {
        format!("{} {}", self.kind.program, self.arguments(device).join(" "))
    }

    /// Options of its mount in words.
    #[must_use]
    pub fn mount_options(&self) -> String {
        if self.mounted.is_empty() { "the kernel's own options".to_owned() } else { self.mounted.join(",") }
    }

    /// Flags of mount(2), and the options that the filesystem reads itself.
    pub(super) fn for_mount(&self) -> (MountFlags, CString) {
        let flag = |option: &str| FLAGS.iter().find(|(name, _)| *name == option).map(|(_, flag)| *flag);
        let flags = self.mounted.iter().filter_map(|option| flag(option)).collect();
        let own: Vec<&str> = self.mounted.iter().map(String::as_str).filter(|option| flag(option).is_none()).collect();
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
        (Some((_, Values::Keys(keys))), [_, value]) => value.split(',').all(|word| is_harmless(word) && keys.contains(&key(word))),
        _ => false,
    };
    if fits { Ok(words.into_iter().map(str::to_owned).collect()) } else { Err(not_taken(kind, option)) }
}

fn not_taken(kind: &FilesystemKind, option: &str) -> String {
    let with_value = |(name, values): &(&str, Values)| match values {
        Values::None => (*name).to_owned(),
        Values::Plain => format!("{name} VALUE"),
        Values::Keys(keys) => format!("{name} {}", keys.join("|")),
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
        Recipe::read(FilesystemKind::named(kind).unwrap(), &owned(made), &owned(mounted))
    }

    #[test]
    fn options_become_a_command_and_flags() {
        let recipe =
            read("ext4", &["-b 1024", "-O ^has_journal,64bit", "-E lazy_itable_init=0,discard"], &["noatime,commit=30", "nodev"]).unwrap();
        let command = recipe.command(Path::new("/dev/sdb"));
        assert_eq!(command, "mkfs.ext4 -q -b 1024 -O ^has_journal,64bit -E lazy_itable_init=0,discard /dev/sdb");
        let (flags, own) = recipe.for_mount();
        assert_eq!((flags, own.to_str().unwrap()), (MountFlags::NOATIME | MountFlags::NODEV, "noinit_itable,commit=30"));
        assert_eq!(read("xfs", &["-K"], &[]).unwrap().command(Path::new("/dev/sdb")), "mkfs.xfs -q -K /dev/sdb");
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
        ];
        for (kind, option) in mounted {
            assert!(read(kind, &[], &[option]).is_err(), "{kind} {option}");
        }
    }
}
