//! The other side of the protocol, and tests that a client sees what the drive was told.

use super::drive::FaultyDrive;
use super::greeting::*;
use super::requests::{self, EINVAL, EIO, FLUSH, FUA, READ, REQUEST_MAGIC, TRIM, WRITE, WRITE_ZEROES};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

/// A connection after its greeting.
pub struct Client {
    stream: UnixStream,
    size_bytes: u64,
    cookie: u64,
}

impl Client {
    /// Greets by GO, after an option that no server knows.
    pub fn greet(stream: UnixStream) -> Self {
        let mut client = Self::hello(stream);
        client.option(9999, b"what?");
        assert_eq!(client.reply(), (9999, REPLY_UNSUPPORTED, Vec::new()));
        client.option(OPTION_GO, &[0, 0, 0, 1, b'x', 0, 0]);
        let (_, kind, info) = client.reply();
        assert_eq!((kind, info.len()), (REPLY_INFO, 12));
        assert_eq!(client.reply(), (OPTION_GO, REPLY_ACK, Vec::new()));
        client.size_bytes = u64::from_be_bytes(info[2..10].try_into().unwrap());
        client
    }

    /// Up to the first option.
    fn hello(mut stream: UnixStream) -> Self {
        assert_eq!(u64::from_be_bytes(read(&mut stream).unwrap()), SERVER_MAGIC);
        assert_eq!(u64::from_be_bytes(read(&mut stream).unwrap()), OPTION_MAGIC);
        assert_eq!(u16::from_be_bytes(read(&mut stream).unwrap()), FIXED_NEWSTYLE | NO_ZEROES);
        stream.write_all(&u32::from(FIXED_NEWSTYLE).to_be_bytes()).unwrap();
        Self { stream, size_bytes: 0, cookie: 0 }
    }

    fn option(&mut self, option: u32, data: &[u8]) {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        self.stream.write_all(&joined(&[&OPTION_MAGIC.to_be_bytes(), &option.to_be_bytes(), &length, data])).unwrap();
    }

    fn reply(&mut self) -> (u32, u32, Vec<u8>) {
        assert_eq!(u64::from_be_bytes(read(&mut self.stream).unwrap()), REPLY_MAGIC);
        let [option, kind, length] = [(); 3].map(|()| u32::from_be_bytes(read(&mut self.stream).unwrap()));
        let mut data = vec![0; length as usize];
        self.stream.read_exact(&mut data).unwrap();
        (option, kind, data)
    }

    /// One request; what was read, or the error's number.
    fn request(&mut self, kind: u16, flags: u16, offset: u64, length: u32, data: &[u8]) -> Result<Vec<u8>, u32> {
        self.ask(kind, flags, offset, length, data);
        self.answer(if kind == READ { length as usize } else { 0 })
    }

    fn ask(&mut self, kind: u16, flags: u16, offset: u64, length: u32, data: &[u8]) {
        self.cookie += 1;
        let head = [REQUEST_MAGIC.to_be_bytes(), ((u32::from(flags) << 16) | u32::from(kind)).to_be_bytes()].concat();
        let place = joined(&[&self.cookie.to_be_bytes(), &offset.to_be_bytes(), &length.to_be_bytes()]);
        self.stream.write_all(&joined(&[&head, &place, data])).unwrap();
    }

    fn answer(&mut self, length: usize) -> Result<Vec<u8>, u32> {
        assert_eq!(u32::from_be_bytes(read(&mut self.stream).unwrap()), requests::REPLY_MAGIC);
        let error = u32::from_be_bytes(read(&mut self.stream).unwrap());
        assert_eq!(u64::from_be_bytes(read(&mut self.stream).unwrap()), self.cookie);
        if error != 0 {
            return Err(error);
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).unwrap();
        Ok(answer)
    }

    pub fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, u32> {
        self.request(READ, 0, offset, length, &[])
    }

    pub fn write(&mut self, offset: u64, data: &[u8], fua: bool) -> Result<(), u32> {
        let length = u32::try_from(data.len()).unwrap();
        self.request(WRITE, if fua { FUA } else { 0 }, offset, length, data).map(|_| ())
    }

    fn flush(&mut self) -> Result<(), u32> {
        self.request(FLUSH, 0, 0, 0, &[]).map(|_| ())
    }
}

const SIZE_BYTES: usize = 64 << 10;

/// A drive, and a client that is connected to it through a pair of sockets.
fn pair() -> (Arc<FaultyDrive>, UnixStream) {
    let drive = Arc::new(FaultyDrive::new(SIZE_BYTES));
    let stream = stream(&drive);
    (drive, stream)
}

fn stream(drive: &Arc<FaultyDrive>) -> UnixStream {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let served = Arc::clone(drive);
    std::thread::spawn(move || super::serve(theirs, &served));
    ours
}

/// Another client of the same drive.
fn again(drive: &Arc<FaultyDrive>) -> Client {
    Client::greet(stream(drive))
}

fn connected() -> (Arc<FaultyDrive>, Client) {
    let (drive, stream) = pair();
    (drive, Client::greet(stream))
}

