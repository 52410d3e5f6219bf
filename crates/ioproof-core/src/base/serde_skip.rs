//! Fields that are left out of what is stored.

pub(crate) fn is_zero(n: &u64) -> bool {
    *n == 0
}
