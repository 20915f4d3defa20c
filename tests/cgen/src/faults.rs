//! Small functions that work on memory and may go wrong: for tests that ask whether what is said of them is true.
//!
//! Each is an `int NAME(int n)` that does nothing unless n is from 0 to 7. Everything that it reads was written before,
//! and it loses no block by itself; anything else can happen: indices that depend on n, pointers that move, blocks that
//! are freed twice, variables of blocks that have ended.

use crate::Rng;

/// What all functions of a file need.
pub const FAULTS_PRELUDE: &str = "\
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <limits.h>
struct pair { int a; char b; int v[2]; struct pair *next; };
union both { int i; unsigned char b[4]; short h[2]; };
static int global[3] = {1, 2, 3};
static int add(int *p, int by) { *p = (*p & 255) + by; return *p; }
static int *longer(int *p, int *q) { return *p > *q ? p : q; }
static int total(const struct pair *p) { return (p->a & 15) + p->v[0]; }
";

/// The function of a seed.
pub fn fault(name: &str, seed: u64) -> String {
    let mut maker = Maker { rng: Rng::new(seed ^ 0x5eed), depth: 0 };
    let mut text = format!("int {name}(int n) {{\n  if (n < 0 || n > 7)\n    return 0;\n");
    text += "  int x = 1, y = 2, a[4] = {1, 2, 3, 4}, *p = &x, *q = a, sum = 0;\n";
    text += "  char t[4] = \"abc\", *c = t;\n  struct pair s = {1, 2, {3, 4}, 0}, r = {5, 6, {7, 8}, &s}, *o = &s;\n";
    text += "  union both u = {n};\n  int *h = malloc(3 * sizeof(int));\n  h[0] = 1, h[1] = 2, h[2] = n;\n";
    for _ in 0..3 + maker.rng.below(5) {
        text += &format!("  {}\n", maker.statement());
    }
    text + "  return sum & 1;\n}\n"
}

struct Maker {
    rng: Rng,
    depth: usize,
}

