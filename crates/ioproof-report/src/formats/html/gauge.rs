//! The bar beside a match.

use ioproof_core::verdict::{Match, Verdict};

/// Width of a gauge, and the share of a claim at its right end.
const GAUGE: (f64, f64) = (90.0, 1.15);

/// The class by which a verdict is coloured.
pub(super) fn class(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Meets) => "meets",
        Some(Verdict::Misses) => "misses",
        Some(Verdict::CannotTell) => "doubt",
        Some(Verdict::Indicative) | None => "aside",
    }
}

/// A match as a bar with its interval and a mark at the threshold. The number beside it says the same, so readers skip it.
pub(super) fn gauge(matched: Match, threshold: f64, verdict: Option<Verdict>) -> String {
    let x = |share: f64| if share.is_finite() { share.clamp(0.0, GAUGE.1) / GAUGE.1 * GAUGE.0 } else { 0.0 };
    let (low, share, high, mark, all) = (x(matched.low), x(matched.share), x(matched.high), x(threshold), x(1.0));
    format!(
        "<svg class=\"gauge {class}\" viewBox=\"0 0 {w} 14\" width=\"{w}\" height=\"14\" aria-hidden=\"true\">\
         <rect class=\"track\" y=\"4\" width=\"{all:.1}\" height=\"6\" rx=\"1\"/><rect class=\"bar\" y=\"4\" width=\"{share:.1}\" height=\"6\" rx=\"1\"/>\
         <path class=\"whisker\" d=\"M{low:.1} 7H{high:.1}M{low:.1} 4V10M{high:.1} 4V10\"/><path class=\"mark\" d=\"M{mark:.1} 0V14\"/></svg>",
        class = class(verdict),
        w = GAUGE.0
    )
}
