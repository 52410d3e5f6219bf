//! Recording of I/O, and replaying what was recorded.

settings! {
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ReplaySettings {
        /// `write_iolog`: all I/O is recorded in this file.
        pub record: Option<String> = None,
        /// `read_iolog`: clones take these logs in turn; empty: nothing is replayed.
        pub logs: Vec<String> = Vec::new(),
        /// `replay_no_stall`: each I/O is issued as soon as there is room.
        pub no_stall: bool = false,
        /// `replay_time_scale`: 200 is twice as fast. Percent.
        pub time_percent: u32 = 100,
        /// `replay_redirect`: all I/O goes to this file or device.
        pub redirect: Option<String> = None,
        /// `replay_scale`: offsets are divided by it.
        pub scale: u32 = 1,
        /// `replay_align`: offsets are rounded down to a multiple of it, a power of two; 0: they stay. Bytes.
        pub align_bytes: u64 = 0,
        pub skip: ReplaySkip = ReplaySkip::default(),
    }
}

/// `replay_skip`: kinds of I/O that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReplaySkip {
    pub reads: bool,
    pub writes: bool,
    pub trims: bool,
    pub syncs: bool,
}

impl ReplaySettings {
    pub fn is_replay(&self) -> bool {
        !self.logs.is_empty()
    }

    /// The log of a clone, from 0.
    pub fn log_of(&self, clone: u32) -> Option<&str> {
        self.logs.get(clone as usize % self.logs.len().max(1)).map(String::as_str)
    }
}
