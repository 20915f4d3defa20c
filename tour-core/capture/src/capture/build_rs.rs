//! The fallback where no wrapper can run: the `cc::Build` calls in the text of `build.rs`.
//!
//! Only literals are read, and no condition is evaluated: a file that is compiled under a condition is taken, as it does no
//! harm where nothing calls it; a flag under a condition, such as a macro for a feature, is not. Whoever shows a capture
//! says that it was made this way.

use super::Unit;
use std::path::Path;
use syn::visit::Visit;

/// The files that `build.rs` of a package names in calls of `cc::Build`'s methods.
pub fn units(package: &Path) -> Vec<Unit> {
    let Ok(text) = std::fs::read_to_string(package.join("build.rs")) else { return Vec::new() };
    let name = package_name(package);
    parse(&text)
        .map(|build| {
            let unit = |file: &String| {
                let file = package.join(file);
                file.is_file().then(|| Unit {
                    arguments: build
                        .flags
                        .iter()
                        .cloned()
                        .chain(["-c".into(), file.display().to_string()])
                        .collect(),
                    file,
                    directory: package.to_owned(),
                    compiler: "cc".into(),
                    package: name.clone(),
                    object: None,
                })
            };
            build.files.iter().filter_map(unit).collect()
        })
        .unwrap_or_default()
}

fn package_name(package: &Path) -> String {
    let manifest =
        std::fs::read_to_string(package.join("Cargo.toml")).ok().and_then(|t| t.parse::<toml::Table>().ok());
    let name = manifest.as_ref().and_then(|m| m.get("package")?.get("name")?.as_str());
    name.map_or_else(|| package.file_name().unwrap_or_default().to_string_lossy().into_owned(), String::from)
}

/// What the calls say.
#[derive(Debug, Default, PartialEq)]
struct Build {
    files: Vec<String>,
    flags: Vec<String>,
    /// How many conditions there are around what is read.
    conditions: u32,
}

fn parse(text: &str) -> Option<Build> {
    let file = syn::parse_file(text).ok()?;
    // Without crate `cc`, methods of these names mean something else.
    if !text.contains("cc::") {
        return None;
    }
    let mut build = Build::default();
    build.visit_file(&file);
    Some(build)
}

impl<'ast> Visit<'ast> for Build {
    fn visit_expr_if(&mut self, condition: &'ast syn::ExprIf) {
        self.conditions += 1;
        syn::visit::visit_expr_if(self, condition);
        self.conditions -= 1;
    }

    fn visit_expr_match(&mut self, cases: &'ast syn::ExprMatch) {
        self.conditions += 1;
        syn::visit::visit_expr_match(self, cases);
        self.conditions -= 1;
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        // Chains are read from their beginning.
        syn::visit::visit_expr_method_call(self, call);
        let mut words = Vec::new();
        call.args.iter().for_each(|argument| literals(argument, &mut words));
        match (call.method.to_string().as_str(), words.as_slice()) {
            ("file" | "files", files) => {
                self.files.extend(files.iter().filter(|f| f.ends_with(".c")).cloned());
            }
            ("include" | "includes" | "define" | "flag" | "flag_if_supported" | "flags" | "std", _)
                if self.conditions > 0 => {}
            ("include" | "includes", folders) => self.flags.extend(folders.iter().map(|f| format!("-I{f}"))),
            ("define", [name, value]) => self.flags.push(format!("-D{name}={value}")),
            ("define", [name]) => self.flags.push(format!("-D{name}")),
            ("flag" | "flag_if_supported" | "flags", flags) => self.flags.extend(flags.iter().cloned()),
            ("std", [standard]) => self.flags.push(format!("-std={standard}")),
            _ => {}
        }
    }
}

/// String literals, also in arrays, references and `Some`.
fn literals(expression: &syn::Expr, words: &mut Vec<String>) {
    match expression {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => words.push(text.value()),
        syn::Expr::Array(array) => array.elems.iter().for_each(|e| literals(e, words)),
        syn::Expr::Reference(reference) => literals(&reference.expr, words),
        syn::Expr::Call(call) => call.args.iter().for_each(|e| literals(e, words)),
        syn::Expr::Macro(expression) if expression.mac.path.is_ident("vec") => {
            let items = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
            let items = expression.mac.parse_body_with(items);
            items.into_iter().flatten().for_each(|e| literals(&e, words));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_calls_are_read() {
        let check = |text: &str, files: &[&str], flags: &[&str]| {
            let build = parse(&format!("fn main() {{ {text} }}")).expect("a build script");
            assert_eq!(
                (build.files, build.flags),
                (
                    files.iter().map(|f| f.to_string()).collect(),
                    flags.iter().map(|f| f.to_string()).collect()
                )
            );
        };
        check(r#"cc::Build::new().file("a.c").include("inc").compile("a");"#, &["a.c"], &["-Iinc"]);
        check(
            r#"let mut b = cc::Build::new(); b.files(["a.c", "b.c"]); b.define("X", None).define("Y", "1").flag("-O2");"#,
            &["a.c", "b.c"],
            &["-DX", "-DY=1", "-O2"],
        );
        check(r#"cc::Build::new().files(vec!["a.c", "x.cpp"]).std("c11");"#, &["a.c"], &["-std=c11"]);
        check(r#"cc::Build::new().files(&names);"#, &[], &[]);
        check(
            r#"let mut b = cc::Build::new(); b.file("a.c"); if bug { b.define("BUG", None).file("b.c"); } b.flag("-g");"#,
            &["a.c", "b.c"],
            &["-g"],
        );
        assert_eq!(parse("fn main() { menu.file(\"a.c\"); }"), None);
    }
}
