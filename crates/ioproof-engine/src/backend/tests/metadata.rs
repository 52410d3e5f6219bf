//! Calls that move no data: what becomes of the file.

use super::*;
use std::os::unix::fs::MetadataExt;

/// The backend that stands in for this engine of fio, on a file of four blocks without space of its own.
fn on_a_sparse_file(engine: &str) -> (BackendBench, Box<dyn AnyBackend>, File) {
    let target = tempfile::tempfile().unwrap();
    target.set_len(4 * u64::from(BLOCK)).unwrap();
    let choice = BackendChoice::for_fio(engine).unwrap();
    let bench = BackendBench::new(choice, &[&target], 4 * u64::from(BLOCK));
    let backend = bench.backend(choice);
    (bench, backend, target)
}

#[test]
fn space_is_set_aside_the_file_extended_and_holes_are_punched() {
    let (_bench, mut backend, target) = on_a_sparse_file("falloc");
    let size = || (target.metadata().unwrap().len(), target.metadata().unwrap().blocks() * 512 >= u64::from(BLOCK));
    assert_eq!(backend.run(&[io(IoOperation::Read, 0, 8)]), [BLOCK as i32]);
    assert_eq!(size(), (4 * u64::from(BLOCK), true), "a read keeps the length");
    assert_eq!(backend.run(&[io(IoOperation::Write, 0, 4)]), [BLOCK as i32]);
    assert_eq!(size().0, 5 * u64::from(BLOCK), "a write extends");
    target.write_all_at(&[7; 2 * BLOCK as usize], 0).unwrap();
    assert_eq!(backend.run(&[io(IoOperation::Trim, 0, 1)]), [0]);
    assert_eq!(size().0, 5 * u64::from(BLOCK));
    assert_eq!(content(&target, 2 * BLOCK as usize), [[7; BLOCK as usize], [0; BLOCK as usize]].concat());
    assert_eq!(backend.run(&[sync(IoOperation::Fsync)]), [0]);
}

#[test]
fn a_file_is_cut_at_the_offset_of_a_write() {
    let (_bench, mut backend, target) = on_a_sparse_file("ftruncate");
    for block in [3, 1, 2] {
        assert_eq!(backend.run(&[io(IoOperation::Write, 0, block)]), [BLOCK as i32]);
        assert_eq!(target.metadata().unwrap().len(), block * u64::from(BLOCK));
    }
    assert_eq!(backend.run(&[io(IoOperation::Read, 0, 0)]), [-libc::EINVAL]);
}

#[test]
fn a_device_has_no_space_to_set_aside() {
    let null = File::options().read(true).write(true).open("/dev/null").unwrap();
    let choice = BackendChoice::for_fio("falloc").unwrap();
    let bench = BackendBench::new(choice, &[&null], 4 * u64::from(BLOCK));
    let mut backend = bench.backend(choice);
    assert!(backend.run(&[io(IoOperation::Write, 0, 0)])[0] < 0);
}
