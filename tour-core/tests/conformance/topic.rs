//! Topics: declarations, and claims about what is made of them.

use std::fmt;
use std::path::Path;

/// Declarations and claims.
pub struct Topic {
    pub name: String,
    /// C at file scope, that all claims share. They leave its variables as they are.
    pub prelude: String,
    pub claims: Vec<Claim>,
}

/// An expression of arithmetic type, after some statements.
#[derive(Clone)]
pub struct Claim {
    pub statements: String,
    pub expression: String,
    /// C allows other values than those that compilers give.
    pub unspecified: bool,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if !self.statements.is_empty() {
            write!(f, "{} => ", self.statements)?;
        }
        f.write_str(&self.expression)
    }
}

impl Claim {
    /// `expression`, or `statements => expression`.
    pub fn new(text: impl AsRef<str>) -> Claim {
        let text = text.as_ref();
        let (statements, expression) = text.rsplit_once("=>").unwrap_or(("", text));
        let (statements, expression) = (statements.trim().to_owned(), expression.trim().to_owned());
        Claim { statements, expression, unspecified: false }
    }
}

impl Topic {
    /// Reads a file: lines that begin with `//=` are claims, with `//?` claims whose value is unspecified, `\` at the
    /// end continues a line; all other lines are declarations.
    pub fn read(path: &Path) -> Topic {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let (mut prelude, mut claims) = (String::new(), Vec::new());
        for line in text.replace("\\\n", " ").lines() {
            if let Some(claim) = line.strip_prefix("//=") {
                claims.push(Claim::new(claim));
            } else if let Some(claim) = line.strip_prefix("//?") {
                claims.push(Claim { unspecified: true, ..Claim::new(claim) });
            } else {
                prelude += line;
                prelude.push('\n');
            }
        }
        Topic { name, prelude, claims }
    }
}

/// Names of types, and `TYPE(e)`: a number for the type of an expression.
pub const TYPES: &str = "\
typedef _Bool b1; typedef char ch; typedef signed char i8; typedef unsigned char u8; typedef short i16;
typedef unsigned short u16; typedef int i32; typedef unsigned u32; typedef long i64; typedef unsigned long u64;
typedef long long ll; typedef unsigned long long ull; typedef __int128 i128; typedef unsigned __int128 u128;
typedef float f32; typedef double f64; typedef long double f80;
#define TYPE(e) _Generic((e), _Bool: 1, char: 2, signed char: 3, unsigned char: 4, short: 5, unsigned short: 6, \\
  int: 7, unsigned: 8, long: 9, unsigned long: 10, long long: 11, unsigned long long: 12, __int128: 13, \\
  unsigned __int128: 14, float: 15, double: 16, long double: 17, char *: 18, const char *: 19, void *: 20, \\
  const void *: 21, int *: 22, const int *: 23, volatile int *: 24, int **: 25, int (*)[3]: 26, \\
  int (*)(int): 27, void (*)(void): 28, default: 0)
";

/// The types of [`TYPES`], with the verifier's names for their inputs.
pub const NAMES: [(&str, &str); 17] = [
    ("b1", "bool"),
    ("ch", "char"),
    ("i8", "schar"),
    ("u8", "uchar"),
    ("i16", "short"),
    ("u16", "ushort"),
    ("i32", "int"),
    ("u32", "uint"),
    ("i64", "long"),
    ("u64", "ulong"),
    ("ll", "longlong"),
    ("ull", "ulonglong"),
    ("i128", "int128"),
    ("u128", "uint128"),
    ("f32", "float"),
    ("f64", "double"),
    ("f80", "longdouble"),
];
