//! Tests of the log: what a crash leaves, what a failing disk leaves, and names.

use super::*;
use crate::protocol::{acknowledged, add, ended, event};
use crate::record::Acknowledgement;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use tempfile::TempDir;

const CAMPAIGN: CampaignId = CampaignId([0xab; 16]);

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("witness")
    }

    fn log(&self) -> Log {
        Log::open(&self.path(), SyncPolicy::EachBatch).unwrap()
    }

    fn file(&self, session: u32) -> PathBuf {
        self.path().join(CAMPAIGN.to_string()).join(file::name(session))
    }
}

fn by(writer: u8, session: Option<u32>) -> Beginning<'static> {
    Beginning { campaign: CAMPAIGN, session, writes: true, writer: [writer; 16], peer: "peer", description: b"what", wall_ns: 5 }
}

fn batch(numbers: impl IntoIterator<Item = u64>) -> Batch {
    let mut batch = Batch::default();
    for number in numbers {
        let (kind, mut content) = acknowledged(number);
        add(&mut content, Acknowledgement { stream: 1, place: number * 512, sequence: number });
        batch.add(kind, number, &content);
    }
    batch
}

fn read(log: &Log, session: u32) -> (Vec<KeptRecord>, u64) {
    let (mut walk, mut content, mut all) = (log.read(CAMPAIGN, session, None).unwrap(), Vec::new(), Vec::new());
    while walk.next(&mut content).unwrap() {
        all.push(KeptRecord::read(&content).unwrap());
    }
    (all, walk.unread_bytes())
}

/// Numbers of the writes that are acknowledged.
fn kept(log: &Log, session: u32) -> Vec<u64> {
    let of = |kept: KeptRecord| match kept.what {
        RecordContent::Acknowledged(all) => all,
        _ => Vec::new(),
    };
    read(log, session).0.into_iter().flat_map(of).map(|acknowledgement| acknowledgement.sequence).collect()
}

#[test]
fn records_are_read_as_they_were_stored_in_files_of_their_owner_alone() {
    let place = Place::new();
    let log = place.log();
    let mut session = log.begin(&by(1, None)).unwrap();
    assert_eq!(session.append(&batch(1..=2), 7).unwrap(), 2);
    let mut last = Batch::default();
    let (kind, content) = event(3, -9, b"cut asked");
    last.add(kind, 3, &content);
    let (kind, content) = ended(4);
    last.add(kind, 4, &content);
    assert_eq!(session.append(&last, 6).unwrap(), 4);
    let (all, unread) = read(&log, 1);
    let stamps: Vec<(u64, i64)> = all.iter().map(|kept| (kept.order, kept.wall_ns)).collect();
    // A clock that is set back changes no order.
    assert_eq!((stamps, unread), (vec![(1, 5), (2, 7), (3, 7), (4, 6), (5, 6)], 0));
    assert_eq!(all[0].what, RecordContent::Begun { peer: "peer".to_owned(), description: b"what".to_vec() });
    assert_eq!(all[2].what, RecordContent::Acknowledged(vec![Acknowledgement { stream: 1, place: 1024, sequence: 2 }]));
    assert_eq!(all[3].what, RecordContent::Event { time_ns: -9, text: b"cut asked".to_vec() });
    assert_eq!(all[4].what, RecordContent::Ended);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!([mode(&place.path()), mode(place.file(1).parent().unwrap())], [0o700; 2]);
    assert_eq!([mode(&place.path().join(LOCK)), mode(&place.file(1))], [0o600; 2]);
}

#[test]
fn repeated_records_are_dropped_and_gaps_are_refused() {
    let place = Place::new();
    let log = place.log();
    let mut session = log.begin(&by(1, None)).unwrap();
    session.append(&batch(1..=3), 0).unwrap();
    assert_eq!(session.append(&batch(2..=4), 0).unwrap(), 4);
    assert_eq!(session.append(&batch(1..=2), 0).unwrap(), 4);
    assert!(matches!(session.append(&batch([6]), 0), Err(LogError::Malformed(_))));
    assert!(matches!(session.append(&batch([5, 5]), 0), Err(LogError::Malformed(_))));
    assert_eq!(kept(&log, 1), [1, 2, 3, 4]);
    let mut end = Batch::default();
    end.add(ended(5).0, 5, &ended(5).1);
    session.append(&end, 0).unwrap();
    assert_eq!(session.append(&end, 0).unwrap(), 5);
    assert!(matches!(session.append(&batch([6]), 0), Err(LogError::Malformed(_))));
}

