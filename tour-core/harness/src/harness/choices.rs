//! How the engine works, as users name it, as the engine has it.

use std::str::FromStr;
use tour_engine::analysis::{DomainKind, Kind, Options};
use tour_engine::cegar::Order;
use tour_engine::context::BlockEncoding;
use tour_engine::directed::MetricChoice;
use tour_ir::choice::Choice;
use tour_protocol::result::EngineChoices;

/// The options of these choices, or what is wrong with them.
pub fn options(choices: &EngineChoices) -> Result<Options, String> {
    let EngineChoices { analysis, domain, search, metric, block, certify } = choices;
    let mut options = Options { certify: certify.unwrap_or(true), ..Options::default() };
    let domain = domain.as_deref().map(named::<DomainKind>).transpose()?;
    if analysis.is_some() || domain.is_some() {
        let analysis = analysis.as_deref().unwrap_or("lazy");
        let kind = Kind::named(analysis, domain).ok_or_else(|| match domain {
            Some(domain) => format!("the analysis `{analysis}` has no domain `{}`", domain.name()),
            None => format!("there is no analysis `{analysis}`; `cargo tour check --help` lists all"),
        })?;
        let wrong = |error: &dyn std::fmt::Display| error.to_string();
        let alone = kind.analysis(false, &Options::default()).map(drop).map_err(|error| wrong(&error));
        let threads = kind.analysis(true, &Options::default()).map(drop).map_err(|error| wrong(&error));
        alone.or_else(|why| threads.map_err(|_| why))?;
        options.analysis = kind;
    }
    if let Some(name) = search {
        options.search = named::<Order>(name)?;
    }
    if let Some(name) = metric {
        options.metric = named::<MetricChoice>(name)?;
    }
    if let Some(name) = block {
        options.block = BlockEncoding::from_str(name)
            .map_err(|error| format!("there are no blocks `{name}`: {error}"))?;
    }
    Ok(options)
}

fn named<T: Choice>(name: &str) -> Result<T, String> {
    T::named(name).ok_or_else(|| {
        let names: Vec<&str> = T::all().into_iter().map(|(_, name, _)| name).collect();
        format!("there is no `{name}`; there are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_by_name() {
        let choices = EngineChoices {
            analysis: Some("lazy".into()),
            domain: Some("value".into()),
            search: Some("tour".into()),
            metric: Some("bb".into()),
            block: Some("lbe".into()),
            certify: Some(false),
        };
        let found = options(&choices).expect("options");
        assert_eq!((found.search.name(), found.metric.name(), found.certify), ("tour", "bb", false));
        assert_eq!(
            options(&EngineChoices::default()).expect("options").analysis,
            Options::default().analysis
        );
    }

    #[test]
    fn errors_name_what_there_is() {
        let check = |set: fn(&mut EngineChoices, Option<String>), value: &str, want: &str| {
            let mut choices = EngineChoices::default();
            set(&mut choices, Some(value.into()));
            let error = options(&choices).err().unwrap_or_else(|| panic!("{value} is an option"));
            assert!(error.contains(want), "{error}");
        };
        check(|c, v| c.analysis = v, "magic", "there is no analysis `magic`");
        check(|c, v| c.domain = v, "magic", "there is no `magic`; there are ");
        check(|c, v| c.search = v, "magic", "bfs");
        check(|c, v| c.metric = v, "magic", "there is no `magic`");
        check(|c, v| c.block = v, "abe:magic", "there are no blocks `abe:magic`");
    }
}
