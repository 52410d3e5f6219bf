//! Random numbers that follow from a seed, so that whatever they decided can be had again: an attempt of an attack alone, a cut of the power.
//!
//! SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). Deliberately absent: every other source of randomness but the clock, for a seed.

#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn of(seed: u64, campaign: &str, attempt: usize) -> Self {
        let mixed = campaign.bytes().fold(seed, |state, byte| Self(state ^ u64::from(byte)).next());
        Self(Self(mixed ^ attempt as u64).next())
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to just below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    pub fn pick<'a, T>(&mut self, table: &'a [T]) -> &'a T {
        &table[self.index(table.len())]
    }

    pub fn word(&mut self, table: &[&'static str]) -> &'static str {
        table[self.index(table.len())]
    }

    pub fn item(&mut self, list: &'static str) -> &'static str {
        let items: Vec<&str> = list.split('|').map(str::trim).collect();
        self.word(&items)
    }

    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// Bytes without a pattern and without a zero, so that each of them is data.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            bytes.extend(self.next().to_le_bytes().map(|byte| byte.max(1)));
        }
        bytes.truncate(length);
        bytes
    }
}

pub fn seed_from_clock() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |time| time.as_secs() % 1_000_000)
}
