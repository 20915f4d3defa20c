//! Claims from tables: operators for all types at the ends of their ranges, conversions, literals, bit-fields, records.
//!
//! The tables say nothing about what is defined: a sanitizer does.

use super::topic::{Claim, Topic};
use std::fmt::Write as _;

/// Types with values at their ends and in between.
const INTEGERS: [(&str, &[&str]); 14] = [
    ("b1", &["0", "1"]),
    ("ch", &["-128", "-1", "0", "7", "127"]),
    ("i8", &["-128", "-3", "0", "5", "127"]),
    ("u8", &["0", "1", "9", "128", "255"]),
    ("i16", &["-32768", "-2", "0", "300", "32767"]),
    ("u16", &["0", "3", "32768", "65535"]),
    ("i32", &["(-2147483647 - 1)", "-7", "0", "1", "31", "2147483647"]),
    ("u32", &["0", "1", "17", "2147483648u", "4294967295u"]),
    ("i64", &["(-9223372036854775807l - 1)", "-5", "0", "33", "4294967296l", "9223372036854775807l"]),
    ("u64", &["0", "2", "63", "4294967295ul", "9223372036854775808ul", "18446744073709551615ul"]),
    ("ll", &["-4294967297ll", "-1", "12", "9223372036854775807ll"]),
    ("ull", &["1", "40", "18446744073709551614ull"]),
    ("i128", &["-1", "100", "((i128)1 << 100)", "-((i128)5 << 70)"]),
    ("u128", &["3", "((u128)1 << 127)", "~(u128)0"]),
];

const FLOATS: [(&str, &[&str]); 3] = [
    ("f32", &["0.f", "-0.f", "1.5f", "-3.75f", "16777217.f", "1e-40f", "3e38f", "__builtin_inff()", "0.1f"]),
    (
        "f64",
        &[
            "0.",
            "-0.",
            "2.5",
            "-1e10",
            "9007199254740993.",
            "1e300",
            "5e-324",
            "-__builtin_inf()",
            "__builtin_nan(\"\")",
            "0.1",
        ],
    ),
    ("f80", &["0.L", "1.25L", "-7.L", "1e4000L", "0.1L", "18446744073709551615.L"]),
];

const ARITHMETIC: [&str; 5] = ["+", "-", "*", "/", "%"];
const BITWISE: [&str; 5] = ["&", "|", "^", "<<", ">>"];
const LOGIC: [&str; 8] = ["<", "<=", ">", ">=", "==", "!=", "&&", "||"];

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

    fn input(&mut self, (name, values): (&str, &[&str])) -> String {
        format!("IN({name}, {})", self.pick(values))
    }
}

fn topic(name: &str, prelude: impl Into<String>, claims: Vec<String>) -> Topic {
    Topic { name: name.to_owned(), prelude: prelude.into(), claims: claims.iter().map(Claim::new).collect() }
}

/// All generated topics.
pub fn topics() -> Vec<Topic> {
    vec![
        binary_operators(),
        operators_of_floats(),
        unary_operators(),
        compound_assignments(),
        casts(),
        conversions_by_assignment(),
        types_of_operators(),
        literals(),
        constants_at_file_scope(),
        bit_fields(),
        records(),
        initialisers(),
    ]
}

/// Every operator for every pair of types.
fn binary_operators() -> Topic {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut claims = Vec::new();
    for (i, left) in INTEGERS.into_iter().enumerate() {
        for (j, right) in INTEGERS.into_iter().enumerate() {
            // Four operators for a pair; all come up for pairs of the same two kinds.
            for operator in [
                ARITHMETIC[(i + j) % 5],
                ARITHMETIC[(i * 3 + j + 1) % 5],
                BITWISE[(i + j * 2) % 5],
                LOGIC[(i + j * 3) % 8],
            ] {
                claims.push(format!("{} {operator} {}", random.input(left), random.input(right)));
            }
        }
    }
    topic("operators", "", claims)
}

fn operators_of_floats() -> Topic {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut claims = Vec::new();
    for left in FLOATS {
        for right in FLOATS.into_iter().chain(INTEGERS) {
            for operator in ["+", "-", "*", "/", "<", "==", ">=", "!="] {
                claims.push(format!("{} {operator} {}", random.input(left), random.input(right)));
                if random.below(3) == 0 {
                    claims.push(format!("{} {operator} {}", random.input(right), random.input(left)));
                }
            }
        }
    }
    topic("float-operators", "", claims)
}

