//! The files that a text was made of, as the compiler lists them for `make`.

/// The files of a rule: `x: a.c a\ b.h \` and further lines.
pub(super) fn prerequisites(rule: &str) -> Vec<String> {
    let list = rule.split_once(':').map_or("", |(_, list)| list);
    let mut files = vec![String::new()];
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        let last = files.len() - 1;
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => files.push(String::new()),
                // Only these are escaped; another backslash is part of the name.
                Some(escaped @ (' ' | '#' | '\\' | ':')) => files[last].push(escaped),
                Some(other) => files[last].extend(['\\', other]),
            },
            '$' if chars.peek() == Some(&'$') => {
                chars.next();
                files[last].push('$');
            }
            c if c.is_whitespace() => files.push(String::new()),
            c => files[last].push(c),
        }
    }
    files.retain(|file| !file.is_empty());
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_make() {
        assert_eq!(prerequisites("x: a.c /usr/b.h \\\n a\\ b.h\n"), ["a.c", "/usr/b.h", "a b.h"]);
        assert_eq!(prerequisites("x: a$$b.c c\\#.h d\\e.h\n"), ["a$b.c", "c#.h", "d\\e.h"]);
        assert_eq!(prerequisites("x:\n"), Vec::<String>::new());
        assert_eq!(prerequisites(""), Vec::<String>::new());
    }
}
