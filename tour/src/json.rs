//! As much JSON as the protocol needs: written by a builder, read into a tree. A dependency for it would be compiled by
//! everybody who runs the tests.

use std::collections::BTreeMap;
use std::fmt;

/// An object that is being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    fields: String,
}

impl Object {
    pub(crate) fn new() -> Object {
        Object::default()
    }

    /// A field whose value is JSON already.
    pub(crate) fn raw(mut self, name: &str, json: &str) -> Object {
        if !self.fields.is_empty() {
            self.fields.push(',');
        }
        write_text(&mut self.fields, name);
        self.fields.push(':');
        self.fields.push_str(json);
        self
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Object {
        let mut json = String::new();
        write_text(&mut json, value);
        self.raw(name, &json)
    }

    pub(crate) fn number(self, name: &str, value: impl fmt::Display) -> Object {
        self.raw(name, &value.to_string())
    }

    pub(crate) fn bool(self, name: &str, value: bool) -> Object {
        self.raw(name, if value { "true" } else { "false" })
    }

    pub(crate) fn object(self, name: &str, value: Object) -> Object {
        self.raw(name, &value.to_string())
    }

    /// A list of JSON values.
    pub(crate) fn list(self, name: &str, values: impl IntoIterator<Item = String>) -> Object {
        let values: Vec<String> = values.into_iter().collect();
        self.raw(name, &format!("[{}]", values.join(",")))
    }

    pub(crate) fn texts(self, name: &str, values: &[&str]) -> Object {
        self.list(name, values.iter().map(|value| text(value)))
    }

    /// `null` if there is no value.
    pub(crate) fn optional<T>(
        self,
        name: &str,
        value: Option<T>,
        write: fn(Object, &str, T) -> Object,
    ) -> Object {
        match value {
            Some(value) => write(self, name, value),
            None => self.raw(name, "null"),
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{{{}}}", self.fields)
    }
}

/// A text as JSON.
pub(crate) fn text(value: &str) -> String {
    let mut json = String::new();
    write_text(&mut json, value);
    json
}

/// Bits, as the protocol writes them: JSON's numbers are too small.
pub(crate) fn bits(value: u128) -> String {
    format!("\"{value:#x}\"")
}

fn write_text(json: &mut String, text: &str) {
    json.push('"');
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            c if (c as u32) < 0x20 => json.push_str(&format!("\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push('"');
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

impl Value {
    /// Reads a whole text. `None` if it is no JSON.
    pub(crate) fn parse(text: &str) -> Option<Value> {
        let mut reader = Reader { rest: text.trim_start(), depth: 0 };
        let value = reader.value()?;
        reader.rest.is_empty().then_some(value)
    }

    /// A field of an object; null if there is none.
    pub(crate) fn field(&self, name: &str) -> &Value {
        match self {
            Value::Object(fields) => fields.get(name).unwrap_or(&Value::Null),
            _ => &Value::Null,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Value::Bool(true)
    }

    /// The elements; none if it is no list.
    pub(crate) fn items(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// `"0x2a"`
    pub(crate) fn as_bits(&self) -> Option<u128> {
        let digits = self.as_text()?;
        u128::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16).ok()
    }

    /// A list of bits.
    pub(crate) fn as_scalars(&self) -> Option<Vec<u128>> {
        match self {
            Value::List(items) => items.iter().map(Value::as_bits).collect(),
            _ => None,
        }
    }
}

/// Nobody nests deeper.
const MAX_DEPTH: usize = 100;

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    /// Takes a piece of text and the blanks after it.
    fn take(&mut self, piece: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(piece)?.trim_start();
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        match self.rest.chars().next()? {
            '{' => self.nested(Reader::object),
            '[' => self.nested(Reader::list),
            '"' => self.string().map(Value::Text),
            't' => self.take("true").map(|()| Value::Bool(true)),
            'f' => self.take("false").map(|()| Value::Bool(false)),
            'n' => self.take("null").map(|()| Value::Null),
            _ => self.number(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Value>) -> Option<Value> {
        self.depth += 1;
        let value = if self.depth < MAX_DEPTH { read(self) } else { None };
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Option<Value> {
        self.take("{")?;
        let mut fields = BTreeMap::new();
        if self.take("}").is_some() {
            return Some(Value::Object(fields));
        }
        loop {
            let name = self.string()?;
            self.take(":")?;
            fields.insert(name, self.value()?);
            if self.take("}").is_some() {
                return Some(Value::Object(fields));
            }
            self.take(",")?;
        }
    }

    fn list(&mut self) -> Option<Value> {
        self.take("[")?;
        let mut items = Vec::new();
        if self.take("]").is_some() {
            return Some(Value::List(items));
        }
        loop {
            items.push(self.value()?);
            if self.take("]").is_some() {
                return Some(Value::List(items));
            }
            self.take(",")?;
        }
    }

    fn number(&mut self) -> Option<Value> {
        let is_part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        digits.parse().ok().map(Value::Number)
    }

    fn string(&mut self) -> Option<String> {
        let mut chars = self.rest.strip_prefix('"')?.chars();
        let mut text = String::new();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => match chars.next()? {
                    'n' => text.push('\n'),
                    'r' => text.push('\r'),
                    't' => text.push('\t'),
                    'b' => text.push('\u{8}'),
                    'f' => text.push('\u{c}'),
                    'u' => text.push(escaped(&mut chars)?),
                    c => text.push(c),
                },
                c => text.push(c),
            }
        }
        self.rest = chars.as_str().trim_start();
        Some(text)
    }
}

/// The four digits after `\u`; two of them if the first is half of a pair.
fn escaped(chars: &mut std::str::Chars) -> Option<char> {
    let mut unit = || {
        let digits = chars.as_str().get(..4)?;
        let unit = u32::from_str_radix(digits, 16).ok()?;
        chars.nth(3)?;
        Some(unit)
    };
    let first = unit()?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    if chars.next()? != '\\' || chars.next()? != 'u' {
        return None;
    }
    let digits = chars.as_str().get(..4)?;
    let second = u32::from_str_radix(digits, 16).ok()?;
    chars.nth(3)?;
    char::from_u32(0x10000 + ((first - 0xd800) << 10) + second.checked_sub(0xdc00)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let written = Object::new()
            .text("a", "quote \" slash \\ line\n bell \u{7} ü 🦀")
            .number("n", -1.5)
            .bool("b", true)
            .list("l", [bits(u128::MAX), bits(0)])
            .optional("none", None::<u32>, Object::number)
            .object("o", Object::new().text("x", ""));
        let read = Value::parse(&written.to_string()).expect("JSON");
        assert_eq!(read.field("a").as_text(), Some("quote \" slash \\ line\n bell \u{7} ü 🦀"));
        assert_eq!(read.field("n").as_number(), Some(-1.5));
        assert!(read.field("b").is_true() && !read.field("none").is_true());
        assert_eq!(read.field("l").as_scalars(), Some(vec![u128::MAX, 0]));
        assert_eq!(read.field("o").field("x").as_text(), Some(""));
        assert_eq!(read.field("none"), &Value::Null);
        assert_eq!(read.field("missing"), &Value::Null);
    }

    #[test]
    fn what_others_write_is_read() {
        let read = |text: &str| Value::parse(text);
        assert_eq!(read(" [ 1 , 2.5e1 ] "), Some(Value::List(vec![Value::Number(1.0), Value::Number(25.0)])));
        assert_eq!(read(r#""\u0041\ud83e\udd80\/""#), Some(Value::Text("A🦀/".into())));
        assert_eq!(read("{}"), Some(Value::Object(BTreeMap::new())));
        let deep = "[".repeat(5000);
        for wrong in ["", "{", "[1,]", "{\"a\" 1}", "\"\\ud83e\"", "nul", "1 2", "\"open", deep.as_str()] {
            assert_eq!(read(wrong), None, "{wrong:.20}");
        }
    }
}
