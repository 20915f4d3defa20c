//! The arguments of `#[verify(…)]`.

use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitBool, LitInt, LitStr, Token};

/// What `#[verify(…)]` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerifyArgs {
    /// `timeout = "30s"`, in seconds.
    pub timeout: Option<f64>,
    /// `memory = "2G"`, in bytes.
    pub memory: Option<u64>,
    /// `tag = "slow"`, any number of times.
    pub tags: Vec<String>,
    /// `unwind = 8`
    pub unwind: Option<u32>,
    /// `property = "memory-safety"`, any number of times.
    pub properties: Vec<String>,
    /// `malloc_may_fail = true`
    pub malloc_may_fail: bool,
    /// `should_fail = "text"`
    pub should_fail: Option<String>,
}

const NAMES: [&str; 7] = ["timeout", "memory", "tag", "unwind", "property", "malloc_may_fail", "should_fail"];

const KNOWN: &str = "timeout = \"30s\", memory = \"2G\", tag = \"…\", unwind = 8, property = \"…\", \
                     malloc_may_fail = true, should_fail = \"…\"";

impl Parse for VerifyArgs {
    fn parse(input: ParseStream) -> syn::Result<VerifyArgs> {
        let mut args = VerifyArgs::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            let name = key.to_string();
            if !NAMES.contains(&name.as_str()) {
                let message = format!("`{name}` is no argument of `#[verify]`; there are {KNOWN}");
                return Err(syn::Error::new(key.span(), message));
            }
            input.parse::<Token![=]>()?;
            match name.as_str() {
                "timeout" => {
                    let text: LitStr = input.parse()?;
                    let seconds = duration(&text.value()).ok_or_else(|| {
                        syn::Error::new(text.span(), "a time is a number with `ms`, `s`, `m` or `h`: \"30s\"")
                    })?;
                    args.timeout = Some(seconds);
                }
                "memory" => {
                    let text: LitStr = input.parse()?;
                    let bytes = size(&text.value()).ok_or_else(|| {
                        syn::Error::new(text.span(), "a size is a number with `K`, `M`, `G` or none: \"2G\"")
                    })?;
                    args.memory = Some(bytes);
                }
                "unwind" => args.unwind = Some(input.parse::<LitInt>()?.base10_parse()?),
                "tag" => args.tags.push(input.parse::<LitStr>()?.value()),
                "property" => args.properties.push(input.parse::<LitStr>()?.value()),
                "malloc_may_fail" => args.malloc_may_fail = input.parse::<LitBool>()?.value,
                _ => args.should_fail = Some(input.parse::<LitStr>()?.value()),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }
}

/// `30s`, `1.5m`, `200ms`
fn duration(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let number: f64 = digits.trim().parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number * factor)
}

/// `2G`, `512M`, `100000`
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        _ => return None,
    };
    let number: u64 = digits.trim().parse().ok()?;
    number.checked_mul(1 << shift).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let args: VerifyArgs = syn::parse_str(
            r#"timeout = "1.5m", memory = "2G", tag = "slow", tag = "ci", unwind = 8,
               property = "memory-safety", malloc_may_fail = true, should_fail = "index""#,
        )
        .expect("fine");
        let want = VerifyArgs {
            timeout: Some(90.0),
            memory: Some(2 << 30),
            tags: vec!["slow".into(), "ci".into()],
            unwind: Some(8),
            properties: vec!["memory-safety".into()],
            malloc_may_fail: true,
            should_fail: Some("index".into()),
        };
        assert_eq!(args, want);
        assert_eq!(syn::parse_str::<VerifyArgs>("").ok(), Some(VerifyArgs::default()));
    }

    #[test]
    fn errors_say_what_there_is() {
        let check = |text: &str, want: &str| {
            let error = syn::parse_str::<VerifyArgs>(text).expect_err(text).to_string();
            assert!(error.contains(want), "{text}: {error}");
        };
        check("timout = \"1s\"", "`timout` is no argument of `#[verify]`; there are timeout");
        check("timeout = \"soon\"", "a time is a number");
        check("timeout = \"-1s\"", "a time is a number");
        check("memory = \"2T\"", "a size is a number");
        check("unwind = \"8\"", "expected integer literal");
    }
}
