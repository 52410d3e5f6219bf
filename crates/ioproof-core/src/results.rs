//! Kinds of results beyond single workloads, each with its figures and sentences. A further kind is a file here and its rows in [`Results`].

mod bars;
mod chart;
mod in_words;
pub mod layers;
mod scale;
pub mod standard;
mod strip;
pub mod sweep;
pub mod syncs;
mod table;
pub mod together;

pub use bars::{Bar, BarChart, BarGroup, top_of_shares};
pub use chart::{ChartLine, ChartNames, LineChart};
pub use in_words::{coverage, match_range, runs_text, share};
pub use scale::Scale;
pub use strip::{DotStrip, StripDot, spark};
pub use table::{Answer, Column, Figure, OF_ROUNDS, Part, ResultRow, ResultTable, Tidy, Unit, column, with_ends};

use crate::finding::Finding;
use crate::measured::Context;
use crate::record::RunRecord;
use crate::verdict::Row;
use layers::Layers;
use serde::{Deserialize, Serialize};
use standard::StandardResults;
use sweep::Sweep;
use syncs::Syncs;
use together::Together;

/// Results of every kind that a run has; most have one, or none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Results {
    /// Ways of making writes durable; none of other verbs than `sync`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syncs: Option<Syncs>,
    /// Layers held against one another; none of other verbs than `layers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<Layers>,
    /// Targets alone and all at once; none where they were not measured so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// All cells of a sweep; none of other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// The tests of a standard; none of other runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<StandardResults>,
}

impl Results {
    /// All that a run has, with what its rows and findings say of them.
    #[must_use]
    pub fn of(context: &Context, rows: &[Row], findings: &[Finding]) -> Self {
        Self {
            syncs: Syncs::of(context, findings),
            layers: Layers::of(context, findings),
            together: Together::of(context),
            sweep: Sweep::of(context, rows),
            standard: StandardResults::of(context),
        }
    }

    /// Each as tables, which formats render without knowledge of the kind. `methods` says which intervals the figures of the run have.
    #[must_use]
    pub fn tables(&self, record: &RunRecord, methods: Option<&str>) -> Vec<ResultTable> {
        let tables = [
            self.sweep.as_ref().map(|sweep| sweep.table(methods.unwrap_or("smallest and largest run"))),
            self.syncs.as_ref().map(Syncs::table),
            self.layers.as_ref().map(|layers| layers.table(record)),
            self.together.as_ref().map(|together| together.table(record)),
        ];
        let of_standard = self.standard.iter().flat_map(StandardResults::tables);
        tables.into_iter().flatten().chain(of_standard).collect()
    }
}
