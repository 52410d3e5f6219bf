//! Numbers out of a seed.

/// A generator: xorshift with 64 bits of state.
pub struct Random(u64);

impl Random {
    /// Starts it; seeds that differ give numbers that differ.
    pub fn new(seed: u32) -> Self {
        Self((u64::from(seed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    /// One of these, which are not none.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
