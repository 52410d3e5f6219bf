//! Values of many things on one scale, a dot each, for every format that draws them.

/// One scale with its dots.
#[derive(Debug, Clone)]
pub struct DotStrip {
    pub title: String,
    /// The meaning of the dots, in a line below the title.
    pub about: String,
    pub dots: Vec<StripDot>,
    /// Places with their values in words, from the left on.
    pub ticks: Vec<(f64, String)>,
    /// The place below which a thing is far off.
    pub limit: Option<f64>,
}

#[derive(Debug, Clone)]
pub struct StripDot {
    pub at: f64,
    /// Its name and value, where it stands out.
    pub named: Option<String>,
}

impl DotStrip {
    /// The ends of the scale: all dots and the limit. `None` without dots.
    pub fn ends(&self) -> Option<(f64, f64)> {
        ends(self.dots.iter().map(|dot| dot.at).chain(self.limit))
    }
}

fn ends(places: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    places
        .filter(|at| at.is_finite())
        .fold(None, |ends, at| Some(ends.map_or((at, at), |(low, high): (f64, f64)| (low.min(at), high.max(at)))))
}

/// Dots as one line of text: the more of them at a place, the higher the bar; a dot of its own is always seen.
pub fn spark(places: &[f64]) -> String {
    const COLUMNS: usize = 24;
    // Pages put plain blanks together.
    const EMPTY: char = '\u{a0}';
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let Some((low, high)) = ends(places.iter().copied()) else { return String::new() };
    let mut counts = [0_usize; COLUMNS];
    for at in places.iter().filter(|at| at.is_finite()) {
        let share = if high > low { (at - low) / (high - low) } else { 0.5 };
        counts[((share * COLUMNS as f64) as usize).min(COLUMNS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    counts
        .iter()
        .map(|count| if *count == 0 { EMPTY } else { BARS[(count * (BARS.len() - 1)).div_ceil(most).min(BARS.len() - 1)] })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_dot_is_seen_beside_many() {
        let line = spark(&[&[0.0; 500][..], &[-1.0]].concat());
        assert_eq!((line.chars().count(), line.trim_end().ends_with('█'), line.starts_with('▂')), (24, true, true), "{line:?}");
        assert_eq!(spark(&[]), "");
        assert_eq!(spark(&[2.0]).trim(), "█");
    }
}
