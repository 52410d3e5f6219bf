//! Steady-state detection in the words of the outputs.

use super::number::finite;
use crate::results::SteadyStateResult;

impl ShownSteadyState<'_> {
    pub fn kind(&self) -> &str {
        self.0.criterion.split(':').next().unwrap_or_default()
    }

    pub fn by_slope(&self) -> bool {
        self.kind().ends_with("_slope")
    }

    pub fn by_iops(&self) -> bool {
        self.kind().starts_with("iops")
    }

    pub fn sign(&self) -> &'static str {
        if self.0.percent { "%" } else { "" }
    }

    pub fn criterion(&self) -> String {
        format!("{}:{:.6}{}", self.kind(), finite(self.0.limit), self.sign())
    }

    pub fn bytes_per_s(&self) -> f64 {
        mean(&self.0.bytes_per_s)
    }

    pub fn iops(&self) -> f64 {
        mean(&self.0.iops)
    }
}

pub(super) struct ShownSteadyState<'a>(pub &'a SteadyStateResult);

fn mean(samples: &[f64]) -> f64 {
    if samples.is_empty() { 0.0 } else { samples.iter().sum::<f64>() / samples.len() as f64 }
}
