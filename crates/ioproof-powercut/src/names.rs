//! Operations on names, each durable before the next is begun: files that are made, replaced by a rename, removed, and a file that grows.
//!
//! Each file holds one block of 512 bytes that bears its number, so a file that is there with another content, or with a part of it, is told from the right one.

use crate::block::{SECTOR, SectorContent, WriteStamp, read};
use crate::judge::{Found, Loss};
use crate::step::Step;
use crate::tally::{Judged, Tally};
use crate::write::{WriteSession, write_all};
use ioproof_target::ProofFolder;
use rustix::io::ReadWriteFlags;
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Files that a stream makes at most, so that a folder stays one that can be listed.
const FILES_MAX: u64 = 50_000;
/// The file that a rename puts in its place.
const CURRENT: &str = "current";
/// The file that grows.
const GROWING: &str = "growing";

/// Kind of operations of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Names {
    /// A file is made and synced, then its folder.
    Create,
    /// A file is made and synced, renamed over the one before, then its folder is synced.
    Rename,
    /// A file is removed, and its folder synced.
    Remove,
    /// A file grows, with fdatasync each time.
    Append,
}

impl Names {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Create, Self::Rename, Self::Remove, Self::Append];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Rename => "rename",
            Self::Remove => "remove",
            Self::Append => "append",
        }
    }
}

/// A stream of such operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamesPlan {
    /// Its number.
    pub stream: u32,
    /// Its kind.
    pub names: Names,
}

/// One stream under way, in a folder of its own.
pub struct NamesStream<'a> {
    /// The folder.
    pub folder: &'a ProofFolder,
    /// Its operations.
    pub plan: NamesPlan,
    /// Its session.
    pub session: WriteSession<'a>,
}

impl NamesStream<'_> {
    /// Works until it is stopped, or has made as many files as it may. Gives the number of steps.
    ///
    /// # Errors
    /// The first of an operation or the keeper: what was acknowledged until then holds.
    pub fn run(&self, stop: &AtomicBool) -> io::Result<u64> {
        let growing = if self.plan.names == Names::Append { Some(self.folder.begin(GROWING)?) } else { None };
        self.folder.sync()?;
        let mut number = 0;
        while !stop.load(Relaxed) && number < FILES_MAX {
            number += 1;
            self.step(number, growing.as_ref())?;
            self.session.done(self.plan.stream, &[Step::written(0, number)])?;
        }
        Ok(number)
    }

    fn step(&self, number: u64, growing: Option<&OwnedFd>) -> io::Result<()> {
        let block = block(self.session.campaign, self.session.number, self.plan.stream, number);
        match (self.plan.names, growing) {
            (Names::Create, _) => self.folder.create(&file(number), &block)?,
            (Names::Rename, _) => {
                self.folder.create("next", &block)?;
                self.folder.rename("next", CURRENT)?;
            }
            (Names::Remove, _) => {
                self.folder.create(&file(number), &block)?;
                self.folder.sync()?;
                self.folder.remove(&file(number))?;
            }
            (Names::Append, Some(growing)) => {
                self.folder.look_for_room()?;
                write_all(growing, (number - 1) * SECTOR as u64, &block, ReadWriteFlags::empty())?;
                return Ok(rustix::fs::fdatasync(growing)?);
            }
            (Names::Append, None) => {}
        }
        self.folder.sync()
    }
}

fn block(campaign: [u8; 16], session: u32, stream: u32, number: u64) -> [u8; SECTOR] {
    let mut block = [0; SECTOR];
    WriteStamp { campaign, session, stream, place: number, sequence: number }.fill(&mut block);
    block
}

fn file(number: u64) -> String {
    format!("f{number:06}")
}

/// Looks for what the first `acknowledged` steps of a stream must have left.
#[must_use]
pub fn check_names(folder: &ProofFolder, plan: NamesPlan, campaign: [u8; 16], session: u32, acknowledged: u64) -> Tally {
    let expected = |number| block(campaign, session, plan.stream, number);
    let mut found = Vec::new();
    let (mut unreadable, mut why_unreadable) = (0, None);
    let mut look = |number: u64, state: io::Result<Found>| match state {
        Ok(found_there) => found.push(Judged { place: number, sequence: number, group: number, found: found_there }),
        Err(error) => {
            unreadable += 1;
            why_unreadable.get_or_insert_with(|| error.to_string());
        }
    };
    match plan.names {
        Names::Create => {
            for number in 1..=acknowledged {
                look(number, folder.read(&file(number), 2 * SECTOR as u64).map(|content| whole(content.as_deref(), &expected(number))));
            }
        }
        Names::Remove => {
            let state = |content: Option<Vec<u8>>| if content.is_none() { Found::Intact } else { Found::Bad(Loss::Stale) };
            (1..=acknowledged).for_each(|number| look(number, folder.read(&file(number), 1).map(state)));
        }
        Names::Rename if acknowledged > 0 => {
            look(
                acknowledged,
                folder.read(CURRENT, 2 * SECTOR as u64).map(|content| at_least(content.as_deref(), &campaign, acknowledged)),
            );
        }
        Names::Append if acknowledged > 0 => {
            let content = folder.read(GROWING, (acknowledged + 1) * SECTOR as u64);
            match content {
                Err(error) => look(acknowledged, Err(error)),
                Ok(content) => {
                    let content = content.unwrap_or_default();
                    for number in 1..=acknowledged {
                        let at = (number as usize - 1) * SECTOR;
                        let piece = content.get(at..).filter(|rest| !rest.is_empty()).map(|rest| &rest[..SECTOR.min(rest.len())]);
                        look(number, Ok(whole(piece, &expected(number))));
                    }
                }
            }
        }
        Names::Rename | Names::Append => {}
    }
    let blocks = found.len() as u64 + unreadable;
    Tally { blocks, unreadable, why_unreadable, ..Tally::of(&found, acknowledged) }
}