#[test]
fn a_session_is_its_writers_and_later_ones_follow() {
    let place = Place::new();
    let log = place.log();
    drop(log.begin(&by(1, None)).unwrap());
    assert_eq!(log.begin(&by(1, Some(1))).unwrap().session(), 1);
    assert_eq!(log.begin(&by(1, None)).unwrap().session(), 1, "asked again, since the answer was lost");
    assert!(matches!(log.begin(&by(2, Some(1))), Err(LogError::Taken(_))));
    assert_eq!(log.begin(&by(2, None)).unwrap().session(), 2);
    assert!(matches!(log.begin(&by(1, Some(1))), Err(LogError::Taken(_))), "a later one has begun");
    assert_eq!(log.begin(&by(3, Some(7))).unwrap().session(), 7);
    assert_eq!(log.sessions(CAMPAIGN).unwrap(), [1, 2, 7]);
    assert!(matches!(log.begin(&by(4, Some(SESSION_MAX + 1))), Err(LogError::Limit(_))));
    let listed = log.listed(CAMPAIGN).unwrap();
    assert_eq!((listed.sessions, listed.first_wall_ns, log.campaigns().unwrap()), (7, 5, vec![CAMPAIGN]));
}

#[test]
fn wherever_the_witness_is_cut_whole_records_stay_and_the_rest_is_moved_aside() {
    let place = Place::new();
    let log = place.log();
    let mut session = log.begin(&by(1, None)).unwrap();
    let mut ends = vec![session.length()];
    for number in 1..=3 {
        session.append(&batch([number]), 0).unwrap();
        ends.push(session.length());
    }
    drop(session);
    let whole = std::fs::read(place.file(1)).unwrap();
    for cut in 0..whole.len() {
        std::fs::remove_dir_all(place.file(1).parent().unwrap()).unwrap();
        drop(log.begin(&by(1, None)).unwrap());
        // Some filesystems leave other bytes where content did not reach the disk.
        let torn = if cut % 2 == 0 { whole[..cut].to_vec() } else { [&whole[..cut], &vec![0xee; whole.len() - cut]].concat() };
        std::fs::write(place.file(1), &torn).unwrap();
        let records = ends.iter().filter(|end| **end <= cut as u64).count();
        let mut session = log.begin(&by(1, None)).unwrap();
        assert_eq!(session.stored(), (records as u64).saturating_sub(1), "cut at {cut}");
        let next = session.stored() + 1;
        session.append(&batch([next]), 0).unwrap();
        assert_eq!(kept(&log, 1), (1..=next).collect::<Vec<u64>>());
        let aside = place.file(1).with_file_name("session-0000000001.torn-1");
        let tail = ends.iter().rev().find(|end| **end <= cut as u64).map_or(0, |end| *end as usize);
        if tail < torn.len() {
            assert_eq!(std::fs::read(aside).unwrap(), torn[tail..], "cut at {cut}");
        }
        let is_told = |is: fn(&RecordContent) -> bool| read(&log, 1).0.into_iter().filter(|kept| is(&kept.what)).count();
        let told =
            [is_told(|what| matches!(what, RecordContent::TailCut { .. })), is_told(|what| matches!(what, RecordContent::Damaged { .. }))];
        let there = records > 0 && tail < torn.len();
        // Where other bytes stand there, stored records may have stood there too.
        assert_eq!(told, [there && cut % 2 == 0, there && cut % 2 == 1].map(usize::from), "cut at {cut}");
    }
}

#[test]
fn a_changed_byte_is_no_record_and_a_reader_is_told() {
    let place = Place::new();
    let log = place.log();
    let mut session = log.begin(&by(1, None)).unwrap();
    session.append(&batch([1]), 0).unwrap();
    let begin = session.length() as usize;
    session.append(&batch([2]), 0).unwrap();
    drop(session);
    let mut bytes = std::fs::read(place.file(1)).unwrap();
    for at in begin..bytes.len() {
        bytes[at] ^= 4;
        std::fs::write(place.file(1), &bytes).unwrap();
        let (all, unread) = read(&log, 1);
        assert_eq!((all.len(), unread), (2, (bytes.len() - begin) as u64));
        bytes[at] ^= 4;
    }
    // A record that is whole, but not of this place.
    let twice = [&bytes[..], &bytes[begin..]].concat();
    std::fs::write(place.file(1), twice).unwrap();
    assert_eq!((kept(&log, 1), read(&log, 1).1), (vec![1, 2], (bytes.len() - begin) as u64));
}

