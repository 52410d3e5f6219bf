//! All known datasheets, and which of them a drive belongs to.

use super::{check, glob, parse, shipped};
use crate::base::distinct::distinct_by;
use crate::claim::{Datasheet, Variant};
use crate::facts::DeviceFacts;
use std::sync::LazyLock;

/// Largest share by which a drive's capacity may differ from the nominal one of its variant: makers round, and 1.92 TB is not 2 TB.
const CAPACITY_TOLERANCE: f64 = 0.03;

/// Datasheets, those that win first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalogue(Vec<Datasheet>);

/// The datasheet that a drive belongs to, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matched<'a> {
    pub datasheet: &'a Datasheet,
    pub pattern: &'a str,
    /// The capacity, where it is among those of the datasheet; its `capacity_bytes` is the nominal one that claims name.
    pub variant: Option<&'a Variant>,
}

impl Catalogue {
    /// Of these datasheets; where two bear one name the first wins, and so it does where two match equally well.
    pub fn new(datasheets: impl IntoIterator<Item = Datasheet>) -> Self {
        Catalogue(distinct_by(datasheets, |one, other| one.name == other.name))
    }

    /// The datasheets that are part of the program.
    pub fn shipped() -> Self {
        // That every shipped file can be read is a test of this crate. They are read once: there are hundreds.
        static SHIPPED: LazyLock<Catalogue> =
            LazyLock::new(|| Catalogue::new(shipped::FILES.iter().filter_map(|(file, text)| parse(file, text).ok())));
        SHIPPED.clone()
    }

    /// With a user's own datasheets, which win over those that are there.
    #[must_use]
    pub fn with_user(self, datasheets: impl IntoIterator<Item = Datasheet>) -> Self {
        Self::new(datasheets.into_iter().chain(self.0))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Datasheet> {
        self.0.iter()
    }

    pub fn find_by_name(&self, name: &str) -> Option<&Datasheet> {
        self.0.iter().find(|sheet| sheet.name == name)
    }

    /// The datasheet of a drive by its model, else by its model behind its maker: some SCSI drives tell them apart (`Msft`, `Virtual Disk`).
    pub fn match_device(&self, facts: &DeviceFacts) -> Option<Matched<'_>> {
        let (model, capacity_bytes) = (facts.model.as_ref()?.value.as_str(), facts.capacity_bytes.value);
        let behind_maker = || self.match_drive(&format!("{} {model}", facts.vendor.as_ref()?.value), capacity_bytes);
        self.match_drive(model, capacity_bytes).or_else(behind_maker)
    }

    /// The datasheet for a model as the drive reports it, and its variant for a capacity in bytes (0: unknown). Of several
    /// patterns that match, the one with most characters of its own wins.
    pub fn match_drive(&self, model: &str, capacity_bytes: u64) -> Option<Matched<'_>> {
        let patterns = self.0.iter().flat_map(|sheet| sheet.models.iter().map(move |pattern| (sheet, pattern.as_str())));
        // Of those that are equally close the last one is taken, and the first is to win.
        let matching = patterns.rev().filter(|(_, pattern)| glob::matches(pattern, model));
        let (datasheet, pattern) = matching.max_by_key(|(_, pattern)| glob::closeness(pattern))?;
        Some(Matched { datasheet, pattern, variant: variant_of(datasheet, model, capacity_bytes) })
    }
}

/// The variant of a drive: by its own model pattern, else by the nearest nominal capacity within 3 %.
pub fn variant_of<'a>(sheet: &'a Datasheet, model: &str, capacity_bytes: u64) -> Option<&'a Variant> {
    let by_model = sheet.variants.iter().find(|v| v.models.iter().any(|pattern| glob::matches(pattern, model)));
    let off = |v: &Variant| (capacity_bytes as f64 / v.capacity_bytes as f64 - 1.0).abs();
    let by_capacity = || sheet.variants.iter().filter(|v| off(v) <= CAPACITY_TOLERANCE).min_by(|a, b| off(a).total_cmp(&off(b)));
    by_model.or_else(by_capacity)
}

