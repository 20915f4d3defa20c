# What the scripts on published crates share: tour itself, a folder for them, and packages that depend on one crate.
# shellcheck shell=bash
tour=${TOUR:-$PWD/target/release/cargo-tour}
[ -n "${TOUR:-}" ] || [ -x "$tour" ] || cargo build --release -p cargo-tour
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RUSTONIG_SYSTEM_LIBONIG=0
crates=(lz4-sys zstd-sys bzip2-sys libz-sys libsqlite3-sys tree-sitter secp256k1-sys libmimalloc-sys blake3 onig_sys)

dependency() {
    case $1 in
        libsqlite3-sys) echo '{ version = "0.30", features = ["bundled"] }' ;;
        libz-sys) echo '{ version = "1", features = ["static"] }' ;;
        # By default its build script also makes Rust declarations, for which it needs libclang.
        onig_sys) echo '{ version = "69", default-features = false }' ;;
        # By default it has assembler in place of most of its C.
        blake3) echo '{ version = "1", features = ["prefer_intrinsics"] }' ;;
        *) echo '"*"' ;;
    esac
}

# package CRATE: a package that depends on it, in $folder.
package() {
    folder=$work/$1
    mkdir -p "$folder/src"
    touch "$folder/src/lib.rs"
    cat > "$folder/Cargo.toml" <<MANIFEST
[package]
name = "probe"
version = "0.0.0"
edition = "2021"

[dependencies]
$1 = $(dependency "$1")

[workspace]
MANIFEST
}
