//! The designators of the Device Identification page (83h): the names of the unit, its device and its port (SPC-5).

use super::{hex, text};
use crate::pages::{Field, Value, field};

const UNIT: u8 = 0;
const PORT: u8 = 1;
const DEVICE: u8 = 2;

type Designator = (u8, u8, &'static str, &'static str, fn(&[u8]) -> Option<String>);

const KINDS: &[Designator] = &[
    (UNIT, 0x3, "wwn", "world wide name", name),
    (UNIT, 0x2, "eui64", "EUI-64", name),
    (UNIT, 0x1, "t10_vendor_id", "T10 vendor identification", text),
    (UNIT, 0x0, "vendor_specific_id", "the maker's own identification", text),
    (UNIT, 0x8, "scsi_name", "SCSI name", text),
    (UNIT, 0xa, "uuid", "UUID", uuid),
    (PORT, 0x3, "port_wwn", "world wide name of the port", name),
    (PORT, 0x4, "port_number", "relative number of the port", number),
    (DEVICE, 0x3, "device_wwn", "world wide name of the device", name),
    (DEVICE, 0x8, "device_scsi_name", "SCSI name of the device", text),
];

const PROTOCOLS: [&str; 12] =
    ["Fibre Channel", "parallel SCSI", "SSA", "IEEE 1394", "RDMA", "iSCSI", "SAS", "ADT", "ATA", "USB attached", "SCSI over PCIe", "PCIe"];

pub(super) fn designators(body: &[u8]) -> (Vec<Field>, Vec<String>) {
    let (mut fields, mut rest, mut at) = (Vec::<Field>::new(), body, 4);
    while let [codes, kind, _, length, ..] = *rest {
        let end = 4 + usize::from(length);
        let Some(own) = rest.get(4..end) else {
            return (fields, vec![format!("the designator at byte {at} is cut")]);
        };
        for found in one(codes, kind, own, at) {
            if !fields.iter().any(|field| field.key == found.key) {
                fields.push(found);
            }
        }
        (rest, at) = (&rest[end..], at + end);
    }
    let problems = if rest.is_empty() { vec![] } else { vec![format!("bytes at its end that are no designator: {}", rest.len())] };
    (fields, problems)
}

fn one(codes: u8, kind: u8, own: &[u8], at: usize) -> Vec<Field> {
    let (association, designator) = (kind >> 4 & 3, kind & 0xf);
    let source = format!("VPD page 83h, designator at byte {at} (SCSI Primary Commands 5 (SPC-5), Device Identification VPD page)");
    let known = KINDS.iter().find(|(whose, which, ..)| (*whose, *which) == (association, designator));
    let name = known.and_then(|(_, _, key, title, read)| Some(field(key, title, Value::Text(read(own)?), "", source.clone())));
    // PIV says that the protocol identifier means something, which it does of ports and devices only.
    let protocol = PROTOCOLS.get(usize::from(codes >> 4)).filter(|_| kind & 0x80 != 0 && association != UNIT);
    let protocol = protocol.map(|name| field("scsi_transport", "transport", Value::Text((*name).to_owned()), "", source));
    name.into_iter().chain(protocol).collect()
}

/// Names of 8, 12 or 16 bytes in hexadecimal digits; no name is all zeros.
fn name(own: &[u8]) -> Option<String> {
    (matches!(own.len(), 8 | 12 | 16) && own.iter().any(|byte| *byte != 0)).then(|| hex(own))
}

fn number(own: &[u8]) -> Option<String> {
    (own.len() == 4).then(|| u16::from_be_bytes([own[2], own[3]]).to_string())
}

fn uuid(own: &[u8]) -> Option<String> {
    (own.len() == 18).then(|| hex(&own[2..]))
}
