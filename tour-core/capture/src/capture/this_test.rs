//! How a test executable was built, so that the capture builds the same C: its features and its profile.
//!
//! Cargo tells a test neither. Both are found beside the executable: the profile is the name of its folder, and cargo's
//! fingerprint of it lists the features.

use serde::Deserialize;
use std::ffi::OsString;
use std::path::Path;

#[derive(Deserialize)]
struct Fingerprint {
    /// A list as text: `["a", "b"]`.
    features: String,
}

/// Flags for cargo that build what an executable was built with: `target/debug/deps/name-hash`.
pub fn cargo_flags(program: &Path) -> Vec<OsString> {
    let mut flags: Vec<OsString> = Vec::new();
    let Some(folder) = program.parent().filter(|deps| deps.ends_with("deps")).and_then(Path::parent) else {
        return flags;
    };
    match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => {}
        Some("release") => flags.push("--release".into()),
        Some(profile) => flags.extend(["--profile".into(), profile.into()]),
    }
    if let Some(features) = features(program, &folder.join(".fingerprint")) {
        // The list is complete: `default` is in it if it is on.
        flags.push("--no-default-features".into());
        flags.extend(features.iter().flat_map(|feature| [OsString::from("--features"), feature.into()]));
    }
    flags
}

fn features(program: &Path, fingerprints: &Path) -> Option<Vec<String>> {
    let hash = program.file_stem()?.to_str()?.rsplit_once('-')?.1;
    let ending = format!("-{hash}");
    let mut folders = std::fs::read_dir(fingerprints).ok()?.flatten().map(|entry| entry.path());
    let folder = folders.find(|f| f.file_name().is_some_and(|n| n.to_string_lossy().ends_with(&ending)))?;
    let mut files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let file = files.find(|f| f.extension().is_some_and(|e| e == "json"))?;
    let found: Fingerprint = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    serde_json::from_str(&found.features).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_and_profile_stand_beside_the_executable() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |profile: &str, fingerprint: Option<&str>, expected: &str| {
            let root = folder.path().join(profile);
            let known = root.join(".fingerprint/demo-0f1e");
            std::fs::create_dir_all(&known).expect("a folder");
            std::fs::write(known.join("invoked.timestamp"), "").expect("a file");
            let json = known.join("test-lib-demo.json");
            match fingerprint {
                Some(text) => std::fs::write(json, text).expect("a file"),
                None => drop(std::fs::remove_file(json)),
            }
            let flags = cargo_flags(&root.join("deps/demo_lib-0f1e"));
            let flags: Vec<_> = flags.iter().map(|f| f.to_string_lossy()).collect();
            assert_eq!(flags.join(" "), expected);
        };
        check("debug", Some(r#"{"rustc":1,"features":"[]"}"#), "--no-default-features");
        check(
            "release",
            Some(r#"{"features":"[\"bug\", \"default\"]"}"#),
            "--release --no-default-features --features bug --features default",
        );
        check("fast", None, "--profile fast");
        check("debug", Some("changed"), "");
        assert_eq!(cargo_flags(Path::new("/usr/bin/demo")), Vec::<OsString>::new());
    }
}
