//! The tables of pgbench and what a transaction draws of them (PostgreSQL's manual, pgbench, "What is the transaction actually performed").

use ioproof_core::splitmix;

/// Tellers of a branch.
pub(crate) const TELLERS: u64 = 10;
/// Accounts of a branch.
pub(crate) const ACCOUNTS: u64 = 100_000;
/// The most branches; more are beyond what identifiers of 32 bits can name.
pub(crate) const MOST_BRANCHES: u64 = 20_000;

/// Branches that take so much room, where one takes `of_one_bytes`; at least 1.
pub(crate) fn scale(size_bytes: u64, of_one_bytes: u64) -> u32 {
    (size_bytes / of_one_bytes.max(1)).clamp(1, MOST_BRANCHES) as u32
}

/// The rows that a transaction touches, and the sum that it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draw {
    pub account: i64,
    pub teller: i64,
    pub branch: i64,
    pub delta: i64,
}

/// Draws of one client, the same for the same seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableDraws {
    state: u64,
    scale: u64,
}

impl TableDraws {
    /// Of a client of a round with this seed.
    pub(crate) fn new(seed: u64, client: u32, scale: u32) -> Self {
        Self { state: splitmix::nth(seed, client.into()), scale: scale.into() }
    }

    pub(crate) fn next(&mut self) -> Draw {
        let scale = self.scale;
        let mut from_1_to = |most: u64| (splitmix::next(&mut self.state) % most + 1) as i64;
        let (account, teller, branch) = (from_1_to(ACCOUNTS * scale), from_1_to(TELLERS * scale), from_1_to(scale));
        Draw { account, teller, branch, delta: from_1_to(10_001) - 5_001 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_within_the_tables_and_reach_all_of_them() {
        let mut draws = TableDraws::new(7, 3, 2);
        let drawn: Vec<Draw> = (0..20_000).map(|_| draws.next()).collect();
        assert!(drawn.iter().all(|d| (1..=200_000).contains(&d.account) && (1..=20).contains(&d.teller) && (1..=2).contains(&d.branch)));
        assert!(drawn.iter().all(|d| (-5000..=5000).contains(&d.delta)));
        assert!(drawn.iter().any(|d| d.account > 190_000) && drawn.iter().any(|d| d.teller == 20) && drawn.iter().any(|d| d.delta < 0));
        assert_ne!(TableDraws::new(7, 0, 2).next(), TableDraws::new(7, 1, 2).next(), "clients go their own ways");
    }

    #[test]
    fn a_database_has_at_least_one_branch() {
        assert_eq!([scale(0, 10), scale(99, 10), scale(u64::MAX, 10)], [1, 9, 20_000]);
    }
}