#[test]
fn damage_is_told_from_what_a_crash_leaves() {
    let place = Place::new();
    let log = place.log();
    let mut session = log.begin(&by(1, None)).unwrap();
    let mut ends = vec![session.length() as usize];
    for number in 1..=3 {
        session.append(&batch([number]), 0).unwrap();
        ends.push(session.length() as usize);
    }
    drop(session);
    let bytes = std::fs::read(place.file(1)).unwrap();
    let is_damaged = |harmed: &[u8]| {
        std::fs::write(place.file(1), harmed).unwrap();
        let (mut walk, mut content) = (log.read(CAMPAIGN, 1, None).unwrap(), Vec::new());
        while walk.next(&mut content).unwrap() {}
        walk.is_damaged().unwrap()
    };
    let flipped = |at: usize| [&bytes[..at], &[bytes[at] ^ 4], &bytes[at + 1..]].concat();
    for at in [ends[0] + 1, ends[0] + 20, ends[1] + 20, ends[2] + 20, 3] {
        assert!(is_damaged(&flipped(at)), "byte {at}");
    }
    let other = |from: usize, byte: u8, length: usize| [&bytes[..from], &vec![byte; length]].concat();
    // What was being stored is there in part, or the file is longer and nothing of it is there, or its first sector is.
    for torn in [&bytes[..], &bytes[..ends[2] + 1], &bytes[..ends[3] - 1], &other(ends[2], 0, 40), &other(ends[1], 0, 5000)] {
        assert!(!is_damaged(torn), "{} bytes", torn.len());
    }
    assert!(is_damaged(&other(ends[1], 0xee, 5000)) && is_damaged(&other(ends[1] + 12, 0, 5000)));
    // One that is damaged from its first record on did begin, so its number is not given anew.
    for at in [3, 60] {
        assert!(is_damaged(&flipped(at)));
        assert!(matches!(log.begin(&by(2, None)), Err(LogError::Damaged(1))), "byte {at}");
        assert_eq!(std::fs::read(place.file(1)).unwrap(), flipped(at));
    }
    // A later session moves the rest aside, and the damage stays known.
    assert!(is_damaged(&flipped(ends[1] + 20)));
    drop(log.begin(&by(2, None)).unwrap());
    assert!(matches!(read(&log, 1).0.last().unwrap().what, RecordContent::Damaged { bytes } if bytes == (ends[3] - ends[1]) as u64));
}

#[test]
fn after_a_failed_sync_nothing_counts_that_was_written_since_the_last_good_one() {
    let place = Place::new();
    let log = place.log();
    let mut session = log.begin(&by(1, None)).unwrap();
    session.append(&batch([1]), 0).unwrap();
    let good = session.length();
    for fails in 1..=4 {
        session::fault::fail(fails);
        assert!(matches!(session.append(&batch([2]), 0), Err(LogError::Io { .. })));
        session::fault::fail(0);
        assert_eq!((session.stored(), session.length(), session.is_dirty()), (1, good, fails > 1));
    }
    assert_eq!(session.append(&batch([2, 3]), 0).unwrap(), 3);
    assert_eq!((kept(&log, 1), read(&log, 1).1), (vec![1, 2, 3], 0));
    session::fault::fail(2);
    assert!(session.append(&batch([4]), 0).is_err());
    drop(session);
    assert_eq!(kept(&log, 1), [1, 2, 3], "cut back before the file is closed");
}

#[test]
fn a_session_that_could_not_be_made_leaves_its_name_free() {
    let place = Place::new();
    let log = place.log();
    session::fault::fail(1);
    assert!(log.begin(&by(1, None)).is_err());
    session::fault::fail(0);
    assert_eq!(log.campaigns().unwrap(), []);
    assert_eq!(log.begin(&by(1, None)).unwrap().session(), 1);
}

#[test]
fn a_session_whose_file_is_not_there_any_more_takes_no_records() {
    let spoil: [fn(&Place); 4] = [
        |place| std::fs::remove_file(place.file(1)).unwrap(),
        |place| std::fs::rename(place.path().join(CAMPAIGN.to_string()), place.path().join("moved")).unwrap(),
        |place| std::fs::write(place.file(1), "").unwrap(),
        |place| std::fs::OpenOptions::new().append(true).open(place.file(1)).unwrap().write_all(b"x").unwrap(),
    ];
    for spoil in spoil {
        let place = Place::new();
        let log = place.log();
        let mut session = log.begin(&by(1, None)).unwrap();
        assert_eq!(session.append(&batch([1]), 0).unwrap(), 1);
        spoil(&place);
        assert!(session.append(&batch([2]), 0).unwrap_err().to_string().contains("somebody"));
        assert_eq!(session.stored(), 1);
    }
}