fn unary_operators() -> Topic {
    let mut claims = Vec::new();
    for (name, values) in INTEGERS {
        for value in values {
            claims.push(format!("-IN({name}, {value})"));
            claims.push(format!("~IN({name}, {value})"));
            claims.push(format!("!IN({name}, {value})"));
            claims.push(format!(
                "{name} x = IN({name}, {value}); {name} y = x++; => x == y ? 1 : x > y ? 2 : 3"
            ));
            claims.push(format!("{name} x = IN({name}, {value}); => --x"));
            claims.push(format!("{name} x = IN({name}, {value}); => x ? x : -1"));
        }
    }
    for (name, values) in FLOATS {
        for value in values {
            claims.push(format!("-IN({name}, {value})"));
            claims.push(format!("!IN({name}, {value})"));
            claims.push(format!("{name} x = IN({name}, {value}); x++; => x"));
        }
    }
    topic("unary", "", claims)
}

fn compound_assignments() -> Topic {
    let mut random = Random(0xdead_beef_cafe);
    let mut claims = Vec::new();
    for (i, left) in INTEGERS.into_iter().enumerate() {
        for (j, right) in INTEGERS.into_iter().enumerate() {
            let operator =
                if (i + j) % 2 == 0 { ARITHMETIC[(i + 2 * j) % 5] } else { BITWISE[(i + j) / 2 % 5] };
            let (name, from, by) = (left.0, random.input(left), random.input(right));
            claims.push(format!("{name} x = {from}; x {operator}= {by}; => x"));
        }
        for float in FLOATS {
            let (name, from, by) = (left.0, random.input(left), random.input(float));
            claims.push(format!("{name} x = {from}; x {}= {by}; => x", random.pick(&["+", "-", "*", "/"])));
            let (name, from, by) = (float.0, random.input(float), random.input(left));
            claims.push(format!("{name} x = {from}; x {}= {by}; => x", random.pick(&["+", "-", "*", "/"])));
        }
    }
    topic("compound-assignment", "", claims)
}

fn casts() -> Topic {
    let mut random = Random(0x1234_5678_9abc);
    let mut claims = Vec::new();
    for from in INTEGERS.into_iter().chain(FLOATS) {
        for (to, _) in INTEGERS.into_iter().chain(FLOATS) {
            claims.push(format!("({to}){}", random.input(from)));
        }
    }
    topic("casts", "", claims)
}

/// The implicit ones: assignment, argument, result, condition.
fn conversions_by_assignment() -> Topic {
    let mut random = Random(0xfeed_f00d);
    let (mut prelude, mut claims) = (String::new(), Vec::new());
    for (to, _) in INTEGERS.into_iter().chain(FLOATS) {
        writeln!(prelude, "static f64 take_{to}({to} v) {{ return v == 0 ? 0 : v > 0 ? 1 : -1; }}").unwrap();
        for (from, _) in INTEGERS.into_iter().chain(FLOATS) {
            writeln!(prelude, "static {to} give_{to}_{from}({from} v) {{ return v; }}").unwrap();
        }
    }
    for from in INTEGERS.into_iter().chain(FLOATS) {
        for to in INTEGERS.into_iter().chain(FLOATS) {
            let (value, to) = (random.input(from), to.0);
            claims.push(match random.below(4) {
                0 => format!("{to} x; x = {value}; => x"),
                1 => format!("take_{to}({value})"),
                2 => format!("give_{to}_{}({value})", from.0),
                _ => format!("{to} x[2] = {{ {value}, 1 }}; => x[0]"),
            });
        }
    }
    topic("conversions", prelude, claims)
}

/// Usual arithmetic conversions and integer promotions.
fn types_of_operators() -> Topic {
    let mut random = Random(0xabcd_ef01);
    let mut claims = Vec::new();
    let names: Vec<&str> = INTEGERS.into_iter().chain(FLOATS).map(|(name, _)| name).collect();
    for left in &names {
        for right in &names {
            claims.push(match random.below(5) {
                0 => format!("{left} a = 1; {right} b = 1; => TYPE(1 ? a : b)"),
                1 => format!("{left} a = 1; {right} b = 1; => sizeof(a * b)"),
                2 => format!("{left} a = 1; {right} b = 1; => TYPE(a - b)"),
                3 => format!("{left} a = 1; {right} b = 1; => (a = b, TYPE(a += b))"),
                _ => format!("{left} a = 1; {right} b = 1; => TYPE(a + b)"),
            });
        }
        claims.push(format!("{left} a = 1; => TYPE(-a)"));
        claims.push(format!("{left} a = 1; => TYPE(+a)"));
        claims.push(format!("{left} a = 1; => TYPE(a++)"));
        claims.push(format!("{left} a = 1; => TYPE(!a)"));
        claims.push(format!("{left} a = 1; => sizeof(a, a)"));
    }
    for (name, _) in INTEGERS {
        claims.push(format!("{name} a = 1; => TYPE(~a)"));
        claims.push(format!("{name} a = 1; => TYPE(a << 1ul)"));
        claims.push(format!("{name} a = 1; => TYPE(a >> (u8)1)"));
        claims.push(format!("{name} a = 1; => ({name})-1 < 0"));
    }
    topic("types", "", claims)
}

