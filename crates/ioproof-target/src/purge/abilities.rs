//! The methods by which a drive can be purged, and the choice among them.

use super::admin::{self, CommandError};
use super::command::{Command, IDENTIFY_BYTES};
use super::status::SanitizeAction;
use super::{OpenDisk, PurgeMethod};
use crate::block;
use crate::block::serial::siblings;
use crate::error::TargetError;
use crate::system::System;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// Methods of a drive, and whether what is permitted covers it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Abilities {
    pub is_nvme: bool,
    pub sanitize: Option<SanitizeAction>,
    /// True where it sanitizes by overwriting alone, after which it is full.
    pub only_overwrites: bool,
    pub formats: bool,
    /// True where a format or its erase goes over all namespaces.
    pub format_reaches_all: bool,
    pub discards: bool,
    /// True where all its namespaces are permitted.
    pub covers_all: bool,
}

/// Identify Controller, as far as it is about purges: OACS, SANICAP, FNA (Base Specification 2.0c, figure 275).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Controller {
    formats: bool,
    sanitize: u8,
    format: u8,
}

impl Controller {
    fn of(page: &[u8; IDENTIFY_BYTES]) -> Self {
        Self { formats: page[256] & 1 << 1 != 0, sanitize: page[328] & 7, format: page[524] }
    }

    pub(super) fn sanitizes(self) -> bool {
        self.sanitize != 0
    }
}

pub(super) fn controller(fd: BorrowedFd<'_>) -> Result<Controller, CommandError> {
    let mut page = [0; IDENTIFY_BYTES];
    admin::send(fd, Command::IdentifyController, None, &mut page)?;
    Ok(Controller::of(&page))
}

/// A choice that cannot be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoMethod {
    text: String,
    hint: Option<&'static str>,
}

impl NoMethod {
    pub(super) fn of(self, path: &Path) -> TargetError {
        match self.hint {
            Some(hint) => TargetError::unsuitable_hint(path, self.text, hint),
            None => TargetError::unsuitable(path, self.text),
        }
    }
}

impl Abilities {
    pub(super) fn of(system: &System, disks: &[OpenDisk<'_>]) -> Result<Self, TargetError> {
        let is_permitted = |name: &String| disks.iter().any(|disk| disk.name == *name);
        let takes_discards = |disk: &OpenDisk<'_>| {
            let most = block::attribute(system, &disk.name, "queue/discard_max_bytes").and_then(|text| text.parse::<u64>().ok());
            most.is_some_and(|bytes| bytes > 0)
        };
        let first = &disks[0];
        let others_are_of_it = disks[1..].iter().all(|disk| siblings(system, &first.name).contains(&disk.name));
        if !others_are_of_it {
            return Err(TargetError::unsuitable(&first.path, "is not of the same drive as the others"));
        }
        let plain = Self {
            discards: disks.iter().all(takes_discards),
            covers_all: siblings(system, &first.name).iter().all(is_permitted),
            ..Self::default()
        };
        if !block::is_nvme_namespace(system, &first.name) {
            return Ok(plain);
        }
        let asked = controller(first.handle.as_fd());
        let controller = asked.map_err(|error| TargetError::unsuitable(&first.path, format!("does not say what it can: {error}")))?;
        Ok(plain.with(controller))
    }

    fn with(self, controller: Controller) -> Self {
        /// Bits of SANICAP and FNA.
        const CRYPTO: u8 = 1;
        const BLOCK: u8 = 2;
        const OVERWRITE: u8 = 4;
        const ALL_NAMESPACES: u8 = 3;
        let sanitize = match controller.sanitize {
            bits if bits & BLOCK != 0 => Some(SanitizeAction::BlockErase),
            bits if bits & CRYPTO != 0 => Some(SanitizeAction::CryptoErase),
            _ => None,
        };
        Self {
            is_nvme: true,
            sanitize,
            only_overwrites: sanitize.is_none() && controller.sanitize & OVERWRITE != 0,
            formats: controller.formats,
            format_reaches_all: controller.format & ALL_NAMESPACES != 0,
            ..self
        }
    }

