//! Random constant expressions as initialisers of static storage, compared with the bytes that the compiler makes.

use std::fmt::Write as _;
use std::process::Command;
use tour_core::front::{FrontOptions, Input, parse_units};
use tour_core::program::{DataModel, ExprKind, InitItem, Program};
use tour_core::sema::{LowerOptions, lower};
use tour_core::source::SourceMap;

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const LEAVES: [&str; 28] = [
    "0",
    "1",
    "2",
    "-1",
    "7",
    "100",
    "0x7fffffff",
    "0x80000000",
    "0xffffffffu",
    "1l",
    "3ul",
    "0x7fffffffffffffffll",
    "0xffffffffffffffffull",
    "2147483648",
    "'a'",
    "'\\xff'",
    "'\\n'",
    "L'x'",
    "E0",
    "E1",
    "E2",
    "sizeof(int)",
    "sizeof(struct s)",
    "_Alignof(double)",
    "__builtin_offsetof(struct s, b[1])",
    "sizeof(\"abc\")",
    "(_Bool)2",
    "0777",
];

const TYPES: [&str; 13] = [
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
    "unsigned long long",
    "_Bool",
    "enum e",
];

/// An integer constant expression without undefined behaviour (signed overflow wraps in the compiler too).
fn integer(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(6) == 0 {
        return random.pick(&LEAVES).to_owned();
    }
    let sub = |random: &mut Random| integer(random, depth - 1);
    match random.below(12) {
        0 => format!("({})({})", random.pick(&TYPES), sub(random)),
        1 => format!("({}({}))", random.pick(&["-", "~", "!", "+"]), sub(random)),
        2 => format!("(({}) ? ({}) : ({}))", sub(random), sub(random), sub(random)),
        3 => format!("(({}) {} ({}))", sub(random), random.pick(&["&&", "||"]), sub(random)),
        4 => format!("(({}) {} (({}) & 7))", sub(random), random.pick(&["<<", ">>"]), sub(random)),
        5 => format!("(({}) {} ((({}) & 15) | 1))", sub(random), random.pick(&["/", "%"]), sub(random)),
        6 => {
            let op = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
            format!("(({}) {op} ({}))", sub(random), sub(random))
        }
        7 => format!("(int)({})", floating(random, depth - 1)),
        8 => format!("(({}) < ({}))", floating(random, depth - 1), sub(random)),
        _ => {
            let op = random.pick(&["+", "-", "*", "&", "|", "^"]);
            format!("(({}) {op} ({}))", sub(random), sub(random))
        }
    }
}

/// A floating constant expression whose value an `int` holds.
fn floating(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(4) == 0 {
        let leaves =
            ["0.5", "1.25f", "3.0", "0.1", "0.1f", "7", "-2.75", "1e-3", "0x1.8p1", "(float)0.3", "'a'"];
        return random.pick(&leaves).to_owned();
    }
    let (a, b) = (floating(random, depth - 1), floating(random, depth - 1));
    match random.below(5) {
        0 => format!("(({a}) * 0.5)"),
        1 => format!("(float)({a})"),
        2 => format!("(({a}) / 3.0f)"),
        3 => format!("(({a}) < ({b}) ? ({a}) : ({b}))"),
        _ => format!("(({a}) {} ({b}))", random.pick(&["+", "-"])),
    }
}

const PRELUDE: &str =
    "enum e { E0 = 3, E1 = E0 * 2 - 1, E2 = 200 };\nstruct s { char a; short b[3]; long c; };\n";

fn bytes_of(program: &Program, name: &str, count: usize) -> Vec<u8> {
    let var = program.vars.iter().find(|var| var.name == name).expect("the variable");
    let items = &var.init.as_ref().expect("an initial value").items;
    assert_eq!(items.len(), count);
    let mut bytes = Vec::new();
    for item in items {
        let InitItem::Value { value, .. } = item else { panic!("a value") };
        match program.exprs[*value].kind {
            ExprKind::Int(bits) => bytes.extend((bits as u64).to_le_bytes()),
            ExprKind::Float(value) => bytes.extend(value.to_le_bytes()),
            ref other => panic!("{other:?} is no constant"),
        }
    }
    bytes
}

fn check(model: DataModel, flag: &str, seed: u64) {
    let mut random = Random(seed);
    let integers: Vec<String> = (0..400).map(|_| integer(&mut random, 4)).collect();
    let floats: Vec<String> = (0..150).map(|_| floating(&mut random, 3)).collect();
    let mut text = PRELUDE.to_owned();
    writeln!(text, "long long integers[] = {{\n{}\n}};", integers.join(",\n")).unwrap();
    writeln!(text, "double floats[] = {{\n{}\n}};", floats.join(",\n")).unwrap();

    let mut options = FrontOptions::new(model);
    options.entries.clear();
    let input = Input::text("constants.c", format!("{text}int main(void) {{ return 0; }}\n"));
    let mut sources = SourceMap::default();
    let units = parse_units(&[input], &options, &mut sources).expect("it parses");
    let options = LowerOptions { model, ..LowerOptions::default() };
    let program = lower(&units, sources, &options).expect("it lowers").0;
    let mut ours = bytes_of(&program, "integers", integers.len());
    ours.extend(bytes_of(&program, "floats", floats.len()));

    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("data.c"), &text).unwrap();
    // Floating constants of the 32-bit model are folded in their own types too.
    let status = Command::new("cc")
        .current_dir(directory.path())
        .args(["-w", "-std=gnu11", "-fwrapv", "-msse2", "-mfpmath=sse", flag, "-c", "data.c", "-odata.o"])
        .status()
        .expect("the compiler runs");
    assert!(status.success(), "the compiler rejects what we wrote");
    let status = Command::new("objcopy")
        .current_dir(directory.path())
        .args(["-O", "binary", "--only-section=.data", "data.o", "data.bin"])
        .status()
        .expect("objcopy runs");
    assert!(status.success());
    let theirs = std::fs::read(directory.path().join("data.bin")).unwrap();
    let all: Vec<&String> = integers.iter().chain(&floats).collect();
    // The compiler may align the second array.
    let gap = theirs.len() - ours.len();
    assert!(gap < 64);
    for (i, text) in all.iter().enumerate() {
        let own = &ours[i * 8..i * 8 + 8];
        let at = i * 8 + if i < integers.len() { 0 } else { gap };
        assert_eq!(own, &theirs[at..at + 8], "{text} ({flag})");
    }
}

#[test]
fn constants_fold_as_in_the_compiler() {
    for seed in 1..=3u64 {
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        check(DataModel::Lp64, "-m64", seed);
        check(DataModel::Ilp32, "-m32", seed ^ 0xff);
    }
}
