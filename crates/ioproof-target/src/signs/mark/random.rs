//! A test of randomness for pieces of a sector: the number of different bytes among them, and what stands in a row.
//!
//! Of `n` random bytes each of the 256 values is missing with probability `q = (255/256)^n`, so `256 (1 - q)` values are expected; their number has a
//! standard deviation below `sqrt(256 q (1 - q))`. Six and a half of these below what is expected comes up once in 10^10 random pieces. Of 512 bytes that
//! allows 182 values; text has below 100, tables and programs below 150. Pieces of a few bytes prove nothing and pass.
//!
//! Half a sector of text may have as many values as that, so forty printable bytes in a row are text: at a given place of random data they come up with a
//! probability of `(95/256)^40`, or 6e-18. So are sixteen equal bytes a fill, with `256^-15`.

/// Standard deviations below what is expected.
const DEVIATIONS: f64 = 6.5;

/// Printable bytes of ASCII in a row that are no chance.
const TEXT_BYTES: usize = 40;

/// Equal bytes in a row that are no chance.
const FILL_BYTES: usize = 16;

/// False for what is surely not random.
pub(crate) fn looks_random(bytes: &[u8]) -> bool {
    let mut seen = [false; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let values = seen.iter().filter(|seen| **seen).count();
    values as f64 >= least_values(bytes.len()) && !has_text(bytes) && !has_fill(bytes)
}

fn has_text(bytes: &[u8]) -> bool {
    bytes.split(|byte| !matches!(byte, b' '..=b'~')).any(|row| row.len() >= TEXT_BYTES)
}

fn has_fill(bytes: &[u8]) -> bool {
    bytes.chunk_by(|one, next| one == next).any(|row| row.len() >= FILL_BYTES)
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

    #[test]
    fn a_row_of_text_or_of_equal_bytes_is_not_random() {
        let mut random = vec![0; 4096];
        crate::signs::laid_out::fill((7, 11), 0, &mut random);
        let sector = &random[1024..1536];
        assert!(looks_random(sector));
        for (row, at) in [(&b"a word of somebody, which he cannot lose. "[..40], 0), (&[0x5a; 16], 300), (&[0; 16], 496)] {
            let with = |row: &[u8]| [&sector[..at], row, &sector[at + row.len()..]].concat();
            assert!(!looks_random(&with(row)), "{row:?}");
            // What stands before and behind is as it comes.
            assert!(looks_random(&with(&row[..row.len() - 3])), "{row:?}");
        }
    }
}
