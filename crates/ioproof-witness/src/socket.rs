//! A connection: frames over a socket, one half for each direction, and the handshake before them.

use crate::key::Key;
use crate::protocol::{
    ANSWER_BYTES, Answer, FrameDirection, FrameError, HELLO_BYTES, HandshakeError, Incoming, PREFIX_BYTES, PROOF_BYTES, Sealer, Status,
    WITNESS_KINDS, WRITER_KINDS, WholeFrame, begin, begins_alike, pair,
};
use crate::random::random;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 256 << 10;

/// Bytes that are gathered before they are sent.
const GATHERED_BYTES: usize = 256 << 10;

/// Time for the handshake.
pub(crate) const HANDSHAKE: Duration = Duration::from_secs(10);

/// Time for the other end to take what is sent.
const SENDING: Duration = Duration::from_secs(30);

/// Failure of a connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the name {host} leads to no address: {why}")]
    Name { host: String, why: io::Error },
    #[error("{0}")]
    Handshake(#[from] HandshakeError),
    #[error("{0}")]
    Frame(#[from] FrameError),
    #[error("it was closed")]
    Closed,
}

/// Frames that come in.
pub(crate) struct Receiver {
    stream: Arc<TcpStream>,
    incoming: Incoming,
    chunk: Vec<u8>,
}

/// Frames that go out.
pub(crate) struct Sender {
    stream: Arc<TcpStream>,
    sealer: Sealer,
    out: Vec<u8>,
}

/// Connects as a writer or reader, on a socket that is connected.
pub(crate) fn connect(stream: Arc<TcpStream>, key: &Key) -> Result<(Receiver, Sender), Failure> {
    prepare(&stream)?;
    let until = Instant::now() + HANDSHAKE;
    let hello = begin(&random()?);
    (&*stream).write_all(hello.bytes())?;
    let mut answer = [0; ANSWER_BYTES];
    read_alike(&stream, &mut answer, until)?;
    let (proof, frames) = hello.finish(key, &answer)?;
    (&*stream).write_all(&proof)?;
    Ok(halves(stream, &frames, FrameDirection::ToWitness))
}

/// Answers as the witness.
pub(crate) fn accept(stream: Arc<TcpStream>, key: &Key) -> Result<(Receiver, Sender), Failure> {
    prepare(&stream)?;
    let until = Instant::now() + HANDSHAKE;
    let mut hello = [0; HELLO_BYTES];
    if let Err(failure) = read_alike(&stream, &mut hello, until) {
        if matches!(failure, Failure::Handshake(HandshakeError::Version(_))) {
            refuse(&stream, Status::OtherVersion);
        }
        return Err(failure);
    }
    let (answer, answered) = Answer::to(&hello, key, &random()?)?;
    (&*stream).write_all(&answer.bytes)?;
    let mut proof = [0; PROOF_BYTES];
    read_until(&stream, &mut proof, until)?;
    let frames = answered.finish(&proof)?;
    Ok(halves(stream, &frames, FrameDirection::FromWitness))
}

/// Tells whoever connected, as far as the socket takes it, why the connection ends.
pub(crate) fn refuse(mut stream: &TcpStream, status: Status) {
    let _ = stream.write_all(&Answer::refusal(status).bytes);
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(SENDING))
}

fn halves(stream: Arc<TcpStream>, key: &[u8; 32], sends: FrameDirection) -> (Receiver, Sender) {
    let (sealer, incoming) = pair(key, sends, if sends == FrameDirection::ToWitness { WITNESS_KINDS } else { WRITER_KINDS });
    let receiver = Receiver { stream: Arc::clone(&stream), incoming, chunk: vec![0; CHUNK_BYTES] };
    (receiver, Sender { stream, sealer, out: Vec::new() })
}

/// Reads a message of the handshake; one of another version may be shorter, so its beginning is looked at first.
fn read_alike(stream: &TcpStream, message: &mut [u8], until: Instant) -> Result<(), Failure> {
    let (prefix, rest) = message.split_at_mut(PREFIX_BYTES);
    read_until(stream, prefix, until)?;
    begins_alike(prefix.first_chunk().ok_or(HandshakeError::NotThis)?)?;
    Ok(read_until(stream, rest, until)?)
}

/// Reads so many bytes, but no longer than until then, however slowly they come.
fn read_until(mut stream: &TcpStream, mut bytes: &mut [u8], until: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(bytes) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => bytes = &mut bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(timed_out(error)),
        }
    }
    Ok(())
}

/// The error of a read that took longer than it might, which is EAGAIN on Linux.
fn timed_out(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::Error::new(io::ErrorKind::TimedOut, "nothing came for too long") } else { error }
}

impl Receiver {
    /// Longest time that nothing may come.
    pub(crate) fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.stream.set_read_timeout(Some(patience))
    }

    /// The next frame among what has come already.
    pub(crate) fn ready(&mut self) -> Result<Option<WholeFrame>, Failure> {
        Ok(self.incoming.take()?)
    }

    /// Waits until something more comes. All that was [`Self::ready`] is to be taken first.
    pub(crate) fn wait(&mut self) -> Result<(), Failure> {
        loop {
            match (&*self.stream).read(&mut self.chunk) {
                Ok(0) => return Err(Failure::Closed),
                Ok(count) => {
                    self.incoming.feed(&self.chunk[..count]);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(timed_out(error).into()),
            }
        }
    }

    /// Waits for a frame.
    pub(crate) fn frame(&mut self) -> Result<WholeFrame, Failure> {
        loop {
            if let Some(whole) = self.ready()? {
                return Ok(whole);
            }
            self.wait()?;
        }
    }

    /// Takes what still comes, and throws it away, until the other end closes or the time is over.
    pub(crate) fn drain(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while self.set_patience(time).is_ok() && Instant::now() < until && matches!((&*self.stream).read(&mut self.chunk), Ok(1..)) {}
    }

    pub(crate) fn content(&self, whole: &WholeFrame) -> &[u8] {
        self.incoming.content(whole)
    }
}

impl Sender {
    /// Puts a frame to those that are sent next.
    pub(crate) fn put(&mut self, kind: u8, content: &[u8]) -> io::Result<()> {
        self.sealer.put(kind, content, &mut self.out);
        if self.out.len() >= GATHERED_BYTES { self.flush() } else { Ok(()) }
    }

    /// Sends them.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let sent = (&*self.stream).write_all(&self.out).map_err(timed_out);
        self.out.clear();
        sent
    }

    /// Sends one frame.
    pub(crate) fn send(&mut self, (kind, content): (u8, Vec<u8>)) -> io::Result<()> {
        self.put(kind, &content)?;
        self.flush()
    }
}
