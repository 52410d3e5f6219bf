//! The greeting of the NBD protocol: fixed newstyle negotiation (NetworkBlockDevice/nbd, doc/proto.md, "Newstyle negotiation").
//!
//! There is one drive, which every name means. Options that are not here are refused as the protocol wants it, and a client
//! goes on without them.

use std::io::{self, Read, Write};

pub const SERVER_MAGIC: u64 = u64::from_be_bytes(*b"NBDMAGIC");
pub const OPTION_MAGIC: u64 = u64::from_be_bytes(*b"IHAVEOPT");
pub const REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;

/// Handshake flags of both sides.
pub const FIXED_NEWSTYLE: u16 = 1;
pub const NO_ZEROES: u16 = 2;

pub const OPTION_EXPORT_NAME: u32 = 1;
pub const OPTION_ABORT: u32 = 2;
pub const OPTION_INFO: u32 = 6;
pub const OPTION_GO: u32 = 7;

pub const REPLY_ACK: u32 = 1;
pub const REPLY_INFO: u32 = 3;
pub const REPLY_UNSUPPORTED: u32 = (1 << 31) | 1;

/// The kind of information that gives size and abilities.
const INFO_EXPORT: u16 = 0;

/// Flags of the export: it has flags, flush, FUA, trim and write zeroes.
pub const ABILITIES: u16 = 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6;

/// No option is nearly as long; a client that says so is none.
const OPTION_BYTES_MAX: u32 = 64 << 10;

/// Greets; whether requests follow.
pub fn exchange(stream: &mut (impl Read + Write), size_bytes: usize) -> io::Result<bool> {
    stream.write_all(&joined(&[&SERVER_MAGIC.to_be_bytes(), &OPTION_MAGIC.to_be_bytes(), &(FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes()]))?;
    let client_flags = u32::from_be_bytes(read(stream)?);
    let has_no_zeroes = client_flags & u32::from(NO_ZEROES) != 0;
    loop {
        let option = option(stream)?;
        let export = [&(size_bytes as u64).to_be_bytes()[..], &ABILITIES.to_be_bytes()].concat();
        match option {
            OPTION_EXPORT_NAME => {
                let zeros = if has_no_zeroes { &[][..] } else { &[0; 124] };
                stream.write_all(&joined(&[&export, zeros]))?;
                return Ok(true);
            }
            OPTION_ABORT => {
                reply(stream, option, REPLY_ACK, &[])?;
                return Ok(false);
            }
            OPTION_INFO | OPTION_GO => {
                reply(stream, option, REPLY_INFO, &joined(&[&INFO_EXPORT.to_be_bytes(), &export]))?;
                reply(stream, option, REPLY_ACK, &[])?;
                if option == OPTION_GO {
                    return Ok(true);
                }
            }
            _ => reply(stream, option, REPLY_UNSUPPORTED, &[])?,
        }
    }
}

/// Reads one option; its data is a name or a wish, and neither matters.
fn option(stream: &mut impl Read) -> io::Result<u32> {
    if u64::from_be_bytes(read(stream)?) != OPTION_MAGIC {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no option begins like this"));
    }
    let option = u32::from_be_bytes(read(stream)?);
    let length = u32::from_be_bytes(read(stream)?);
    if length > OPTION_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no option is so long"));
    }
    io::copy(&mut stream.take(u64::from(length)), &mut io::sink())?;
    Ok(option)
}

fn reply(stream: &mut impl Write, option: u32, kind: u32, data: &[u8]) -> io::Result<()> {
    let length = u32::try_from(data.len()).map_err(io::Error::other)?;
    let head = [option.to_be_bytes(), kind.to_be_bytes(), length.to_be_bytes()].concat();
    stream.write_all(&joined(&[&REPLY_MAGIC.to_be_bytes(), &head, data]))
}

/// One buffer, so that one write sends it.
pub fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// As many bytes as a number has.
pub fn read<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}
