//! Literals: numbers, characters and strings as C reads them.

use lang_c::ast::{Float, FloatBase, FloatFormat, Integer, IntegerBase, IntegerSize, TS18661FloatFormat};
use tour_ir::program::{DataModel, FloatKind, IntKind};

/// A decoded string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringValue {
    /// Its elements in little endian, the terminating zero included.
    pub bytes: Vec<u8>,
    /// The type of its elements: `char`, `wchar_t` (int), `char16_t` (unsigned short) or `char32_t` (unsigned int).
    pub element: IntKind,
    /// Bytes of an element.
    pub width: usize,
}

impl StringValue {
    /// How many elements it has, the terminating zero included.
    pub fn elements(&self) -> u64 {
        (self.bytes.len() / self.width) as u64
    }
}

/// The value and type of an integer constant (C 6.4.4.1); `None` if no type holds it.
pub fn decode_integer(model: DataModel, literal: &Integer) -> Option<(u128, IntKind)> {
    let digits = &*literal.number;
    let (radix, prefixes): (u32, [&str; 2]) = match literal.base {
        IntegerBase::Decimal => (10, ["", ""]),
        IntegerBase::Octal => (8, ["", ""]),
        IntegerBase::Hexadecimal => (16, ["0x", "0X"]),
        IntegerBase::Binary => (2, ["0b", "0B"]),
    };
    let digits = prefixes.iter().find_map(|p| digits.strip_prefix(p)).unwrap_or(digits);
    // "0" alone may come as an octal number without digits.
    let value = if digits.is_empty() { 0 } else { u128::from_str_radix(digits, radix).ok()? };
    let decimal = literal.base == IntegerBase::Decimal;
    let candidates = [
        (IntKind::Int, IntegerSize::Int),
        (IntKind::UInt, IntegerSize::Int),
        (IntKind::Long, IntegerSize::Long),
        (IntKind::ULong, IntegerSize::Long),
        (IntKind::LongLong, IntegerSize::LongLong),
        (IntKind::ULongLong, IntegerSize::LongLong),
    ];
    let fits = candidates.into_iter().find(|&(kind, size)| {
        let int = model.int_type(kind);
        let sign_ok = if literal.suffix.unsigned { !int.signed } else { int.signed || !decimal };
        size >= literal.suffix.size && sign_ok && value <= int.max()
    });
    // A decimal constant above every signed type: gcc takes __int128, then the unsigned type.
    let kind = match fits {
        Some((kind, _)) => kind,
        None if value <= u128::from(u64::MAX) && model == DataModel::Lp64 => IntKind::Int128,
        None if value <= u128::from(u64::MAX) => IntKind::ULongLong,
        None => return None,
    };
    Some((value, kind))
}

/// The value and type of a floating constant; `None` for formats that we do not model (decimal, imaginary), and for
/// values of the wide ones that no `double` holds.
pub fn decode_float(literal: &Float) -> Option<(f64, FloatKind)> {
    if literal.suffix.imaginary {
        return None;
    }
    let kind = match &literal.suffix.format {
        FloatFormat::Float => FloatKind::Float,
        FloatFormat::Double => FloatKind::Double,
        FloatFormat::LongDouble => FloatKind::LongDouble,
        FloatFormat::TS18661Format(format) => match (&format.format, format.width) {
            (TS18661FloatFormat::BinaryInterchange, 32) => FloatKind::Float,
            (TS18661FloatFormat::BinaryInterchange, 64) | (TS18661FloatFormat::BinaryExtended, 32) => {
                FloatKind::Double
            }
            (TS18661FloatFormat::BinaryInterchange, 128) => FloatKind::Float128,
            (TS18661FloatFormat::BinaryExtended, 64) => FloatKind::LongDouble,
            _ => return None,
        },
    };
    let value = match literal.base {
        // A `float` is rounded once, from the decimal digits.
        FloatBase::Decimal if kind == FloatKind::Float => f64::from(literal.number.parse::<f32>().ok()?),
        FloatBase::Decimal => {
            let value = literal.number.parse::<f64>().ok()?;
            let wide = matches!(kind, FloatKind::LongDouble | FloatKind::Float128);
            if wide && !is_near(&literal.number, value, kind) {
                return None;
            }
            value
        }
        FloatBase::Hexadecimal => {
            let value = hexadecimal_float(&literal.number)?;
            if kind == FloatKind::Float { f64::from(value as f32) } else { value }
        }
    };
    Some((value, kind))
}

