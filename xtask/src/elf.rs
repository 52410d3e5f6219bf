//! Just enough of ELF to tell how a program is linked: its interpreter and the shared libraries that it names.
//!
//! `package` proves with it that the program is static; the rig finds the libraries of the guest's tools without running them.
//! Only 64-bit little-endian files (System V ABI, AMD64 supplement; structures in elf(5)).

use anyhow::{Context, Result, bail};

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
const PROGRAM_HEADER_BYTES: usize = 56;
const DYNAMIC_ENTRY_BYTES: usize = 16;

/// Linkage of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Linkage {
    /// The dynamic loader that the kernel must start, if any.
    pub interpreter: Option<String>,
    /// The shared libraries that it names.
    pub needed: Vec<String>,
}

impl Linkage {
    /// Runs with nothing but a kernel.
    pub fn is_static(&self) -> bool {
        self.interpreter.is_none() && self.needed.is_empty()
    }
}

/// True when the bytes begin as an ELF file does.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// Reads the linkage.
pub fn linkage(bytes: &[u8]) -> Result<Linkage> {
    if !is_elf(bytes) || bytes.get(4..6) != Some(&[2, 1]) {
        bail!("not a 64-bit little-endian ELF file");
    }
    let segments = segments(bytes).context("the ELF program headers are cut off")?;
    let interpreter = segments.iter().find(|s| s.kind == PT_INTERP).and_then(|s| text_at(bytes, s.offset));
    let needed = match segments.iter().find(|s| s.kind == PT_DYNAMIC) {
        Some(dynamic) => needed(bytes, dynamic, &segments).context("the ELF dynamic section is cut off")?,
        None => Vec::new(),
    };
    Ok(Linkage { interpreter, needed })
}

struct Segment {
    kind: u32,
    offset: usize,
    address: u64,
    file_bytes: usize,
}

fn segments(bytes: &[u8]) -> Option<Vec<Segment>> {
    let start = offset(u64_at(bytes, 0x20)?)?;
    let count = u16_at(bytes, 0x38)?;
    (0..usize::from(count)).map(|i| segment(bytes, start.checked_add(i * PROGRAM_HEADER_BYTES)?)).collect()
}

fn segment(bytes: &[u8], at: usize) -> Option<Segment> {
    Some(Segment {
        kind: u32_at(bytes, at)?,
        offset: offset(u64_at(bytes, at.checked_add(8)?)?)?,
        address: u64_at(bytes, at.checked_add(16)?)?,
        file_bytes: offset(u64_at(bytes, at.checked_add(32)?)?)?,
    })
}

fn needed(bytes: &[u8], dynamic: &Segment, segments: &[Segment]) -> Option<Vec<String>> {
    let count = dynamic.file_bytes.min(bytes.len()) / DYNAMIC_ENTRY_BYTES;
    let entry = |i: usize| {
        let at = dynamic.offset.checked_add(i * DYNAMIC_ENTRY_BYTES)?;
        Some((u64_at(bytes, at)?, u64_at(bytes, at.checked_add(8)?)?))
    };
    let entries: Vec<(u64, u64)> = (0..count).map(entry).collect::<Option<_>>()?;
    let names = entries.iter().filter(|(tag, _)| *tag == DT_NEEDED);
    let Some((_, table)) = entries.iter().find(|(tag, _)| *tag == DT_STRTAB) else { return Some(Vec::new()) };
    let table = file_offset(*table, segments)?;
    names.map(|(_, name)| text_at(bytes, table.checked_add(offset(*name)?)?)).collect()
}

/// Where in the file lies what the program will see at an address.
fn file_offset(address: u64, segments: &[Segment]) -> Option<usize> {
    let inside = |s: &&Segment| s.kind == PT_LOAD && address >= s.address && address - s.address < s.file_bytes as u64;
    let segment = segments.iter().find(inside)?;
    offset(address - segment.address)?.checked_add(segment.offset)
}

fn offset(value: u64) -> Option<usize> {
    usize::try_from(value).ok()
}

fn text_at(bytes: &[u8], at: usize) -> Option<String> {
    let rest = bytes.get(at..)?;
    let end = rest.iter().position(|b| *b == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with the given program headers and nothing else.
    fn elf(headers: &[(u32, u64, u64, u64)], tail: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[0x20] = 64;
        bytes[0x38] = u8::try_from(headers.len()).unwrap();
        for (kind, offset, address, size) in headers {
            let mut header = vec![0; PROGRAM_HEADER_BYTES];
            header[..4].copy_from_slice(&kind.to_le_bytes());
            header[8..16].copy_from_slice(&offset.to_le_bytes());
            header[16..24].copy_from_slice(&address.to_le_bytes());
            header[32..40].copy_from_slice(&size.to_le_bytes());
            bytes.extend(header);
        }
        bytes.extend(tail);
        bytes
    }

    #[test]
    fn a_program_without_headers_is_static() {
        assert!(linkage(&elf(&[], b"")).unwrap().is_static());
    }

    #[test]
    fn the_interpreter_is_read() {
        let linkage = linkage(&elf(&[(PT_INTERP, 64 + 56, 0, 8)], b"/ld.so\0")).unwrap();
        assert_eq!(linkage.interpreter.as_deref(), Some("/ld.so"));
        assert!(!linkage.is_static());
    }

    #[test]
    fn needed_libraries_are_found_through_the_loaded_string_table() {
        let start = 64 + 2 * 56;
        let mut tail = Vec::new();
        for (tag, value) in [(DT_NEEDED, 1), (DT_STRTAB, 0x1000 + 48), (0, 0)] {
            tail.extend(u64::to_le_bytes(tag));
            tail.extend(u64::to_le_bytes(value));
        }
        tail.extend(b"\0libc.so.6\0");
        let size = tail.len() as u64;
        let bytes = elf(&[(PT_LOAD, start, 0x1000, size), (PT_DYNAMIC, start, 0x1000, 48)], &tail);
        assert_eq!(linkage(&bytes).unwrap().needed, ["libc.so.6"]);
    }

    #[test]
    fn this_test_program_names_its_libraries() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(linkage(&own).unwrap().needed.iter().any(|n| n.starts_with("libc.")));
    }

    #[test]
    fn cut_and_foreign_files_are_errors() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for length in 0..200 {
            assert!(linkage(&own[..length]).is_err(), "{length} bytes");
        }
        assert!(linkage(b"#!/bin/sh\n").is_err());
    }

    #[test]
    fn endless_offsets_do_not_panic() {
        let mut bytes = elf(&[(PT_DYNAMIC, u64::MAX - 4, 0, u64::MAX)], b"");
        assert!(linkage(&bytes).is_err());
        bytes[0x20..0x28].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(linkage(&bytes).is_err());
    }
}
