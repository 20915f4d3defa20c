//! Broken C must end in a diagnostic, never in a panic or a hang: texts of ours, changed byte by byte and token by
//! token with a fixed seed.

use tour_core::front::{FrontOptions, Input, parse_units, scan};
use tour_core::program::DataModel;
use tour_core::source::SourceMap;

const TEXTS: &[&str] = &[
    r#"typedef unsigned long size_t; typedef struct node { struct node *next; int v[3]; unsigned b : 3; } node;
       static const char *const names[] = { "a\n", [2] = "b\x41" "c", "\e" };
       extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void) __attribute__((noreturn));
       int f(node *n, int (*g)(int, ...), ...) { for (int i = 0; i < 3; i++) { n->v[i] += g(i, 1.5e-3f); }
         return n ? n->v[0] : sizeof(node) + sizeof n->v; }
       int main(void) { node n = { .next = 0, .v = { 1, 2 }, .b = 0x1u }; int x = __VERIFIER_nondet_int();
         switch (x) { case 1 ... 3: x++; break; default: goto out; }
         do { x -= (int)(size_t)&n; } while (x > 0 && !(x & 1)); out: if (x == 7) __VERIFIER_error(); return f(&n, 0); }"#,
    r#"# 1 "a.c"
       # 3 "b.h" 1 3
       #pragma pack(push, 1)
       enum e { A, B = 2, C }; union u { enum e e; __int128 w; } __attribute__((packed, aligned(4)));
       #pragma pack(pop)
       old(a, b) int a; char *b; { return a ?: *b; }
       int main() { __label__ l; void *p = &&l; int x[] = { [0 ... 3] = 1 }; goto *p; l: {}
         asm volatile ("nop" : "=r"(x[0]) : [in] "r"(p) : "memory"); asm goto ("" : : : : l);
         __auto_type y = ({ int z = 1; z; }); typeof(x[0]) w = (union u){}.e; _Static_assert(sizeof(int) == 4);
         return __builtin_offsetof(union u, e) + _Alignof(int) + _Generic(y, int: 1, default: old(1, "x")); }"#,
    "int x; int main(void) { return ((((((((x + 1) * 2) - 3) / 4) % 5) << 6) >> 7) & 8) | (x ? x : (x, x)); }",
];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Parses a text; it may be right or wrong, but an error has to say something.
fn check(text: &str, entries: &[&str]) -> bool {
    let mut options = FrontOptions::new(DataModel::Lp64);
    options.entries = entries.iter().map(|&e| e.to_owned()).collect();
    let mut sources = SourceMap::default();
    match parse_units(&[Input::text("t.i", text)], &options, &mut sources) {
        Ok(_) => true,
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(!error.message.is_empty());
                for label in error.labels {
                    sources.display(label.span);
                }
            }
            false
        }
    }
}

#[test]
fn the_texts_are_right() {
    for text in TEXTS {
        assert!(check(text, &["main"]));
        assert!(check(text, &[]));
    }
}

#[test]
fn changed_bytes() {
    const BYTES: &[u8] = b"(){}[];,:?.*&!~\"'\\#%<>=+-/ \n\t0x1eaT_$@`\xc3\xa9\x00";
    let mut random = Random(1);
    let mut wrong = 0;
    for round in 0..1500 {
        let mut bytes = TEXTS[round % TEXTS.len()].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = BYTES[random.below(BYTES.len())],
                1 => bytes.insert(at, BYTES[random.below(BYTES.len())]),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        wrong += usize::from(!check(&text, if round % 2 == 0 { &["main"] } else { &[] }));
    }
    assert!(wrong > 300, "the changes break too little: {wrong}");
}

#[test]
fn changed_tokens() {
    const WORDS: &[&str] = &[
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        ":",
        "?",
        "*",
        "=",
        "int",
        "struct",
        "typedef",
        "if",
        "else",
        "case",
        "sizeof",
        "__attribute__",
        "((",
        "))",
        "typeof",
        "asm",
        "goto",
        "return",
        "enum",
        "static",
        "node",
        "x",
        "1",
        "\"s\"",
        "_Alignas",
        "__extension__",
        "_Generic",
        "_Static_assert",
        "__label__",
        "&&",
        "...",
        "__int128",
        ".",
        "->",
        "for",
        "do",
        "while",
        "switch",
        "default",
        "[[",
        "]]",
        "__builtin_va_arg",
        "({",
        "})",
        "_Atomic",
    ];
    let mut random = Random(2);
    let mut wrong = 0;
    for round in 0..1500 {
        let text = TEXTS[round % TEXTS.len()];
        let mut words: Vec<&str> = scan(text, "t.i".as_ref())
            .tokens
            .iter()
            .map(|t| &text[t.start as usize..t.end as usize])
            .collect();
        for _ in 0..=random.below(3) {
            let at = random.below(words.len());
            let other = random.below(words.len());
            match random.below(5) {
                0 => words[at] = WORDS[random.below(WORDS.len())],
                1 => words.insert(at, WORDS[random.below(WORDS.len())]),
                2 => drop(words.remove(at)),
                3 => words.swap(at, other),
                _ => {
                    let copy = words[at.min(other)..at.max(other).min(at.min(other) + 8)].to_vec();
                    words.splice(at..at, copy);
                }
            }
        }
        wrong += usize::from(!check(&words.join(" "), if round % 2 == 0 { &["main"] } else { &[] }));
    }
    assert!(wrong > 300, "the changes break too little: {wrong}");
}
