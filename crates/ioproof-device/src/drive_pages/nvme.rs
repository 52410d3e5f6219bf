//! Asks an NVMe drive for all that it says of itself: one page a command, decoded by the tables of the core.
//!
//! Optional pages are asked for only where Identify Controller, or the log of supported log pages, lists them, because drives count a command that they do
//! not know as an error. A command that fails leaves a page without fields that says why; the others come all the same.

use crate::transport::{DeviceNode, NvmeAnswer, NvmeCommand, NvmeRefusal, NvmeTransport, ReadError};
use ioproof_pages::field::{Page, Value};
use ioproof_pages::pages::nvme::{self, Capabilities, Feature, capabilities, status_text};
use ioproof_pages::pages::{decode, field};
use ioproof_target::System;
use std::path::Path;

/// All pages of the drive behind a node (`/dev/nvme0`, `/dev/nvme0n1`, `/dev/ng0n1`), the controller's first and then those of the node's own namespace.
///
/// # Errors
/// When the node is not NVMe, or cannot be opened or asked.
pub fn nvme_pages(system: &System, node: &Path) -> Result<Vec<Page>, ReadError> {
    nvme_pages_over(&mut DeviceNode::open(system, node)?)
}

/// The same through any transport.
///
/// # Errors
/// When this user may not ask anything.
pub fn nvme_pages_over(transport: &mut dyn NvmeTransport) -> Result<Vec<Page>, ReadError> {
    let mut reader = NvmeReader { transport, pages: Vec::new(), denied: Vec::new() };
    let controller = reader.data(NvmeCommand::IdentifyController, |bytes, source| decode(&nvme::CONTROLLER, bytes, source));
    let capabilities = controller.map_or_else(of_an_unknown_controller, |page| capabilities(&page));
    reader.namespaces(&capabilities);
    reader.logs(&capabilities);
    reader.features(&capabilities);
    reader.finish()
}

/// A controller that does not identify itself is asked for what every one since 1.1 has.
fn of_an_unknown_controller() -> Capabilities {
    Capabilities { version: (1, 1), ..capabilities(&[]) }
}

struct NvmeReader<'a> {
    transport: &'a mut dyn NvmeTransport,
    pages: Vec<Page>,
    /// Pages that this user may not read.
    denied: Vec<&'static str>,
}

/// Namespaces that are looked at where the controller cannot list them; such controllers are older than 1.1 and had one or two.
const UNLISTED_NAMESPACES_MAX: u32 = 16;

