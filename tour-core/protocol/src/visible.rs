//! Characters that a terminal or a viewer would obey, made visible. Names of files, identifiers and messages of compilers come
//! from whoever wrote the program; nothing that is shown of them may move the cursor, change colours or the direction of text.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write;

/// A character that is not shown as it is: controls but for the end of a line and the tabulator, and what changes the direction
/// or the lines of text.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A text in which all characters are seen: others stand as `\u001b`, as in JSON, so that a JSON text stays one.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string can't fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// A value in whose texts all characters are seen.
pub fn visible_in<T: Serialize + DeserializeOwned + Clone>(value: &T) -> T {
    let Ok(mut plain) = serde_json::to_value(value) else { return value.clone() };
    if !show(&mut plain) {
        return value.clone();
    }
    serde_json::from_value(plain).unwrap_or_else(|_| value.clone())
}

/// Makes all texts of a value visible. True if one was not.
pub fn show(value: &mut Value) -> bool {
    let mut waiting = vec![value];
    let mut any = false;
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => {
                if let Cow::Owned(shown) = visible(text) {
                    *text = shown;
                    any = true;
                }
            }
            Value::Array(values) => waiting.extend(values),
            Value::Object(fields) => {
                // A name of a field may be a text of the user's, too.
                if fields.keys().any(|name| name.contains(is_hidden)) {
                    *fields = std::mem::take(fields)
                        .into_iter()
                        .map(|(name, value)| (visible(&name).into_owned(), value))
                        .collect();
                    any = true;
                }
                waiting.extend(fields.values_mut());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_shown() {
        let check = |text: &str, want: &str| assert_eq!(visible(text), want);
        check("a\tb\nc", "a\tb\nc");
        check("naïve 日本 🦀", "naïve 日本 🦀");
        check("\x1b[31mred\r\u{7f}\u{9b}", "\\u001b[31mred\\u000d\\u007f\\u009b");
        check("a\u{202e}b\u{2066}", "a\\u202eb\\u2066");
        check("\u{e0041}", "\\udb40\\udc41");
    }

    /// Of every character, alone and between others.
    #[test]
    fn no_text_hides_anything() {
        let mut state = 1u64;
        for c in (0..=0x10ffff).filter_map(char::from_u32) {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let other = char::from_u32((state >> 40) as u32 % 0x300).unwrap_or('x');
            let text = format!("{other}{c}a{c}{other}");
            let shown = visible(&text);
            assert!(shown.chars().all(|c| !is_hidden(c)), "{text:?}");
            assert!(shown.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "{text:?}");
            assert_eq!(visible(&shown), shown, "once is enough: {text:?}");
            // In JSON, it means the same.
            let json = serde_json::to_string(&text).expect("JSON");
            assert_eq!(serde_json::from_str::<String>(&visible(&json)).expect("JSON"), text);
        }
    }

    #[test]
    fn values_are_shown_as_a_whole() {
        let value: Vec<(String, u8)> = vec![("\x1b".into(), 1), ("b".into(), 2)];
        assert_eq!(visible_in(&value), [("\\u001b".to_owned(), 1), ("b".to_owned(), 2)]);
        let mut value = serde_json::json!({ "\x1b": ["\x07", 1] });
        assert!(show(&mut value));
        assert_eq!(value, serde_json::json!({ "\\u001b": ["\\u0007", 1] }));
    }
}
