//! Execution of commands, and completions with what a script wants wrong about them.

use super::{Fault, State};
use crate::wire::command::{Range, admin, nvm};
use crate::wire::{Command, Completion, Status};

/// Entries of a PRP list.
const LIST_ENTRIES: u64 = 512;
const PAGE: u64 = 4096;
const LOG_MAX: usize = 1000;

/// A command's end.
#[derive(Debug, Clone, Copy)]
struct End {
    command: Command,
    status: Status,
    result: u32,
    /// Number of the I/O command; `None` for an admin command.
    io: Option<u64>,
}

impl State {
    /// Executes what a submission queue has up to its new tail.
    pub(super) fn work(&mut self, queue: u16, tail: u16) {
        let mut ends = Vec::new();
        while let Some(submissions) = self.submissions.get_mut(&queue).filter(|submissions| submissions.head != tail) {
            let command: Command = self.reach.read(submissions.address + 64 * u64::from(submissions.head));
            submissions.head = (submissions.head + 1) % submissions.entries;
            ends.extend(if queue == 0 { self.admin(command) } else { self.io(queue, command) });
        }
        if self.script.reverses {
            ends.reverse();
        }
        for end in ends {
            self.complete(queue, end);
        }
    }

    /// Writes a completion.
    fn complete(&mut self, queue: u16, End { command, status, result, io }: End) {
        let head = self.submissions.get(&queue).map_or(0, |submissions| submissions.head);
        let Some(completions) = self.completions.get_mut(&queue) else { return };
        let is_faulty = |fault: fn(u64) -> Fault| io.is_some_and(|io| fault(io) == self.script.fault);
        let identifier = if is_faulty(Fault::WrongIdentifier) { 0xfffe } else { command.identifier() };
        let phase = completions.phase != is_faulty(Fault::WrongPhase);
        let place = completions.address + 16 * u64::from(completions.tail);
        completions.tail = (completions.tail + 1) % completions.entries;
        completions.phase ^= completions.tail == 0;
        assert!(completions.tail != completions.head, "the completion queue {queue} is overrun");
        let dword3 = u32::from(identifier) | u32::from(phase) << 16 | u32::from(status.0) << 17;
        self.reach.write(place, Completion { result, reserved: 0, queue: u32::from(queue) << 16 | u32::from(head), dword3 });
    }

    fn admin(&mut self, command: Command) -> Option<End> {
        if self.script.fault == Fault::NoAdmin || self.is_silent {
            return None;
        }
        let (status, result) = match command.opcode() {
            admin::IDENTIFY => (self.identify(&command), 0),
            admin::SET_FEATURES => (Status::GOOD, u32::from(self.script.queues - 1) << 16 | u32::from(self.script.queues - 1)),
            admin::CREATE_COMPLETIONS | admin::CREATE_SUBMISSIONS => (self.create(&command), 0),
            admin::DELETE_SUBMISSIONS => (known(self.submissions.remove(&(command.dword10 as u16)).is_some()), 0),
            admin::DELETE_COMPLETIONS => (known(self.completions.remove(&(command.dword10 as u16)).is_some()), 0),
            admin::ABORT => (Status::GOOD, self.abort(command.dword10)),
            admin::DOORBELL_BUFFERS if self.script.shadow_doorbells => {
                self.shadows = Some([command.prp1, command.prp2]);
                (Status::GOOD, 0)
            }
            _ => (Status(1), 0),
        };
        Some(End { command, status, result, io: None })
    }

    fn create(&mut self, command: &Command) -> Status {
        let (queue, entries) = (command.dword10 as u16, (command.dword10 >> 16) as u16 + 1);
        if queue == 0 || queue > self.script.queues {
            return Status(0x101);
        }
        if u32::from(entries) > self.script.queue_entries {
            return Status(0x102);
        }
        let before = self.completions.get(&queue).copied();
        match (command.opcode(), before) {
            (admin::CREATE_SUBMISSIONS, None) => Status(0x100),
            (admin::CREATE_SUBMISSIONS, Some(_)) => {
                self.submissions.insert(queue, super::Submissions { address: command.prp1, entries, head: 0 });
                Status::GOOD
            }
            _ => {
                let made = super::Completions { address: command.prp1, entries, tail: 0, head: 0, phase: true };
                self.completions.insert(queue, made);
                Status::GOOD
            }
        }
    }

    /// Ends a command that is kept; gives 0 where there is one (5.1).
    fn abort(&mut self, dword10: u32) -> u32 {
        let wanted = (dword10 as u16, (dword10 >> 16) as u16);
        let Some(index) = self.held.iter().position(|held| *held == wanted) else { return 1 };
        self.held.swap_remove(index);
        let command = Command::flush(1).identified(wanted.1);
        self.complete(wanted.0, End { command, status: Status::ABORTED, result: 0, io: None });
        0
    }

