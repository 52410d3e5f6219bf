//! Bookkeeping of a queue: which identifiers are outstanding, and how much of each slot is done.

use super::Operation;
use crate::error::Error;
use crate::wire::Status;
use std::collections::VecDeque;

/// Most identifiers: FFFFh names no command (5.14.1.1).
const COMMANDS_MAX: u64 = 0xffff;

/// The drive has no command under this identifier.
const FREE: i32 = -1;

/// The drive has one of the commands of a [`Slot`].
const PART: i32 = -2;

/// All slots of a queue.
#[derive(Debug)]
pub(super) struct Slots {
    /// Identifiers of a slot, as a power of two.
    shift: u32,
    slots: Box<[Slot]>,
    /// By identifier: [`FREE`], [`PART`], or the good result of an I/O that is this command alone.
    commands: Box<[i32]>,
    outstanding: u32,
    /// Most commands that the drive may have.
    most: u32,
    /// The same for a command that waits for no other: 0 while some wait, and once no command is answered.
    most_at_once: u32,
    waiting: VecDeque<Waiting>,
    /// Slots whose end was noted, with their results.
    ended: Vec<(u32, i32)>,
    /// Set once no command will be answered any more; the errno of all I/Os from then on.
    dead: Option<i32>,
}

/// An I/O of several commands, or one that had to wait.
#[derive(Debug, Clone, Copy)]
struct Slot {
    operation: Operation,
    /// Commands that are not done.
    left: u32,
    /// Result when all goes well.
    expects: i32,
    /// First failure; 0 for none.
    errno: i32,
    offset: u64,
}

/// A command that is not in the ring yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) operation: Operation,
    pub(super) identifier: u16,
    pub(super) slot: u32,
    /// Of the whole I/O. Bytes.
    pub(super) offset: u64,
    /// Of this part within the I/O. Bytes.
    pub(super) start: u32,
    pub(super) bytes: u32,
}

/// Meaning of a completion.
pub(super) enum Completed {
    /// The last of a slot, with the slot's result.
    Slot(u32, i32),
    /// One of several.
    Part,
    /// None is outstanding under this identifier.
    Unknown,
}

impl Slots {
    /// Free slots, each of at most so many commands.
    pub(super) fn new(slots: usize, commands_each: u32) -> Result<Self, Error> {
        let each = u64::from(commands_each.next_power_of_two());
        let commands = slots as u64 * each;
        if commands > COMMANDS_MAX {
            let text = format!(
                "{slots} I/Os of up to {commands_each} commands each are more than a queue can name: take less depth or smaller blocks"
            );
            return Err(Error::Unfit(text));
        }
        let free = Slot { operation: Operation::Flush, left: 0, expects: 0, errno: 0, offset: 0 };
        Ok(Self {
            shift: each.trailing_zeros(),
            slots: vec![free; slots].into(),
            commands: vec![FREE; commands as usize].into(),
            outstanding: 0,
            most: 0,
            most_at_once: 0,
            waiting: VecDeque::with_capacity(commands as usize),
            ended: Vec::with_capacity(slots),
            dead: None,
        })
    }

    /// The same for a drive that may have so many commands.
    pub(super) fn with_room(self, most: u16) -> Self {
        Self { most: most.into(), most_at_once: most.into(), ..self }
    }

    /// Number of identifiers.
    pub(super) fn commands(&self) -> usize {
        self.commands.len()
    }