/// True where a claim over the whole family gives way, on a drive of this nominal capacity, to one for just that capacity under the
/// same conditions: the family's maximum was never promised to the smaller model. False for an index that does not exist.
pub fn superseded(sheet: &Datasheet, claim: usize, capacity_bytes: Option<u64>) -> bool {
    let (Some(claim), Some(capacity)) = (sheet.claims.get(claim), capacity_bytes) else { return false };
    let closer = |other: &crate::claim::Claim| other.capacities_bytes.contains(&capacity) && check::same_conditions(claim, other);
    claim.capacities_bytes.is_empty() && sheet.claims.iter().any(closer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{DriveKind, Fact};

    fn sheet(name: &str, models: &[&str]) -> Datasheet {
        let text = format!(
            "name = \"{name}\"\nvendor = \"Acme\"\nfamily = \"One\"\nmodels = {models:?}\ninterface = \"sata\"\n\
             [[variant]]\ncapacity = \"480GB\"\n[[variant]]\ncapacity = \"500GB\"\nmodels = [\"*-HALF\"]\n\
             [[claim]]\nmetric = \"iops\"\nvalue = 90\nunit = \"kIOPS\"\nqualifier = \"up to\"\npattern = \"random\"\nmix = \"read\"\n\
             block_size = \"4KiB\"\nsource = \"x\"\nconfidence = \"high\"\n\
             [[claim]]\nmetric = \"iops\"\nvalue = 70\nunit = \"kIOPS\"\nqualifier = \"up to\"\npattern = \"random\"\nmix = \"read\"\n\
             block_size = \"4KiB\"\ncapacity = [\"480GB\"]\nsource = \"x\"\nconfidence = \"high\"\n"
        );
        parse(name, &text).unwrap()
    }

    #[test]
    fn the_closest_pattern_wins_and_then_the_user() {
        let catalogue = Catalogue::new([sheet("wide", &["ACME *"]), sheet("close", &["ACME 9*"])]);
        assert_eq!(catalogue.match_drive("ACME 9-1", 0).unwrap().datasheet.name, "close");
        assert_eq!(catalogue.match_drive("ACME 8", 0).unwrap().datasheet.name, "wide");
        assert!(catalogue.match_drive("OTHER 9", 0).is_none());
        let mine = catalogue.with_user([sheet("mine", &["ACME 9*"]), sheet("wide", &["ACME 7*"])]);
        assert_eq!(mine.match_drive("ACME 9-1", 0).unwrap().datasheet.name, "mine");
        assert!(mine.match_drive("ACME 8", 0).is_none());
        assert_eq!(mine.iter().count(), 3);
    }

    #[test]
    fn a_model_apart_from_its_maker_is_found() {
        let catalogue = Catalogue::shipped();
        let found = |vendor: Option<&str>, model: &str| {
            let mut facts = DeviceFacts::named("sda", DriveKind::Scsi, Fact::new(137_438_953_472, "size"));
            facts.vendor = vendor.map(|vendor| Fact::new(vendor.to_owned(), "device/vendor"));
            facts.model = Some(Fact::new(model.to_owned(), "device/model"));
            catalogue.match_device(&facts).map(|found| found.datasheet.name.clone())
        };
        assert_eq!(found(Some("Msft"), "Virtual Disk").as_deref(), Some("azure-virtual-disk"));
        assert_eq!(found(Some("VMware"), "Virtual disk"), None);
        assert_eq!(found(Some("Google"), "PersistentDisk").as_deref(), Some("google-persistent-disk"));
        assert_eq!(found(None, "Amazon Elastic Block Store").as_deref(), Some("aws-ebs"));
    }

    #[test]
    fn variants_go_by_model_and_then_by_capacity() {
        let catalogue = Catalogue::new([sheet("one", &["ACME*"])]);
        let nominal = |model, capacity| catalogue.match_drive(model, capacity).unwrap().variant.map(|v| v.capacity_bytes);
        assert_eq!(nominal("ACME", 480_103_981_056), Some(480_000_000_000));
        assert_eq!(nominal("ACME", 500_107_862_016), Some(500_000_000_000));
        assert_eq!(nominal("ACME-HALF", 480_103_981_056), Some(500_000_000_000));
        assert_eq!(nominal("ACME", 0), None);
        assert_eq!(nominal("ACME", 960_197_124_096), None);
    }

    #[test]
    fn a_figure_for_one_capacity_takes_the_place_of_the_familys() {
        let sheet = sheet("one", &["ACME*"]);
        assert!(superseded(&sheet, 0, Some(480_000_000_000)));
        assert!(!superseded(&sheet, 0, Some(500_000_000_000)));
        assert!(!superseded(&sheet, 1, Some(480_000_000_000)));
        assert!(!superseded(&sheet, 0, None) && !superseded(&sheet, 9, Some(1)));
    }
}