    fn identify(&mut self, command: &Command) -> Status {
        let mut page = [0_u8; 4096];
        let script = &self.script;
        match command.dword10 {
            0 if command.namespace == 1 => {
                page[..8].copy_from_slice(&script.blocks.to_le_bytes());
                page[46..48].copy_from_slice(&script.boundary_blocks.to_le_bytes());
                page[26] = 1;
                page[132..134].copy_from_slice(&script.metadata_bytes.to_le_bytes());
                page[134] = script.block_shift;
            }
            0 => {}
            1 => {
                page[4..24].copy_from_slice(b"SCRIPTED-1          ");
                page[24..64].fill(b' ');
                page[24..40].copy_from_slice(b"Scripted control");
                page[77] = script.mdts;
                page[257] = u8::from(script.shadow_doorbells);
                page[520] = 0b1100;
                page[525] = 1;
                page[536] = u8::from(script.sgls);
            }
            2 => page[0] = 1,
            _ => return Status(2),
        }
        self.reach.copy_out(command.prp1, &page);
        Status::GOOD
    }

    /// Executes an I/O command; `None` where it is not answered.
    fn io(&mut self, queue: u16, command: Command) -> Option<End> {
        let number = self.ios;
        self.ios += 1;
        if self.log.len() < LOG_MAX {
            self.log.push(command);
        }
        match self.script.fault {
            _ if self.is_silent => {}
            Fault::GoneAt(at) | Fault::ZerosAt(at) if number >= at => self.is_gone = true,
            Fault::StopsAt(at) if number >= at => self.is_silent = true,
            Fault::FatalAt(at) if number == at => (self.status, self.is_silent) = (self.status | 2, true),
            Fault::Holds(at) if number == at => self.held.push((queue, command.identifier())),
            _ => return Some(End { command, status: self.execute(&command), result: 0, io: Some(number) }),
        }
        None
    }

    fn execute(&mut self, command: &Command) -> Status {
        let ranges = match command.opcode() {
            nvm::FLUSH => return Status::GOOD,
            nvm::DATASET_MANAGEMENT => {
                let Range { blocks, first, .. } = self.reach.read(command.prp1);
                (first, u64::from(blocks))
            }
            _ => (command.first_block(), u64::from(command.dword12 & 0xffff) + 1),
        };
        let (first, blocks) = ranges;
        if first + blocks > self.script.blocks {
            return Status::OUT_OF_RANGE;
        }
        if let Fault::BadBlock(bad, status) = self.script.fault
            && (first..first + blocks).contains(&bad)
        {
            return status;
        }
        let (start, bytes) = ((first << self.script.block_shift) as usize, (blocks << self.script.block_shift) as usize);
        match command.opcode() {
            nvm::READ | nvm::WRITE if self.script.mdts > 0 && bytes > 4096 << self.script.mdts => Status(2),
            nvm::READ | nvm::WRITE => self.transfer(command, start, bytes),
            nvm::DATASET_MANAGEMENT => {
                self.data[start..start + bytes].fill(0);
                Status::GOOD
            }
            _ => Status(1),
        }
    }

    /// Moves data by the SGL Data Block of a command (4.4) or by its PRP entries. Without SGLs the field of their choice is invalid.
    fn transfer(&mut self, command: &Command, start: usize, bytes: usize) -> Status {
        match command.data_block() {
            Some((address, length)) if self.script.sgls && length as usize == bytes => {
                self.copy(command.opcode(), address, start, bytes);
                Status::GOOD
            }
            // Data SGL Length Invalid (figure 126).
            Some(_) if self.script.sgls => Status(0x00f),
            None if command.dword0 >> 14 & 3 == 0 => {
                self.transfer_pages(command, start, bytes);
                Status::GOOD
            }
            _ => Status(2),
        }
    }

    /// Moves data between the memory of the host and the namespace.
    fn copy(&mut self, opcode: u8, address: u64, at: usize, bytes: usize) {
        match opcode {
            nvm::READ => self.reach.copy_out(address, &self.data[at..at + bytes]),
            _ => self.reach.copy_in(address, &mut self.data[at..at + bytes]),
        }
    }

    /// Moves data by the PRP entries of a command (4.3).
    fn transfer_pages(&mut self, command: &Command, start: usize, bytes: usize) {
        let mut done = 0;
        let mut list = command.prp2;
        let mut address = command.prp1;
        loop {
            let part = ((PAGE - address % PAGE) as usize).min(bytes - done);
            self.copy(command.opcode(), address, start + done, part);
            done += part;
            if done == bytes {
                return;
            }
            let is_second = done + PAGE as usize >= bytes && list == command.prp2;
            if is_second {
                address = command.prp2;
                continue;
            }
            let is_last_of_page = list / 8 % LIST_ENTRIES == LIST_ENTRIES - 1 && bytes - done > PAGE as usize;
            assert!(!is_last_of_page, "a list of the driver has no chain");
            (address, list) = (self.reach.read(list), list + 8);
            assert!(address.is_multiple_of(PAGE), "an entry of a list with an offset");
        }
    }
}

fn known(is_known: bool) -> Status {
    if is_known { Status::GOOD } else { Status(0x101) }
}
