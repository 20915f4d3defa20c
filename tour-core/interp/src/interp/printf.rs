//! `printf`: the conversions of C that print integers, characters, strings, pointers and doubles.

use super::float;
use super::image::Repr;
use super::outcome::{Step, Undefined, undefined, unsupported};
use super::run::Machine;
use super::trace::Observer;
use super::value::Value;
use tour_ir::program::{ExprId, IntType, TypeId};

/// Flags, width and precision of a conversion.
#[derive(Clone, Copy, Default, Debug)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

impl<O: Observer> Machine<'_, '_, O> {
    /// Prints; gives the number of bytes.
    pub fn printf(&mut self, args: &[ExprId]) -> Step<Value> {
        let [format, args @ ..] = args else { return undefined(Undefined::WrongArguments) };
        let format = self.eval(*format)?.as_pointer();
        let length = self.string_length(format)?;
        let mut text = Vec::with_capacity(length as usize);
        for i in 0..length {
            text.push(self.read_byte(format.offset(i))?);
        }
        let before = self.output.len();
        let mut args = args.iter();
        let mut rest = text.as_slice();
        while let [byte, tail @ ..] = rest {
            rest = tail;
            if *byte == b'%' {
                self.conversion(&mut rest, &mut args)?;
            } else {
                self.output.push(*byte);
            }
        }
        let printed = (self.output.len() - before) as u128;
        Ok(Value::int(IntType::signed(32).wrap(printed)))
    }

    /// The next argument and its type.
    fn argument(&mut self, args: &mut std::slice::Iter<ExprId>) -> Step<(Value, TypeId)> {
        match args.next() {
            Some(&arg) => {
                let (value, ty) = (self.eval(arg)?, self.image.program.exprs[arg].ty);
                if O::PORTABLE && !matches!(self.image.reprs[ty], Repr::Pointer { .. }) {
                    self.settle_number(value)?;
                }
                Ok((value, ty))
            }
            None => undefined(Undefined::Format),
        }
    }

    /// An `int` argument, for `*`.
    fn star(&mut self, args: &mut std::slice::Iter<ExprId>) -> Step<i128> {
        let (value, ty) = self.argument(args)?;
        match self.image.reprs[ty] {
            Repr::Int { int, .. } if int.bits == 32 => Ok(IntType::signed(32).to_i128(value.bits)),
            _ => undefined(Undefined::Format),
        }
    }

    /// One conversion; `rest` begins after the `%`.
    fn conversion(&mut self, rest: &mut &[u8], args: &mut std::slice::Iter<ExprId>) -> Step<()> {
        let mut spec = Spec::default();
        loop {
            match rest.first() {
                Some(b'-') => spec.left = true,
                Some(b'+') => spec.plus = true,
                Some(b' ') => spec.space = true,
                Some(b'#') => spec.alternate = true,
                Some(b'0') => spec.zero = true,
                _ => break,
            }
            *rest = &rest[1..];
        }
        if let Some(tail) = rest.strip_prefix(b"*") {
            *rest = tail;
            let width = self.star(args)?;
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        } else {
            spec.width = number(rest);
        }
        if let Some(tail) = rest.strip_prefix(b".") {
            *rest = tail;
            spec.precision = if let Some(tail) = rest.strip_prefix(b"*") {
                *rest = tail;
                usize::try_from(self.star(args)?).ok()
            } else {
                Some(number(rest))
            };
        }
        if spec.width > 1 << 16 || spec.precision.is_some_and(|p| p > 1 << 16) {
            return unsupported("printf with a huge width");
        }
        let bits = self.length(rest);
        let Some((&conversion, tail)) = rest.split_first() else { return undefined(Undefined::Format) };
        *rest = tail;
        match conversion {
            b'%' => self.output.push(b'%'),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let (value, ty) = self.argument(args)?;
                let size = match self.image.reprs[ty] {
                    Repr::Int { size, .. } => size,
                    _ => return undefined(Undefined::Format),
                };
                // Narrow types are passed as `int`.
                if size != u64::from(bits.max(32) / 8) {
                    return undefined(Undefined::Format);
                }
                let signed = matches!(conversion, b'd' | b'i');
                let (negative, digits) = digits(IntType { bits, signed }, value.bits, conversion);
                self.integer(spec, negative, signed, digits, conversion);
            }
            b'c' => {
                let (value, _) = self.argument(args)?;
                self.pad(Spec { zero: false, ..spec }, &[], &[value.bits as u8]);
            }
            b's' => {
                let (value, ty) = self.argument(args)?;
                if !matches!(self.image.reprs[ty], Repr::Pointer { .. }) {
                    return undefined(Undefined::Format);
                }
                let mut text = Vec::new();
                while spec.precision.is_none_or(|p| text.len() < p) {
                    match self.read_byte(value.as_pointer().offset(text.len() as u64))? {
                        0 => break,
                        byte => text.push(byte),
                    }
                }
                self.pad(Spec { zero: false, ..spec }, &[], &text);
            }
            b'p' => {
                let (value, _) = self.argument(args)?;
                if O::PORTABLE {
                    self.settle_number(value)?;
                }
                let text = if value.bits == 0 { "(nil)".into() } else { format!("{:#x}", value.bits) };
                self.pad(Spec { zero: false, ..spec }, &[], text.as_bytes());
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                let (value, ty) = self.argument(args)?;
                if self.image.reprs[ty] != Repr::Float64 {
                    return undefined(Undefined::Format);
                }
                self.double(spec, float::number(Repr::Float64, value), conversion);
            }
            // What it stores is another call: see `sema::format`.
            b'n' => _ = self.argument(args)?,
            _ => return unsupported(format!("printf conversion %{}", char::from(conversion))),
        }
        Ok(())
    }

    /// A length modifier: how many bits of the argument count.
    fn length(&self, rest: &mut &[u8]) -> u32 {
        let pointer = self.image.program.model.pointer_bits();
        for (modifier, bits) in
            [("hh", 8), ("h", 16), ("ll", 64), ("l", pointer), ("z", pointer), ("t", pointer), ("j", 64)]
        {
            if let Some(tail) = rest.strip_prefix(modifier.as_bytes()) {
                *rest = tail;
                return bits;
            }
        }
        32
    }

    fn integer(&mut self, spec: Spec, negative: bool, signed: bool, mut digits: String, conversion: u8) {
        if let Some(precision) = spec.precision {
            if precision == 0 && digits == "0" {
                digits.clear();
            }
            if digits.len() < precision {
                digits.insert_str(0, &"0".repeat(precision - digits.len()));
            }
        }
        if spec.alternate && conversion == b'o' && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let nonzero = digits.bytes().any(|b| b != b'0');
        let sign: &[u8] = match conversion {
            b'x' if spec.alternate && nonzero => b"0x",
            b'X' if spec.alternate && nonzero => b"0X",
            _ if !signed => b"",
            _ => sign(spec, negative),
        };
        // A precision switches the zero flag off.
        let zero = spec.zero && spec.precision.is_none();
        self.pad(Spec { zero, ..spec }, sign, digits.as_bytes());
    }

    fn double(&mut self, spec: Spec, number: f64, conversion: u8) {
        let upper = conversion.is_ascii_uppercase();
        let sign = sign(spec, number.is_sign_negative());
        if !number.is_finite() {
            let text = if number.is_nan() { "nan" } else { "inf" };
            let text = if upper { text.to_uppercase() } else { text.into() };
            return self.pad(Spec { zero: false, ..spec }, sign, text.as_bytes());
        }
        let number = number.abs();
        let precision = spec.precision.unwrap_or(6);
        let mut text = match conversion.to_ascii_lowercase() {
            b'f' => fixed(number, precision, spec.alternate),
            b'e' => exponential(number, precision, spec.alternate),
            _ => general(number, precision.max(1), spec.alternate),
        };
        if upper {
            text.make_ascii_uppercase();
        }
        self.pad(spec, sign, text.as_bytes());
    }

    /// Prints a sign (or prefix) and a text, padded to the width.
    fn pad(&mut self, spec: Spec, sign: &[u8], text: &[u8]) {
        let missing = spec.width.saturating_sub(sign.len() + text.len());
        let fill = |output: &mut Vec<u8>, byte| output.extend(std::iter::repeat_n(byte, missing));
        if !spec.left && !spec.zero {
            fill(&mut self.output, b' ');
        }
        self.output.extend_from_slice(sign);
        if !spec.left && spec.zero {
            fill(&mut self.output, b'0');
        }
        self.output.extend_from_slice(text);
        if spec.left {
            fill(&mut self.output, b' ');
        }
    }
}

