//! Sizes, alignments, offsets and bits of random records and enumerations, compared with the real compiler.
//!
//! The compiler checks what we computed: numbers by `_Static_assert`, the bits of bit-fields by the bytes that it makes
//! of an initialiser. Nothing is run, so the 32-bit model needs no 32-bit library.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use tour_core::front::{FrontOptions, Input, parse_units};
use tour_core::program::{DataModel, Program, RecordId, RecordKind, Type};
use tour_core::sema::{LowerOptions, lower};
use tour_core::source::SourceMap;

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const SCALARS: [&str; 19] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "float",
    "double",
    "long double",
    "void *",
    "_Bool",
    "enum e",
    "loose",
    "tight",
    "_Atomic int",
];

/// Types of bit-fields with their widths in both models.
const BITS: [(&str, usize); 10] = [
    ("char", 8),
    ("signed char", 8),
    ("unsigned short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long", 32),
    ("long long", 64),
    ("unsigned long long", 64),
    ("_Bool", 1),
    ("enum e", 32),
];

struct Generator {
    random: Random,
    text: String,
    fields: usize,
}

impl Generator {
    fn member(&mut self, depth: usize, records: usize) {
        let name = format!("f{}", self.fields);
        self.fields += 1;
        let indent = "    ".repeat(depth);
        let line = if self.random.one_in(3) {
            let (ty, width) = BITS[self.random.below(BITS.len())];
            match self.random.below(12) {
                0 => format!("{ty} : 0"),
                1 => format!("{ty} : {}", 1 + self.random.below(width)),
                _ => {
                    let width = 1 + self.random.below(width);
                    let attribute = self.attribute();
                    format!("{ty} {name} : {width}{attribute}")
                }
            }
        } else if depth < 3 && self.random.one_in(8) {
            let kind = self.random.pick(&["struct", "union"]);
            writeln!(self.text, "{indent}{kind} {{").unwrap();
            self.members(depth + 1, records);
            let attribute = self.record_attribute();
            format!("}}{attribute}")
        } else {
            let ty = match self.random.below(5) {
                0 if records > 0 => format!("struct s{}", self.random.below(records)),
                _ => self.random.pick(&SCALARS).to_owned(),
            };
            let array = match self.random.below(6) {
                // Its elements would be aligned to more than their size.
                _ if ty == "loose" => String::new(),
                0 => format!("[{}]", self.random.below(4)),
                1 if self.random.one_in(3) => "[2][3]".to_owned(),
                _ => String::new(),
            };
            let attribute = self.attribute();
            format!("{ty} {name}{array}{attribute}")
        };
        writeln!(self.text, "{indent}{line};").unwrap();
    }

    fn members(&mut self, depth: usize, records: usize) {
        for _ in 0..1 + self.random.below(6) {
            self.member(depth, records);
        }
    }

    fn attribute(&mut self) -> String {
        match self.random.below(10) {
            0 => " __attribute__((packed))".to_owned(),
            1 => {
                let align = self.random.pick(&["1", "2", "4", "8", "16"]);
                format!(" __attribute__((aligned({align})))")
            }
            2 if self.random.one_in(3) => " __attribute__((packed, aligned(2)))".to_owned(),
            _ => String::new(),
        }
    }

    fn record_attribute(&mut self) -> String {
        match self.random.below(8) {
            0 => " __attribute__((packed))".to_owned(),
            1 => {
                let align = self.random.pick(&["1", "2", "4", "8", "32"]);
                format!(" __attribute__((aligned({align})))")
            }
            2 if self.random.one_in(3) => " __attribute__((__packed__, __aligned__(4)))".to_owned(),
            _ => String::new(),
        }
    }

