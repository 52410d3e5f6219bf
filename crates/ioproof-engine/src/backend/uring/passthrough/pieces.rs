//! I/Os that are under way as one command or several: a controller takes no more than a few hundred KiB at once, and longer I/Os are split as the kernel's
//! block layer splits them.

use super::status::errno;

/// I/Os by their slots.
#[derive(Debug)]
pub(super) struct Pieces(Box<[Piece]>);

#[derive(Debug, Clone, Copy, Default)]
struct Piece {
    /// Commands that are not done.
    left: u32,
    /// Result of the I/O so far.
    result: i32,
}

impl Pieces {
    /// For I/Os of so many slots.
    pub(super) fn new(slots: u32) -> Self {
        Self(vec![Piece::default(); slots as usize].into())
    }

    /// Notes an I/O of so many commands, with its result if all go well.
    #[inline]
    pub(super) fn begin(&mut self, slot: u32, commands: u32, result: i32) {
        self.0[slot as usize] = Piece { left: commands, result };
    }

    /// Notes a command as done; gives the result of its I/O when it was the last. An I/O has the error of the first command that failed.
    #[inline]
    pub(super) fn end(&mut self, slot: u32, answer: i32) -> Option<i32> {
        let piece = &mut self.0[slot as usize];
        if answer != 0 && piece.result >= 0 {
            piece.result = errno(answer);
        }
        piece.left -= 1;
        (piece.left == 0).then_some(piece.result)
    }
}

/// The commands into which an I/O is split: the place of each in the I/O, and its length. Bytes.
pub(super) fn split(bytes: u32, most_bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..bytes.div_ceil(most_bytes)).map(move |n| (n * most_bytes, most_bytes.min(bytes - n * most_bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_io_is_split_at_the_most_that_a_command_moves() {
        let of = |bytes, most| split(bytes, most).collect::<Vec<_>>();
        assert_eq!(of(4096, 4096), [(0, 4096)]);
        assert_eq!(of(10_240, 4096), [(0, 4096), (4096, 4096), (8192, 2048)]);
        assert_eq!(of(1 << 30, 1 << 29).len(), 2);
    }

    #[test]
    fn an_io_is_done_with_its_last_command() {
        let mut pieces = Pieces::new(2);
        pieces.begin(1, 2, 8192);
        pieces.begin(0, 1, 4096);
        assert_eq!(pieces.end(1, 0), None);
        assert_eq!(pieces.end(0, 0), Some(4096));
        assert_eq!(pieces.end(1, 0), Some(8192));
    }

    #[test]
    fn the_first_error_is_that_of_the_io() {
        let mut pieces = Pieces::new(1);
        pieces.begin(0, 3, 8192);
        assert_eq!([pieces.end(0, 0x281), pieces.end(0, -libc::EIO)], [None, None]);
        assert_eq!(pieces.end(0, 0), Some(-libc::ENODATA));
    }
}
