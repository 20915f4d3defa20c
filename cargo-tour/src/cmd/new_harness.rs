//! `cargo tour new-harness HEADER.h`: Rust declarations of the functions of a C header, and a first harness for each.
//!
//! The declarations are bindgen's, which needs libclang; it is looked for when the command runs.

use crate::exit::Exit;
use crate::packages::NewHarnessArgs;
use crate::term::{print_error, print_line};
use quote::ToTokens;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::{FnArg, ForeignItem, ForeignItemFn, Item, ItemStruct, ReturnType, Type};
use tour::capture;
use tour::protocol::write_atomically;

/// Writes the file.
pub fn run(args: NewHarnessArgs) -> Exit {
    match write(&args) {
        Ok(path) => {
            print_line(format_args!("   Created {}", path.display()));
            print_line("   Next: say what the functions should do, then run `cargo tour verify`");
            Exit::Success
        }
        Err(message) => {
            print_error(format_args!("error: {message}"));
            Exit::Usage
        }
    }
}

fn write(args: &NewHarnessArgs) -> Result<PathBuf, String> {
    if !args.header.is_file() {
        return Err(format!("there is no file `{}`", args.header.display()));
    }
    let stem = args.header.file_stem().unwrap_or_default().to_string_lossy();
    let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let path = match &args.output {
        Some(path) => path.clone(),
        None => {
            let places =
                capture::locate(Path::new(".")).map_err(|e| format!("{e}; or name a file with --output"))?;
            places.package.join("tests").join(format!("{stem}_harness.rs"))
        }
    };
    if path.exists() && !args.force {
        return Err(format!("`{}` is there already; --force overwrites it", path.display()));
    }
    let bindings = bindings(args)?;
    let text = harnesses(&bindings, &args.header, &args.function)?;
    write_atomically(&path, text.as_bytes())
        .map_err(|e| format!("cannot write `{}`: {e}", path.display()))?;
    Ok(path)
}

#[cfg(feature = "bindgen")]
fn bindings(args: &NewHarnessArgs) -> Result<String, String> {
    clang_sys::load().map_err(|why| {
        format!(
            "libclang was not found ({}); install it (Debian: libclang-dev), or set LIBCLANG_PATH to its folder",
            why.lines().next().unwrap_or_default()
        )
    })?;
    let header = args.header.display().to_string();
    let own = format!(".*{}", regular(&header));
    let builder = bindgen::Builder::default()
        .header(header)
        .allowlist_file(own)
        .layout_tests(false)
        .generate_comments(false)
        .derive_copy(true)
        .formatter(bindgen::Formatter::Rustfmt)
        .clang_args(&args.clang);
    // Edition 2024 wants the word; earlier ones allow it.
    let marked = |bindings: bindgen::Bindings| {
        bindings.to_string().replace("\nextern \"C\" {", "\nunsafe extern \"C\" {")
    };
    builder.generate().map(marked).map_err(|error| error.to_string().trim().to_owned())
}

#[cfg(not(feature = "bindgen"))]
fn bindings(_: &NewHarnessArgs) -> Result<String, String> {
    Err("this cargo-tour was built without bindgen; build it with `--features bindgen`".into())
}

/// A text as a regular expression for itself.
#[cfg(feature = "bindgen")]
fn regular(text: &str) -> String {
    text.chars()
        .flat_map(|c| (!c.is_ascii_alphanumeric() && c.is_ascii()).then_some('\\').into_iter().chain([c]))
        .collect()
}

