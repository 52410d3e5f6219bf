//! A test of randomness for pieces of a sector: the number of different bytes among them.
//!
//! Of `n` random bytes each of the 256 values is missing with probability `q = (255/256)^n`, so `256 (1 - q)` values are expected; their number has a
//! standard deviation below `sqrt(256 q (1 - q))`. Six and a half of these below what is expected comes up once in 10^10 random pieces. Of 512 bytes that
//! allows 182 values; text has below 100, tables and programs below 150. Pieces of a few bytes prove nothing and pass.

/// Standard deviations below what is expected.
const DEVIATIONS: f64 = 6.5;

/// False for what is surely not random.
pub(crate) fn looks_random(bytes: &[u8]) -> bool {
    let mut seen = [false; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let values = seen.iter().filter(|seen| **seen).count();
    values as f64 >= least_values(bytes.len())
}

fn least_values(bytes: usize) -> f64 {
    let missing = (255.0_f64 / 256.0).powf(bytes as f64);
    256.0 * (1.0 - missing) - DEVIATIONS * (256.0 * missing * (1.0 - missing)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_where_it_is_said_to_be() {
        assert_eq!((least_values(512) as i64, least_values(496) as i64), (185, 182));
        assert!(least_values(5) <= 0.0 && least_values(0) <= 0.0);
    }
}