fn sign(spec: Spec, negative: bool) -> &'static [u8] {
    match (negative, spec.plus, spec.space) {
        (true, _, _) => b"-",
        (false, true, _) => b"+",
        (false, false, true) => b" ",
        (false, false, false) => b"",
    }
}

/// A decimal number at the start of the text, 0 if there is none.
fn number(rest: &mut &[u8]) -> usize {
    let mut value = 0usize;
    while let Some(digit) = rest.first().filter(|b| b.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        *rest = &rest[1..];
    }
    value
}

/// Whether it is negative, and the digits of the absolute value.
fn digits(int: IntType, bits: u128, conversion: u8) -> (bool, String) {
    let bits = int.wrap(bits);
    match conversion {
        b'x' => (false, format!("{bits:x}")),
        b'X' => (false, format!("{bits:X}")),
        b'o' => (false, format!("{bits:o}")),
        _ => {
            let value = int.to_i128(bits);
            (int.signed && value < 0, value.unsigned_abs().to_string())
        }
    }
}

fn fixed(number: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{number:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

fn exponential(number: f64, precision: usize, point: bool) -> String {
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: the shorter of both, without trailing zeros.
fn general(number: f64, precision: usize, keep_zeros: bool) -> String {
    let rounded = exponential(number, precision - 1, false);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if keep_zeros || !text.contains('.') {
            text.to_owned()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    if exponent < -4 || exponent >= precision as i32 {
        match rounded.split_once('e') {
            Some((mantissa, exponent)) => format!("{}e{exponent}", trim(mantissa)),
            None => rounded,
        }
    } else {
        trim(&fixed(number, (precision as i32 - 1 - exponent).max(0) as usize, keep_zeros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_printed_as_c_prints_them() {
        let check = |text: String, want: &str| assert_eq!(text, want);
        check(fixed(0.5, 0, false), "0");
        check(fixed(1.5, 0, false), "2");
        check(fixed(1e22, 1, false), "10000000000000000000000.0");
        check(exponential(0.0, 6, false), "0.000000e+00");
        check(exponential(12345.678, 3, false), "1.235e+04");
        check(exponential(1e-300, 2, false), "1.00e-300");
        check(general(100000.0, 6, false), "100000");
        check(general(1000000.0, 6, false), "1e+06");
        check(general(0.0001, 6, false), "0.0001");
        check(general(0.00001234, 6, false), "1.234e-05");
        check(general(0.0, 6, false), "0");
        check(general(999999.5, 6, false), "1e+06");
        check(general(2.0 / 3.0, 10, false), "0.6666666667");
    }
}