/// The file: declarations, and a harness for each selected function.
fn harnesses(bindings: &str, header: &Path, selected: &[String]) -> Result<String, String> {
    let file =
        syn::parse_file(bindings).map_err(|error| format!("bindgen's declarations are no Rust: {error}"))?;
    let functions: Vec<&ForeignItemFn> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::ForeignMod(block) => Some(&block.items),
            _ => None,
        })
        .flatten()
        .filter_map(|item| match item {
            ForeignItem::Fn(function) => Some(function),
            _ => None,
        })
        .filter(|function| selected.is_empty() || selected.iter().any(|name| function.sig.ident == name))
        .collect();
    if functions.is_empty() {
        return Err(match selected {
            [] => format!("`{}` declares no function", header.display()),
            names => format!("`{}` does not declare {}", header.display(), names.join(", ")),
        });
    }
    let mut text = format!(
        "//! Claims about the functions of `{}`. Add the crate whose build compiles them (`use my_crate as _;`), so that they\n\
         //! are linked.\n\n\
         use tour::verify;\n\n\
         #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::all)]\n\
         mod bindings {{\n",
        header.display()
    );
    let plain = Plain::of(&file);
    let needed: BTreeSet<String> = functions.iter().flat_map(|function| plain.needed(function)).collect();
    for line in bindings.lines() {
        let name = line.strip_prefix("pub struct ").and_then(|rest| rest.split([' ', '{']).next());
        if name.is_some_and(|name| needed.contains(name)) {
            text.push_str("    #[derive(tour::Arbitrary)]\n");
        }
        text.push_str(if line.is_empty() { "" } else { "    " });
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("}\n");
    functions.iter().for_each(|function| text.push_str(&harness(function, &plain)));
    Ok(text)
}

/// Structs that can be inputs: their fields are scalars, arrays of them, and structs of that kind.
struct Plain(Vec<ItemStruct>);

impl Plain {
    fn of(file: &syn::File) -> Plain {
        let structs = file.items.iter().filter_map(|item| match item {
            Item::Struct(found) => Some(found.clone()),
            _ => None,
        });
        let mut plain = Plain(structs.collect());
        // Those that contain another kind fall out, and then those that contain them.
        loop {
            let known = plain.0.len();
            let rest: Vec<bool> = plain
                .0
                .iter()
                .map(|s| !s.fields.is_empty() && s.fields.iter().all(|f| plain.is(&f.ty)))
                .collect();
            let mut kept = rest.into_iter();
            plain.0.retain(|_| kept.next().unwrap_or(false));
            if plain.0.len() == known {
                return plain;
            }
        }
    }

    fn find(&self, ty: &Type) -> Option<&ItemStruct> {
        let Type::Path(path) = ty else { return None };
        self.0.iter().find(|s| path.path.is_ident(&s.ident))
    }

    fn is(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(array) => self.is(&array.elem),
            ty => scalar(ty).is_some() || self.find(ty).is_some(),
        }
    }

    /// The structs that the harness of a function takes.
    fn needed(&self, function: &ForeignItemFn) -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting: Vec<&Type> = function
            .sig
            .inputs
            .iter()
            .filter_map(|argument| match argument {
                FnArg::Typed(argument) => Some(&*argument.ty),
                FnArg::Receiver(_) => None,
            })
            .collect();
        while let Some(ty) = waiting.pop() {
            match ty {
                Type::Ptr(pointer) => waiting.push(&pointer.elem),
                Type::Array(array) => waiting.push(&array.elem),
                ty => {
                    if let Some(own) = self.find(ty) {
                        found.push(own.ident.to_string());
                        waiting.extend(own.fields.iter().map(|field| &field.ty));
                    }
                }
            }
        }
        found
    }
}

/// How many elements stand behind a pointer in a first harness.
const ELEMENTS: usize = 4;

