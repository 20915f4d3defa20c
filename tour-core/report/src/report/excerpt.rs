//! The text that a label stands in: the user's own file as it is on disk, or, if that can't be read, what the
//! preprocessor gave.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::ops::Range;
use tour_ir::source::{SourceMap, Span};

/// A piece of a file.
#[derive(Debug)]
pub struct Excerpt {
    name: String,
    text: String,
    /// Number of the first line of `text`, from 0.
    first_line: usize,
    /// Where the text starts in the unit, if it is preprocessed text.
    preprocessed: Option<Range<u32>>,
}

impl Excerpt {
    /// A whole file.
    pub fn whole(name: String, text: String) -> Excerpt {
        Excerpt { name, text, first_line: 0, preprocessed: None }
    }

    /// The text around `span`.
    pub fn new(sources: &SourceMap, span: Span) -> Excerpt {
        let place = sources.place(span);
        let name = place.file.display().to_string();
        match std::fs::read(place.file) {
            // Other encodings must not hide the message.
            Ok(bytes) => Excerpt::whole(name, String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => Excerpt::preprocessed(sources, span, name),
        }
    }

    /// The preprocessed text between the line markers around `span`.
    fn preprocessed(sources: &SourceMap, span: Span, name: String) -> Excerpt {
        let unit = sources.unit(span.unit);
        let next = unit.markers.partition_point(|m| m.offset <= span.start);
        let start = unit.markers.get(next.saturating_sub(1)).map_or(0, |m| m.offset);
        let end = unit.markers.get(next).map_or(unit.text.len() as u32, |m| m.offset);
        let text = unit.text.get(start as usize..end as usize).unwrap_or("");
        // The next marker's own line is no line of the user's.
        let text = match text.trim_end_matches('\n').rsplit_once('\n') {
            Some((before, last)) if last.starts_with('#') => before,
            _ => text,
        };
        Excerpt {
            name,
            text: text.to_owned(),
            first_line: sources.place_of(span.unit, start).line as usize - 1,
            preprocessed: Some(start..end),
        }
    }

    /// The file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Does the text contain `span` (which is of the same file)?
    pub fn covers(&self, sources: &SourceMap, span: Span) -> bool {
        match &self.preprocessed {
            None => true,
            // Another unit may have other text at these offsets.
            Some(range) => {
                let unit = sources.unit(span.unit);
                range.contains(&span.start)
                    && unit.text.get(range.start as usize..).is_some_and(|t| t.starts_with(&self.text))
            }
        }
    }

    /// The range of `text` that `span` stands for.
    pub fn locate(&self, sources: &SourceMap, span: Span) -> Range<usize> {
        // Only the first line of a construct is underlined: the reader needs to find it, not to see all of it.
        let wanted = sources.text(span).lines().next().unwrap_or("").trim_end();
        if let Some(range) = &self.preprocessed {
            let start = ((span.start - range.start) as usize).min(self.text.len());
            return start..(start + wanted.len()).min(self.text.len());
        }
        let place = sources.place(span);
        let Some(line) = self.line(place.line as usize) else {
            return self.text.len()..self.text.len();
        };
        let text = &self.text[line.clone()];
        let at = place.column as usize - 1;
        if text.get(at..).is_some_and(|rest| rest.starts_with(wanted)) {
            return line.start + at..line.start + at + wanted.len();
        }
        // A comment or a macro before it on the line moved it.
        let mut matches = text.match_indices(wanted);
        if let (false, Some((at, _)), None) = (wanted.is_empty(), matches.next(), matches.next()) {
            return line.start + at..line.start + at + wanted.len();
        }
        // It came out of a macro: the whole line is the best place.
        let start = line.start + (text.len() - text.trim_start().len());
        start..start + text.trim().len()
    }

    /// The range of line `number` (from 1), without its end.
    fn line(&self, number: usize) -> Option<Range<usize>> {
        let mut start = 0;
        for (i, line) in self.text.split_inclusive('\n').enumerate() {
            if i + 1 == number {
                return Some(start..start + line.trim_end_matches(['\n', '\r']).len());
            }
            start += line.len();
        }
        None
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        // What `inner` counts are the lines from the beginning of the text; miette would take far labels for neighbours.
        let lines = inner.data().iter().filter(|byte| **byte == b'\n').count();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line() + self.first_line,
            inner.column(),
            lines,
        )))
    }
}
