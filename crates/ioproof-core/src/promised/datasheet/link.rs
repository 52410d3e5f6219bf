//! The link of a family: reading `PCIe 4.0 x4` or `SATA 6 Gb/s`, and the most that it carries one way.

/// Bytes per second that one lane carries one way, by generation from 1, after line coding.
const PCIE_LANE: [f64; 6] = [250e6, 500e6, 985e6, 1969e6, 3938e6, 7563e6];
/// Bits on a SATA or SAS link for each byte carried (8b/10b).
const BITS_A_BYTE: f64 = 10.0;

/// The most bytes per second one way; `None` where the text is not a link.
pub(super) fn most_bytes_per_second(link: &str) -> Option<f64> {
    let words: Vec<&str> = link.split_whitespace().collect();
    match words[..] {
        ["PCIe", generation, lanes] => {
            let generation: usize = generation.strip_suffix(".0")?.parse().ok()?;
            let lanes: f64 = lanes.strip_prefix('x').filter(|n| ["1", "2", "4", "8", "16"].contains(n))?.parse().ok()?;
            Some(PCIE_LANE.get(generation.checked_sub(1)?)? * lanes)
        }
        ["SATA" | "SAS", gigabits, "Gb/s"] => {
            let gigabits: f64 = gigabits.parse().ok()?;
            (1.0..=24.0).contains(&gigabits).then_some(gigabits * 1e9 / BITS_A_BYTE)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_and_other_text_is_not() {
        assert_eq!(most_bytes_per_second("PCIe 3.0 x4"), Some(3940e6));
        assert_eq!(most_bytes_per_second("SATA 6 Gb/s"), Some(600e6));
        for no_link in ["PCIe 3 x4", "PCIe 9.0 x4", "PCIe 0.0 x4", "PCIe 4.0 x3", "SATA 600 Gb/s", "SATA inf Gb/s", "fast", ""] {
            assert_eq!(most_bytes_per_second(no_link), None, "{no_link}");
        }
    }
}