/// Every parameter is an input; behind a pointer there is an array of inputs, or one struct.
fn harness(function: &ForeignItemFn, plain: &Plain) -> String {
    let name = &function.sig.ident;
    let (mut parameters, mut lines, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
    for (i, argument) in function.sig.inputs.iter().enumerate() {
        let FnArg::Typed(argument) = argument else { continue };
        let own = argument.pat.to_token_stream().to_string();
        let own = if own == "_" { format!("argument{i}") } else { own };
        match &*argument.ty {
            Type::Ptr(pointer) if scalar(&pointer.elem).is_some() => {
                let item = scalar(&pointer.elem).unwrap_or_default();
                let (binding, method) =
                    if pointer.mutability.is_some() { ("mut ", "as_mut_ptr") } else { ("", "as_ptr") };
                parameters.push(format!("{binding}{own}: [{item}; {ELEMENTS}]"));
                arguments.push(format!("{own}.{method}()"));
            }
            Type::Ptr(pointer) if plain.find(&pointer.elem).is_some() => {
                let pointee = pointer.elem.to_token_stream().to_string();
                let (binding, reference) =
                    if pointer.mutability.is_some() { ("mut ", "&mut ") } else { ("", "&") };
                parameters.push(format!("{binding}{own}: bindings::{pointee}"));
                arguments.push(format!("{reference}{own}"));
            }
            Type::Ptr(pointer) => {
                let pointee = pointer.elem.to_token_stream().to_string().replace(' ', "");
                lines
                    .push(format!("// `{own}` points to a `{pointee}`: make one, and pass a pointer to it."));
                let null = if pointer.mutability.is_some() { "null_mut" } else { "null" };
                arguments.push(format!("std::ptr::{null}()"));
            }
            ty => {
                let named = || ty.to_token_stream().to_string().replace(' ', "");
                let own_type =
                    || if plain.find(ty).is_some() { format!("bindings::{}", named()) } else { named() };
                let ty = scalar(ty).unwrap_or_else(own_type);
                parameters.push(format!("{own}: {ty}"));
                arguments.push(own);
            }
        }
    }
    // By its full path: the package may declare the same function.
    let call = format!("unsafe {{ bindings::{name}({}) }}", arguments.join(", "));
    match function.sig.output {
        ReturnType::Default => lines.push(format!("{call};")),
        ReturnType::Type(..) => {
            lines.push(format!("let result = {call};"));
            lines.push("// Say what the result must be: assert!(…)".to_owned());
            lines.push("let _ = result;".to_owned());
        }
    }
    let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    let name = name.to_string();
    let name = name.trim_end_matches('_');
    format!("\n#[verify]\nfn {name}_holds({}) {{\n{body}}}\n", parameters.join(", "))
}

/// A scalar type under Rust's own name.
fn scalar(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let name = path.path.segments.last()?.ident.to_string();
    let wide = cfg!(target_pointer_width = "64");
    let own = match name.as_str() {
        "c_char" | "c_schar" => "i8",
        "c_uchar" => "u8",
        "c_short" => "i16",
        "c_ushort" => "u16",
        "c_int" => "i32",
        "c_uint" => "u32",
        "c_long" => {
            if wide {
                "i64"
            } else {
                "i32"
            }
        }
        "c_ulong" => {
            if wide {
                "u64"
            } else {
                "u32"
            }
        }
        "c_longlong" => "i64",
        "c_ulonglong" => "u64",
        "bool" | "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "isize" | "usize" => {
            return Some(name);
        }
        _ => return None,
    };
    Some(own.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const BINDINGS: &str = "unsafe extern \"C\" {\n    pub fn crc(data: *const u8, len: usize) -> ::std::os::raw::c_uint;\n    \
                            pub fn reset(state: *mut state);\n    pub fn sum(p: pair, q: *mut pair) -> i64;\n}\n\
                            #[repr(C)]\npub struct pair {\n    pub a: i32,\n    pub b: [u8; 2],\n}\n\
                            #[repr(C)]\npub struct state {\n    pub next: *mut state,\n}\n";

    #[test]
    fn a_harness_for_each_function() {
        let text = harnesses(BINDINGS, Path::new("crc.h"), &[]).expect("a file");
        assert!(syn::parse_file(&text).is_ok(), "{text}");
        let start = text.find("\n#[verify]").expect("a harness");
        expect![[r#"

            #[verify]
            fn crc_holds(data: [u8; 4], len: usize) {
                let result = unsafe { bindings::crc(data.as_ptr(), len) };
                // Say what the result must be: assert!(…)
                let _ = result;
            }

            #[verify]
            fn reset_holds() {
                // `state` points to a `state`: make one, and pass a pointer to it.
                unsafe { bindings::reset(std::ptr::null_mut()) };
            }

            #[verify]
            fn sum_holds(p: bindings::pair, mut q: bindings::pair) {
                let result = unsafe { bindings::sum(p, &mut q) };
                // Say what the result must be: assert!(…)
                let _ = result;
            }
        "#]]
        .assert_eq(&text[start..]);
        assert_eq!(text.matches("derive(tour::Arbitrary)]\n    pub struct pair").count(), 1, "{text}");
        assert_eq!(text.matches("derive(tour::Arbitrary)").count(), 1, "{text}");
        assert!(
            harnesses(BINDINGS, Path::new("crc.h"), &["crc".into()])
                .is_ok_and(|t| !t.contains("reset_holds"))
        );
        assert!(harnesses(BINDINGS, Path::new("crc.h"), &["nowhere".into()]).is_err());
        assert!(harnesses("", Path::new("crc.h"), &[]).is_err());
    }
}
