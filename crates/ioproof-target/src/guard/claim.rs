//! The owner of a file that the clauses are asked about.

/// The owner of a file, as its attribute and the ledger tell together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// ioproof made it, and nobody changed it since.
    Ours,
    /// ioproof made it; it was changed since, or its run was killed.
    Changed,
    /// It bears ioproof's attribute, and no line of the ledger agrees: a copy, or made with another state folder.
    Unknown,
    /// Of somebody else.
    Foreign,
}