/// The number of a wide format that is nearest to decimal digits is this `double`: as many digits are the same as the format
/// tells apart, 64 and 113 bits of them.
fn is_near(text: &str, value: f64, kind: FloatKind) -> bool {
    let digits = if kind == FloatKind::LongDouble { 21 } else { 36 };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let Ok(exponent) = exponent.parse::<i64>() else { return false };
    let all: String = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    if significant.is_empty() {
        return true;
    }
    let skipped = (all.len() - significant.len()) as i64;
    let scale = exponent + whole.len() as i64 - 1 - skipped;
    // The number's own digits are printed exactly, however many are asked for.
    let own = format!("{value:.*e}", digits + 4);
    let Some((own_digits, own_scale)) = own.split_once('e') else { return false };
    let own_digits: String = own_digits.chars().filter(char::is_ascii_digit).collect();
    let padded: String = significant.chars().chain(std::iter::repeat('0')).take(digits).collect();
    own_scale.parse() == Ok(scale) && own_digits.starts_with(&padded)
}

/// `1.8p3` (with or without `0x`), if it is exact in a double.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let text = text.trim_start_matches("0x").trim_start_matches("0X");
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut exponent: i64 = exponent.parse().ok()?;
    let mut mantissa: u128 = 0;
    for digit in whole.chars().chain(fraction.chars()) {
        mantissa = mantissa.checked_mul(16)? + u128::from(digit.to_digit(16)?);
    }
    exponent = exponent.checked_sub(4 * fraction.len() as i64)?;
    if mantissa == 0 {
        return Some(0.0);
    }
    let zeros = mantissa.trailing_zeros();
    mantissa >>= zeros;
    exponent += i64::from(zeros);
    let exact = mantissa < 1 << 53 && (-1022..=970).contains(&exponent);
    exact.then(|| mantissa as f64 * 2f64.powi(exponent as i32))
}

/// One element of a character or string literal.
enum Unit {
    /// A character of the source.
    Char(char),
    /// A numeric escape: the element itself.
    Raw(u32),
}

/// The units between the quotes.
fn units(body: &str) -> Vec<Unit> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(Unit::Char(c));
            continue;
        }
        let number = |digits: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize| {
            let mut value = 0u32;
            for _ in 0..most {
                let Some(digit) = digits.peek().and_then(|d| d.to_digit(radix)) else { break };
                value = value.wrapping_mul(radix).wrapping_add(digit);
                digits.next();
            }
            value
        };
        out.push(match rest.peek().copied() {
            Some('0'..='7') => Unit::Raw(number(&mut rest, 8, 3)),
            Some('x') => {
                rest.next();
                Unit::Raw(number(&mut rest, 16, usize::MAX))
            }
            Some(c @ ('u' | 'U')) => {
                rest.next();
                let value = number(&mut rest, 16, if c == 'u' { 4 } else { 8 });
                char::from_u32(value).map_or(Unit::Raw(value), Unit::Char)
            }
            Some(c) => {
                rest.next();
                Unit::Char(match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\x07',
                    'b' => '\x08',
                    'f' => '\x0c',
                    'v' => '\x0b',
                    'e' | 'E' => '\x1b',
                    // A continued line inside of a literal.
                    '\n' => continue,
                    other => other,
                })
            }
            None => Unit::Char('\\'),
        });
    }
    out
}

/// Prefix and what is between the quotes.
fn split_literal(text: &str, quote: char) -> (&str, &str) {
    let start = text.find(quote).unwrap_or(0);
    let body = text.get(start + 1..text.len().saturating_sub(1)).unwrap_or("");
    (&text[..start], body)
}

fn element(prefix: &str) -> (IntKind, usize) {
    match prefix {
        "L" => (IntKind::Int, 4),
        "U" => (IntKind::UInt, 4),
        "u" => (IntKind::UShort, 2),
        _ => (IntKind::Char, 1),
    }
}

/// Decodes adjacent string literals (with prefixes and quotes) as one; the widest prefix holds for all.
pub fn decode_string(parts: &[String]) -> StringValue {
    let (element, width) = parts
        .iter()
        .map(|part| element(split_literal(part, '"').0))
        .max_by_key(|(_, width)| *width)
        .unwrap_or((IntKind::Char, 1));
    let mut bytes = Vec::new();
    for part in parts {
        for unit in units(split_literal(part, '"').1) {
            push_unit(&mut bytes, unit, width);
        }
    }
    bytes.extend(std::iter::repeat_n(0, width));
    StringValue { bytes, element, width }
}