    fn record(&mut self, index: usize) {
        let pack = self.random.one_in(6);
        if pack {
            let value = self.random.pick(&["1", "2", "4", "8"]);
            writeln!(self.text, "#pragma pack(push, {value})").unwrap();
        }
        // Every record is a struct, so that later ones can use it by its tag; unions stand inside.
        let union = self.random.one_in(4);
        writeln!(self.text, "struct s{index} {{").unwrap();
        if union {
            writeln!(self.text, "    union {{").unwrap();
            self.members(2, index);
            let attribute = self.record_attribute();
            writeln!(self.text, "    }}{attribute};").unwrap();
        } else {
            self.members(1, index);
            if self.random.one_in(10) {
                let ty = self.random.pick(&["char", "short", "int", "double"]);
                writeln!(self.text, "    char f{};\n    {ty} f{}[];", self.fields, self.fields + 1).unwrap();
                self.fields += 2;
            }
        }
        let attribute = self.record_attribute();
        writeln!(self.text, "}}{attribute};").unwrap();
        if pack {
            writeln!(self.text, "#pragma pack(pop)").unwrap();
        }
    }

    fn enumeration(&mut self, index: usize) {
        let values = [
            "0",
            "1",
            "-1",
            "127",
            "128",
            "255",
            "256",
            "-128",
            "-129",
            "32767",
            "65535",
            "65536",
            "0x7fffffff",
            "0x80000000",
            "0xffffffff",
            "0x100000000",
            "-0x80000001LL",
            "0x7fffffffffffffff",
        ];
        let first = self.random.pick(&values);
        let second = self.random.pick(&values);
        let packed = if self.random.one_in(3) { " __attribute__((packed))" } else { "" };
        writeln!(self.text, "enum e{index} {{ A{index} = {first}, B{index} = {second} }}{packed};").unwrap();
    }
}

/// Named members with their byte offsets, and bit-fields with the first bit and the width.
fn collect(
    program: &Program,
    record: RecordId,
    base: u64,
    plain: &mut Vec<(String, u64)>,
    bits: &mut Vec<(String, u64, u64)>,
) {
    for field in &program.types.records[record].fields {
        match (&field.name, field.bits) {
            (Some(name), Some(bit)) => bits.push((name.clone(), base * 8 + bit.offset, u64::from(bit.width))),
            (Some(name), None) => plain.push((name.clone(), base + field.offset)),
            (None, Some(_)) => {}
            (None, None) => {
                if let Type::Record(inner) = program.types[field.ty.ty] {
                    collect(program, inner, base + field.offset, plain, bits);
                }
            }
        }
    }
}

fn compile(directory: &Path, name: &str, flag: &str, text: &str, object: bool) {
    let source = directory.join(name);
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new("cc");
    command.current_dir(directory).args(["-w", "-std=gnu11", flag]);
    command.args(if object { ["-c", "-odata.o"] } else { ["-fsyntax-only", "-DCHECK"] });
    let output = command.arg(&source).output().expect("the compiler runs");
    let message = String::from_utf8_lossy(&output.stderr);
    let shown: String = message.lines().take(12).collect::<Vec<_>>().join("\n");
    assert!(output.status.success(), "the compiler disagrees ({flag}):\n{shown}\n{}", named(text, &message));
}

/// The records that the compiler's messages name, for the reader of a failure.
fn named(text: &str, message: &str) -> String {
    let tag = message.split(|c: char| !c.is_alphanumeric()).find(|word| {
        word.strip_prefix('s').is_some_and(|digits| !digits.is_empty() && digits.parse::<u32>().is_ok())
    });
    let Some(tag) = tag else { return String::new() };
    let Some(start) = text.find(&format!("struct {tag} {{")) else { return String::new() };
    let from = text[..start].rfind(";\n").map_or(0, |at| at + 2);
    let end = text[start..].find("\n}").map_or(text.len(), |at| start + at + 80);
    text.get(from..end.min(text.len())).unwrap_or("").to_owned()
}

