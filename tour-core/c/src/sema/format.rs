//! `printf` and `scanf` and their kin with a constant format: one call of the library for each directive.
//!
//! ```text
//!     sprintf(b, "%d-%s", n, s)      at = __format_signed(b, SIZE_MAX, 0, n, …);
//!                                    at = __format_text(b, SIZE_MAX, at, "-", …);
//!                                    at = __format_text(b, SIZE_MAX, at, s, …);
//!                                    __format_end(b, SIZE_MAX, at)
//! ```
//!
//! What is printed, and what `sscanf` reads, is exact. What `scanf` and `fscanf` read is an input. Other formats
//! (floating numbers and pointers that are printed, sets of characters that are read) are not modelled. A format that is
//! no literal, or that has `*` in it, is looked at by `vsnprintf` in `lib/format.c` when the program runs.
//!
//! `printf` and `fprintf` stay calls. How many characters they print is computed beside them, where the program asks for
//! their result or says `%n`.

use super::call::{Given, Want};
use super::expr::Value;
use super::literal::decode_string;
use super::{Entity, Fail, Lower, Sema};
use crate::front::library::instead;
use lang_c::ast::Expression;
use lang_c::span::Node;
use tour_ir::program::{BinOp, ExprId, FloatKind, FnSig, IntKind, QualType, Quals, Type, TypeId};
use tour_ir::source::Span;

/// Types of parameters and results of the library's functions.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Void,
    Int,
    Size,
    Signed,
    Unsigned,
    Text,
    Const,
    Bytes,
    /// A pointer to one.
    Float,
    Double,
    /// A `double`.
    Number,
}

/// A directive of a format: where it begins, and what it says.
#[derive(Clone, Debug, PartialEq)]
enum Directive {
    /// Characters as they are.
    Text { start: usize, length: usize },
    /// A conversion.
    Conversion(Conversion),
}

/// `%-08.3ld`
#[derive(Clone, Debug, Default, PartialEq)]
struct Conversion {
    left: bool,
    zero: bool,
    /// `+`, a space, or 0.
    plus: u8,
    /// `*` of `scanf`: what is read is left out.
    skip: bool,
    width: Option<u32>,
    precision: Option<u32>,
    /// `hh`, `h`, `l`, …
    length: String,
    kind: u8,
}

/// The directives of a format; the part that is not understood otherwise.
fn directives(format: &[u8], scans: bool) -> Result<Vec<Directive>, String> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let start = at;
        while at < format.len() && format[at] != b'%' {
            at += 1;
        }
        if at > start {
            found.push(Directive::Text { start, length: at - start });
        }
        if at < format.len() {
            let end = at + 1;
            if format.get(end) == Some(&b'%') && !scans {
                found.push(Directive::Text { start: end, length: 1 });
                at = end + 1;
                continue;
            }
            let mut rest = &format[end..];
            match conversion(&mut rest, scans) {
                Some(conversion) => found.push(Directive::Conversion(conversion)),
                None => {
                    let shown = &format[at..(format.len() - rest.len()).max(at + 1)];
                    return Err(String::from_utf8_lossy(shown).into_owned());
                }
            }
            at = format.len() - rest.len();
        }
    }
    Ok(found)
}

fn conversion(rest: &mut &[u8], scans: bool) -> Option<Conversion> {
    let mut found = Conversion::default();
    while let Some((&flag, tail)) = rest.split_first() {
        match flag {
            b'*' if scans => found.skip = true,
            b'-' if !scans => found.left = true,
            b'0' if !scans => found.zero = true,
            b'+' if !scans => found.plus = b'+',
            b' ' if !scans && found.plus == 0 => found.plus = b' ',
            b' ' if !scans => {}
            _ => break,
        }
        *rest = tail;
    }
    found.width = number(rest);
    if let Some(tail) = rest.strip_prefix(b".").filter(|_| !scans) {
        *rest = tail;
        found.precision = Some(number(rest).unwrap_or(0));
    }
    while let Some((&letter, tail)) = rest.split_first().filter(|(letter, _)| b"hlqjztL".contains(letter)) {
        found.length.push(char::from(letter));
        *rest = tail;
    }
    let (&kind, tail) = rest.split_first()?;
    *rest = tail;
    found.kind = kind;
    let numbers = b"diuxXo".contains(&kind);
    let plain = found.length.is_empty();
    let known = match kind {
        _ if found.width.is_some_and(|n| n > 4096) || found.precision.is_some_and(|n| n > 4096) => false,
        _ if numbers => !scans || found.width != Some(0),
        // How many characters there have to be, implementations take differently.
        b'c' if scans => plain && found.width.is_none_or(|n| n == 1),
        b'n' => found.width.is_none() && found.precision.is_none() && !found.skip,
        b's' | b'c' => plain && found.width != Some(0),
        b'f' | b'e' | b'g' | b'a' if scans => matches!(found.length.as_str(), "" | "l"),
        b'%' => scans,
        _ => false,
    };
    known.then_some(found)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let text = std::str::from_utf8(&rest[..digits]).ok()?;
    *rest = &rest[digits..];
    if digits == 0 { None } else { Some(text.parse().unwrap_or(u32::MAX)) }
}

