//! Correction of probabilities for the number of tests, so that of the differences that are told no more than a given share is chance (Benjamini & Hochberg 1995,
//! doi 10.1111/j.2517-6161.1995.tb02031.x).

/// The probabilities as they are after correction, in the same order. 0 to 1.
pub(super) fn corrected(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
    let mut corrected = vec![1.0; probabilities.len()];
    let mut most = 1.0f64;
    for (rank, at) in order.into_iter().enumerate().rev() {
        most = most.min(probabilities[at] * probabilities.len() as f64 / (rank + 1) as f64);
        corrected[at] = most;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_textbooks() {
        // p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH") of R gives 0.02, 0.04, 0.04, 0.02.
        let found = corrected(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in found.iter().zip([0.02, 0.04, 0.04, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert_eq!((corrected(&[]), corrected(&[0.9, 0.8])), (vec![], vec![0.9, 0.9]));
    }

    #[test]
    fn the_example_of_the_paper() {
        // Benjamini & Hochberg 1995, section 3.2: of these fifteen, four are told at 0.05, where Bonferroni's correction tells three.
        let of_paper =
            [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0];
        let told = corrected(&of_paper).iter().filter(|p| **p <= 0.05).count();
        assert_eq!((told, of_paper.iter().filter(|p| **p * 15.0 <= 0.05).count()), (4, 3));
        // The sixth as the rule gives it by hand: 0.0278 * 15 / 6 = 0.0695, and 0.0298 * 15 / 7 = 0.0639 and 0.0344 * 15 / 8 = 0.0645 behind it.
        let sixth = corrected(&of_paper)[5];
        assert!((sixth - 0.0298 * 15.0 / 7.0).abs() < 1e-12, "{sixth}");
    }
}