fn literals() -> Topic {
    let bodies = [
        "0",
        "1",
        "127",
        "2147483647",
        "2147483648",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "0x7fffffff",
        "0x80000000",
        "0xffffffff",
        "0x100000000",
        "0x7fffffffffffffff",
        "0x8000000000000000",
        "0xffffffffffffffff",
        "017777777777",
        "020000000000",
        "037777777777",
        "0b1011",
        "01777777777777777777777",
    ];
    let mut claims = Vec::new();
    for body in bodies {
        for suffix in ["", "u", "l", "UL", "ll", "LLU"] {
            claims.push(format!("TYPE({body}{suffix})"));
        }
        claims.push(format!("-{body}"));
        claims.push(format!("~{body}"));
        claims.push(format!("({body} - 1) / 2 > -1"));
    }
    for character in [
        "'a'",
        "'\\0'",
        "'\\377'",
        "'\\xff'",
        "'\\x80'",
        "'\\n'",
        "'\\''",
        "'\\\\'",
        "'\\a'",
        "'\\e'",
        "'\\t'",
        "'\\v'",
        "'ab'",
        "'abcd'",
        "'\\1a'",
        "'\\1234'",
        "L'x'",
        "L'\\xffff'",
        "u'\\xffff'",
        "U'\\xffffffff'",
        "'\"'",
        "'\\?'",
    ] {
        claims.push(character.to_owned());
        claims.push(format!("TYPE({character})"));
        claims.push(format!("sizeof({character})"));
    }
    for float in [
        "1.",
        ".5",
        "1e3",
        "1e-3",
        "0x1p3",
        "0x1.8p1",
        "0x.8p0",
        "1.5f",
        "1.5F",
        "1.5L",
        "1e310",
        "4.9e-324",
        "0.1f",
        "0.1",
        "16777217.f",
        "9007199254740993.0",
        "1e-400",
        "0x1.fffffffffffff8p0",
        "3.4028236e38f",
        "1e-46f",
    ] {
        claims.push(float.to_owned());
        claims.push(format!("TYPE({float})"));
        claims.push(format!("-{float}"));
    }
    for string in [
        "\"\"",
        "\"abc\"",
        "\"a\\0b\"",
        "\"ab\" \"cd\"",
        "\"\\x41\" \"1\"",
        "\"\\1011\"",
        "L\"ab\"",
        "u\"abc\"",
        "U\"a\"",
        "u8\"x\"",
        "\"\\377\"",
        "\"\\u00e9\"",
        "L\"\\u20ac\"",
        "u\"\\U0001F600\"",
    ] {
        claims.push(format!("sizeof({string})"));
        claims.push(format!("{string}[0]"));
        claims.push(format!("sizeof({string}[0])"));
        claims.push(format!("{string}[sizeof({string}) / sizeof({string}[0]) - 1]"));
    }
    topic("literals", "", claims)
}

