//! The user's time zone: that which `TZ` names, else the machine's.

use jiff::tz::TimeZone;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// No file of a zone is larger. Bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The zone in which times are shown and read. Where `TZ` names something that is no file of a zone, as a device or a pipe that never ends, it is that of UTC, as in the C library;
/// so it is with a database of zones of the user's own (`TZDIR`), of which nobody knows what stands in it.
pub fn local() -> TimeZone {
    let named = std::env::var_os("TZ");
    let is_safe = std::env::var_os("TZDIR").is_none() && named.is_none_or(|name| may_be_read(&name));
    if is_safe { TimeZone::system() } else { TimeZone::UTC }
}

/// False of a path to anything but a small regular file. What is not there is a name, or a zone that is spelled out.
fn may_be_read(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    let path = Path::new(OsStr::from_bytes(bytes.strip_prefix(b":").unwrap_or(bytes)));
    path.metadata().is_err() || path.metadata().is_ok_and(|file| file.is_file() && file.len() <= MOST_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("zone"), "TZif").unwrap();
        std::fs::File::create(at("large")).unwrap().set_len(1 << 40).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        let may = |name: &str| may_be_read(at(name).as_os_str());
        assert!(may("zone") && !may("large") && !may("pipe") && !may(""));
        assert!(!may_be_read("/dev/zero".as_ref()) && !may_be_read(":/dev/zero".as_ref()));
        assert!(may_be_read("Europe/Berlin".as_ref()) && may_be_read(":XXX5".as_ref()) && may_be_read("".as_ref()));
    }
}
