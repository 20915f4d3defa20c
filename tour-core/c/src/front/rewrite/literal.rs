//! Spellings of names, numbers and strings that lang-c does not read.

use crate::front::token::Kind;
use std::fmt::Write;

/// The spelling for lang-c, if it differs.
pub fn respell(kind: Kind, source: &str) -> Option<String> {
    match kind {
        Kind::Identifier => name(source),
        Kind::Number => number(source),
        Kind::String | Kind::Character if source.contains('\\') => escapes(source),
        _ => None,
    }
}

/// `$`, letters beyond ASCII and universal character names become `__tour_x…_` with the character's number.
fn name(source: &str) -> Option<String> {
    match source {
        "__int128_t" => return Some("__tour_int128".to_owned()),
        "__uint128_t" => return Some("__tour_uint128".to_owned()),
        _ => {}
    }
    if source.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let mut out = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let (code, len) = universal(rest).unwrap_or((c as u32, c.len_utf8()));
        if code != '_' as u32 && !char::from_u32(code).is_some_and(|c| c.is_ascii_alphanumeric()) {
            let _ = write!(out, "__tour_x{code:x}_");
        } else {
            out.push(c);
        }
        rest = &rest[len..];
    }
    Some(out)
}

/// The number of a universal character name at the start of a text, and its length.
fn universal(text: &str) -> Option<(u32, usize)> {
    let digits = match text.as_bytes() {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return None,
    };
    let code = u32::from_str_radix(text.get(2..2 + digits)?, 16).ok()?;
    Some((code, 2 + digits))
}

/// Digit separators go; `Q` and `W` suffixes get the spelling of the standard.
fn number(source: &str) -> Option<String> {
    let suffix = match source.as_bytes().last() {
        Some(b'q' | b'Q') => Some("f128"),
        Some(b'w' | b'W') => Some("L"),
        _ => None,
    };
    if suffix.is_none() && !source.contains('\'') {
        return None;
    }
    let digits = if suffix.is_some() { &source[..source.len() - 1] } else { source };
    Some(digits.replace('\'', "") + suffix.unwrap_or(""))
}

/// Escapes that lang-c does not know: `\e`, universal character names, and those that mean nothing.
fn escapes(source: &str) -> Option<String> {
    let wide = !source.starts_with(['"', '\'']) && !source.starts_with("u8");
    let mut out = String::with_capacity(source.len());
    let mut changed = false;
    let mut rest = source;
    while let Some(i) = rest.find('\\') {
        out.push_str(&rest[..i]);
        rest = &rest[i..];
        let Some(escaped) = rest[1..].chars().next() else { break };
        match escaped {
            '\'' | '"' | '?' | '\\' | 'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | 'x' | '0'..='7' => {
                out.push_str(&rest[..2]);
                rest = &rest[2..];
                continue;
            }
            _ => changed = true,
        }
        if let Some((code, len)) = universal(rest) {
            rest = &rest[len..];
            let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            if wide {
                // The character itself: how many elements it takes depends on their width.
                out.push(c);
            } else {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
        } else if matches!(escaped, 'e' | 'E') {
            out.push_str("\\033");
            rest = &rest[2..];
        } else {
            out.push(escaped);
            rest = &rest[1 + escaped.len_utf8()..];
        }
    }
    out.push_str(rest);
    changed.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, source: &str, expect: &str) {
        assert_eq!(respell(kind, source).as_deref().unwrap_or(source), expect);
    }

    #[test]
    fn names() {
        check(Kind::Identifier, "plain_1", "plain_1");
        check(Kind::Identifier, "a$b", "a__tour_x24_b");
        check(Kind::Identifier, "é", "__tour_xe9_");
        check(Kind::Identifier, "\\u00e9", "__tour_xe9_");
    }

    #[test]
    fn numbers() {
        check(Kind::Number, "0x1F", "0x1F");
        check(Kind::Number, "1'000'000u", "1000000u");
        check(Kind::Number, "1.5Q", "1.5f128");
    }

    #[test]
    fn strings() {
        check(Kind::String, r#""a\n\x41\0""#, r#""a\n\x41\0""#);
        check(Kind::String, r#""\e[0m\%\\e""#, r#""\033[0m%\\e""#);
        check(Kind::String, r#""\u00e9""#, r#""\303\251""#);
        check(Kind::String, r#"L"\u00e9f""#, r#"L"éf""#);
        check(Kind::String, r#"u"\U0001F600""#, r#"u"😀""#);
        check(Kind::Character, r"'\e'", r"'\033'");
    }
}
