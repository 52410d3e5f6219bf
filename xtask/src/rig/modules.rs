//! Kernel modules: where each is, what it depends on, by which aliases the kernel asks for it.
//!
//! All of that is in the module's own `.modinfo` section as `key=value` strings; Debian's package carries no `modules.dep`, which
//! is made at installation, so the guest's is made here.

use super::list;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The list `rig/guest/modules`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// All, in the order of the list.
    pub names: Vec<String>,
    /// Those that init loads.
    pub at_boot: Vec<String>,
}

impl Wanted {
    /// Reads the list.
    pub fn parse(text: &str) -> Self {
        let mut wanted = Self::default();
        for line in list::entries(text) {
            let name = line.strip_prefix("boot ").map(str::trim);
            wanted.at_boot.extend(name.map(String::from));
            wanted.names.push(name.unwrap_or(line).to_owned());
        }
        wanted
    }
}

/// One module that goes into the guest.
#[derive(Debug, Default)]
pub struct Module {
    pub file: PathBuf,
    /// Names of the modules that must be loaded before.
    depends: Vec<String>,
    aliases: Vec<String>,
}

/// The wanted modules and all that they depend on, by name with underscores.
pub fn collect(folder: &Path, wanted: &[String]) -> Result<BTreeMap<String, Module>> {
    let mut files = BTreeMap::new();
    find_files(folder, &mut files)?;
    if files.is_empty() {
        bail!("there is no .ko file below {}; compressed modules are not supported", folder.display());
    }
    let mut found = BTreeMap::new();
    let mut open: Vec<String> = wanted.iter().map(|name| plain(name)).collect();
    while let Some(name) = open.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let file = files.get(&name).with_context(|| format!("the kernel has no module {name}; see rig/guest/modules"))?;
        let module = read(file)?;
        open.extend(module.depends.iter().cloned());
        found.insert(name, module);
    }
    Ok(found)
}

/// The text of `modules.dep`: each module's file, then the files of all that must be there before, the nearest first.
pub fn dependencies(modules: &BTreeMap<String, Module>) -> String {
    let line = |name: &String| {
        let files: Vec<String> = closure(modules, name).iter().map(|n| format!("{n}.ko")).collect();
        format!("{name}.ko: {}\n", files.join(" "))
    };
    modules.keys().map(line).collect()
}

/// The text of `modules.alias`.
pub fn aliases(modules: &BTreeMap<String, Module>) -> String {
    let lines = modules.iter().flat_map(|(name, module)| module.aliases.iter().map(move |alias| format!("alias {alias} {name}\n")));
    lines.collect()
}

fn closure(modules: &BTreeMap<String, Module>, name: &str) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let mut open = modules.get(name).map(|m| m.depends.clone()).unwrap_or_default();
    while !open.is_empty() {
        let next = open.remove(0);
        // What is needed again further down must be loaded earlier, so it moves to the end.
        order.retain(|n| *n != next);
        open.extend(modules.get(&next).map(|m| m.depends.clone()).unwrap_or_default());
        order.push(next);
    }
    order
}

fn find_files(folder: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            find_files(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "ko") {
            files.insert(plain(&path.file_stem().unwrap_or_default().to_string_lossy()), path);
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<Module> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let list = |key: &str| values(&bytes, key);
    let depends = list("depends").iter().flat_map(|v| v.split(',')).filter(|n| !n.is_empty()).map(plain).collect();
    Ok(Module { file: file.to_owned(), depends, aliases: list("alias") })
}

/// The values of a key among the zero-terminated strings of a module. The bytes before a key are the end of the string before it, or
/// padding: a zero in either case.
fn values(bytes: &[u8], key: &str) -> Vec<String> {
    let strings = bytes.split(|b| *b == 0).filter_map(|s| std::str::from_utf8(s).ok());
    strings.filter_map(|s| s.strip_prefix(key)?.strip_prefix('=')).map(String::from).collect()
}

/// The kernel's spelling of a module's name: underscores.
fn plain(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(depends: &[&str]) -> Module {
        Module { depends: depends.iter().map(ToString::to_string).collect(), ..Module::default() }
    }

    #[test]
    fn the_list_says_what_is_loaded_at_boot() {
        let wanted = Wanted::parse("# x\nboot nvme # drives\nboot  sd_mod\next4\n\n");
        assert_eq!(wanted.names, ["nvme", "sd_mod", "ext4"]);
        assert_eq!(wanted.at_boot, ["nvme", "sd_mod"]);
    }

    #[test]
    fn what_a_module_says_of_itself_is_read() {
        let bytes = b"\x7fELF\0junk\0\0license=GPL\0alias=fs-ext4\0alias=ext3\0depends=mbcache,jbd2\0xdepends=no\0";
        assert_eq!(values(bytes, "alias"), ["fs-ext4", "ext3"]);
        assert_eq!(values(bytes, "depends"), ["mbcache,jbd2"]);
    }

    #[test]
    fn what_is_shared_is_loaded_before_all_that_need_it() {
        let mut modules = BTreeMap::new();
        modules.insert("top".to_owned(), module(&["low", "mid"]));
        modules.insert("mid".to_owned(), module(&["low"]));
        modules.insert("low".to_owned(), module(&[]));
        assert_eq!(dependencies(&modules), "low.ko: \nmid.ko: low.ko\ntop.ko: mid.ko low.ko\n");
    }

    #[test]
    fn aliases_name_their_module() {
        let mut modules = BTreeMap::new();
        modules.insert("ext4".to_owned(), Module { aliases: vec!["fs-ext4".into(), "fs-ext3".into()], ..Module::default() });
        assert_eq!(aliases(&modules), "alias fs-ext4 ext4\nalias fs-ext3 ext4\n");
    }

    #[test]
    fn hyphens_and_underscores_are_one_name() {
        assert_eq!(plain("dm-mod"), "dm_mod");
    }
}
