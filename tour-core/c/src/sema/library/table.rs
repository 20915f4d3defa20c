//! What is known of functions without a body: the rows of `lib/table.txt`.
//!
//! The text of the table says what its columns mean. Everything that a row does not say, a function does not do: it writes
//! nothing else, keeps and frees no pointer, calls nothing and returns.

use crate::front::library::TABLE;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use tour_ir::program::{FnSig, Type, TypeId, Types};

/// A function.
#[derive(Debug, PartialEq)]
pub(in crate::sema) struct Row {
    pub(super) params: Vec<Param>,
    /// What it gives: one of these. Failure comes first if `errno` is set.
    pub(super) results: Vec<Given>,
    /// The results are more than what the function can give: a proof may rest on them, a violation may not.
    pub(super) approximate: bool,
    /// It sets `errno` if it fails, and may do so if it does not.
    pub(super) errno: bool,
    /// Further arguments may follow, and are not looked at.
    pub(super) variadic: bool,
}

/// What a function does with an argument.
#[derive(Debug, PartialEq, Clone, Copy)]
pub(super) enum Param {
    /// It takes the value, or keeps to an object that is the library's.
    Value,
    /// It takes a number, and fails if that is negative.
    NotNegative,
    /// It takes a number, and fails if that is not between these.
    Within(i128, i128),
    /// It reads a text, and fails if that is empty.
    Path,
    /// It reads a text.
    Text { or_null: bool },
    /// It reads the object that the argument points to: these of its members, or all.
    Reads { or_null: bool, members: Members },
    /// It writes any value to the object that the argument points to, or to this number of elements.
    Writes { or_null: bool, count: u64 },
    /// It reads these members of the object that the argument points to, or all, and writes any value there.
    Updates { members: Members },
}

/// Members of an object that are read, one bit for each; all if there is none.
#[derive(Debug, PartialEq, Clone, Copy)]
pub(super) struct Members(u32);

impl Members {
    /// Every member.
    pub(super) const ALL: Members = Members(0);

    /// A member is read.
    pub(super) fn has(self, index: usize) -> bool {
        self.0 == 0 || u32::try_from(index).is_ok_and(|index| self.0.checked_shr(index).unwrap_or(0) & 1 == 1)
    }

    /// `{0-5 8}`, or nothing.
    fn parse(text: &str) -> Option<Members> {
        if text.is_empty() {
            return Some(Members::ALL);
        }
        let mut found = 0;
        for part in text.strip_prefix('{')?.strip_suffix('}')?.split(' ') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            for index in first..=last {
                found |= 1u32.checked_shl(index)?;
            }
        }
        Some(Members(found))
    }
}

/// What a function gives.
#[derive(Debug, PartialEq, Clone, Copy)]
pub(super) enum Given {
    /// Nothing: its type is `void`.
    Nothing,
    /// Any value of its type, which is a number.
    Any,
    /// A number, from and to.
    Range(i128, i128),
    /// One of its arguments.
    Argument(usize),
    /// A text that is the library's; two calls may give the same one.
    Text,
    /// An object that is the library's; two calls may give the same one.
    Object,
    /// An object of the function's own, of this number of elements, written by each call. Functions may share one: it has a name
    /// then.
    Static(&'static str, u64),
    /// It does not return: the run ends.
    Ends,
}

/// The row of a function.
pub(super) fn row(name: &str) -> Option<&'static Row> {
    rows().as_ref().ok()?.get(name)
}

fn rows() -> &'static Result<FxHashMap<&'static str, Row>, String> {
    static ROWS: OnceLock<Result<FxHashMap<&str, Row>, String>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let lines = TABLE.lines();
        let rows = lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        rows.map(|line| parse(line).ok_or_else(|| line.to_owned())).collect()
    })
}

impl Row {
    /// The function ends the run, whatever it is given.
    pub(super) fn ends(&self) -> bool {
        self.results == [Given::Ends]
    }

    /// A declaration is one that the row can be of.
    pub(super) fn fits(&self, types: &Types, sig: &FnSig) -> bool {
        let object = |ty: TypeId| types.pointee(ty).map(|to| to.ty);
        let sized = |ty: TypeId| types.object_size(ty).is_some_and(|size| size > 0);
        let param = |param: &Param, ty: TypeId| match param {
            Param::Value => true,
            Param::NotNegative | Param::Within(..) => types.int_type(ty).is_some(),
            Param::Path => object(ty).is_some_and(|to| types.int_type(to).is_some_and(|int| int.bits == 8)),
            Param::Text { .. } => object(ty).is_some(),
            Param::Reads { .. } | Param::Writes { .. } | Param::Updates { .. } => {
                object(ty).is_some_and(sized)
            }
        };
        let given = |given: &Given| match given {
            Given::Ends => true,
            Given::Nothing => types[sig.ret] == Type::Void,
            Given::Any | Given::Range(..) => types.is_scalar(sig.ret),
            Given::Argument(i) => {
                sig.params.get(*i).is_some_and(|ty| object(*ty).is_some() && object(sig.ret).is_some())
            }
            Given::Object => object(sig.ret).is_some(),
            Given::Text => {
                object(sig.ret).is_some_and(|to| types.int_type(to).is_some_and(|int| int.bits == 8))
            }
            Given::Static(..) => object(sig.ret).is_some_and(sized),
        };
        // `abort()` where nothing declares it: neither arguments nor a result are looked at.
        if !sig.prototyped {
            return self.ends() && self.params.iter().all(|param| *param == Param::Value);
        }
        sig.params.len() == self.params.len()
            && sig.variadic == self.variadic
            && self.params.iter().zip(&sig.params).all(|(p, ty)| param(p, *ty))
            && self.results.iter().all(given)
    }
}

