//! Records that the witness has not stored: those that were not sent yet, and behind them those that were.
//!
//! Acknowledgements that come while others are being sent gather in one record, so batches grow with the load. Deliberately absent: sockets, time.

use crate::error::Error;
use crate::protocol::{ACKNOWLEDGEMENTS_MAX, acknowledged, add, ended, event};
use crate::record::{ACKNOWLEDGED, ACKNOWLEDGEMENT_BYTES, Acknowledgement};
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of a record with this many acknowledgements, with its number.
const fn content_bytes(acknowledgements: usize) -> usize {
    8 + acknowledgements * ACKNOWLEDGEMENT_BYTES
}

/// A record on its way.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub number: u64,
    pub kind: u8,
    pub content: Vec<u8>,
    /// Acknowledgements of the session up to the end of it.
    acknowledged: u64,
}

#[derive(Debug)]
pub(super) struct Queue {
    unsent: VecDeque<Record>,
    sent: VecDeque<Arc<Record>>,
    /// Records of `sent` that went over the connection that there is now.
    over_this: usize,
    bytes: usize,
    bytes_max: usize,
    last: u64,
    acknowledged: u64,
    stored: u64,
    stored_records: u64,
    has_ended: bool,
}

impl Queue {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self {
            unsent: VecDeque::new(),
            sent: VecDeque::new(),
            over_this: 0,
            bytes: 0,
            bytes_max,
            last: 0,
            acknowledged: 0,
            stored: 0,
            stored_records: 0,
            has_ended: false,
        }
    }

    /// Takes all of them where there is room; into an empty queue any number goes.
    pub(super) fn acknowledge(&mut self, acknowledgements: &[Acknowledgement]) -> bool {
        if !self.has_room(acknowledgements.len() * ACKNOWLEDGEMENT_BYTES) {
            return false;
        }
        for acknowledgement in acknowledgements {
            self.acknowledged += 1;
            let acknowledged = self.acknowledged;
            let record = self.open();
            record.acknowledged = acknowledged;
            add(&mut record.content, *acknowledgement);
        }
        self.bytes += acknowledgements.len() * ACKNOWLEDGEMENT_BYTES;
        true
    }

    /// The record to which acknowledgements are added.
    fn open(&mut self) -> &mut Record {
        let is_open = |record: &Record| record.kind == ACKNOWLEDGED && record.content.len() < content_bytes(ACKNOWLEDGEMENTS_MAX);
        if !self.unsent.back().is_some_and(is_open) {
            let (kind, content) = acknowledged(self.last + 1);
            self.push(kind, content);
        }
        let last = self.unsent.len() - 1;
        &mut self.unsent[last]
    }

    pub(super) fn event(&mut self, time_ns: i64, text: &[u8]) -> bool {
        let (kind, content) = event(self.last + 1, time_ns, text);
        let has_room = self.has_room(content.len());
        if has_room {
            self.push(kind, content);
        }
        has_room
    }

    /// Ends the session, once.
    pub(super) fn end(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            let (kind, content) = ended(self.last + 1);
            self.push(kind, content);
        }
    }

    fn push(&mut self, kind: u8, content: Vec<u8>) {
        self.last += 1;
        self.bytes += content.len();
        self.unsent.push_back(Record { number: self.last, kind, content, acknowledged: self.acknowledged });
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.is_empty() || self.bytes + bytes <= self.bytes_max
    }

    pub(super) fn is_half_empty(&self) -> bool {
        self.bytes <= self.bytes_max / 2
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unsent.is_empty() && self.sent.is_empty()
    }

    /// Records that are to be sent next over this connection, of about so many bytes.
    pub(super) fn take(&mut self, bytes_max: usize) -> Vec<Arc<Record>> {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        while bytes < bytes_max {
            if self.over_this == self.sent.len() {
                let Some(record) = self.unsent.pop_front() else { break };
                self.sent.push_back(Arc::new(record));
            }
            let record = Arc::clone(&self.sent[self.over_this]);
            self.over_this += 1;
            bytes += record.content.len();
            taken.push(record);
        }
        taken
    }

    pub(super) fn has_to_send(&self) -> bool {
        self.over_this < self.sent.len() || !self.unsent.is_empty()
    }

    /// A new connection, at whose beginning the witness has so much: all else is sent again.
    pub(super) fn connected(&mut self, stored_records: u64) -> Result<(), Error> {
        self.over_this = 0;
        self.mark_stored(stored_records)
    }

    /// The witness has stored all records up to this number.
    pub(super) fn mark_stored(&mut self, through: u64) -> Result<(), Error> {
        if through < self.stored_records {
            return Err(Error::Lost { said: self.stored_records, has: through });
        }
        while self.sent.front().is_some_and(|record| record.number <= through) {
            let Some(record) = self.sent.pop_front() else { break };
            self.over_this = self.over_this.saturating_sub(1);
            self.bytes -= record.content.len();
            (self.stored, self.stored_records) = (record.acknowledged, record.number);
        }
        if self.stored_records == through { Ok(()) } else { Err(Error::Malformed("more is stored than was sent".to_owned())) }
    }

    pub(super) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    pub(super) fn stored(&self) -> u64 {
        self.stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(count: usize) -> Vec<Acknowledgement> {
        vec![Acknowledgement::default(); count]
    }

    fn numbers(records: &[Arc<Record>]) -> Vec<u64> {
        records.iter().map(|record| record.number).collect()
    }

    #[test]
    fn what_is_not_stored_is_sent_again_in_its_order() {
        let mut queue = Queue::new(1 << 20);
        assert!(queue.acknowledge(&some(3)) && queue.event(0, b"cut") && queue.acknowledge(&some(2)));
        assert_eq!(numbers(&queue.take(usize::MAX)), [1, 2, 3]);
        assert!(queue.acknowledge(&some(1)) && queue.take(0).is_empty());
        queue.mark_stored(1).unwrap();
        assert_eq!((queue.stored(), queue.acknowledged()), (3, 6));
        queue.connected(2).unwrap();
        assert_eq!(numbers(&queue.take(1)), [3]);
        assert_eq!(numbers(&queue.take(usize::MAX)), [4]);
        queue.mark_stored(4).unwrap();
        assert!(queue.is_empty() && !queue.has_to_send() && queue.stored() == 6 && queue.bytes == 0);
    }

    #[test]
    fn a_full_queue_takes_nothing_until_something_is_stored() {
        let mut queue = Queue::new(1000);
        assert!(queue.acknowledge(&some(10_000)), "an empty one takes any number");
        assert!(!queue.acknowledge(&some(1)) && !queue.event(0, b"") && queue.acknowledged() == 10_000);
        queue.end();
        queue.end();
        assert_eq!(numbers(&queue.take(usize::MAX)), [1, 2, 3]);
        queue.mark_stored(3).unwrap();
        assert!(queue.is_half_empty() && queue.acknowledge(&some(1)));
    }

    #[test]
    fn a_witness_that_has_less_or_more_than_it_should_is_seen() {
        let mut queue = Queue::new(1000);
        assert!(queue.acknowledge(&some(1)));
        assert!(matches!(queue.mark_stored(1), Err(Error::Malformed(_))), "nothing was sent");
        queue.take(usize::MAX);
        queue.mark_stored(1).unwrap();
        assert_eq!(queue.connected(0), Err(Error::Lost { said: 1, has: 0 }));
    }
}
