//! What tour keeps for later runs, and believes then: files that carry a tag which only this user's key makes. One that was
//! changed, cut off, copied from elsewhere or put in the place of another is as none.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use tour::protocol::write_atomically;

/// The first line of a sealed file, with the version of its form.
const FORM: &str = "tour sealed 1";

/// What makes and checks tags.
pub struct Seal {
    /// `None` if there is no place for a key: then nothing is kept.
    key: Option<[u8; 32]>,
    /// Why there is none.
    missing: String,
}

/// Why a file is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no key to look at it with.
    NoKey,
    /// It is in another form: of another version, or cut off.
    Form,
    /// Its tag does not fit: it was changed, moved, or written with another key.
    Tag,
    /// What is in it is not what was expected.
    Content,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Refused::NoKey => "there is no key to check it with",
            Refused::Form => "it is cut off, or of another version",
            Refused::Tag => "it was changed, or not written by this user on this machine",
            Refused::Content => "it is of another version",
        })
    }
}

impl Seal {
    /// With the key of this user, which is made if there is none.
    pub fn of_user() -> Seal {
        let made = match folder() {
            Some(folder) => {
                key(&folder).map_err(|error| format!("no key in `{}`: {error}", folder.display()))
            }
            None => Err("no folder for a key: neither XDG_STATE_HOME nor HOME is set".to_owned()),
        };
        match made {
            Ok(key) => Seal { key: Some(key), missing: String::new() },
            Err(missing) => Seal { key: None, missing },
        }
    }

    /// Why nothing can be kept.
    pub fn missing(&self) -> Option<&str> {
        self.key.is_none().then_some(&self.missing)
    }

    /// Writes a value under a name: the file is believed under this name alone.
    pub fn write(&self, path: &Path, name: &str, value: &impl Serialize) -> std::io::Result<()> {
        let Some(key) = &self.key else { return Ok(()) };
        let content = serde_json::to_vec(value)?;
        let mut bytes = format!("{FORM}\n{}\n", tag(key, name, &content).to_hex()).into_bytes();
        bytes.extend(content);
        write_atomically(path, &bytes)
    }

    /// Reads what was written under this name; `None` if there is no file.
    pub fn read<T: DeserializeOwned>(&self, path: &Path, name: &str) -> Result<Option<T>, Refused> {
        let Ok(bytes) = std::fs::read(path) else { return Ok(None) };
        let key = self.key.as_ref().ok_or(Refused::NoKey)?;
        let content = opened(key, name, &bytes)?;
        serde_json::from_slice(content).map(Some).map_err(|_| Refused::Content)
    }

    /// Whether a file would be believed under this name.
    pub fn check(&self, path: &Path, name: &str) -> Result<(), Refused> {
        self.read::<serde::de::IgnoredAny>(path, name).map(|_| ())
    }

    #[cfg(test)]
    pub fn with_key(key: [u8; 32]) -> Seal {
        Seal { key: Some(key), missing: String::new() }
    }
}

/// What is in a sealed file.
fn opened<'a>(key: &[u8; 32], name: &str, bytes: &'a [u8]) -> Result<&'a [u8], Refused> {
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let (Some(form), Some(written), Some(content)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Refused::Form);
    };
    if form != FORM.as_bytes() {
        return Err(Refused::Form);
    }
    let text = written;
    let written = blake3::Hash::from_hex(text).map_err(|_| Refused::Form)?;
    // The comparison takes the same time wherever they differ. Digits have one form.
    let fits = written == tag(key, name, content) && written.to_hex().as_bytes() == text;
    if fits { Ok(content) } else { Err(Refused::Tag) }
}

fn tag(key: &[u8; 32], name: &str, content: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes()).update(content);
    hasher.finalize()
}

/// Where the key of this user is.
fn folder() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || named("HOME").map(|home| home.join(".local/state")).or_else(|| named("LOCALAPPDATA"));
    named("XDG_STATE_HOME").or_else(home).map(|state| state.join("tour"))
}

/// The key in a folder, made if there is none. Of several processes that make one, all get the same.
fn key(folder: &Path) -> std::io::Result<[u8; 32]> {
    let path = folder.join("key");
    match read_key(&path) {
        Ok(key) => return Ok(key),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        // One that is damaged, or that others can read, protects nothing: entries made with it are as none.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => std::fs::remove_file(&path)?,
        Err(error) => return Err(error),
    }
    create_folder(folder)?;
    let mut new = tempfile::Builder::new().prefix(".key").tempfile_in(folder)?;
    new.write_all(&random()?)?;
    new.as_file().sync_all()?;
    match new.persist_noclobber(&path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error.error),
    }
    read_key(&path)
}

fn create_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn read_key(path: &Path) -> std::io::Result<[u8; 32]> {
    let file = std::fs::File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let data = file.metadata()?;
        if data.mode() & 0o077 != 0 || data.uid() != rustix::process::geteuid().as_raw() {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "others can read it"));
        }
    }
    let mut bytes = Vec::new();
    file.take(64).read_to_end(&mut bytes)?;
    let key = <[u8; 32]>::try_from(bytes);
    key.map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "it has another length"))
}

/// 32 bytes that nobody can guess.
#[cfg(unix)]
fn random() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The same, of what the standard library gets from the system for its hash maps.
#[cfg(not(unix))]
fn random() -> std::io::Result<[u8; 32]> {
    use std::hash::BuildHasher;
    let mut hasher = blake3::Hasher::new();
    for i in 0..8u64 {
        hasher.update(&std::hash::RandomState::new().hash_one(i).to_le_bytes());
    }
    Ok(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_under_the_name_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let seal = Seal::with_key([1; 32]);
        seal.write(&path, "one", &vec![1, 2, 3]).expect("written");
        assert_eq!(seal.read::<Vec<u8>>(&path, "one"), Ok(Some(vec![1, 2, 3])));
        assert_eq!(seal.read::<Vec<u8>>(&path, "two"), Err(Refused::Tag), "under another name");
        assert_eq!(Seal::with_key([2; 32]).read::<Vec<u8>>(&path, "one"), Err(Refused::Tag), "another user");
        assert_eq!(seal.read::<Vec<u8>>(&folder.path().join("none"), "one"), Ok(None));
        assert_eq!(seal.read::<String>(&path, "one"), Err(Refused::Content));
    }

    #[test]
    fn no_changed_byte_is_believed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let seal = Seal::with_key([1; 32]);
        seal.write(&path, "one", &"PROVED").expect("written");
        let good = std::fs::read(&path).expect("it is there");
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("a file");
            seal.read::<String>(&path, "one").is_err()
        };
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bytes = good.clone();
                bytes[at] ^= 1 << bit;
                assert!(refused(&bytes), "bit {bit} of byte {at}");
            }
            assert!(refused(&good[..at]), "cut off at {at}");
        }
        assert!(refused(&[&good[..], b" "].concat()));
        assert!(!refused(&good));
    }

    #[cfg(unix)]
    #[test]
    fn a_key_is_made_once_and_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state/tour");
        let keys: Vec<[u8; 32]> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| key(&state).expect("a key"))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
        let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&state.join("key"))), (0o700, 0o600));
        std::fs::set_permissions(state.join("key"), std::fs::Permissions::from_mode(0o644)).expect("a mode");
        assert_ne!(key(&state).expect("a key"), keys[0], "others could read it");
        std::fs::write(state.join("key"), "short").expect("a file");
        let new = key(&state).expect("a key");
        assert_eq!(key(&state).expect("a key"), new);
        assert_eq!(std::fs::read_dir(&state).expect("a folder").count(), 1, "nothing is left");
    }
}