fn push_unit(bytes: &mut Vec<u8>, unit: Unit, width: usize) {
    match (unit, width) {
        (Unit::Char(c), 1) => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        (Unit::Char(c), 2) => {
            bytes.extend(c.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_le_bytes()))
        }
        (Unit::Char(c), _) => bytes.extend(u32::from(c).to_le_bytes()),
        (Unit::Raw(value), width) => bytes.extend(&value.to_le_bytes()[..width]),
    }
}

/// The value and type of a character constant (with prefix and quotes). Several characters make an `int` as gcc
/// makes it, the last one lowest.
pub fn decode_char(text: &str) -> (i128, IntKind) {
    let (prefix, body) = split_literal(text, '\'');
    let (kind, width) = element(prefix);
    let mut bytes = Vec::new();
    for unit in units(body) {
        push_unit(&mut bytes, unit, width);
    }
    if width == 1 {
        let value = match bytes[..] {
            [] => 0,
            [one] => i128::from(one as i8),
            _ => i128::from(bytes.iter().fold(0u32, |value, &b| value << 8 | u32::from(b)) as i32),
        };
        return (value, IntKind::Int);
    }
    let mut last = [0; 4];
    let from = bytes.len().saturating_sub(width);
    for (to, byte) in last.iter_mut().zip(&bytes[from..]) {
        *to = *byte;
    }
    let value = u32::from_le_bytes(last);
    (if kind == IntKind::Int { i128::from(value as i32) } else { i128::from(value) }, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_decode_escapes_and_join() {
        let check = |parts: &[&str], want: &[u8]| {
            let parts: Vec<String> = parts.iter().map(|p| p.to_string()).collect();
            assert_eq!(decode_string(&parts).bytes, want, "{parts:?}");
        };
        check(&[r#""ab""#, r#""c""#], b"abc\0");
        check(&[r#""\x41\101\0\n\\\"""#], b"AA\0\n\\\"\0");
        check(&["\"\u{e9}\""], &[0xc3, 0xa9, 0]);
        check(&[r#"L"a""#], &[0x61, 0, 0, 0, 0, 0, 0, 0]);
        check(&[r#"u"\u00e9""#], &[0xe9, 0, 0, 0]);
        check(&[r#""a""#, r#"L"b""#], &[0x61, 0, 0, 0, 0x62, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn characters_are_ints_as_gcc_makes_them() {
        let check = |text, want, kind| assert_eq!(decode_char(text), (want, kind), "{text}");
        check("'a'", 97, IntKind::Int);
        check(r"'\xff'", -1, IntKind::Int);
        check(r"'\0'", 0, IntKind::Int);
        check(r"'\''", 39, IntKind::Int);
        check("'ab'", 0x6162, IntKind::Int);
        check("L'a'", 97, IntKind::Int);
        check(r"u'\xffff'", 0xffff, IntKind::UShort);
    }

    #[test]
    fn integers_get_the_first_type_that_holds_them() {
        let check = |model, text: &str, want: Option<(u128, IntKind)>| {
            let constant = crate::sema::testing::constant(text);
            let lang_c::ast::Constant::Integer(integer) = constant else { panic!("{text} is no integer") };
            assert_eq!(decode_integer(model, &integer), want, "{text}");
        };
        check(DataModel::Lp64, "0", Some((0, IntKind::Int)));
        check(DataModel::Lp64, "017", Some((15, IntKind::Int)));
        check(DataModel::Lp64, "2147483648", Some((1 << 31, IntKind::Long)));
        check(DataModel::Lp64, "0x80000000", Some((1 << 31, IntKind::UInt)));
        check(DataModel::Ilp32, "2147483648", Some((1 << 31, IntKind::LongLong)));
        check(DataModel::Lp64, "1ul", Some((1, IntKind::ULong)));
        check(DataModel::Lp64, "0xffffffffffffffff", Some((u128::from(u64::MAX), IntKind::ULong)));
        check(DataModel::Lp64, "0b101", Some((5, IntKind::Int)));
    }

    #[test]
    fn floats_round_once() {
        let check = |text: &str, want: Option<(f64, FloatKind)>| {
            let constant = crate::sema::testing::constant(text);
            let lang_c::ast::Constant::Float(float) = constant else { panic!("{text} is no float") };
            assert_eq!(decode_float(&float), want, "{text}");
        };
        check("1.5", Some((1.5, FloatKind::Double)));
        check("0.1f", Some((f64::from(0.1f32), FloatKind::Float)));
        check("1.", Some((1.0, FloatKind::Double)));
        check("0x1.8p1", Some((3.0, FloatKind::Double)));
        check("1e3L", Some((1000.0, FloatKind::LongDouble)));
    }
}