impl Maker {
    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.rng.below(from.len())]
    }

    /// Mostly inside of three or four elements.
    fn index(&mut self) -> String {
        match self.rng.below(12) {
            0 => "n".into(),
            1 => "n & 3".into(),
            2 => "n - 4".into(),
            3 => "x & 1".into(),
            4 => "n % 3".into(),
            5 => "3".into(),
            6 => "(n == 6) * 4".into(),
            7 => format!("{} - n", 2 + self.rng.below(5)),
            k => (k % 3).to_string(),
        }
    }

    fn number(&mut self) -> String {
        match self.rng.below(16) {
            0 => "x".into(),
            1 => "*p".into(),
            2 => "*q".into(),
            3 => format!("a[{}]", self.index()),
            4 => format!("h[{}]", self.index()),
            5 => format!("p[{}]", self.index()),
            6 => "o->a".into(),
            7 => format!("o->v[{}]", self.index()),
            8 => format!("global[{}]", self.index()),
            9 => format!("u.b[{}]", self.index()),
            10 => format!("c[{}]", self.index()),
            11 => "o->next->a".into(),
            12 => "(int)strlen(c)".into(),
            13 => "total(o)".into(),
            14 => "y".into(),
            _ => self.rng.below(9).to_string(),
        }
    }

    fn statement(&mut self) -> String {
        let (index, value) = (self.index(), self.number());
        match self.rng.below(38) {
            0 => format!("*p = {value};"),
            1 => format!("a[{index}] = {value};"),
            2 => format!("p = a + ({index});"),
            3 => format!("q = &a[{}];", self.pick(&["1", "3", "n & 3"])),
            4 => self.pick(&["p = h;", "p = h + 1;", "p = h + (n & 3);", "q = h + 2;"]).into(),
            5 => self.pick(&["p = &x;", "p = q;", "q = p;", "p = global + 1;", "p = &s.v[1];"]).into(),
            6 => self.pick(&["p++;", "p--;", "p += n & 1;", "q--;"]).into(),
            7 => format!("h[{index}] = {value};"),
            8 => self.pick(&["free(h); h = 0;", "free(h);", "if (n == 5) free(h);"]).into(),
            9 => self.pick(&["if (n > 2) free(p);", "free(q);", "free(0);"]).into(),
            10 => format!("h = realloc(h, ({} + 1) * sizeof(int));", self.pick(&["n & 3", "3", "1"])),
            11 => format!("sum += ({value}) & 7;"),
            12 => format!("sum += ({value}) / {};", self.pick(&["(n - 3)", "x", "2", "(*p | 1)"])),
            13 => format!("x = ({value}) {} ({});", self.pick(&["*", "+", "-"]), self.number()),
            14 => format!("y = 1 << ({value});"),
            15 => self
                .pick(&["o = &r;", "o = o->next;", "o = n & 1 ? &s : &r;", "s.next = &r;", "r = s;"])
                .into(),
            16 => format!("o->v[{index}] = {value};"),
            17 => self.pick(&["*o = r;", "o->a = n;", "s = *o;", "p = &o->a;", "q = o->v;"]).into(),
            18 => self.pick(&["c++;", "c = t;", "c = \"xyz\";", "c = (char *)a;", "c = (char *)h;"]).into(),
            19 => format!("t[{index}] = {};", self.pick(&["'x'", "0", "'a' + n"])),
            20 => format!(
                "strcpy(t, {});",
                self.pick(&["\"ab\"", "\"abcd\"", "c", "n == 3 ? \"long\" : \"s\""])
            ),
            21 => format!(
                "memcpy(a, {}, {});",
                self.pick(&["h", "global", "q"]),
                self.pick(&["8", "12", "16", "n * 2"])
            ),
            22 => format!(
                "memset({}, 0, {});",
                self.pick(&["h", "a", "p", "t"]),
                self.pick(&["4", "n", "n + 9", "12"])
            ),
            23 => format!("u.b[{index}] = {value};"),
            24 => self.pick(&["sum += u.i & 3;", "u.h[n & 1] = 3;", "u.i = n;"]).into(),
            25 => format!("{value};"),
            26 => format!("(void)({value});"),
            27 => format!("sum += add({}, n);", self.pick(&["p", "&x", "q", "h", "&a[1]", "&s.a"])),
            28 => "p = longer(p, q);".into(),
            29 => format!(
                "for (int i = 0; i < {}; i++) sum += {}[i] & 1;",
                self.pick(&["3", "4", "n"]),
                self.pick(&["a", "h", "p"])
            ),
            30 => "{ int z[2] = {n, 1}; p = z; *p = 3; }".into(),
            31 => format!("{{ int z = n; q = {}; }}", self.pick(&["&z", "p", "n > 3 ? &z : q"])),
            32 => format!("p = n > {} ? (int[2]){{1, n}} : p;", self.rng.below(8)),
            33 => format!(
                "{{ int z[n + 1]; z[{}] = 1; sum += z[{}]; }}",
                self.pick(&["n", "0"]),
                self.pick(&["n", "0 * n", "n & 0"])
            ),
            34 => format!("printf(\"%s %d\\n\", {}, n);", self.pick(&["c", "t", "\"text\"", "c + n"])),
            35 => self.pick(&["p = 0;", "if (n == 2) p = 0;", "o = 0;", "c = n ? c : 0;"]).into(),
            36 => format!("sum -= INT_MIN / ({} | 1) & 1;", self.pick(&["n - 2", "-x", "x"])),
            _ if self.depth < 2 => {
                self.depth += 1;
                let (yes, no) = (self.statement(), self.statement());
                self.depth -= 1;
                format!("if (({value}) > 2) {{ {yes} }} else {{ {no} }}")
            }
            _ => format!("y = ({value}) & 3;"),
        }
    }
}