/// The same operators where the compiler must compute: enumerators, sizes of arrays, initialisers of static objects.
fn constants_at_file_scope() -> Topic {
    let mut random = Random(0x0bad_cafe_1234);
    let (mut prelude, mut claims) = (String::new(), Vec::new());
    let constant =
        |random: &mut Random, (name, values): (&str, &[&str])| format!("(({name}){})", random.pick(values));
    // Operators that are defined for all values.
    let total = ["&", "|", "^", "<", "<=", "==", "!=", "&&", "||"];
    for i in 0..120 {
        let (left, right) = (INTEGERS[random.below(12)], INTEGERS[random.below(12)]);
        let (a, b) = (constant(&mut random, left), constant(&mut random, right));
        let operator = random.pick(&total);
        let unsigned = random.pick(&["+", "-", "*"]);
        match i % 4 {
            0 => {
                writeln!(prelude, "static {} g{i} = {a} {operator} {b};", left.0).unwrap();
                claims.push(format!("g{i}"));
            }
            1 => {
                writeln!(prelude, "static ll g{i} = (ull){a} {unsigned} (u32){b};").unwrap();
                claims.push(format!("g{i}"));
            }
            2 => {
                writeln!(prelude, "enum {{ g{i} = (int)({a} {operator} {b}) }};").unwrap();
                claims.push(format!("g{i}"));
            }
            _ => {
                writeln!(prelude, "static char g{i}[1 + (({a} {operator} {b}) & 7)];").unwrap();
                claims.push(format!("sizeof g{i}"));
            }
        }
    }
    for i in 0..60 {
        let (from, to) = (FLOATS[random.below(3)], INTEGERS[random.below(14)].0);
        let by = FLOATS[random.below(3)];
        let operator = random.pick(&["+", "-", "*", "/", "<", ">="]);
        let (a, b) = (constant(&mut random, from), constant(&mut random, by));
        match i % 2 {
            0 => {
                writeln!(prelude, "static {} h{i} = {a} {operator} {b};", from.0).unwrap();
                claims.push(format!("h{i}"));
            }
            _ => {
                writeln!(prelude, "static {to} h{i} = {a} < {b} ? 11 : 12.75;").unwrap();
                claims.push(format!("h{i}"));
            }
        }
    }
    topic("constants", prelude, claims)
}

fn bit_fields() -> Topic {
    let kinds = [
        ("signed char", 8),
        ("unsigned char", 8),
        ("short", 16),
        ("unsigned short", 16),
        ("int", 32),
        ("unsigned", 32),
        ("long", 64),
        ("unsigned long", 64),
        ("_Bool", 1),
        ("enum colour", 32),
    ];
    let mut random = Random(0x5555_aaaa_1111);
    let mut prelude = "enum colour { RED, GREEN, BLUE = 5 };\n".to_owned();
    let mut claims = Vec::new();
    for i in 0..60 {
        let (kind, most) = kinds[random.below(kinds.len())];
        let (other, other_most) = kinds[random.below(kinds.len())];
        let width = 1 + random.below(most);
        let second = 1 + random.below(other_most);
        let packed = random.pick(&["", "", "", " __attribute__((packed))"]);
        writeln!(prelude, "struct s{i} {{ {kind} a : {width}; {other} b : {second}; char c; }}{packed};")
            .unwrap();
        let value = random.pick(&["-1", "1", "5", "100", "0x12345678", "-77", "0xfffffffful", "1ul << 33"]);
        claims.push(format!("struct s{i} s = {{0}}; s.a = IN(i64, {value}); => s.a"));
        claims.push(format!("struct s{i} s = {{0}}; => s.b = IN(i64, {value})"));
        claims.push(format!("struct s{i} s = {{ IN(i64, {value}), 1, 2 }}; s.b = 3; => s.a + s.c"));
        claims.push(format!("struct s{i} s = {{0}}; s.a = IN(i32, -1); s.a++; => s.a"));
        claims.push(format!("struct s{i} s = {{0}}; s.a = IN(i32, 3); => s.a - 4 < 0"));
        claims.push(format!("struct s{i} s = {{0}}; s.a = 1; => TYPE(+s.a)"));
        claims.push(format!("struct s{i} s = {{0}}; s.b = 1; => ~s.b"));
        claims.push(format!("struct s{i} s = {{0}}; s.b = IN(u32, 2); s.a |= s.b; => s.a"));
        claims.push(format!("sizeof(struct s{i}) * 100 + _Alignof(struct s{i})"));
        claims.push(format!("__builtin_offsetof(struct s{i}, c)"));
    }
    topic("bit-fields", prelude, claims)
}

