//! What the file system knows of a file without reading it: only ever a reason to look again, never one to believe.

use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Changes within this time may leave no trace: clocks of file systems tick slowly.
const TICK: Duration = Duration::from_secs(2);

/// What is known of a file. A restored modification time shows in `changed`, a file put in the place of another in `inode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FileStamp {
    size: u64,
    /// In nanoseconds, as all times here.
    modified: u64,
    changed: u64,
    device: u64,
    inode: u64,
}

impl FileStamp {
    /// Of a file, or of what a link leads to.
    pub fn of(path: &Path) -> std::io::Result<FileStamp> {
        let data = std::fs::metadata(path)?;
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let modified = since(data.modified()?).as_nanos() as u64;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let changed =
                (data.ctime() as u64).wrapping_mul(1_000_000_000).wrapping_add(data.ctime_nsec() as u64);
            Ok(FileStamp { size: data.len(), modified, changed, device: data.dev(), inode: data.ino() })
        }
        #[cfg(not(unix))]
        Ok(FileStamp { size: data.len(), modified, changed: modified, device: 0, inode: 0 })
    }

    /// It was left alone long enough: a change from now on gives it another stamp.
    pub fn is_settled(&self) -> bool {
        let latest = Duration::from_nanos(self.changed.max(self.modified));
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH + latest).is_ok_and(|age| age >= TICK)
    }

    /// The later one of its times.
    pub fn latest(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_nanos(self.changed.max(self.modified))
    }

    /// For a hash.
    pub fn to_bytes(self) -> [u8; 40] {
        let mut bytes = [0; 40];
        let values = [self.size, self.modified, self.changed, self.device, self.inode];
        for (place, value) in bytes.chunks_exact_mut(8).zip(values) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_kept_time_is_no_kept_stamp() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        std::fs::write(&file, "1").expect("a file");
        let (before, time) = (
            FileStamp::of(&file).expect("a stamp"),
            std::fs::metadata(&file).and_then(|m| m.modified()).expect("a time"),
        );
        assert!(!before.is_settled(), "it was written just now");
        std::thread::sleep(Duration::from_millis(30));
        std::fs::write(&file, "2").expect("a file");
        std::fs::File::options().write(true).open(&file).and_then(|f| f.set_modified(time)).expect("a time");
        let after = FileStamp::of(&file).expect("a stamp");
        assert_eq!((before.size, before.modified), (after.size, after.modified));
        assert_ne!(before, after);
    }
}
