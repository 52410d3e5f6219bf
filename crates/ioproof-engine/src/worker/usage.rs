//! CPU time and memory events of the calling thread (getrusage(2), RUSAGE_THREAD).

/// CPU time, context switches and page faults of a thread since it began.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    pub(crate) voluntary_switches: u64,
    pub(crate) involuntary_switches: u64,
    pub(crate) major_faults: u64,
    pub(crate) minor_faults: u64,
}

impl Usage {
    /// Of the calling thread, now.
    pub(crate) fn now() -> Self {
        let mut raw = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to a rusage of this frame; getrusage fills it or leaves the zeros, and zeros are a valid rusage.
        let raw = unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, raw.as_mut_ptr());
            raw.assume_init()
        };
        Self {
            user_ns: nanoseconds(raw.ru_utime),
            system_ns: nanoseconds(raw.ru_stime),
            voluntary_switches: raw.ru_nvcsw as u64,
            involuntary_switches: raw.ru_nivcsw as u64,
            major_faults: raw.ru_majflt as u64,
            minor_faults: raw.ru_minflt as u64,
        }
    }

    /// Usage since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            voluntary_switches: self.voluntary_switches.saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self.involuntary_switches.saturating_sub(earlier.involuntary_switches),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
        }
    }
}

fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_memory_costs_minor_faults() {
        let before = Usage::now();
        let mut fresh = vec![0_u8; 64 << 20];
        fresh.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        assert!(std::hint::black_box(fresh).iter().step_by(4096).all(|byte| *byte == 1));
        assert!(Usage::now().since(before).minor_faults > 0);
    }
}
