//! The place that a row names, made in a fresh folder, and what goes on meanwhile. All of it is undone when it is dropped.
//!
//! Beside this, `made.rs` fills files, `served.rs` serves drives, and `meddling.rs` disturbs.

use super::cause::{Cause, Content, Ground, Place};
use super::served::{self, behaviour::Behaviour};
use super::{made, meddling};
use crate::command::tool;
use crate::kept::{Kept, queue};
use anyhow::Result;
use rustix::fs::{major, minor, stat};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const DIRECT: &[&str] = &["--direct-io=on"];

/// Size of a file with a filesystem, which takes room only where it is written: PostgreSQL wants some for its log. Bytes.
const IMAGE_BYTES: u64 = 3 << 30;
const FRESH: [(&str, &str); 3] = [("scheduler", "none"), ("nr_requests", "128"), ("nomerges", "0")];

pub struct Scene {
    pub kept: Kept,
    pub folder: PathBuf,
    pub target: PathBuf,
    pub backing: Option<PathBuf>,
    pub groups: Vec<PathBuf>,
    pub starter: Option<&'static str>,
}

impl Scene {
    pub fn make(cause: &Cause, folder: &Path) -> Result<Self> {
        for name in ["work", "disks", "home"] {
            std::fs::create_dir_all(folder.join(name))?;
        }
        let (kept, target) = (Kept::default(), PathBuf::new());
        let mut scene = Self { kept, folder: folder.to_owned(), target, backing: None, groups: Vec::new(), starter: None };
        scene.target = scene.place(cause.place)?;
        cause.meddling.iter().try_for_each(|meddling| meddling::start(&mut scene, *meddling))?;
        Ok(scene)
    }

    pub fn name(&self) -> String {
        group_name(std::process::id())
    }

    pub fn kernel_name(&self) -> String {
        self.target.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub fn device_numbers(&self) -> Result<String> {
        let told = stat(&self.target)?;
        let device = if told.st_rdev != 0 { told.st_rdev } else { told.st_dev };
        Ok(format!("{}:{}", major(device), minor(device)))
    }

    pub fn other_file(&self) -> Result<PathBuf> {
        let path = self.folder.join("disks/other");
        made::file(&path, Content::Random)?;
        Ok(path)
    }

    fn place(&mut self, place: Place) -> Result<PathBuf> {
        match place {
            Place::Node(path) => Ok(path.into()),
            Place::Folder(ground) => self.ground(ground),
            Place::Served(behaviour, filled) => {
                let file = self.served(behaviour, filled)?;
                let device = self.attach(&file, true)?;
                // Its times are those of an I/O as it was submitted: the kernel joins none.
                std::fs::write(queue(&device).join("nomerges"), "2")?;
                Ok(device)
            }
            Place::File(content, ground) => self.file(content, ground),
            Place::Loop(content, ground) | Place::CachedLoop(content, ground) => {
                let file = self.file(content, ground)?;
                self.attach(&file, matches!(place, Place::Loop(..)))
            }
            Place::Partition(start) => {
                let file = self.file(Content::Random, Ground::Disk)?;
                let device = self.attach(&file, true)?;
                self.kept.partition(&device, start, "400000")
            }
            Place::Zram(content) => made::zram(&mut self.kept, content),
            Place::Stored(edits) => made::stored(&self.folder.join("work"), edits),
        }
    }

    fn served(&mut self, behaviour: Behaviour, filled: bool) -> Result<PathBuf> {
        let file = self.folder.join("disks/served");
        self.kept.keep(served::start(&file, made::MIB << 20, filled, behaviour)?);
        Ok(file)
    }

    fn attach(&mut self, file: &Path, direct: bool) -> Result<PathBuf> {
        self.backing = Some(file.to_owned());
        let device = self.kept.attach(file, if direct { DIRECT } else { &[] })?;
        let queue = queue(&device);
        // A loop device keeps what somebody set for the file before. A kernel may lack either.
        FRESH.iter().for_each(|(file, value)| drop(std::fs::write(queue.join(file), value)));
        Ok(device)
    }

    fn file(&mut self, content: Content, ground: Ground) -> Result<PathBuf> {
        let path = self.ground(ground)?.join("file");
        made::file(&path, content)?;
        Ok(path)
    }

    fn ground(&mut self, ground: Ground) -> Result<PathBuf> {
        let point = self.folder.join("disks/mounted");
        match ground {
            Ground::Disk => return Ok(self.folder.join("work")),
            Ground::Memory => self.kept.mount(&["-t", "tmpfs", "-o", "size=600m", "causes"], &point)?,
            Ground::Mounted(filesystem, options) => self.mounted(filesystem, options, true, &point)?,
            Ground::Cached => self.mounted("ext4", "defaults", false, &point)?,
            Ground::Served(behaviour) => {
                let file = self.served(behaviour, false)?;
                let device = self.attach(&file, true)?.display().to_string();
                tool("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,nodiscard", &device])?;
                self.kept.mount(&[&device], &point)?;
            }
        }
        Ok(point)
    }

    /// A new filesystem on a loop device on a file. Whoever runs a database may make files there.
    fn mounted(&mut self, filesystem: &str, options: &str, direct: bool, point: &Path) -> Result<()> {
        let image = self.folder.join("disks/image");
        std::fs::File::create_new(&image)?.set_len(IMAGE_BYTES)?;
        let device = self.attach(&image, direct)?.display().to_string();
        // Without work that is put off to the first minutes of its mount.
        let words: &[&str] = if filesystem == "ext4" { &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"] } else { &["-q"] };
        tool(&format!("mkfs.{filesystem}"), &[words, &[&device]].concat())?;
        self.kept.mount(&["-o", options, &device], point)?;
        Ok(std::fs::set_permissions(point, Permissions::from_mode(0o1777))?)
    }
}

pub fn group_name(process: u32) -> String {
    format!("ioproof-causes-{process}")
}

pub fn obstacle(place: Place) -> Option<String> {
    let lacks = |path: &str, what: &str| (!Path::new(path).exists()).then(|| format!("this kernel has no {what}"));
    match place {
        Place::Served(..) | Place::Folder(Ground::Served(_)) => lacks("/dev/fuse", "FUSE"),
        Place::Zram(_) => lacks("/sys/class/zram-control", "zram"),
        Place::File(_, Ground::Mounted(filesystem, _)) | Place::Folder(Ground::Mounted(filesystem, _)) => {
            lacks(&format!("/sys/fs/{filesystem}"), filesystem)
        }
        _ => None,
    }
}
