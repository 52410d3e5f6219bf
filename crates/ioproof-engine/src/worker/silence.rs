//! The time for which I/O is waited for in vain. A stop of the whole process (Ctrl-Z, a freezer, a virtual machine that is paused) hardly counts: the time
//! goes by, but nobody looked, and what came back meanwhile is not taken yet.

/// The most that counts of the time between two looks, which is several times what there is between them otherwise. Nanoseconds.
const GAP_NS: u64 = 250_000_000;

/// A silence, as whoever looks again and again sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Silence {
    heard_ns: u64,
    looked_ns: u64,
    lasted_ns: u64,
}

impl Silence {
    /// Begins now.
    pub(crate) fn new(now_ns: u64) -> Self {
        Self { heard_ns: now_ns, looked_ns: now_ns, lasted_ns: 0 }
    }

    /// Looks: how long it has lasted, where something was last heard at `heard_ns`. Nanoseconds.
    #[inline]
    pub(crate) fn look(&mut self, heard_ns: u64, now_ns: u64) -> u64 {
        if heard_ns != self.heard_ns {
            *self = Self { heard_ns, lasted_ns: 0, looked_ns: self.looked_ns.max(heard_ns) };
        }
        self.lasted_ns += now_ns.saturating_sub(self.looked_ns).min(GAP_NS);
        self.looked_ns = now_ns;
        self.lasted_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_of_any_length_is_one_gap() {
        let mut silence = Silence::new(0);
        assert_eq!(silence.look(0, 50), 50);
        assert_eq!(silence.look(0, 60_000_000_050), 50 + GAP_NS);
        assert_eq!(silence.look(0, 60_000_000_060), 60 + GAP_NS);
    }

    #[test]
    fn it_ends_when_something_is_heard() {
        let mut silence = Silence::new(0);
        silence.look(0, 500);
        assert_eq!(silence.look(700, 900), 200);
        assert_eq!(silence.look(1000, 1000), 0);
    }

    #[test]
    fn it_adds_up_for_whoever_is_always_late() {
        let mut silence = Silence::new(0);
        assert_eq!((1..=8).map(|look| silence.look(0, look * 10 * GAP_NS)).last(), Some(8 * GAP_NS));
    }
}
