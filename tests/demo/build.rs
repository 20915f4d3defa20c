fn main() {
    println!("cargo::rerun-if-changed=csrc");
    cc::Build::new().file("csrc/scalar.c").file("csrc/stack.c").compile("demo");
}
