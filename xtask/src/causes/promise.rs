//! The datasheet that a cause is judged by: one claim of ours, as TOML.

use super::cause::Promise;

/// Name of the datasheet, and of its file without the ending.
pub const NAME: &str = "known-truth";

/// The datasheet.
pub fn toml(promise: &Promise) -> String {
    let Promise { iops, mix, .. } = promise;
    let depth = promise.depth.map_or(String::new(), |depth| format!("queue_depth = {depth}\nworkers = 1\n"));
    format!(
        "name = \"{NAME}\"\nvendor = \"ioproof\"\nfamily = \"drive of known truth\"\nmodels = []\ninterface = \"nvme\"\n\n\
         [[claim]]\nmetric = \"iops\"\nvalue = {iops}\nunit = \"IOPS\"\nqualifier = \"up to\"\npattern = \"random\"\nmix = \"{mix}\"\n\
         block_size = \"4KiB\"\n{depth}source = \"the table of causes\"\nconfidence = \"high\"\n"
    )
}