/// Counts a stream whose whole folder is gone: as many steps as [`check_names`] would have looked for.
#[must_use]
pub fn all_names_lost(plan: NamesPlan, acknowledged: u64) -> Tally {
    match plan.names {
        Names::Rename if acknowledged > 0 => {
            let (number, found) = (acknowledged, Found::Bad(Loss::Lost));
            Tally::of(&[Judged { place: number, sequence: number, group: number, found }], number)
        }
        _ => Tally::all_lost(acknowledged),
    }
}

/// State of a file that must hold just this.
fn whole(content: Option<&[u8]>, expected: &[u8]) -> Found {
    match content {
        None => Found::Bad(Loss::Lost),
        Some(content) if content == expected => Found::Intact,
        Some(content) if content.len() != expected.len() => Found::Bad(Loss::Torn),
        Some(_) => Found::Bad(Loss::Corrupt),
    }
}

/// State of a file that must hold this step or a later one.
fn at_least(content: Option<&[u8]>, campaign: &[u8; 16], number: u64) -> Found {
    let Some(content) = content else { return Found::Bad(Loss::Lost) };
    match read(content, 0, campaign) {
        _ if content.len() != SECTOR => Found::Bad(Loss::Torn),
        SectorContent::Ours(stamp) if stamp.sequence >= number => Found::Intact,
        SectorContent::Ours(_) => Found::Bad(Loss::Stale),
        SectorContent::Damaged | SectorContent::Blank | SectorContent::Foreign => Found::Bad(Loss::Corrupt),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::Keeper;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicU64;

    /// Keeps how far a stream came, and stops it there.
    struct StreamCounter<'a> {
        last: Mutex<u64>,
        most: u64,
        stop: &'a AtomicBool,
    }

    impl Keeper for StreamCounter<'_> {
        fn keep(&self, _stream: u32, steps: &[Step]) -> io::Result<()> {
            let sequence = steps.iter().map(|step| step.sequence).max().unwrap_or(0);
            *self.last.lock().unwrap() = sequence;
            self.stop.store(sequence >= self.most, Relaxed);
            Ok(())
        }
    }

    fn written(names: Names) -> (tempfile::TempDir, ProofFolder, NamesPlan) {
        let parent = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let folder = ProofFolder::make(parent.path(), "own").unwrap();
        let (stop, plan) = (AtomicBool::new(false), NamesPlan { stream: 3, names });
        let keeper = StreamCounter { last: Mutex::default(), most: 5, stop: &stop };
        let stream = NamesStream {
            folder: &folder,
            plan,
            session: WriteSession { campaign: [9; 16], number: 1, keeper: &keeper, durable: &AtomicU64::default() },
        };
        assert_eq!(stream.run(&stop).unwrap(), 5);
        (parent, folder, plan)
    }

    #[test]
    fn what_was_done_is_found() {
        for names in Names::ALL {
            let (_parent, folder, plan) = written(names);
            let tally = check_names(&folder, plan, [9; 16], 1, 5);
            assert!(tally.blocks > 0 && tally.intact == tally.blocks && tally.lost() == 0, "{names:?}: {tally:?}");
            assert_eq!(all_names_lost(plan, 5).lost(), tally.blocks, "{names:?}: as many as are looked for");
        }
    }

    #[test]
    fn what_is_gone_came_back_or_is_half_there_is_told() {
        let bad = |names: Names, harm: fn(&ProofFolder)| {
            let (_parent, folder, plan) = written(names);
            harm(&folder);
            let tally = check_names(&folder, plan, [9; 16], 1, 5);
            Loss::ALL.into_iter().filter(|loss| tally.losses[*loss as usize] > 0).map(Loss::name).collect::<Vec<_>>()
        };
        assert_eq!(bad(Names::Create, |folder| folder.remove("f000003").unwrap()), ["lost"]);
        assert_eq!(
            bad(Names::Create, |folder| {
                folder.remove("f000003").unwrap();
                folder.create("f000003", &[0; 100]).unwrap();
            }),
            ["torn"]
        );
        assert_eq!(bad(Names::Remove, |folder| folder.create("f000002", b"x").unwrap()), ["stale"]);
        assert_eq!(
            bad(Names::Rename, |folder| {
                folder.create("next", &block([9; 16], 1, 3, 4)).unwrap();
                folder.rename("next", CURRENT).unwrap();
            }),
            ["stale"]
        );
        assert_eq!(bad(Names::Rename, |folder| folder.remove(CURRENT).unwrap()), ["lost"]);
        assert_eq!(
            bad(Names::Append, |folder| {
                folder.remove(GROWING).unwrap();
                folder.create(GROWING, &[block([9; 16], 1, 3, 1), block([9; 16], 1, 3, 2)].concat()[..700]).unwrap();
            }),
            ["lost", "torn"]
        );
    }
}