    /// Commands that the drive has.
    pub(super) fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// Identifiers of the commands that the drive has.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = u16> + '_ {
        self.commands.iter().enumerate().filter(|(_, command)| **command != FREE).map(|(identifier, _)| identifier as u16)
    }

    /// True where so many commands may go into the ring at once, ahead of nothing.
    #[inline]
    pub(super) fn has_room(&self, commands: usize) -> bool {
        self.outstanding as usize + commands <= self.most_at_once as usize
    }

    /// True where the drive may have one command more.
    pub(super) fn has_ring_room(&self) -> bool {
        self.outstanding < self.most
    }

    /// The I/Os of one command each, for a loop that starts or ends some; it tells how many by [`Self::count`].
    #[inline(always)]
    pub(super) fn short(&mut self) -> ShortSlots<'_> {
        ShortSlots { shift: self.shift, commands: &mut self.commands }
    }

    /// Counts commands that were started, and others that were ended.
    #[inline(always)]
    pub(super) fn count(&mut self, started: u32, ended: u32) {
        self.outstanding = self.outstanding + started - ended;
    }

    /// Starts an I/O whose commands come by [`Self::await_room`].
    pub(super) fn begin(&mut self, slot: u32, operation: Operation, offset: u64, bytes: u32) {
        let moves = matches!(operation, Operation::Read | Operation::Write { .. });
        let expects = if moves { bytes.cast_signed() } else { 0 };
        self.slots[slot as usize] = Slot { operation, left: 0, expects, errno: 0, offset };
    }

    /// Adds a command to an I/O.
    pub(super) fn await_room(&mut self, slot: u32, part: u32, start: u32, bytes: u32) {
        let state = &mut self.slots[slot as usize];
        state.left += 1;
        let identifier = (slot << self.shift | part) as u16;
        let Slot { operation, offset, .. } = *state;
        match self.dead {
            None => {
                self.most_at_once = 0;
                self.waiting.push_back(Waiting { operation, identifier, slot, offset, start, bytes });
            }
            Some(errno) if part == 0 => {
                state.left = 0;
                self.ended.push((slot, -errno));
            }
            Some(_) => state.left = 0,
        }
    }

    #[inline]
    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The next command for the ring, which counts as outstanding from here on.
    pub(super) fn next_waiting(&mut self) -> Option<Waiting> {
        let waiting = self.waiting.pop_front()?;
        if self.waiting.is_empty() {
            self.most_at_once = self.most;
        }
        self.commands[usize::from(waiting.identifier)] = PART;
        self.outstanding += 1;
        Some(waiting)
    }

    /// Takes any completion. A good one of one command may be among them: it came since [`ShortSlots::complete`] was asked.
    #[inline(never)]
    pub(super) fn complete_other(&mut self, identifier: u16, status: Status) -> Completed {
        let Some(command) = self.commands.get_mut(usize::from(identifier)) else { return Completed::Unknown };
        let before = std::mem::replace(command, FREE);
        if before == FREE {
            return Completed::Unknown;
        }
        self.outstanding -= 1;
        let errno = if status.is_good() { 0 } else { status.errno() };
        let slot = u32::from(identifier) >> self.shift;
        if before != PART {
            return Completed::Slot(slot, if errno == 0 { before } else { -errno });
        }
        let state = &mut self.slots[slot as usize];
        state.left -= 1;
        if state.errno == 0 {
            state.errno = errno;
        }
        match state.left {
            0 if state.errno == 0 => Completed::Slot(slot, state.expects),
            0 => Completed::Slot(slot, -state.errno),
            _ => Completed::Part,
        }
    }

    /// Notes the end of an I/O that has no command any more, or never had one.
    pub(super) fn end(&mut self, slot: u32, result: i32) {
        self.ended.push((slot, result));
    }

    /// Ends everything, now and from now on: the drive will not answer any more.
    #[cold]
    pub(super) fn fail_all(&mut self, errno: i32) {
        self.dead = Some(errno);
        for (identifier, command) in self.commands.iter_mut().enumerate() {
            if std::mem::replace(command, FREE) >= 0 {
                self.ended.push((identifier as u32 >> self.shift, -errno));
            }
        }
        self.waiting.clear();
        (self.outstanding, self.most_at_once) = (0, 0);
        for (number, slot) in self.slots.iter_mut().enumerate().filter(|(_, slot)| slot.left > 0) {
            slot.left = 0;
            self.ended.push((number as u32, -errno));
        }
    }

    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }

    /// Takes the end of an I/O that was noted.
    #[inline]
    pub(super) fn take_ended(&mut self) -> Option<(u32, i32)> {
        self.ended.pop()
    }
}

/// I/Os of one command each.
pub(super) struct ShortSlots<'a> {
    shift: u32,
    commands: &'a mut [i32],
}

impl ShortSlots<'_> {
    /// Starts one; gives its identifier.
    #[inline(always)]
    pub(super) fn start(&mut self, slot: u32, bytes: u32) -> u16 {
        let identifier = slot << self.shift;
        self.commands[identifier as usize] = bytes.cast_signed();
        identifier as u16
    }

    /// Takes a completion that is the good end of one, with the slot's result; `None` for any other, which is not taken.
    #[inline(always)]
    pub(super) fn complete(&mut self, identifier: u16, status: Status) -> Option<(u32, i32)> {
        let command = self.commands.get_mut(usize::from(identifier))?;
        let expects = *command;
        if expects < 0 || !status.is_good() {
            return None;
        }
        *command = FREE;
        Some((u32::from(identifier) >> self.shift, expects))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completion_has_the_same_result_whoever_takes_it() {
        let mut slots = Slots::new(2, 1).unwrap().with_room(2);
        let identifiers = [slots.short().start(0, 4096), slots.short().start(1, 512)];
        slots.count(2, 0);
        assert_eq!(slots.short().complete(identifiers[0], Status::default()), Some((0, 4096)));
        slots.count(0, 1);
        assert!(matches!(slots.complete_other(identifiers[1], Status::default()), Completed::Slot(1, 512)));
        assert_eq!(slots.outstanding(), 0);
    }
}
