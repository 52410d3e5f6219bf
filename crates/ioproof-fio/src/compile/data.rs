//! Content of writes, and the marks by which it is known again.

use crate::settings::{Checksum, JobSettings};
use crate::values::{BytePattern, Mode};
use ioproof_core::shape::{Data, DataCommand, Fill};

const ALONE: &str = "what an earlier job or run wrote is known by its headers alone: corrupt and misplaced data are told, but not whether it is the newest that was \
                     written there";

const OF_MEMORY: &str =
    "with invalidate=0 or pre_read=1 what the page cache holds is compared, not what the drive does: leave them out, or set direct=1";

const NO_NUMBER: &str = "a write that was lost is not told where the same pattern stood before, as zeros do in a new file: a pattern has no number of the \
                         write; verify=crc32c tells it";

const NOTHING_TO_VERIFY_BY: &str = "verify_only=1 without verify= has nothing to verify by, and nothing is written: set verify=crc32c or what it was written with, \
                                    or leave out verify_only";

const NOTHING_AT_ALL: &str =
    "verify_only=1 writes nothing and do_verify=0 reads nothing back, so that nothing is done: leave out one of them";

const OTHER_COMMAND: &str =
    "write_mode=zeroes and write_mode=verify write nothing that verify= could know again: let a job of its own read back what is there";

/// Content of writes, and the NVMe commands that read and write it.
pub(super) fn data(settings: &JobSettings, notes: &mut Vec<String>) -> Result<Data, String> {
    let data = content(settings, notes)?;
    let writes = matches!(settings.access.rw.mode, Mode::Write | Mode::ReadWrite | Mode::TrimWrite);
    match settings.engine.write_command {
        DataCommand::Transfer if settings.engine.compares && data.checked => Ok(Data { command: DataCommand::Compare, ..data }),
        command if writes && command != DataCommand::Transfer && data.checked => Err(OTHER_COMMAND.into()),
        command @ DataCommand::WriteZeroes if writes => Ok(Data { command, fill: Fill::Zero, ..Data::default() }),
        command if writes => Ok(Data { command, ..data }),
        _ => Ok(data),
    }
}

fn content(settings: &JobSettings, notes: &mut Vec<String>) -> Result<Data, String> {
    let (mode, method) = (settings.access.rw.mode, settings.verify.method);
    let from_memory = !settings.access.direct && (!settings.files.invalidate || settings.files.pre_read);
    if mode == Mode::Read && method.is_some_and(|method| method != Checksum::Null) && from_memory {
        notes.push(OF_MEMORY.into());
    }
    match method {
        method if settings.verify.only && mode != Mode::Read && (mode == Mode::Trim || matches!(method, Some(Checksum::Null) | None)) => {
            Err(NOTHING_TO_VERIFY_BY.into())
        }
        _ if settings.verify.only && mode != Mode::Read && !settings.verify.after_writing => Err(NOTHING_AT_ALL.into()),
        _ if mode == Mode::Trim => Ok(Data::default()),
        Some(Checksum::Header(_)) => {
            if mode == Mode::Read || settings.verify.only {
                notes.push(ALONE.into());
            }
            Ok(checked(settings, notes))
        }
        Some(Checksum::Pattern) => {
            let fill = verified_pattern(settings.verify.pattern.as_ref())?;
            if mode != Mode::Read && !settings.verify.only {
                notes.push(NO_NUMBER.into());
            }
            Ok(Data { fill, checked: true, ends_at_difference: settings.verify.fatal, ..Data::default() })
        }
        Some(Checksum::Null) | None if mode == Mode::Read => Ok(Data::default()),
        Some(Checksum::Null) | None => written(settings),
    }
}

fn written(settings: &JobSettings) -> Result<Data, String> {
    let buffers = &settings.buffers;
    match buffers.pattern.as_ref().filter(|_| !buffers.is_mixed()) {
        Some(BytePattern { offsets, .. }) if !offsets.is_empty() => Err("a pattern with %o is written by verify_pattern only".into()),
        Some(pattern) => Ok(Data { fill: Fill::Pattern(pattern.bytes.clone()), ..Data::default() }),
        None if buffers.zero && buffers.pattern.is_none() => Ok(Data { fill: Fill::Zero, ..Data::default() }),
        None => {
            // What repeats at a distance would be compressed further than was asked for; fio's data is new for every write then, too.
            let fill = if buffers.refill || buffers.is_mixed() { Fill::Fresh } else { Fill::Random };
            let [compressible_percent, duplicate_percent] =
                [buffers.compressible_percent, buffers.duplicate_percent].map(|share| share.unwrap_or(0).min(99));
            Ok(Data { fill, compressible_percent, duplicate_percent, ..Data::default() })
        }
    }
}

