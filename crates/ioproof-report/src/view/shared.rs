//! Sentences that several rows of a table would repeat, said once above it: reasons that all of them have, and the sources of their claims.

use super::RowView;

/// The common part of some rows.
pub(crate) struct Shared {
    reasons: Vec<String>,
    sources: Vec<String>,
}

impl Shared {
    pub(crate) fn of(rows: &[&RowView]) -> Self {
        let all = |row: &RowView| row.reasons.iter().map(|reason| reason.sentence()).collect::<Vec<_>>();
        let mut reasons = rows.first().filter(|_| rows.len() > 1).map(|row| all(row)).unwrap_or_default();
        rows.iter().for_each(|row| reasons.retain(|reason| all(row).contains(reason)));
        let mut sources: Vec<String> = Vec::new();
        for (_, source) in rows.iter().filter_map(|row| row.claim_parts.as_ref()) {
            if !sources.contains(source) {
                sources.push(source.clone());
            }
        }
        Self { reasons, sources }
    }

    /// Sentences for above the table, each under a label.
    pub(crate) fn lines(&self) -> Vec<(String, String)> {
        let reasons = self.reasons.iter().map(|reason| ("all of them".to_owned(), reason.clone()));
        let several = self.sources.len() > 1;
        let label = |n: usize| if several { format!("source {}", n + 1) } else { "source of the claims".to_owned() };
        reasons.chain(self.sources.iter().enumerate().map(|(n, source)| (label(n), source.clone()))).collect()
    }

    /// The reasons that this row has alone.
    pub(crate) fn reasons_of(&self, row: &RowView) -> Vec<String> {
        row.reasons.iter().map(|reason| reason.sentence()).filter(|reason| !self.reasons.contains(reason)).collect()
    }

    /// The conditions of this row's claim, with the number of its source where there are several.
    pub(crate) fn claim_of(&self, row: &RowView) -> Option<String> {
        let (conditions, source) = row.claim_parts.as_ref()?;
        let at = self.sources.iter().position(|known| known == source).filter(|_| self.sources.len() > 1);
        Some(at.map_or_else(|| conditions.clone(), |at| format!("{conditions}; source {}", at + 1)))
    }
}
