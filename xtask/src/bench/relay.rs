//! A relay between a writer and its witness that holds what passes for a time, in each direction, as a longer link does.

use anyhow::{Context, Result};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::spawn;
use std::time::{Duration, Instant};

/// Bytes that pass at a time.
const PIECE_BYTES: usize = 256 << 10;

/// Begins one to a witness; gives the address at which it listens, for as long as this program runs.
pub fn start(witness: &str, delay: Duration) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen")?;
    let (address, witness) = (listener.local_addr().context("no address")?, witness.to_owned());
    spawn(move || {
        for writer in listener.incoming().flatten() {
            // A link that does not come about is one that is lost, which a writer sees.
            let _ = join(&writer, &witness, delay);
        }
    });
    Ok(address)
}

fn join(writer: &TcpStream, witness: &str, delay: Duration) -> std::io::Result<()> {
    let witness = TcpStream::connect(witness)?;
    for (from, to) in [(writer, &witness), (&witness, writer)] {
        to.set_nodelay(true)?;
        let (from, to, (sender, receiver)) = (from.try_clone()?, to.try_clone()?, channel());
        spawn(move || take(from, &sender, delay));
        spawn(move || give(to, &receiver));
    }
    Ok(())
}

fn take(mut from: TcpStream, held: &Sender<(Instant, Vec<u8>)>, delay: Duration) {
    let mut piece = vec![0; PIECE_BYTES];
    while let Ok(count @ 1..) = from.read(&mut piece) {
        if held.send((Instant::now() + delay, piece[..count].to_vec())).is_err() {
            return;
        }
    }
}

fn give(mut to: TcpStream, held: &Receiver<(Instant, Vec<u8>)>) {
    for (due, bytes) in held {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