/// The written numbers that are there, of eight blocks of 4 KiB.
fn present(client: &mut Client) -> Vec<usize> {
    (0..8).filter(|i| client.read(*i as u64 * 4096, 4096).unwrap() == [*i as u8 + 1; 4096]).collect()
}

fn write_all(client: &mut Client) {
    (0..8_u8).for_each(|i| client.write(u64::from(i) * 4096, &[i + 1; 4096], false).unwrap());
}

#[test]
fn go_tells_the_size_and_the_old_way_adds_zeros() {
    assert_eq!(connected().1.size_bytes, SIZE_BYTES as u64);
    let mut client = Client::hello(pair().1);
    client.option(OPTION_EXPORT_NAME, b"");
    assert_eq!(u64::from_be_bytes(read(&mut client.stream).unwrap()), SIZE_BYTES as u64);
    assert_eq!(u16::from_be_bytes(read(&mut client.stream).unwrap()), ABILITIES);
    assert_eq!(read(&mut client.stream).unwrap(), [0; 124]);
    assert_eq!(client.read(0, 2).unwrap(), [0, 0]);
}

#[test]
fn info_is_no_go_and_an_abort_ends_it() {
    let mut client = Client::hello(pair().1);
    client.option(OPTION_INFO, &[0; 6]);
    assert_eq!(client.reply().1, REPLY_INFO);
    assert_eq!(client.reply().1, REPLY_ACK);
    client.option(OPTION_ABORT, &[]);
    assert_eq!(client.reply().1, REPLY_ACK);
    assert_eq!(client.stream.read(&mut [0]).unwrap(), 0);
}

#[test]
fn what_is_written_is_read_until_it_is_cleared() {
    let (_, mut client) = connected();
    write_all(&mut client);
    assert_eq!(present(&mut client).len(), 8);
    client.request(TRIM, 0, 4096, 4096, &[]).unwrap();
    client.request(WRITE_ZEROES, 0, 8192, 4096, &[]).unwrap();
    assert_eq!(present(&mut client), [0, 3, 4, 5, 6, 7]);
}

#[test]
fn what_lies_outside_is_refused_and_the_connection_goes_on() {
    let (_, mut client) = connected();
    let end = SIZE_BYTES as u64;
    assert_eq!(client.read(end - 1, 2), Err(EINVAL));
    assert_eq!(client.write(end, &[1; 512], false), Err(EINVAL));
    assert_eq!(client.read(u64::MAX, 1), Err(EINVAL));
    assert_eq!(client.request(77, 0, 0, 0, &[]), Err(EINVAL));
    assert_eq!(client.read(end - 1, 1), Ok(vec![0]));
}

#[test]
fn an_honest_drive_keeps_what_was_flushed_and_a_liar_does_not() {
    let kept = |told: &[&str], flush: bool| {
        let (drive, mut client) = connected();
        drive.command(told).unwrap();
        write_all(&mut client);
        if flush {
            client.flush().unwrap();
        }
        drive.command(&["cut", "1"]).unwrap();
        present(&mut client).len()
    };
    assert_eq!(kept(&["honest"], true), 8);
    let unflushed = kept(&["honest"], false);
    assert!(unflushed > 0 && unflushed < 8, "{unflushed}");
    assert_eq!(kept(&["lie"], true), unflushed, "a flush that is a lie is no flush");
}

#[test]
fn a_write_with_fua_is_kept_without_a_flush() {
    let (drive, mut client) = connected();
    client.write(0, &[1; 4096], true).unwrap();
    client.write(4096, &[2; 4096], false).unwrap();
    drive.command(&["cut", "1", "all"]).unwrap();
    assert_eq!(present(&mut client), [0]);
}

#[test]
fn a_drive_without_power_answers_nothing_and_takes_nothing() {
    let (drive, mut client) = connected();
    client.write(0, &[1; 4096], true).unwrap();
    drive.cut_after(0);
    client.ask(FLUSH, 0, 0, 0, &[]);
    client.ask(WRITE, FUA, 4096, 4096, &[2; 4096]);
    drive.wait_for_cut(Duration::from_secs(600)).unwrap();
    client.stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(client.stream.read(&mut [0]).unwrap(), 0, "no answer, and the drive is gone");
    drive.power_on();
    assert_eq!(present(&mut again(&drive)), [0]);
}

#[test]
fn bad_sectors_fail_for_those_who_touch_them() {
    let (drive, mut client) = connected();
    drive.command(&["errors", "read", "4096", "512"]).unwrap();
    assert_eq!((client.read(4095, 1), client.read(4095, 2), client.read(4608, 1)), (Ok(vec![0]), Err(EIO), Ok(vec![0])));
    client.write(4096, &[9; 512], false).unwrap();
    drive.command(&["errors", "write", "0", "1"]).unwrap();
    assert_eq!((client.write(0, &[1; 512], false), client.write(512, &[1; 512], false)), (Err(EIO), Ok(())));
    drive.command(&["honest"]).unwrap();
    assert_eq!(client.read(4096, 1), Ok(vec![9]));
}
