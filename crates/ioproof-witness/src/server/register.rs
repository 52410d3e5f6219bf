//! Connections of the witness, and the limits on their number.

use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub(super) struct Register {
    open: Mutex<OpenSession>,
}

#[derive(Default)]
struct OpenSession {
    last: u64,
    connections: HashMap<u64, RegisteredConnection>,
}

struct RegisteredConnection {
    stream: Arc<TcpStream>,
    is_stranger: bool,
}

impl OpenSession {
    fn give_up_oldest_stranger(&mut self) -> Option<()> {
        let strangers = self.connections.iter().filter(|(_, connection)| connection.is_stranger);
        let oldest = *strangers.map(|(place, _)| place).min()?;
        let connection = self.connections.remove(&oldest)?;
        let _ = connection.stream.shutdown(Shutdown::Both);
        Some(())
    }
}

impl Register {
    /// A number for a new connection, where there is room. The stranger that has said nothing for longest makes room: whoever has the key shows it within a few round trips, so that nobody keeps others out by
    /// connecting and being silent.
    pub(super) fn place(&self, stream: &Arc<TcpStream>, strangers_max: usize, connections_max: usize) -> Option<u64> {
        let mut open = self.lock();
        let strangers = open.connections.values().filter(|connection| connection.is_stranger).count();
        if strangers >= strangers_max || open.connections.len() >= connections_max {
            open.give_up_oldest_stranger()?;
        }
        open.last += 1;
        let place = open.last;
        open.connections.insert(place, RegisteredConnection { stream: Arc::clone(stream), is_stranger: true });
        Some(place)
    }

    /// It has shown that it has the key.
    pub(super) fn is_known(&self, place: u64) {
        if let Some(connection) = self.lock().connections.get_mut(&place) {
            connection.is_stranger = false;
        }
    }

    pub(super) fn leave(&self, place: u64) {
        self.lock().connections.remove(&place);
    }

    /// Ends a connection, wherever its thread waits.
    pub(super) fn close(&self, place: u64) {
        if let Some(connection) = self.lock().connections.get(&place) {
            let _ = connection.stream.shutdown(Shutdown::Both);
        }
    }

    pub(super) fn close_all(&self) {
        for connection in self.lock().connections.values() {
            let _ = connection.stream.shutdown(Shutdown::Both);
        }
    }

    fn lock(&self) -> MutexGuard<'_, OpenSession> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
