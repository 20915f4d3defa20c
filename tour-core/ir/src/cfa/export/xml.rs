//! Text for XML.

/// The text with question marks for characters that XML has no way to write, or that are not to be seen.
pub fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => '?',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// The text as content or attribute of an element.
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(
            escape_xml("a<b && 'c'>\"\u{1}\r\u{ffff}\n"),
            "a&lt;b &amp;&amp; &#39;c&#39;&gt;&quot;???&#10;"
        );
    }
}
