//! A server of the NBD protocol (NetworkBlockDevice/nbd, doc/proto.md) for one drive, as far as QEMU's client needs it.
//!
//! Requests of one connection are carried out one after another, so a delay of each adds up in a queue.

use crate::cached::Action;
use crate::cached::faulty::FaultyDrive;
use anyhow::{Context, Result};
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;

const SERVER_MAGIC: &[u8] = b"NBDMAGIC";
const OPTION_MAGIC: [u8; 8] = *b"IHAVEOPT";
const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
const REQUEST_MAGIC: u32 = 0x2560_9513;
const REPLY_MAGIC: u32 = 0x6744_6698;
const HANDSHAKE: u16 = 1 | 2;
const OPTION_ABORT: u32 = 2;
const OPTION_GO: u32 = 7;
const OPTION_ACK: u32 = 1;
const OPTION_INFO: u32 = 3;
const OPTION_UNSUPPORTED: u32 = (1 << 31) | 1;
const ABILITIES: u16 = 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6;
const READ: u16 = 0;
const WRITE: u16 = 1;
const DISCONNECT: u16 = 2;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const WRITE_ZEROES: u16 = 6;
const FUA: u16 = 1;

/// The protocol's own numbers, which are Linux's.
const EIO: u32 = 5;
const EINVAL: u32 = 22;

/// Listens at this path, for as long as somebody has the drive.
pub fn serve(socket: &Path, drive: &Arc<FaultyDrive>) -> Result<()> {
    let listener = UnixListener::bind(socket).with_context(|| format!("cannot listen at {}", socket.display()))?;
    let drive = Arc::downgrade(drive);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Some(drive) = drive.upgrade() else { return };
            // A connection that breaks is how QEMU ends.
            std::thread::spawn(move || greet(&mut stream, drive.size_bytes()).and_then(|()| answer_all(&mut stream, &drive)));
        }
    });
    Ok(())
}

/// Fixed newstyle negotiation. Options that are not here are refused, and a client goes on without them.
fn greet(stream: &mut UnixStream, size_bytes: usize) -> io::Result<()> {
    stream.write_all(&[SERVER_MAGIC, &OPTION_MAGIC, &HANDSHAKE.to_be_bytes()].concat())?;
    let _flags: [u8; 4] = read(stream)?;
    loop {
        if read(stream)? != OPTION_MAGIC {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let (option, length) = (u32::from_be_bytes(read(stream)?), u32::from_be_bytes(read(stream)?));
        io::copy(&mut stream.take(u64::from(length)), &mut io::sink())?;
        let mut reply = |kind: u32, data: &[u8]| {
            let head = [option, kind, data.len() as u32].map(u32::to_be_bytes).concat();
            stream.write_all(&[&OPTION_REPLY_MAGIC.to_be_bytes()[..], &head, data].concat())
        };
        match option {
            OPTION_GO => {
                reply(OPTION_INFO, &[&[0, 0][..], &(size_bytes as u64).to_be_bytes(), &ABILITIES.to_be_bytes()].concat())?;
                return reply(OPTION_ACK, &[]);
            }
            OPTION_ABORT => return Err(io::ErrorKind::ConnectionAborted.into()),
            _ => reply(OPTION_UNSUPPORTED, &[])?,
        }
    }
}

/// Answers one request after another until the client says goodbye. A drive that lost its power answers nothing any more; what is still sent to it is lost.
fn answer_all(stream: &mut UnixStream, drive: &FaultyDrive) -> io::Result<()> {
    while u32::from_be_bytes(read(stream)?) == REQUEST_MAGIC {
        let (flags, kind) = (u16::from_be_bytes(read(stream)?), u16::from_be_bytes(read(stream)?));
        let cookie: [u8; 8] = read(stream)?;
        let (offset, length) = (u64::from_be_bytes(read(stream)?) as usize, u32::from_be_bytes(read(stream)?) as usize);
        if kind == DISCONNECT {
            return Ok(());
        }
        let mut data = vec![0; if kind == WRITE { length } else { 0 }];
        stream.read_exact(&mut data)?;
        let fua = flags & FUA != 0;
        let action = match kind {
            _ if offset.saturating_add(length) > drive.size_bytes() => None,
            READ => Some(Action::Read { offset, length }),
            WRITE => Some(Action::Write { offset, data, fua }),
            TRIM | WRITE_ZEROES => Some(Action::Clear { offset, length, fua, trim: kind == TRIM }),
            FLUSH => Some(Action::Flush),
            _ => None,
        };
        let (error, data) = match action {
            Some(action) => drive.carry_out(action).map_or((EIO, Vec::new()), |data| (0, data)),
            None => (EINVAL, Vec::new()),
        };
        if !drive.with(|drive| drive.is_on()) {
            return io::copy(stream, &mut io::sink()).map(drop);
        }
        stream.write_all(&[&REPLY_MAGIC.to_be_bytes()[..], &error.to_be_bytes(), &cookie, &data].concat())?;
    }
    Err(io::ErrorKind::InvalidData.into())
}

fn read<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}
