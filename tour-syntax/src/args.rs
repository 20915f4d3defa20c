//! The arguments of `#[verify(…)]`.

use crate::units::{self, Limit};
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitBool, LitInt, LitStr, Token};

/// What `#[verify(…)]` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerifyArgs {
    /// `timeout = "2m 30s"`, in seconds.
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
    /// `analysis = "bmc"` and its kin: names and values for the engine, which knows what there is.
    pub engine: Vec<(String, String)>,
    /// `should_fail = "text"`
    pub should_fail: Option<String>,
}

const NAMES: [&str; 7] = ["timeout", "memory", "tag", "unwind", "property", "malloc_may_fail", "should_fail"];

/// What else can be said about how the engine works. Its values are texts.
pub const ENGINE_NAMES: [&str; 5] = ["analysis", "domain", "search", "metric", "block"];

const KNOWN: &str = "timeout = \"30s\", memory = \"2G\", tag = \"…\", unwind = 8, property = \"…\", \
                     malloc_may_fail = true, should_fail = \"…\", analysis = \"…\", domain = \"…\", search = \"…\", \
                     metric = \"…\", block = \"…\"";

impl Parse for VerifyArgs {
    fn parse(input: ParseStream) -> syn::Result<VerifyArgs> {
        let mut args = VerifyArgs::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            let name = key.to_string();
            let of_engine = ENGINE_NAMES.contains(&name.as_str());
            if !of_engine && !NAMES.contains(&name.as_str()) {
                let message = format!("`{name}` is no argument of `#[verify]`; there are {KNOWN}");
                return Err(syn::Error::new(key.span(), message));
            }
            input.parse::<Token![=]>()?;
            match name.as_str() {
                "timeout" => args.timeout = Some(limit(input, units::duration)?.seconds()),
                "memory" => args.memory = Some(limit(input, units::size)?.bytes()),
                "unwind" => args.unwind = Some(input.parse::<LitInt>()?.base10_parse()?),
                "tag" => args.tags.push(input.parse::<LitStr>()?.value()),
                "property" => args.properties.push(input.parse::<LitStr>()?.value()),
                _ if of_engine => args.engine.push((name, input.parse::<LitStr>()?.value())),
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

fn limit<T>(input: ParseStream, parse: fn(&str) -> Result<Limit<T>, units::Wrong>) -> syn::Result<Limit<T>> {
    let text: LitStr = input.parse()?;
    parse(&text.value()).map_err(|wrong| syn::Error::new(text.span(), wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let args: VerifyArgs = syn::parse_str(
            r#"timeout = "1m 30s", memory = "2G", tag = "slow", tag = "ci", unwind = 8,
               property = "memory-safety", malloc_may_fail = true, should_fail = "index", analysis = "bmc""#,
        )
        .expect("fine");
        let want = VerifyArgs {
            timeout: Some(90.0),
            memory: Some(2 << 30),
            tags: vec!["slow".into(), "ci".into()],
            unwind: Some(8),
            properties: vec!["memory-safety".into()],
            malloc_may_fail: true,
            engine: vec![("analysis".into(), "bmc".into())],
            should_fail: Some("index".into()),
        };
        assert_eq!(args, want);
        assert_eq!(syn::parse_str::<VerifyArgs>("").ok(), Some(VerifyArgs::default()));
        let none: VerifyArgs = syn::parse_str(r#"timeout = "none", memory = "none""#).expect("fine");
        assert_eq!((none.timeout, none.memory), (Some(1e9), Some(u64::MAX)));
    }

    #[test]
    fn errors_say_what_there_is() {
        let check = |text: &str, want: &str| {
            let error = syn::parse_str::<VerifyArgs>(text).expect_err(text).to_string();
            assert!(error.contains(want), "{text}: {error}");
        };
        check("timout = \"1s\"", "`timout` is no argument of `#[verify]`; there are timeout");
        check("timeout = \"soon\"", "`soon` is no time; write for example `60s`");
        check("memory = \"2X\"", "`2X` is no amount of memory; write for example `4G`");
        check("unwind = \"8\"", "expected integer literal");
    }
}
