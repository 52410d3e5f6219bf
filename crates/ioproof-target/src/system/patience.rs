//! Looks that are repeated for a moment. A process that another one has just begun has everything open that its parent had, until it becomes another program, and
//! somebody may be about to close a file: neither is a user who stays.

use std::time::Duration;

/// Looks after the first, and the time between them.
const LOOKS: u32 = 50;
const WAIT: Duration = Duration::from_millis(20);

/// The last answer, if every look found something; `None` as soon as one finds nothing.
pub(crate) fn lasting<T>(look: impl Fn() -> Option<T>) -> Option<T> {
    let mut found = look()?;
    for _ in 0..LOOKS {
        std::thread::sleep(WAIT);
        found = look()?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_goes_away_is_not_found() {
        let looks = Cell::new(0);
        let twice = || {
            looks.set(looks.get() + 1);
            (looks.get() <= 2).then_some(())
        };
        assert_eq!(lasting(twice), None);
        assert_eq!(looks.get(), 3);
        assert_eq!(lasting(|| Some(3)), Some(3));
    }
}