/// Text under construction.
struct Printing {
    to: ExprId,
    size: ExprId,
    at: ExprId,
    /// What `%n` says: the pointer, the size of what it points to, and how many characters came before.
    counts: Vec<(ExprId, i128, ExprId)>,
}

/// The format has a `%n`, whatever else is in it.
fn has_count(format: &[u8]) -> bool {
    let mut rest = format;
    while let Some(at) = rest.iter().position(|b| *b == b'%') {
        rest = &rest[at + 1..];
        let spec = rest.iter().take_while(|b| b"-+ #0'*.123456789hlqjztL".contains(b)).count();
        match rest.get(spec) {
            Some(b'n') => return true,
            Some(_) => rest = &rest[spec + 1..],
            None => return false,
        }
    }
    false
}

impl Sema<'_> {
    /// A call of one of these functions; `None` if it is not one.
    pub(crate) fn format_call(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        want: Want,
        span: Span,
    ) -> Lower<Option<Value>> {
        let name = name.strip_prefix("__isoc99_").or(name.strip_prefix("__isoc23_")).unwrap_or(name);
        let own = instead(name).iter().find(|other| self.shared.defined.program.contains(**other));
        if let Some(own) = own {
            let message = format!("`{name}`, for which compilers may call the program's own `{own}`,");
            return Fail::unsupported("library", message, span);
        }
        if matches!(name, "printf" | "fprintf" | "puts" | "putchar") {
            return self.output_call(name, args, !matches!(want, Want::Nothing), span);
        }
        // Where the format is.
        let format = match name {
            "scanf" => 0,
            "sprintf" | "sscanf" | "fscanf" => 1,
            "snprintf" => 2,
            _ => return Ok(None),
        };
        let scans = name.ends_with("scanf");
        let unknown = |what: String| Fail::unsupported("format", what, span);
        let Some((before, [text, rest @ ..])) = args.split_at_checked(format) else {
            return unknown(format!("`{name}` with too few arguments"));
        };
        let Expression::StringLiteral(parts) = &text.node else {
            if !scans {
                return self.format_later(before, text, rest, span).map(Some);
            }
            return unknown(format!("`{name}` with a format that is not a string literal is not modelled"));
        };
        let mut bytes = decode_string(&parts.node).bytes;
        bytes.truncate(bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len()));
        let directives = match directives(&bytes, scans) {
            Ok(directives) => directives,
            Err(what) if !scans && what.ends_with('*') => {
                return self.format_later(before, text, rest, span).map(Some);
            }
            Err(what) => return unknown(format!("`{what}` in the format of `{name}` is not modelled")),
        };
        let mut values = Vec::new();
        for arg in before.iter().chain([text]).chain(rest) {
            let value = self.rvalue(arg)?;
            let value = self.promote_argument(value, span)?;
            values.push(self.fix(value, span)?);
        }
        let wanted = directives.iter().filter(|d| match d {
            Directive::Text { .. } => false,
            Directive::Conversion(c) => !c.skip && c.kind != b'%',
        });
        let (wanted, given) = (wanted.count(), values.split_off(format + 1));
        if given.len() < wanted {
            return unknown(format!("the format of `{name}` asks for more arguments than there are"));
        }
        let text = values.pop().unwrap_or_else(|| self.size(0, span));
        let result = match name {
            "sprintf" | "snprintf" => {
                let size = match values.get(1) {
                    Some(size) => *size,
                    None => self.size(u64::MAX, span),
                };
                let at = self.size(0, span);
                let mut printing = Printing { to: values[0], size, at, counts: Vec::new() };
                self.print(&mut printing, &directives, text, &given, span)?;
                let Printing { to, size, at, counts } = printing;
                let kinds = [Kind::Text, Kind::Size, Kind::Size];
                let result = self.helper("__format_end", Kind::Int, &kinds, vec![to, size, at], span)?;
                let failed = self.int(0, span);
                self.store_counts(failed, counts, span)?;
                result
            }
            "sscanf" => self.scan(values[0], &directives, &bytes, &given, span)?,
            "scanf" => self.input_by(None, &directives, wanted, &given, span)?,
            _ => self.input_by(Some(values[0]), &directives, wanted, &given, span)?,
        };
        Ok(Some(Value::Rvalue(result)))
    }

    /// Output to a stream: the call as it is, and what it gives. `None` if there is nothing to add to the call.
    fn output_call(
        &mut self,
        name: &str,
        args: &[Node<Expression>],
        used: bool,
        span: Span,
    ) -> Lower<Option<Value>> {
        let errno = self.looks_at_errno();
        let prints = name.ends_with("printf");
        let Some((text, rest)) = args.get(usize::from(name == "fprintf")..).and_then(<[_]>::split_first)
        else {
            return Ok(None);
        };
        let mut format = None;
        if prints && let Expression::StringLiteral(parts) = &text.node {
            let mut bytes = decode_string(&parts.node).bytes;
            bytes.truncate(bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len()));
            format = Some(bytes);
        }
        let counts = match &format {
            Some(bytes) => has_count(bytes),
            None => prints && self.may_count(rest),
        };
        if !used && !counts && !errno {
            return Ok(None);
        }
        let directives = format.as_ref().and_then(|bytes| directives(bytes, false).ok());
        if counts && directives.is_none() {
            let message = format!("`%n` in this format of `{name}` is not modelled");
            return Fail::unsupported("format", message, span);
        }
        let function = match self.scopes.lookup(name) {
            Some(Entity::Function(f)) => f,
            _ => match self.library_function(name, span) {
                Some(function) => function,
                None => return Ok(None),
            },
        };
        let callee = self.function_address(function, span);
        let sig = self.program.functions[function].sig(&self.program.types).clone();
        let mut values = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let value = self.rvalue(arg)?;
            let value = match sig.params.get(i) {
                Some(&ty) => self.coerce(value, ty, span)?,
                None => self.promote_argument(value, span)?,
            };
            values.push(self.fix(value, span)?);
        }
        self.emit_call(callee, &sig, values.clone(), Want::Nothing, span)?;
        if errno {
            self.helper("__any_errno", Kind::Void, &[], Vec::new(), span)?;
        }
        if !used && !counts {
            return Ok(Some(Value::Void));
        }
        let result = match name {
            "putchar" => self.helper("__put", Kind::Int, &[Kind::Int], values, span)?,
            "puts" => self.helper("__put_text", Kind::Int, &[Kind::Const], values, span)?,
            _ => {
                let given = values.split_off(args.len() - rest.len());
                self.printed(values, directives.as_deref(), &given, span)?
            }
        };
        Ok(Some(Value::Rvalue(result)))
    }

    /// What `printf` gives: `before` are the stream, if there is one, and the format.
    fn printed(
        &mut self,
        mut before: Vec<ExprId>,
        directives: Option<&[Directive]>,
        given: &[ExprId],
        span: Span,
    ) -> Lower<ExprId> {
        let zero = self.size(0, span);
        let text = before.pop().unwrap_or(zero);
        let stream = match before.pop() {
            Some(stream) => stream,
            None => self.helper("__standard_output", Kind::Bytes, &[], Vec::new(), span)?,
        };
        let Some(directives) = directives else {
            return self.helper("__printed_any", Kind::Int, &[Kind::Bytes], vec![stream], span);
        };
        let conversions = directives.iter().filter(|d| matches!(d, Directive::Conversion(_))).count();
        if given.len() < conversions {
            return Fail::unsupported("format", "the format asks for more arguments than there are", span);
        }
        let null = self.int(0, span);
        let mut printing = Printing { to: null, size: zero, at: zero, counts: Vec::new() };
        self.print(&mut printing, directives, text, given, span)?;
        let kinds = [Kind::Bytes, Kind::Size];
        let result = self.helper("__printed", Kind::Int, &kinds, vec![stream, printing.at], span)?;
        let failed = self.binary(BinOp::Lt, result, null, span)?;
        self.store_counts(failed, printing.counts, span)?;
        Ok(result)
    }

    fn store_counts(&mut self, failed: ExprId, counts: Vec<(ExprId, i128, ExprId)>, span: Span) -> Lower<()> {
        use Kind::{Bytes, Int, Size, Void};
        for (to, size, count) in counts {
            let size = self.int(size, span);
            self.helper(
                "__format_count",
                Void,
                &[Int, Bytes, Int, Size],
                vec![failed, to, size, count],
                span,
            )?;
        }
        Ok(())
    }

    /// A format that is not known may say `%n` to one of these arguments: a pointer to an integer that can be written.
    fn may_count(&mut self, args: &[Node<Expression>]) -> bool {
        args.iter().any(|arg| {
            let Ok(ty) = self.type_of_expr(arg) else { return true };
            let Some(to) = self.program.types.pointee(ty.ty) else { return false };
            let char = self.program.types.int(IntKind::Char);
            !to.quals.constant && to.ty != char && self.program.types.int_type(to.ty).is_some()
        })
    }

    /// `sprintf` and `snprintf` with a format that is looked at when the program runs.
    fn format_later(
        &mut self,
        before: &[Node<Expression>],
        text: &Node<Expression>,
        rest: &[Node<Expression>],
        span: Span,
    ) -> Lower<Value> {
        let params = [Kind::Text, Kind::Size, Kind::Const].map(|kind| self.kind(kind));
        let mut args = Vec::new();
        for arg in before.iter().chain([text]).chain(rest) {
            let value = self.rvalue(arg)?;
            let value = self.promote_argument(value, span)?;
            args.push(self.fix(value, span)?);
        }
        if before.len() == 1 {
            args.insert(1, self.size(u64::MAX, span));
        }
        for (arg, ty) in args.iter_mut().zip(params) {
            *arg = self.coerce(*arg, ty, span)?;
        }
        let ret = self.program.types.int(IntKind::Int);
        let sig = FnSig { ret, params: params.to_vec(), variadic: true, prototyped: true };
        let ty = self.program.types.intern(Type::Function(sig.clone()));
        let function = self.external_function("__format_into", ty, span);
        let callee = self.function_address(function, span);
        match self.emit_call(callee, &sig, args, Want::Value, span)? {
            Given::Value(value) => Ok(value),
            Given::Stored => Ok(Value::Void),
        }
    }

    fn print(
        &mut self,
        to: &mut Printing,
        directives: &[Directive],
        format: ExprId,
        args: &[ExprId],
        span: Span,
    ) -> Lower<()> {
        use Kind::{Const, Int, Signed, Size, Text, Unsigned};
        let mut args = args.iter().copied();
        for directive in directives {
            let start = [to.to, to.size, to.at];
            let (name, kinds, own): (&str, &[Kind], Vec<ExprId>) = match directive {
                Directive::Text { start, length } => {
                    let ptrdiff = self.program.types.ptrdiff_t();
                    let offset = self.program.int(*start as i128, ptrdiff, span);
                    let ty = self.ty(format);
                    let text = self.program.binary(BinOp::PtrAdd, format, offset, ty, span);
                    let numbers = self.ints(&[0, *length as i128, 0], span);
                    ("__format_text", &[Const, Int, Int, Int], [vec![text], numbers].concat())
                }
                Directive::Conversion(c) => {
                    let arg = args.next().unwrap_or(to.at);
                    let (width, left) = (i128::from(c.width.unwrap_or(0)), i128::from(c.left));
                    let (precision, zero) = (c.precision.map_or(-1, i128::from), i128::from(c.zero));
                    match c.kind {
                        b'n' => {
                            let size = self.scanned(arg, c, span)?;
                            to.counts.push((arg, size, to.at));
                            continue;
                        }
                        b'c' => {
                            let own = [vec![arg], self.ints(&[width, left], span)].concat();
                            ("__format_char", &[Int, Int, Int], own)
                        }
                        b's' if !to.counts.is_empty() => {
                            let message = "a text that is printed after `%n` has stored a number";
                            return Fail::unsupported("format", message, span);
                        }
                        b's' => {
                            let own = [vec![arg], self.ints(&[width, precision, left], span)].concat();
                            ("__format_text", &[Const, Int, Int, Int], own)
                        }
                        b'd' | b'i' => {
                            let arg = self.number_argument(arg, c, span)?;
                            let numbers = [c.plus.into(), width, precision, left, zero];
                            let own = [vec![arg], self.ints(&numbers, span)].concat();
                            ("__format_signed", &[Signed, Int, Int, Int, Int, Int], own)
                        }
                        kind => {
                            let arg = self.number_argument(arg, c, span)?;
                            let upper = i128::from(kind == b'X');
                            let numbers = [base(kind), upper, width, precision, left, zero];
                            let own = [vec![arg], self.ints(&numbers, span)].concat();
                            ("__format_unsigned", &[Unsigned, Int, Int, Int, Int, Int, Int], own)
                        }
                    }
                }
            };
            let kinds = [&[Text, Size, Size], kinds].concat();
            to.at = self.helper(name, Size, &kinds, [start.to_vec(), own].concat(), span)?;
        }
        Ok(())
    }

    fn ints(&mut self, numbers: &[i128], span: Span) -> Vec<ExprId> {
        numbers.iter().map(|number| self.int(*number, span)).collect()
    }

    /// An integer of the size that the conversion says, as it counts: `%hhx` of -1 is `ff`.
    fn number_argument(&mut self, arg: ExprId, c: &Conversion, span: Span) -> Lower<ExprId> {
        let signed = matches!(c.kind, b'd' | b'i');
        let (kind, passed) = self.length(&c.length, signed);
        let ty = self.ty(arg);
        let fits = matches!(self.program.types[ty], Type::Int(_) | Type::Enum(_));
        if !fits || self.program.types.size(ty) != self.program.types.size(passed) {
            return Fail::unsupported("format", "an argument that does not fit the format", span);
        }
        let narrow = self.convert(arg, kind, span)?;
        let wide = if signed { IntKind::LongLong } else { IntKind::ULongLong };
        let wide = self.program.types.int(wide);
        self.convert(narrow, wide, span)
    }

    /// The type that a length means, and the one that is passed for it.
    fn length(&mut self, length: &str, signed: bool) -> (TypeId, TypeId) {
        use IntKind::*;
        let (kind, unsigned) = match length {
            "hh" => (SChar, UChar),
            "h" => (Short, UShort),
            "l" | "z" | "t" => (Long, ULong),
            "ll" | "q" | "j" | "L" => (LongLong, ULongLong),
            _ => (Int, UInt),
        };
        let own = self.program.types.int(if signed { kind } else { unsigned });
        let int = self.program.types.int(Int);
        (own, if matches!(length, "hh" | "h") { int } else { own })
    }

    /// What a conversion of `scanf` stores to: the pointer, and the size of a number there.
    fn scanned(&mut self, arg: ExprId, c: &Conversion, span: Span) -> Lower<i128> {
        let to = self.program.types.pointee(self.ty(arg)).map(|to| to.ty);
        let Some(to) = to else {
            return Fail::unsupported("format", "an argument that is no pointer", span);
        };
        let wanted = match c.kind {
            b's' | b'c' => self.program.types.int(IntKind::Char),
            b'f' | b'e' | b'g' | b'a' => {
                let kind = if c.length == "l" { FloatKind::Double } else { FloatKind::Float };
                self.program.types.intern(Type::Float(kind))
            }
            kind => self.length(&c.length, matches!(kind, b'd' | b'i' | b'n')).0,
        };
        let sort = |ty: TypeId| matches!(self.program.types[ty], Type::Float(_));
        let size = self.program.types.size(wanted);
        let scalar = self.program.types.is_scalar(to);
        if !scalar || sort(to) != sort(wanted) || self.program.types.size(to) != size {
            return Fail::unsupported("format", "an argument that does not fit the format", span);
        }
        Ok(size.map_or(0, i128::from))
    }

    /// `sscanf`: how many conversions were stored.
    fn scan(
        &mut self,
        text: ExprId,
        directives: &[Directive],
        format: &[u8],
        args: &[ExprId],
        span: Span,
    ) -> Lower<ExprId> {
        use Kind::{Bytes, Const, Int, Text};
        let mut args = args.iter().copied();
        let (mut at, mut count) = (text, self.int(0, span));
        for directive in directives {
            match directive {
                Directive::Text { start, length } => {
                    for byte in &format[*start..start + length] {
                        at = if byte.is_ascii_whitespace() || *byte == 0x0b {
                            self.helper("__scan_space", Const, &[Const], vec![at], span)?
                        } else {
                            let byte = self.int(i128::from(*byte), span);
                            self.helper("__scan_literal", Const, &[Const, Int], vec![at, byte], span)?
                        };
                    }
                }
                Directive::Conversion(c) if c.kind == b'%' => {
                    at = self.helper("__scan_space", Const, &[Const], vec![at], span)?;
                    let byte = self.int(i128::from(b'%'), span);
                    at = self.helper("__scan_literal", Const, &[Const, Int], vec![at, byte], span)?;
                }
                Directive::Conversion(c) => {
                    let null = self.int(0, span);
                    let (to, size) = match if c.skip { None } else { args.next() } {
                        Some(arg) => (arg, self.scanned(arg, c, span)?),
                        None => (null, 4),
                    };
                    let signed = matches!(c.kind, b'd' | b'i');
                    if c.kind == b'n' {
                        let size = self.int(size, span);
                        let kinds = [Const, Const, Bytes, Int];
                        self.helper("__scan_count", Kind::Void, &kinds, vec![at, text, to, size], span)?;
                        continue;
                    }
                    at = match c.kind {
                        b's' => {
                            let width = self.int(c.width.map_or(-1, i128::from), span);
                            self.helper("__scan_text", Const, &[Const, Text, Int], vec![at, to, width], span)?
                        }
                        b'c' => {
                            let width = self.int(c.width.map_or(1, i128::from), span);
                            self.helper(
                                "__scan_chars",
                                Const,
                                &[Const, Text, Int],
                                vec![at, to, width],
                                span,
                            )?
                        }
                        b'f' | b'e' | b'g' | b'a' => {
                            let what = "`sscanf` of floating numbers is not modelled";
                            return Fail::unsupported("format", what, span);
                        }
                        kind => {
                            let width = c.width.map_or(-1, i128::from);
                            let [base, signed, size, width] =
                                [base(kind), i128::from(signed), size, width].map(|n| self.int(n, span));
                            let own = vec![at, base, signed, to, size, width];
                            self.helper(
                                "__scan_number",
                                Const,
                                &[Const, Int, Int, Bytes, Int, Int],
                                own,
                                span,
                            )?
                        }
                    };
                    if !c.skip {
                        let more = self.helper("__scan_goes_on", Int, &[Const], vec![at], span)?;
                        let sum = self.binary(BinOp::Add, count, more, span)?;
                        count = self.fix(sum, span)?;
                    }
                }
            }
        }
        let skips = directives.iter().any(|d| matches!(d, Directive::Conversion(c) if c.skip));
        let skips = self.int(i128::from(skips), span);
        self.helper("__scan_end", Int, &[Const, Int, Int], vec![at, count, skips], span)
    }

    /// `scanf` and `fscanf`: some of the conversions succeed, with any values.
    fn input_by(
        &mut self,
        stream: Option<ExprId>,
        directives: &[Directive],
        wanted: usize,
        args: &[ExprId],
        span: Span,
    ) -> Lower<ExprId> {
        use Kind::{Bytes, Double, Float, Int, Text, Void};
        if directives.iter().any(|d| matches!(d, Directive::Conversion(c) if c.kind == b'n')) {
            return Fail::unsupported("format", "`%n` of what is read from a stream is not modelled", span);
        }
        let most = self.int(wanted as i128, span);
        let succeeded = match stream {
            Some(stream) => self.helper("__input_from", Int, &[Bytes, Int], vec![stream, most], span)?,
            None => self.helper("__input_begin", Int, &[Int], vec![most], span)?,
        };
        let stored = directives.iter().filter_map(|directive| match directive {
            Directive::Conversion(c) if !c.skip && c.kind != b'%' => Some(c),
            _ => None,
        });
        for (index, (c, &to)) in stored.zip(args).enumerate() {
            let size = self.scanned(to, c, span)?;
            if c.width.is_some() && b"diuxXo".contains(&c.kind) {
                return Fail::unsupported("format", "a number with that count of digits is not read", span);
            }
            let mut own = vec![succeeded, self.int(index as i128, span), to];
            let (name, kind) = match c.kind {
                b's' => ("__input_text", Text),
                b'c' => ("__input_chars", Text),
                b'f' | b'e' | b'g' | b'a' if c.length == "l" => ("__input_double", Double),
                b'f' | b'e' | b'g' | b'a' => ("__input_float", Float),
                _ => ("__input_number", Bytes),
            };
            let mut kinds = vec![Int, Int, kind];
            let last = match c.kind {
                b's' => Some(c.width.map_or(-1, i128::from)),
                b'c' => Some(c.width.map_or(1, i128::from)),
                b'f' | b'e' | b'g' | b'a' => None,
                _ => Some(size),
            };
            if let Some(last) = last {
                own.push(self.int(last, span));
                kinds.push(Int);
            }
            self.helper(name, Void, &kinds, own, span)?;
        }
        Ok(succeeded)
    }

    /// A call of a function of the library, with arguments of these types.
    pub(super) fn helper(
        &mut self,
        name: &str,
        ret: Kind,
        params: &[Kind],
        args: Vec<ExprId>,
        span: Span,
    ) -> Lower<ExprId> {
        let ret = self.kind(ret);
        let params: Vec<TypeId> = params.iter().map(|kind| self.kind(*kind)).collect();
        let mut converted = Vec::with_capacity(args.len());
        for (arg, ty) in args.into_iter().zip(&params) {
            converted.push(self.convert(arg, *ty, span)?);
        }
        let sig = FnSig::new(ret, params);
        let ty = self.program.types.intern(Type::Function(sig.clone()));
        let function = self.external_function(name, ty, span);
        let callee = self.function_address(function, span);
        match self.emit_call(callee, &sig, converted, Want::Value, span)? {
            Given::Value(Value::Rvalue(value)) => Ok(value),
            _ => Ok(self.int(0, span)),
        }
    }

    fn kind(&mut self, kind: Kind) -> TypeId {
        let types = &mut self.program.types;
        let char = types.int(IntKind::Char);
        let constant = QualType { ty: char, quals: Quals { constant: true, ..Quals::default() } };
        let void = types.void();
        let floating = |kind| Type::Float(kind);
        match kind {
            Kind::Void => void,
            Kind::Int => types.int(IntKind::Int),
            Kind::Size => types.size_t(),
            Kind::Signed => types.int(IntKind::LongLong),
            Kind::Unsigned => types.int(IntKind::ULongLong),
            Kind::Text => types.pointer(char),
            Kind::Const => types.pointer(constant),
            Kind::Bytes => types.pointer(void),
            Kind::Float => {
                let float = types.intern(floating(FloatKind::Float));
                types.pointer(float)
            }
            Kind::Number => types.intern(floating(FloatKind::Double)),
            Kind::Double => {
                let double = types.intern(floating(FloatKind::Double));
                types.pointer(double)
            }
        }
    }
}