impl NvmeReader<'_> {
    /// Sends a command, adds the page that `read` makes of its data, and returns the data.
    fn data(&mut self, command: NvmeCommand, read: impl FnOnce(&[u8], String) -> Page) -> Option<Vec<u8>> {
        let source = format!("{command} of {}", self.transport.name());
        match self.transport.ask(command) {
            Ok(answer) => {
                let bytes = bytes_of(command, answer);
                self.pages.push(read(&bytes, source));
                Some(bytes)
            }
            Err(NvmeRefusal::NotPermitted) => {
                self.denied.push(command.page_name());
                None
            }
            Err(refusal) => {
                let problems = vec![reason(&refusal)];
                self.pages.push(Page { name: command.page_name().to_owned(), source, problems, ..Page::default() });
                None
            }
        }
    }

    /// The namespaces, that of the node first, so that its fields are found before those of its neighbours.
    fn namespaces(&mut self, capabilities: &Capabilities) {
        let own = self.transport.namespace();
        let mut ids = if capabilities.version >= (1, 1) { self.active_namespaces() } else { None }
            .unwrap_or_else(|| (1..=capabilities.namespace_max.min(UNLISTED_NAMESPACES_MAX)).collect());
        if let Some(own) = own {
            ids.retain(|id| *id != own);
            ids.insert(0, own);
        }
        for id in ids {
            self.data(NvmeCommand::IdentifyNamespace(id), |bytes, source| of_namespace(id, nvme::namespace(bytes, source)));
            if capabilities.version >= (1, 3) {
                self.data(NvmeCommand::NamespaceDescriptors(id), |bytes, source| of_namespace(id, nvme::descriptors(bytes, source)));
            }
            if capabilities.extended_formats {
                self.data(NvmeCommand::IdentifyNamespaceNvm(id), |bytes, source| {
                    of_namespace(id, decode(&nvme::NAMESPACE_NVM, bytes, source))
                });
            }
        }
    }

    /// Controllers since 2.0 have command sets, and earlier ones whose namespaces name theirs.
    fn has_command_sets(&self, capabilities: &Capabilities) -> bool {
        capabilities.version >= (2, 0) || self.pages.iter().any(|page| page.text("command_set").is_some())
    }

    fn active_namespaces(&mut self) -> Option<Vec<u32>> {
        let list = self.data(NvmeCommand::ActiveNamespaces, nvme::namespace_list)?;
        Some(nvme::namespace_ids(&list).collect())
    }

    fn logs(&mut self, capabilities: &Capabilities) {
        if self.has_command_sets(capabilities) {
            self.data(NvmeCommand::IdentifyControllerNvm, |bytes, source| decode(&nvme::CONTROLLER_NVM, bytes, source));
        }
        let listed = if capabilities.supported_logs { self.supported_logs() } else { None };
        self.data(NvmeCommand::SmartLog, nvme::smart_log);
        self.data(NvmeCommand::ErrorLog(error_entries(capabilities)), nvme::error_log);
        self.data(NvmeCommand::FirmwareLog, |bytes, source| decode(&nvme::FIRMWARE_LOG, bytes, source));
        const SELF_TEST_LOG: u8 = 6;
        if listed.map_or(capabilities.self_test, |logs| logs.contains(&SELF_TEST_LOG)) {
            self.data(NvmeCommand::SelfTestLog, |bytes, source| decode(&nvme::SELF_TEST_LOG, bytes, source));
        }
    }

    fn supported_logs(&mut self) -> Option<Vec<u8>> {
        let list = self.data(NvmeCommand::SupportedLogs, nvme::supported_logs)?;
        Some(nvme::supported_log_ids(&list).collect())
    }

    fn features(&mut self, capabilities: &Capabilities) {
        let wanted = [
            (Feature::PowerManagement, true),
            (Feature::TemperatureOver, true),
            (Feature::TemperatureUnder, capabilities.version >= (1, 2)),
            (Feature::VolatileWriteCache, capabilities.write_cache),
            (Feature::Queues, true),
            (Feature::HostMemoryBuffer, capabilities.host_memory_buffer),
            (Feature::ThermalManagement, capabilities.thermal_management),
        ];
        for (feature, _) in wanted.into_iter().filter(|(_, is_there)| *is_there) {
            self.data(NvmeCommand::Feature(feature), |bytes, source| nvme::feature(feature, bytes, source));
        }
    }

    fn finish(mut self) -> Result<Vec<Page>, ReadError> {
        let node = self.transport.name();
        self.denied.dedup();
        let denied = self.denied.join(", ");
        match self.pages.first_mut() {
            None => return Err(ReadError::NotPermitted(node.into())),
            Some(first) if !denied.is_empty() => {
                first.problems.push(format!("this user may not read all of {node}; root would add {denied}"))
            }
            Some(_) => {}
        }
        Ok(self.pages)
    }
}

/// The value of a feature is in the completion and comes before its data.
fn bytes_of(command: NvmeCommand, answer: NvmeAnswer) -> Vec<u8> {
    match command {
        NvmeCommand::Feature(_) => [&answer.result.to_le_bytes()[..], &answer.data].concat(),
        _ => answer.data,
    }
}

fn reason(refusal: &NvmeRefusal) -> String {
    match refusal {
        NvmeRefusal::NotPermitted => "this user may not read it".to_owned(),
        NvmeRefusal::Status(status) => format!("the drive refused: {} (status {:#05x})", status_text(*status), status & 0x7ff),
        NvmeRefusal::System(reason) => format!("could not be read: {reason}"),
    }
}

/// Pages of several namespaces have the same fields, so each says whose they are.
fn of_namespace(id: u32, mut page: Page) -> Page {
    let source = page.source.clone();
    page.fields.insert(0, field("namespace_id", "namespace", Value::Number(id.into()), "", source));
    page
}

/// As many entries as the log holds and a transfer takes.
fn error_entries(capabilities: &Capabilities) -> u16 {
    let most = capabilities.max_transfer_bytes.map_or(usize::MAX, |bytes| bytes / nvme::ERROR_ENTRY_BYTES);
    u16::try_from(capabilities.error_entries.min(most)).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
