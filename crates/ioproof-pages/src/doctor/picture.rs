//! The machine that is to measure, and the ways to its drives, as pages.

use crate::field::Page;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HostPicture {
    pub host: Vec<Page>,
    pub drives: Vec<DriveWay>,
    /// Layers between a target and its drives: loop devices, device-mapper, md. Each with the page `queue`.
    #[serde(default)]
    pub layers: Vec<DriveWay>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DriveWay {
    pub name: String,
    pub pages: Vec<Page>,
}
