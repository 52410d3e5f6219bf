//! Any bytes are either a log of I/O or an error that names a line or a byte of them; what is read stays within its bounds, and is read again as it is written.

#![no_main]

use ioproof_fio::iolog::{Issued, log_text, parse};
use ioproof_fio::settings::{ReplaySettings, ReplaySkip};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for text in [
        bytes.to_vec(),
        [b"fio version 3 iolog\n0 f add\n0 f open\n", bytes].concat(),
        [b"fio version 2 iolog\nf add\nf open\n", bytes].concat(),
    ] {
        let log = match parse(&text) {
            Ok(log) => log,
            Err(error) => {
                assert!(error.starts_with("line ") || error.starts_with("byte "), "{error}");
                continue;
            }
        };
        assert!(log.ios.iter().all(|io| (io.target as usize) < log.files.len() && io.offset_bytes.checked_add(io.bytes.into()).is_some()));
        if !log.is_blktrace && log.ios.iter().all(|io| io.at_ns % 1000 == 0) {
            let again = parse(log_text(Issued { files: &log.files, ios: &log.ios }).as_bytes());
            assert_eq!(again.map(|again| again.ios), Ok(log.ios.clone()));
        }
        let skip = ReplaySkip { reads: true, ..ReplaySkip::default() };
        let changed = log.changed(&ReplaySettings { skip, scale: 3, align_bytes: 4096, time_percent: 7, ..ReplaySettings::default() });
        assert!(changed.ios.iter().all(|io| (io.target as usize) < changed.files.len()));
    }
});
