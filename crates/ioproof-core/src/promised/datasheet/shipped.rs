//! The datasheets that are part of the program. A test compares the table with the folder `datasheets/`.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$((concat!($name, ".toml"), include_str!(concat!("../../../../../datasheets/", $name, ".toml")))),*]
    };
}

/// File name and text of each.
pub(super) const FILES: &[(&str, &str)] = files![
    "intel-d7-p5500",
    "intel-d7-p5600",
    "intel-dc-p3600",
    "intel-dc-p3700",
    "intel-dc-p4500",
    "intel-dc-s3700",
    "intel-dc-s4500",
    "intel-dc-s4600",
    "intel-optane-p4800x",
    "kingston-dc600m",
    "kioxia-cd6-r",
    "kioxia-cd6-v",
    "kioxia-cm6-r",
    "kioxia-cm6-v",
    "mangstor-mx6300",
    "memblaze-pblaze4",
    "micron-7400-m2",
    "micron-7400-u3",
    "micron-7450",
    "micron-7600-max",
    "micron-9100-max",
    "micron-9200",
    "micron-9550-max",
    "samsung-970-evo-plus",
    "samsung-980-pro",
    "samsung-980",
    "samsung-bm1743",
    "samsung-pm1725a-card",
    "samsung-pm1725a-u2",
    "samsung-pm1733",
    "samsung-pm9a3-e1s",
    "samsung-pm9a3-m2",
    "samsung-pm9a3-u2",
    "solidigm-d5-p5336",
    "solidigm-d7-p5810",
];