fn check(model: DataModel, flag: &str, seed: u64, records: usize) {
    let mut generator = Generator { random: Random(seed), text: String::new(), fields: 0 };
    generator.text.push_str(
        "enum e { E0, E1 };\ntypedef int loose __attribute__((aligned(8)));\n\
         typedef long tight __attribute__((aligned(2)));\n",
    );
    for index in 0..records {
        generator.record(index);
        generator.enumeration(index);
    }
    let declarations = generator.text;
    let program = lowered(model, &declarations);

    let mut asserts = declarations.clone();
    let mut data = declarations.clone();
    let mut expected: Vec<u8> = Vec::new();
    let (mut parts, mut values) = (String::new(), String::new());
    let mut seen = 0;
    for (id, record) in program.types.records.iter_enumerated() {
        let Some(tag) = &record.tag else { continue };
        assert_eq!(record.kind, RecordKind::Struct);
        seen += 1;
        let (mut plain, mut bits) = (Vec::new(), Vec::new());
        collect(&program, id, 0, &mut plain, &mut bits);
        let assert = |what: String, value: u64| format!("_Static_assert({what} == {value}, \"{tag}\");\n");
        asserts += &assert(format!("sizeof(struct {tag})"), record.size);
        asserts += &assert(format!("_Alignof(struct {tag})"), record.align);
        for (name, offset) in plain {
            asserts += &assert(format!("__builtin_offsetof(struct {tag}, {name})"), offset);
        }
        for (name, first, width) in bits {
            writeln!(parts, "struct {tag} {tag}_{name};").unwrap();
            writeln!(values, ".{tag}_{name} = {{ .{name} = -1 }},").unwrap();
            let start = expected.len() as u64 * 8 + first;
            expected.resize(expected.len() + record.size as usize, 0);
            for bit in start..start + width {
                expected[(bit / 8) as usize] |= 1 << (bit % 8);
            }
        }
    }
    assert_eq!(seen, records);
    for def in &program.types.enums {
        let Some(tag) = &def.tag else { continue };
        let int = model.int_type(def.repr);
        writeln!(asserts, "_Static_assert(sizeof(enum {tag}) == {}, \"{tag}\");", int.bits / 8).unwrap();
        writeln!(asserts, "_Static_assert(((enum {tag}) -1 < 0) == {}, \"{tag}\");", u8::from(int.signed))
            .unwrap();
    }
    writeln!(data, "struct __attribute__((packed)) {{\n{parts}}} all = {{\n{values}}};").unwrap();

    let directory = tempfile::tempdir().unwrap();
    compile(directory.path(), "asserts.c", flag, &asserts, false);
    compile(directory.path(), "data.c", flag, &data, true);
    let copied = Command::new("objcopy")
        .current_dir(directory.path())
        .args(["-O", "binary", "--only-section=.data", "data.o", "data.bin"])
        .status()
        .expect("objcopy runs");
    assert!(copied.success());
    let got = std::fs::read(directory.path().join("data.bin")).unwrap();
    assert_eq!(got.len(), expected.len());
    if let Some(at) = got.iter().zip(&expected).position(|(a, b)| a != b) {
        let mut start = 0;
        for line in parts.lines() {
            let tag = line.split_whitespace().nth(1).unwrap();
            let record = program.types.records.iter().find(|r| r.tag.as_deref() == Some(tag)).unwrap();
            if at < start + record.size as usize {
                let range = start..start + record.size as usize;
                panic!(
                    "{line} has {:x?}, not {:x?}\n{}",
                    &got[range.clone()],
                    &expected[range],
                    named(&data, tag)
                );
            }
            start += record.size as usize;
        }
    }
}

fn lowered(model: DataModel, declarations: &str) -> Program {
    let mut options = FrontOptions::new(model);
    options.entries.clear();
    let input = Input::text("layout.c", format!("{declarations}\nint main(void) {{ return 0; }}\n"));
    let mut sources = SourceMap::default();
    let units = parse_units(&[input], &options, &mut sources).expect("it parses");
    let options = LowerOptions { model, ..LowerOptions::default() };
    lower(&units, sources, &options).expect("it lowers").0
}

#[test]
fn records_are_laid_out_as_the_compiler_does() {
    for (seed, records) in [(0x9e37_79b9_7f4a_7c15, 300), (0xd1b5_4a32_d192_ed03, 300)] {
        check(DataModel::Lp64, "-m64", seed, records);
        check(DataModel::Ilp32, "-m32", seed ^ 0xff, records);
    }
}