fn checked(settings: &JobSettings, notes: &mut Vec<String>) -> Data {
    let buffers = &settings.buffers;
    let others = buffers.pattern.is_some() || buffers.zero || buffers.compressible_percent.is_some() || buffers.duplicate_percent.is_some();
    if others && settings.access.rw.mode != Mode::Read {
        notes.push("what is verified carries headers and random data, not what the buffer options ask for".into());
    }
    if settings.verify.pattern.is_some() {
        notes.push(
            "verify_pattern: what is verified by a checksum carries headers and random data, not the pattern (verify=pattern)".into(),
        );
    }
    Data { checked: true, ends_at_difference: settings.verify.fatal, ..Data::default() }
}

fn verified_pattern(pattern: Option<&BytePattern>) -> Result<Fill, String> {
    match pattern {
        None => Err("verify=pattern needs verify_pattern".into()),
        Some(BytePattern { bytes, offsets }) if offsets.is_empty() => Ok(Fill::Pattern(bytes.clone())),
        Some(BytePattern { bytes, offsets }) => Ok(Fill::PatternOfOffsets { bytes: bytes.clone(), places: offsets.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data_of(change: impl FnOnce(&mut JobSettings)) -> (Result<Data, String>, Vec<String>) {
        let (mut settings, mut notes) = (JobSettings::default(), Vec::new());
        change(&mut settings);
        (data(&settings, &mut notes), notes)
    }

    fn verifies(method: Checksum, mode: Mode) -> impl Fn(&mut JobSettings) {
        move |s: &mut JobSettings| (s.verify.method, s.access.rw.mode) = (Some(method), mode)
    }

    #[test]
    fn headers_that_were_written_before_are_known_alone_and_that_is_said() {
        let (data, notes) = data_of(verifies(Checksum::Header("crc32c"), Mode::Write));
        assert!(data.is_ok_and(|data| data.checked) && notes.is_empty());
        let (data, notes) = data_of(verifies(Checksum::Header("crc32c"), Mode::Read));
        assert!(data.is_ok_and(|data| data.checked) && notes.len() == 1);
        let of_memory = |direct: bool| {
            let set = move |s: &mut JobSettings| {
                verifies(Checksum::Header("md5"), Mode::Read)(s);
                (s.files.invalidate, s.access.direct) = (false, direct);
            };
            data_of(set).1
        };
        assert_eq!((of_memory(false), of_memory(true)), (vec![OF_MEMORY.to_owned(), ALONE.to_owned()], vec![ALONE.to_owned()]));
        let (_, notes) = data_of(|s| {
            verifies(Checksum::Header("md5"), Mode::Write)(s);
            s.verify.only = true;
        });
        assert_eq!(notes, [ALONE]);
        let (_, notes) = data_of(|s| {
            verifies(Checksum::Header("md5"), Mode::Write)(s);
            s.verify.pattern = Some(BytePattern { bytes: vec![1], offsets: Vec::new() });
        });
        assert!(notes.len() == 1 && notes[0].starts_with("verify_pattern: "));
    }

    #[test]
    fn a_job_that_is_only_to_verify_neither_writes_nor_trims_where_it_cannot() {
        let only = |method: Option<Checksum>, mode: Mode| {
            let set = |s: &mut JobSettings| (s.verify.method, s.access.rw.mode, s.verify.only) = (method, mode, true);
            data_of(set).0.err()
        };
        let refused = Some(NOTHING_TO_VERIFY_BY.to_owned());
        for mode in [Mode::Write, Mode::ReadWrite, Mode::Trim] {
            assert_eq!([only(None, mode), only(Some(Checksum::Null), mode)], [refused.clone(), refused.clone()], "{mode:?}");
        }
        assert_eq!(only(Some(Checksum::Header("md5")), Mode::Trim), refused);
        let nothing = |s: &mut JobSettings| {
            verifies(Checksum::Header("md5"), Mode::Write)(s);
            (s.verify.only, s.verify.after_writing) = (true, false);
        };
        assert_eq!(data_of(nothing).0.err().as_deref(), Some(NOTHING_AT_ALL));
        assert_eq!([only(None, Mode::Read), only(Some(Checksum::Header("md5")), Mode::Write)], [None, None]);
    }

    #[test]
    fn a_pattern_is_written_and_known_with_and_without_offsets() {
        let with = |offsets: Vec<usize>| {
            data_of(move |s| {
                verifies(Checksum::Pattern, Mode::ReadWrite)(s);
                s.verify.pattern = Some(BytePattern { bytes: vec![0; 9], offsets });
                s.verify.fatal = true;
            })
            .0
        };
        assert_eq!(
            data_of(|s| s.verify.pattern = Some(BytePattern { bytes: vec![0], offsets: Vec::new() })).1,
            [""; 0],
            "nothing is verified"
        );
        let plain = with(Vec::new()).unwrap();
        assert_eq!((plain.fill, plain.checked, plain.ends_at_difference), (Fill::Pattern(vec![0; 9]), true, true));
        assert_eq!(with(vec![1]).unwrap().fill, Fill::PatternOfOffsets { bytes: vec![0; 9], places: vec![1] });
        assert!(data_of(verifies(Checksum::Pattern, Mode::Write)).0.unwrap_err().contains("needs verify_pattern"));
    }

    #[test]
    fn other_commands_go_where_there_is_something_for_them() {
        let of = |mode, write_command, compares, method| {
            let (data, _) = data_of(move |s| {
                (s.access.rw.mode, s.verify.method) = (mode, method);
                (s.engine.write_command, s.engine.compares) = (write_command, compares);
                s.verify.pattern = Some(BytePattern { bytes: vec![7], offsets: Vec::new() });
            });
            data.map(|data| (data.command, data.fill))
        };
        use DataCommand::{Compare, Transfer, Verify, WriteZeroes};
        let pattern = || Fill::Pattern(vec![7]);
        assert_eq!(of(Mode::Write, WriteZeroes, false, None), Ok((WriteZeroes, Fill::Zero)));
        assert_eq!(of(Mode::ReadWrite, Verify, true, None), Ok((Verify, Fill::Random)));
        assert_eq!(of(Mode::Read, WriteZeroes, false, None), Ok((Transfer, Fill::Random)), "nothing is written");
        for mode in [Mode::Read, Mode::Write] {
            assert_eq!(of(mode, Transfer, true, Some(Checksum::Pattern)), Ok((Compare, pattern())));
            assert_eq!(of(mode, Transfer, true, None).map(|(command, _)| command), Ok(Transfer), "nothing is verified");
        }
        for command in [WriteZeroes, Verify] {
            assert_eq!(of(Mode::Write, command, true, Some(Checksum::Pattern)), Err(OTHER_COMMAND.to_owned()));
        }
    }

    #[test]
    fn without_verification_the_buffer_options_hold() {
        let zero = data_of(|s| (s.buffers.zero, s.access.rw.mode) = (true, Mode::Write)).0;
        assert_eq!(zero, Ok(Data { fill: Fill::Zero, ..Data::default() }));
        let with = |share: u8| {
            data_of(move |s| {
                (s.buffers.pattern, s.access.rw.mode) = (Some(BytePattern { bytes: vec![0xaa], offsets: Vec::new() }), Mode::Write);
                s.buffers.compressible_percent = Some(share);
            })
        };
        assert_eq!(with(50).0.map(|data| (data.fill, data.compressible_percent)), Ok((Fill::Fresh, 50)));
        assert_eq!([0, 100].map(|share| with(share).0.map(|data| data.fill)), [0, 1].map(|_| Ok(Fill::Pattern(vec![0xaa]))));
        assert_eq!(data_of(|s| s.buffers.zero = true).0, Ok(Data::default()), "a job that reads");
        assert_eq!(data_of(verifies(Checksum::Header("crc32c"), Mode::Trim)).0, Ok(Data::default()));
    }
}