    /// The method that was asked for, else the strongest that reaches nothing but what is permitted.
    pub(super) fn choose(&self, asked: Option<PurgeMethod>) -> Result<PurgeMethod, NoMethod> {
        const ALL: [PurgeMethod; 3] = [PurgeMethod::Sanitize, PurgeMethod::Format, PurgeMethod::Discard];
        match asked {
            Some(method) => self.against(method).map_or(Ok(method), Err),
            None => ALL.into_iter().find(|method| self.against(*method).is_none()).ok_or_else(|| NoMethod {
                text: "cannot be purged: it takes no sanitize and no format that reaches only what was named, and no discards".into(),
                hint: None,
            }),
        }
    }

    /// The reason against a method.
    fn against(&self, method: PurgeMethod) -> Option<NoMethod> {
        let name = method.name();
        let lacks = |text: String| Some(NoMethod { text, hint: Some("leave out --method: the strongest that it has is taken") });
        let reaches_all = match method {
            PurgeMethod::Discard if !self.discards => return lacks("takes no discards (discard_max_bytes is 0)".into()),
            PurgeMethod::Discard => false,
            _ if !self.is_nvme => {
                let text = format!("is no NVMe drive, and only those are purged by {name}; ATA and SCSI drives are discarded");
                return Some(NoMethod { text, hint: Some("--method discard") });
            }
            PurgeMethod::Sanitize if self.only_overwrites => {
                return lacks("sanitizes itself by overwriting alone, after which it is full and not fresh".into());
            }
            PurgeMethod::Sanitize if self.sanitize.is_none() => return lacks("has no sanitize, by its own account".into()),
            PurgeMethod::Format if !self.formats => return lacks("has no format, by its own account".into()),
            PurgeMethod::Sanitize => true,
            PurgeMethod::Format => self.format_reaches_all,
        };
        let hint = Some("name the drive by its serial number, or take another --method");
        (reaches_all && !self.covers_all)
            .then(|| NoMethod { text: format!("is one of several namespaces, and a {name} erases all of them"), hint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PurgeMethod::{Discard, Format, Sanitize};

    /// A drive with these bytes in its identify data: OACS, SANICAP, FNA.
    fn drive(oacs: u8, sanicap: u8, fna: u8, covers_all: bool) -> Abilities {
        let mut page = [0; IDENTIFY_BYTES];
        (page[256], page[328], page[524]) = (oacs, sanicap, fna);
        Abilities { discards: true, covers_all, ..Abilities::default() }.with(Controller::of(&page))
    }

    fn refused(abilities: &Abilities, method: PurgeMethod) -> String {
        abilities.choose(Some(method)).unwrap_err().text
    }

    #[test]
    fn the_strongest_method_is_taken() {
        assert_eq!(drive(2, 3, 0, true).choose(None), Ok(Sanitize));
        assert_eq!(drive(2, 3, 0, true).sanitize, Some(SanitizeAction::BlockErase));
        assert_eq!(drive(2, 1, 0, true).sanitize, Some(SanitizeAction::CryptoErase));
        assert_eq!(drive(2, 4, 0, true).choose(None), Ok(Format), "an overwritten drive is full");
        assert_eq!(drive(0, 0, 0, true).choose(None), Ok(Discard));
        assert_eq!(drive(2, 3, 0, true).choose(Some(Discard)), Ok(Discard));
        assert!(Abilities { covers_all: true, ..Abilities::default() }.choose(None).unwrap_err().text.contains("cannot be purged"));
    }

    #[test]
    fn nothing_reaches_beyond_what_was_named() {
        let one_of_two = drive(2, 3, 1, false);
        assert_eq!(one_of_two.choose(None), Ok(Discard));
        assert!(refused(&one_of_two, Sanitize).contains("a sanitize erases all of them"));
        assert!(refused(&one_of_two, Format).contains("a format erases all of them"));
        assert_eq!(drive(2, 3, 0, false).choose(None), Ok(Format), "which is of one namespace here");
    }

    #[test]
    fn a_method_that_is_not_there_is_refused_with_the_reason() {
        assert!(refused(&drive(2, 0, 0, true), Sanitize).contains("no sanitize"));
        assert!(refused(&drive(2, 4, 0, true), Sanitize).contains("overwriting alone"));
        assert!(refused(&drive(0, 0, 0, true), Format).contains("no format"));
        let sata = Abilities { discards: true, covers_all: true, ..Abilities::default() };
        assert!(refused(&sata, Sanitize).contains("no NVMe drive") && refused(&sata, Format).contains("no NVMe drive"));
        assert!(refused(&Abilities { discards: false, ..sata }, Discard).contains("no discards"));
    }
}
