//! A figure over the whole run, in bounded room: where there are too many values, pairs of neighbours become their mean.

/// More values than this are not kept.
const MOST: usize = 1024;

/// Values at equal distances in time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChartSeries {
    values: Vec<f64>,
    more_each: usize,
    /// Sum and number of those that wait to be one.
    waiting: (f64, usize),
}

impl ChartSeries {
    pub fn push(&mut self, value: f64) {
        self.waiting = (self.waiting.0 + value, self.waiting.1 + 1);
        if self.waiting.1 <= self.more_each {
            return;
        }
        self.values.push(self.waiting.0 / self.waiting.1 as f64);
        self.waiting = (0.0, 0);
        if self.values.len() >= MOST {
            self.values = self.values.chunks(2).map(mean).collect();
            self.more_each = self.more_each * 2 + 1;
        }
    }

    /// True where there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Values that were added, but for those that wait.
    pub fn moments(&self) -> usize {
        self.values.len() * (self.more_each + 1)
    }

    /// At most so many values that stand for all of it, in the order of time.
    pub fn in_columns(&self, most: usize) -> Vec<f64> {
        let each = self.values.len().div_ceil(most.max(1)).max(1);
        self.values.chunks(each).map(mean).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_its_shape_in_bounded_room() {
        let mut series = ChartSeries::default();
        (0..100_000).for_each(|n| series.push(f64::from(n)));
        assert!(series.values.len() < MOST, "{}", series.values.len());
        let columns = series.in_columns(10);
        assert!(columns.len() <= 10 && columns.windows(2).all(|pair| pair[0] < pair[1]), "{columns:?}");
        assert!((columns[0] - 5_000.0).abs() < 1_000.0, "{columns:?}");
    }

    #[test]
    fn few_values_are_shown_as_they_are() {
        let mut series = ChartSeries::default();
        [3.0, 1.0].into_iter().for_each(|value| series.push(value));
        assert_eq!(series.in_columns(80), [3.0, 1.0]);
        assert!(ChartSeries::default().in_columns(0).is_empty());
    }
}
