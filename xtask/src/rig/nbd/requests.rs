//! Requests and simple replies of the NBD protocol (NetworkBlockDevice/nbd, doc/proto.md, "Transmission").

use super::drive::FaultyDrive;
use super::greeting::{joined, read};
use crate::cached::Action;
use std::io::{self, Read, Write};

pub const REQUEST_MAGIC: u32 = 0x2560_9513;
pub const REPLY_MAGIC: u32 = 0x6744_6698;

pub const READ: u16 = 0;
pub const WRITE: u16 = 1;
pub const DISCONNECT: u16 = 2;
pub const FLUSH: u16 = 3;
pub const TRIM: u16 = 4;
pub const WRITE_ZEROES: u16 = 6;

/// The flag of a write that must be durable when it is answered.
pub const FUA: u16 = 1;

/// The protocol's own numbers, which are Linux's.
pub const EIO: u32 = 5;
pub const EINVAL: u32 = 22;

struct Request {
    flags: u16,
    kind: u16,
    /// Comes back with the reply.
    cookie: u64,
    offset: u64,
    length: u32,
}

/// Answers one request after another until the client says goodbye. A drive that lost its power answers nothing any more; what is still sent to it is lost, until the
/// client is gone too.
pub fn answer_all(stream: &mut (impl Read + Write), drive: &FaultyDrive) -> io::Result<()> {
    loop {
        let request = Request::read(stream)?;
        if request.kind == DISCONNECT {
            return Ok(());
        }
        let payload = request.payload(stream, drive.size_bytes())?;
        let (error, data) = match request.action(payload, drive.size_bytes()) {
            Some(action) => drive.carry_out(action).map_or((EIO, Vec::new()), |data| (0, data)),
            None => (EINVAL, Vec::new()),
        };
        if !drive.is_on() {
            return io::copy(stream, &mut io::sink()).map(drop);
        }
        stream.write_all(&joined(&[&REPLY_MAGIC.to_be_bytes(), &error.to_be_bytes(), &request.cookie.to_be_bytes(), &data]))?;
    }
}

impl Request {
    fn read(stream: &mut impl Read) -> io::Result<Self> {
        if u32::from_be_bytes(read(stream)?) != REQUEST_MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no request begins like this"));
        }
        Ok(Self {
            flags: u16::from_be_bytes(read(stream)?),
            kind: u16::from_be_bytes(read(stream)?),
            cookie: u64::from_be_bytes(read(stream)?),
            offset: u64::from_be_bytes(read(stream)?),
            length: u32::from_be_bytes(read(stream)?),
        })
    }

    /// Data behind a write. They have to be read even where the write is refused, but not where the length is beyond any sensible request.
    fn payload(&self, stream: &mut impl Read, size_bytes: usize) -> io::Result<Vec<u8>> {
        if self.kind != WRITE {
            return Ok(Vec::new());
        }
        if self.length as usize > size_bytes {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a write larger than the drive"));
        }
        let mut payload = vec![0; self.length as usize];
        stream.read_exact(&mut payload)?;
        Ok(payload)
    }

    /// Action that is asked for; `None` for commands that the drive does not know and for ranges outside of it.
    fn action(&self, data: Vec<u8>, size_bytes: usize) -> Option<Action> {
        let offset = usize::try_from(self.offset).ok()?;
        let length = self.length as usize;
        let fua = self.flags & FUA != 0;
        if offset.checked_add(length)? > size_bytes {
            return None;
        }
        match self.kind {
            READ => Some(Action::Read { offset, length }),
            WRITE => Some(Action::Write { offset, data, fua }),
            TRIM | WRITE_ZEROES => Some(Action::Clear { offset, length, fua, trim: self.kind == TRIM }),
            FLUSH => Some(Action::Flush),
            _ => None,
        }
    }
}