/// The base of a conversion's numbers; 0 if their text says it.
fn base(kind: u8) -> i128 {
    match kind {
        b'x' | b'X' => 16,
        b'o' => 8,
        b'i' => 0,
        _ => 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let check = |format: &str, scans: bool, want: &str| {
            let shown = match directives(format.as_bytes(), scans) {
                Ok(found) => {
                    let one = |d: &Directive| match d {
                        Directive::Text { start, length } => format[*start..start + length].to_owned(),
                        Directive::Conversion(c) => format!(
                            "<{}{}{:?} {:?} {}{}>",
                            if c.left { "left " } else { "" },
                            if c.zero { "zero " } else { "" },
                            c.width,
                            c.precision,
                            c.length,
                            char::from(c.kind)
                        ),
                    };
                    found.iter().map(one).collect::<String>()
                }
                Err(what) => format!("not {what}"),
            };
            assert_eq!(shown, want, "{format}");
        };
        check("a%db", false, "a<None None d>b");
        check("%-08.3lx%%", false, "<left zero Some(8) Some(3) lx>%");
        check("%5s%c", false, "<Some(5) None s><None None c>");
        check("%f", false, "not %f");
        check("%*d", false, "not %*");
        check("%n%hhn", false, "<None None n><None None hhn>");
        check("%3n", false, "not %3n");
        check("%d,%*s %lf%%", true, "<None None d>,<None None s> <None None lf><None None %>");
        check("%[a-z]", true, "not %[");
        check("%3d%0d", true, "not %0d");
        check("%", false, "not %");
    }

    #[test]
    fn counts_are_seen_in_any_format() {
        let check = |format: &str, want: bool| assert_eq!(has_count(format.as_bytes()), want, "{format}");
        check("a%n", true);
        check("%5.2f%*d%hhn", true);
        check("%%n", false);
        check("%dn%", false);
    }
}
