//! Logs as fio 3.33 wrote or took them.

use super::*;
use RecordedKind::{Datasync, Fsync, Read, Trim, Write};

fn kinds(log: &IoLog) -> Vec<(RecordedKind, u32, u64, u32, u64)> {
    log.ios.iter().map(|io| (io.kind, io.target, io.offset_bytes, io.bytes, io.at_ns / 1000)).collect()
}

#[test]
fn version_3_has_a_time_before_each_action() {
    let text = "fio version 3 iolog\n34 f1 add\n44 f2 add\n252 f1 open\n257 f1 read 0 4096\n466 f2 open\n470 f2 write 20480 8192\n\
                640 f1 sync 24576 0\n700 f1 wait 9 0\n1000 f1 trim 4096 512\n1200 f1 close\n1300 f2 datasync 0 0\n";
    let log = parse(text.as_bytes()).unwrap();
    assert_eq!(log.files, ["f1", "f2"]);
    let expected =
        [(Read, 0, 0, 4096, 0), (Write, 1, 20480, 8192, 213), (Fsync, 0, 0, 0, 383), (Trim, 0, 4096, 512, 743), (Datasync, 1, 0, 0, 1043)];
    assert_eq!(kinds(&log), expected);
    assert_eq!((log.ends_bytes(), log.changes(0), log.scales), (vec![4608, 28672], true, true));
}

#[test]
fn version_2_waits_until_a_time() {
    let text = "fio version 2 iolog\n/f add\n/f open\n/f write 0 512\n/f wait 200 0\n/f read 0 512\n/f wait 50 0\n/f read 512 512";
    let log = parse(text.as_bytes()).unwrap();
    assert_eq!(kinds(&log), [(Write, 0, 0, 512, 0), (Read, 0, 0, 512, 200_000), (Read, 0, 512, 512, 200_000)]);
    assert!(!log.scales);
}

#[test]
fn what_cannot_be_read_is_named_by_its_line() {
    let v3 = |body: &str| parse(format!("fio version 3 iolog\n0 f add\n0 f open\n{body}").as_bytes()).unwrap_err();
    for (body, error) in [
        ("0 f read 0", "line 4: a time, a name and an action"),
        ("\n\nhello", "line 6: \"hello\" is no time"),
        ("0 f dance", "line 4: \"dance\" is no action of a file"),
        ("0 f dance 0 0", "line 4: \"dance\" is no action of an I/O"),
        ("0 g read 0 512", "line 4: g was not added"),
        ("0 g open", "line 4: g was not added"),
        ("0 f close\n0 f read 0 512", "line 5: f is not open"),
        ("0 f read 0 0", "line 4: a length of 0"),
        ("0 f read -1 512", "line 4: \"-1\" is no offset"),
        ("0 f read 18446744073709551615 512", "line 4: the offset"),
        ("0 f read 9223372036854775807 512", "line 4: the offset"),
        ("0 f read 0 4294967296", "line 4: a length of"),
        ("fio version 3 iolog", "line 4: another log begins"),
    ] {
        assert!(v3(body).starts_with(error), "{body}: {}", v3(body));
    }
    for (text, error) in [
        (&b""[..], "line 1: \"fio version 2"),
        (b"fio version 1 iolog\n", "line 1: version 1"),
        (b"fio version 4 iolog\n", "line 1: \"fio"),
        (b"fio version 3 iolog\n0 \xff add\n", "line 2: it is no UTF-8"),
    ] {
        assert!(parse(text).unwrap_err().starts_with(error), "{text:?}");
    }
}

#[test]
fn what_a_job_issued_is_read_again() {
    let io = |at_ns, kind, target, offset_bytes, bytes| RecordedIo { at_ns, offset_bytes, bytes, target, kind };
    let ios = vec![
        io(0, Write, 0, 0, 4096),
        io(5_000, Read, 1, 8192, 512),
        io(9_000, RecordedKind::RangeSync, 0, 0, 0),
        io(12_000, Fsync, 1, 0, 0),
    ];
    let files = ["a".to_owned(), "/b/c".to_owned()];
    let text = log_text(Issued { files: &files, ios: &ios });
    assert!(
        text.starts_with("fio version 3 iolog\n0 a add\n0 /b/c add\n0 a open\n0 /b/c open\n0 a write 0 4096\n5 /b/c read 8192 512\n"),
        "{text}"
    );
    assert_eq!(parse(text.as_bytes()), Ok(IoLog { files: files.to_vec(), ios, scales: true, is_blktrace: false }));
}

/// An event of blktrace: action with its categories, time, sector, bytes.
fn event(action: u32, at_ns: u64, sector: u64, bytes: u32, more: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    all.extend(0x6561_7407u32.to_le_bytes());
    all.extend(1u32.to_le_bytes());
    all.extend(at_ns.to_le_bytes());
    all.extend(sector.to_le_bytes());
    all.extend(bytes.to_le_bytes());
    all.extend(action.to_le_bytes());
    all.extend(77u32.to_le_bytes());
    all.extend((8u32 << 20 | 16).to_le_bytes());
    all.extend(0u32.to_le_bytes());
    all.extend(0u16.to_le_bytes());
    all.extend((more.len() as u16).to_le_bytes());
    all.extend(more);
    all
}

#[test]
fn of_blktrace_what_was_queued_is_replayed() {
    let (read, write, discard, notify) = (1 << 16, 1 << 17, 1 << 29 | 1 << 17, 1 << 26);
    let events = [
        event(notify, 0, 0, 0, b"note"),
        event(read | 1, 5_000_000, 8, 4096, &[]),
        event(read | 7, 5_100_000, 8, 4096, &[]),
        event(discard | 1, 9_000_000, 64, 65536, &[]),
        event(write | 1, 7_000_000, 16, 512, b"x"),
    ];
    let trace = events.concat();
    let log = parse(&trace).unwrap();
    assert_eq!(log.files, ["/dev/block/8:16"]);
    assert_eq!(kinds(&log), [(Read, 0, 4096, 4096, 0), (Write, 0, 8192, 512, 2000), (Trim, 0, 32768, 65536, 4000)]);
    assert!(parse(&trace[..90]).unwrap_err().starts_with("byte 52: the trace is cut off"));
    let mut broken = trace.clone();
    broken[52] = 0;
    assert!(parse(&broken).unwrap_err().starts_with("byte 52: 0x65617400 is no event"));
}