#[test]
fn a_file_of_somebody_in_the_place_of_the_order_stays_as_it_is() {
    let place = Place::new();
    std::fs::create_dir(place.path()).unwrap();
    let (at, theirs) = (place.path().join("order"), (0..2000).map(|n| format!("{n}\n")).collect::<String>());
    for content in ["", "precious\n", &theirs] {
        std::fs::write(&at, content).unwrap();
        let refused = Log::open(&place.path(), SyncPolicy::EachBatch).unwrap_err().to_string();
        assert!(refused.contains("order is there and none of ioproof's"), "{refused}");
        assert_eq!(std::fs::read_to_string(&at).unwrap(), content);
    }
    std::fs::remove_file(&at).unwrap();
    let log = place.log();
    std::fs::write(&at, "came later").unwrap();
    assert!(log.begin(&by(1, None)).is_err());
    assert_eq!(std::fs::read(&at).unwrap(), b"came later");
    std::fs::remove_file(&at).unwrap();
    log.begin(&by(1, None)).unwrap();
    std::fs::hard_link(&at, place.path().join("kept")).unwrap();
    let kept = std::fs::read(&at).unwrap();
    assert!(log.begin(&Beginning { campaign: CampaignId([9; 16]), ..by(1, None) }).is_err());
    assert_eq!(std::fs::read(&at).unwrap(), kept, "another name of it is somebody's copy");
}

#[test]
fn two_witnesses_do_not_share_a_folder() {
    let place = Place::new();
    let log = place.log();
    assert!(matches!(Log::open(&place.path(), SyncPolicy::Never), Err(LogError::Locked(_))));
    drop(log);
    drop(place.log());
}

#[test]
fn links_are_not_followed_and_other_names_are_left_alone() {
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), place.path()).unwrap();
    assert!(Log::open(&place.path(), SyncPolicy::EachBatch).is_err());
    std::fs::remove_file(place.path()).unwrap();
    let log = place.log();
    symlink(elsewhere.path(), place.path().join(CAMPAIGN.to_string())).unwrap();
    assert!(log.begin(&by(1, None)).is_err() && log.sessions(CAMPAIGN).is_err());
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    std::fs::remove_file(place.path().join(CAMPAIGN.to_string())).unwrap();
    drop(log.begin(&by(1, None)).unwrap());
    for name in ["session-1", "session-+000000002", "session-00000000003", "session-0000000009~", "notes"] {
        std::fs::write(place.file(1).with_file_name(name), "of somebody else").unwrap();
    }
    std::fs::write(place.path().join(CAMPAIGN.to_string().to_uppercase()), "of somebody else").unwrap();
    assert_eq!((log.sessions(CAMPAIGN).unwrap(), log.campaigns().unwrap()), (vec![1], vec![CAMPAIGN]));
    symlink("/etc/passwd", place.file(2)).unwrap();
    assert!(log.begin(&by(2, None)).is_err());
    assert!(matches!(log.read(CampaignId([0; 16]), 1, None), Err(LogError::Unknown(_))));
}

#[test]
fn a_campaign_that_comes_to_no_session_leaves_no_folder() {
    let place = Place::new();
    let log = place.log();
    assert!(matches!(log.begin(&by(1, Some(SESSION_MAX + 1))), Err(LogError::Limit(_))));
    assert_eq!(log.campaigns().unwrap(), []);
    std::fs::create_dir(place.path().join(CAMPAIGN.to_string())).unwrap();
    assert!(log.begin(&by(1, Some(SESSION_MAX + 1))).is_err());
    assert_eq!(log.campaigns().unwrap(), [CAMPAIGN], "one that was there stays");
}

#[test]
fn a_file_of_another_version_is_neither_read_nor_moved() {
    let place = Place::new();
    let log = place.log();
    drop(log.begin(&by(1, None)).unwrap());
    let mut bytes = std::fs::read(place.file(1)).unwrap();
    bytes[16] = 2;
    let crc = crc32c::crc32c(&bytes[..file::HEAD_BYTES - 4]);
    bytes[file::HEAD_BYTES - 4..file::HEAD_BYTES].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(place.file(1), &bytes).unwrap();
    assert!(matches!(log.begin(&by(1, None)), Err(LogError::Version(2))));
    assert!(matches!(log.read(CAMPAIGN, 1, None), Err(LogError::Version(2))));
    assert_eq!(std::fs::read(place.file(1)).unwrap(), bytes);
    std::fs::set_permissions(place.file(1), PermissionsExt::from_mode(0o600)).unwrap();
}