/// `name(params) -> results; errno`
fn parse(line: &'static str) -> Option<(&'static str, Row)> {
    let (call, rest) = line.split_once("->")?;
    let (name, params) = call.trim().strip_suffix(')')?.split_once('(')?;
    let mut params: Vec<&'static str> =
        params.split(',').map(str::trim).filter(|param| !param.is_empty()).collect();
    let variadic = params.pop_if(|last| *last == "...").is_some();
    let (results, errno) = match rest.split_once(';') {
        Some((results, notes)) => (results.trim(), notes.trim() == "errno"),
        None => (rest.trim(), false),
    };
    let (results, approximate) = results.strip_prefix('~').map_or((results, false), |rest| (rest, true));
    let row = Row {
        params: params.into_iter().map(param).collect::<Option<_>>()?,
        results: results.split('|').map(|text| given(text.trim())).collect::<Option<_>>()?,
        approximate,
        errno,
        variadic,
    };
    Some((name, row))
}

fn param(text: &str) -> Option<Param> {
    let (text, or_null) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
    Some(match text {
        "_" => Param::Value,
        "0+" => Param::NotNegative,
        "path" => Param::Path,
        "text" => Param::Text { or_null },
        "writes" => Param::Writes { or_null, count: 1 },
        _ => {
            if let Some(members) = text.strip_prefix("updates") {
                Param::Updates { members: Members::parse(members)? }
            } else if let Some(members) = text.strip_prefix("reads") {
                Param::Reads { or_null, members: Members::parse(members)? }
            } else if let Some((least, most)) = text.split_once("..") {
                Param::Within(number(least)?, number(most)?)
            } else {
                Param::Writes { or_null, count: counted(text, "writes")? }
            }
        }
    })
}

fn given(text: &'static str) -> Option<Given> {
    Some(match text {
        "void" => Given::Nothing,
        "any" => Given::Any,
        "null" => Given::Range(0, 0),
        "text" => Given::Text,
        "object" => Given::Object,
        "ends" => Given::Ends,
        _ => match text.split_once("..") {
            Some((least, most)) => Given::Range(number(least)?, number(most)?),
            None => match (text.strip_prefix("static"), text.strip_prefix("arg")) {
                (Some(object), _) => object_of(object)?,
                (None, Some(index)) => Given::Argument(index.parse().ok()?),
                (None, None) => Given::Range(number(text)?, number(text)?),
            },
        },
    })
}

/// `static(time)[26]`, without the first word.
fn object_of(text: &'static str) -> Option<Given> {
    let (name, count) = match text.strip_prefix('(') {
        Some(rest) => rest.split_once(')')?,
        None => ("", text),
    };
    Some(Given::Static(name, if count.is_empty() { 1 } else { counted(count, "")? }))
}

/// `writes[26]`
fn counted(text: &str, word: &str) -> Option<u64> {
    text.strip_prefix(word)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok().filter(|count| *count > 0)
}

/// A number; `int`, `long` and `long long` have names for their greatest.
fn number(text: &str) -> Option<i128> {
    match text {
        "INT_MAX" => Some(i128::from(i32::MAX)),
        "LONG_MAX" => Some(i128::from(i64::MAX)),
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_read() {
        assert_eq!(rows().as_ref().map(|rows| rows.is_empty()), Ok(false));
        let lines = TABLE.lines();
        let names: Vec<&str> = lines
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
            .filter_map(|line| Some(line.split_once('(')?.0))
            .collect();
        for pair in names.windows(2) {
            assert!(pair[0] < pair[1], "{} is there twice, or not in the order of names", pair[1]);
        }
    }

    #[test]
    fn a_row_says_what_a_function_does() {
        let check = |line: &'static str, want: Option<Row>| {
            assert_eq!(parse(line).map(|(_, row)| row), want, "{line}")
        };
        let row = Row {
            params: vec![Param::Text { or_null: false }, Param::Writes { or_null: true, count: 2 }],
            results: vec![Given::Range(-1, -1), Given::Range(0, 255), Given::Argument(1)],
            approximate: true,
            errno: true,
            variadic: true,
        };
        check("f(text, writes[2]?, ...) -> ~ -1 | 0..255 | arg1; errno", Some(row));
        let members = Members::parse("{0-1 3}").expect("members");
        assert_eq!([0, 1, 2, 3, 4].map(|index| members.has(index)), [true, true, false, true, false]);
        let params = vec![Param::Reads { or_null: true, members }, Param::Within(0, 7)];
        let row = Row {
            params,
            results: vec![Given::Range(0, 0)],
            approximate: false,
            errno: false,
            variadic: false,
        };
        check("f(reads{0-1 3}?, 0..7) -> 0", Some(row));
        check("f(reads{x}) -> 0", None);
        check("f() -> somewhat", None);
        check("f(writes[x]) -> 0", None);
        check("f(_)", None);
    }
}
