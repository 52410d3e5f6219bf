//! The ioctls of vfio (include/uapi/linux/vfio.h) that the driver uses, each behind a safe function.

use crate::error::Error;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;

/// `_IO(VFIO_TYPE, VFIO_BASE + number)`.
const fn request(number: libc::Ioctl) -> libc::Ioctl {
    0x3b << 8 | (100 + number)
}

const GET_API_VERSION: libc::Ioctl = request(0);
const CHECK_EXTENSION: libc::Ioctl = request(1);
const SET_IOMMU: libc::Ioctl = request(2);
const GROUP_GET_STATUS: libc::Ioctl = request(3);
const GROUP_SET_CONTAINER: libc::Ioctl = request(4);
const GROUP_GET_DEVICE_FD: libc::Ioctl = request(6);
const DEVICE_GET_REGION_INFO: libc::Ioctl = request(8);
const IOMMU_MAP_DMA: libc::Ioctl = request(13);
const IOMMU_UNMAP_DMA: libc::Ioctl = request(14);

/// `VFIO_TYPE1v2_IOMMU`.
const TYPE1_V2: libc::c_ulong = 3;
/// `VFIO_GROUP_FLAGS_VIABLE`.
const VIABLE: u32 = 1;
/// `VFIO_REGION_INFO_FLAG_MMAP`.
pub(super) const MAPPABLE: u32 = 1 << 2;
/// `VFIO_DMA_MAP_FLAG_READ` and `_WRITE`.
const READ_AND_WRITE: u32 = 3;

/// `VFIO_PCI_BAR0_REGION_INDEX`.
pub(super) const BAR0: u32 = 0;
/// `VFIO_PCI_CONFIG_REGION_INDEX`.
pub(super) const CONFIGURATION: u32 = 7;

/// `struct vfio_group_status`.
#[repr(C)]
#[derive(Default)]
struct GroupStatus {
    argsz: u32,
    flags: u32,
}

/// `struct vfio_region_info`.
#[repr(C)]
#[derive(Default)]
pub(super) struct Region {
    argsz: u32,
    pub(super) flags: u32,
    index: u32,
    cap_offset: u32,
    /// Bytes.
    pub(super) size: u64,
    /// Within the device's descriptor. Bytes.
    pub(super) offset: u64,
}

/// `struct vfio_iommu_type1_dma_map`.
#[repr(C)]
struct DmaMap {
    argsz: u32,
    flags: u32,
    vaddr: u64,
    iova: u64,
    size: u64,
}

/// `struct vfio_iommu_type1_dma_unmap`.
#[repr(C)]
struct DmaUnmap {
    argsz: u32,
    flags: u32,
    iova: u64,
    size: u64,
}

const _: () = assert!(size_of::<Region>() == 32 && size_of::<DmaMap>() == 32 && size_of::<DmaUnmap>() == 24);

/// Sends a request with a number.
fn send(fd: &OwnedFd, request: libc::Ioctl, number: libc::c_ulong) -> io::Result<i32> {
    // SAFETY: the requests that are sent so take a number and touch no memory of this process.
    given(unsafe { libc::ioctl(fd.as_raw_fd(), request, number) })
}

/// Sends a request with a structure.
///
/// # Safety
/// `argument` is the structure of the request.
unsafe fn exchange<T>(fd: &OwnedFd, request: libc::Ioctl, argument: &mut T) -> io::Result<i32> {
    // SAFETY: the structure is valid for the call and, as demanded of the caller, the one that the kernel expects.
    given(unsafe { libc::ioctl(fd.as_raw_fd(), request, std::ptr::from_mut(argument)) })
}