/// Sizes, alignments and offsets of nested records, and what is read back through a copy.
fn records() -> Topic {
    let scalars = [
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "long double",
        "void *",
        "_Bool",
        "long long",
        "__int128",
        "enum e",
        "int (*)(void)",
    ];
    let mut random = Random(0x7777_1234_9876);
    let mut prelude = "enum e { E0, E1 = 300 };\n".to_owned();
    let mut claims = Vec::new();
    for i in 0..50 {
        let keyword = random.pick(&["struct", "struct", "union"]);
        let attribute =
            random.pick(&["", "", "", "", "__attribute__((packed))", "__attribute__((aligned(32)))"]);
        write!(prelude, "typedef {keyword} {{ ").unwrap();
        let members = 2 + random.below(4);
        for member in 0..members {
            let kind = scalars[random.below(12)];
            let aligned = random.pick(&["", "", "", "", "_Alignas(16) "]);
            match random.below(7) {
                0 if i > 0 => write!(prelude, "r{} m{member}; ", random.below(i)).unwrap(),
                1 => write!(prelude, "{kind} m{member}[{}]; ", 1 + random.below(5)).unwrap(),
                2 => write!(
                    prelude,
                    "{} {{ char x{member}; {kind} m{member}; }}; ",
                    random.pick(&["struct", "union"])
                )
                .unwrap(),
                _ if attribute.is_empty() => write!(prelude, "{aligned}{kind} m{member}; ").unwrap(),
                _ => write!(prelude, "{kind} m{member}; ").unwrap(),
            }
        }
        writeln!(prelude, "}} {attribute} r{i};").unwrap();
        claims.push(format!("sizeof(r{i})"));
        claims.push(format!("_Alignof(r{i})"));
        claims.push(format!("struct {{ char c; r{i} r; }} s; => sizeof s"));
        claims.push(format!("r{i} a[3]; => (char *)&a[2] - (char *)a"));
        for member in 0..members {
            claims.push(format!("__builtin_offsetof(r{i}, m{member})"));
            if member % 2 == 0 {
                claims.push(format!("sizeof(((r{i} *)0)->m{member})"));
                claims.push(format!("r{i} s; => (char *)&s.m{member} - (char *)&s"));
            }
        }
    }
    topic("records", prelude, claims)
}

/// Initialisers with designators and missing braces: every element is read.
fn initialisers() -> Topic {
    let prelude = "struct p { int x, y; }; struct q { struct p a, b[2]; char s[4]; union { int i; char c; } u; };\n\
                   struct n { int h; struct { int k; struct p p; }; int z[3]; };\n";
    let arrays = [
        "{ 1, 2, 3 }",
        "{ [2] = 7 }",
        "{ [1] = 4, 5 }",
        "{ 1, [3] = 2, 9 }",
        "{ [0 ... 2] = 6 }",
        "{ [4] = 1, [0] = 2, 3 }",
        "{ 5, 6, [0] = 1 }",
        "{ [1 ... 3] = 2, [2] = 8 }",
        "{ 0 }",
        "{ IN(i32, 4), IN(i32, 5) }",
    ];
    let records = [
        "{ 1, 2, 3, 4, 5, 6 }",
        "{ { 1 }, { { 2, 3 }, { 4 } }, \"ab\" }",
        "{ .b[1].y = 9, .a = { 7, 8 } }",
        "{ .s = \"abcd\", .u.c = 'x' }",
        "{ 1, .b = { [1] = { 5, 6 } }, \"z\", { 66 } }",
        "{ .a.x = 1, 2, 3, 4 }",
        "{ .b = { 1, 2, 3 }, .a = { .y = 4 } }",
        "{ .b[0] = { .y = 1 }, 2, 3, \"q\" }",
        "{ (struct p){ 3, 4 }, { { 5 } } }",
    ];
    let nested = [
        "{ 1, 2, 3, 4, 5, 6 }",
        "{ .k = 5, .p.y = 6, 7 }",
        "{ .z = { [1] = 2 }, .h = 3 }",
        "{ .p = { .y = 1 }, { 4, 5 } }",
    ];
    let mut claims = Vec::new();
    for init in arrays {
        for i in 0..5 {
            claims.push(format!("int a[5] = {init}; => a[{i}]"));
        }
        claims.push(format!("int a[] = {init}; => sizeof a"));
        claims.push(format!("((int[5]){init})[1]"));
        if !init.contains("IN(") {
            claims.push(format!("static short a[] = {init}; => sizeof a + a[0]"));
        }
    }
    for init in records {
        for part in ["a.x", "a.y", "b[0].x", "b[0].y", "b[1].x", "b[1].y", "s[0]", "s[1]", "s[2]", "s[3]"] {
            claims.push(format!("struct q v = {init}; => v.{part}"));
        }
        claims.push(format!(
            "static struct q v[2] = {{ [1] = {} }}; => v[1].b[1].x * 100 + v[0].a.x + v[1].s[0]",
            init.replace("(struct p)", "")
        ));
    }
    for init in nested {
        for part in ["h", "k", "p.x", "p.y", "z[0]", "z[1]", "z[2]"] {
            claims.push(format!("struct n v = {init}; => v.{part}"));
        }
    }
    topic("initialisers", prelude, claims)
}
