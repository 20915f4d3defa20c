fn main() {
    let mut build = cc::Build::new();
    if std::env::var_os("CARGO_FEATURE_BUG").is_some() {
        build.define("BUG", None);
    }
    build.file("csrc/decoder.c").compile("decoder");
    println!("cargo::rerun-if-changed=csrc");
}