fn given(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Refuses a kernel whose vfio this program does not know, and a host without an IOMMU.
pub(super) fn check(container: &OwnedFd) -> Result<(), Error> {
    if send(container, GET_API_VERSION, 0).map_err(Error::system("ask vfio for its version"))? != 0 {
        return Err(Error::Unfit("the vfio of this kernel has another version".to_owned()));
    }
    match send(container, CHECK_EXTENSION, TYPE1_V2) {
        Ok(1) => Ok(()),
        _ => Err(Error::Unfit(
            "vfio has no IOMMU here: load vfio_iommu_type1, and turn the IOMMU on (firmware, `intel_iommu=on`)".to_owned(),
        )),
    }
}

/// True where the kernel uses no device of the group.
pub(super) fn is_viable(group: &OwnedFd) -> Result<bool, Error> {
    let mut status = GroupStatus { argsz: size_of::<GroupStatus>() as u32, flags: 0 };
    // SAFETY: the structure of the request.
    unsafe { exchange(group, GROUP_GET_STATUS, &mut status) }.map_err(Error::system("ask for the state of the IOMMU group"))?;
    Ok(status.flags & VIABLE != 0)
}

/// Puts the group into the container and chooses the IOMMU's interface.
pub(super) fn join(group: &OwnedFd, container: &OwnedFd) -> Result<(), Error> {
    let mut number = container.as_raw_fd();
    // SAFETY: the request takes a descriptor by its address.
    unsafe { exchange(group, GROUP_SET_CONTAINER, &mut number) }.map_err(Error::system("take the IOMMU group"))?;
    send(container, SET_IOMMU, TYPE1_V2).map(drop).map_err(Error::system("use the IOMMU"))
}

/// The device of a group by its address.
pub(super) fn device(group: &OwnedFd, address: &str) -> Result<OwnedFd, Error> {
    let name = CString::new(address).map_err(|_| Error::Unfit("a PCI address with a zero in it".to_owned()))?;
    // SAFETY: the request takes a name that ends with a zero and is valid for the call.
    let fd = given(unsafe { libc::ioctl(group.as_raw_fd(), GROUP_GET_DEVICE_FD, name.as_ptr()) });
    let fd = fd.map_err(Error::system("open the device through vfio"))?;
    // SAFETY: the kernel made the descriptor for this process alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A region of a device.
pub(super) fn region(device: &OwnedFd, index: u32) -> Result<Region, Error> {
    let mut region = Region { argsz: size_of::<Region>() as u32, index, ..Region::default() };
    // SAFETY: the structure of the request.
    unsafe { exchange(device, DEVICE_GET_REGION_INFO, &mut region) }.map_err(Error::system("ask for a region of the device"))?;
    Ok(region)
}

/// Lets devices of the container reach memory.
pub(super) fn map(container: &OwnedFd, start: NonNull<u8>, iova: u64, size: u64) -> io::Result<()> {
    let vaddr = start.addr().get() as u64;
    let mut map = DmaMap { argsz: size_of::<DmaMap>() as u32, flags: READ_AND_WRITE, vaddr, iova, size };
    // SAFETY: the structure of the request. The kernel pins the pages, so they stay even where this process unmaps them.
    unsafe { exchange(container, IOMMU_MAP_DMA, &mut map) }.map(drop)
}

/// Takes memory away from devices of the container.
pub(super) fn unmap(container: &OwnedFd, iova: u64, size: u64) -> io::Result<()> {
    let mut unmap = DmaUnmap { argsz: size_of::<DmaUnmap>() as u32, flags: 0, iova, size };
    // SAFETY: the structure of the request.
    unsafe { exchange(container, IOMMU_UNMAP_DMA, &mut unmap) }.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_those_of_the_header() {
        assert_eq!((GET_API_VERSION, GROUP_GET_DEVICE_FD, DEVICE_GET_REGION_INFO, IOMMU_MAP_DMA), (0x3b64, 0x3b6a, 0x3b6c, 0x3b71));
    }

    #[test]
    fn a_file_that_is_not_of_vfio_is_refused() {
        let file: OwnedFd = tempfile::tempfile().unwrap().into();
        let error = check(&file).unwrap_err().to_string();
        assert!(error.starts_with("cannot ask vfio for its version"), "{error}");
        assert!(is_viable(&file).is_err() && join(&file, &file).is_err() && device(&file, "0000:04:00.0").is_err());
    }
}
