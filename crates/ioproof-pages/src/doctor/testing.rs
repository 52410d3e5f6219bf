//! For tests: a machine with one drive, `nvme0n1`, described by a few fields, and what one rule says of it.

use super::{DriveWay, HostPicture, examine};
use crate::field::Value;
use crate::testing::page;
pub(super) use crate::testing::{fields, list, number, text};
use ioproof_core::finding::Finding;

pub(super) fn picture(host: &[(&str, Value)], drive: &[(&str, Value)]) -> HostPicture {
    HostPicture { host: vec![page(host)], drives: vec![DriveWay { name: "nvme0n1".into(), pages: vec![page(drive)] }], layers: Vec::new() }
}

pub(super) fn with_layer(name: &str, fields: &[(&str, Value)]) -> HostPicture {
    HostPicture { layers: vec![DriveWay { name: name.into(), pages: vec![page(fields)] }], ..picture(&[], &[]) }
}

pub(super) fn on_layer(rule: &str, name: &str, fields: &[(&str, Value)]) -> Vec<Finding> {
    examine(&with_layer(name, fields)).into_iter().filter(|advice| advice.rule == rule).collect()
}

pub(super) fn said(rule: &str, host: &[(&str, Value)], drive: &[(&str, Value)]) -> Vec<Finding> {
    examine(&picture(host, drive)).into_iter().filter(|advice| advice.rule == rule).collect()
}
