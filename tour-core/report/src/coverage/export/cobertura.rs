//! Cobertura's XML, which CI servers read.

use crate::coverage::{Coverage, FileCoverage};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;
use tour_ir::cfa::export::printable;

/// The document type.
const DOCTYPE: &str = "coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\"";

/// The document. `timestamp`: seconds since 1970.
pub fn cobertura(coverage: &Coverage, timestamp: u64) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory can't fail.
    let _ = write(&mut writer, coverage, timestamp);
    String::from_utf8(writer.into_inner()).unwrap_or_default() + "\n"
}

fn write(writer: &mut Writer<Vec<u8>>, coverage: &Coverage, timestamp: u64) -> io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.write_event(Event::DocType(BytesText::from_escaped(DOCTYPE)))?;
    let (valid, covered) =
        coverage.files.iter().fold((0, 0), |(v, c), file| (v + file.lines.len(), c + visited(file)));
    let whole = rate(covered, valid);
    let attributes = [
        ("line-rate", whole.as_str()),
        ("branch-rate", "0"),
        ("lines-covered", &covered.to_string()),
        ("lines-valid", &valid.to_string()),
        ("branches-covered", "0"),
        ("branches-valid", "0"),
        ("complexity", "0"),
        ("version", concat!("tour ", env!("CARGO_PKG_VERSION"))),
        ("timestamp", &timestamp.to_string()),
    ];
    let package = [("name", "program"), ("line-rate", &whole), ("branch-rate", "0"), ("complexity", "0")];
    writer.create_element("coverage").with_attributes(attributes).write_inner_content(|writer| {
        writer.create_element("sources").write_inner_content(|writer| {
            writer.create_element("source").write_text_content(BytesText::new(".")).map(drop)
        })?;
        writer.create_element("packages").write_inner_content(|writer| {
            writer.create_element("package").with_attributes(package).write_inner_content(|writer| {
                writer.create_element("classes").write_inner_content(|writer| {
                    coverage.files.iter().try_for_each(|file| write_file(writer, file))
                })?;
                Ok(())
            })?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn write_file(writer: &mut Writer<Vec<u8>>, file: &FileCoverage) -> io::Result<()> {
    let path = printable(&file.file);
    let own = rate(visited(file), file.lines.len());
    let attributes = [
        ("name", path.as_str()),
        ("filename", &path),
        ("line-rate", &own),
        ("branch-rate", "0"),
        ("complexity", "0"),
    ];
    writer.create_element("class").with_attributes(attributes).write_inner_content(|writer| {
        writer.create_element("methods").write_empty()?;
        writer.create_element("lines").write_inner_content(|writer| {
            for line in &file.lines {
                let (number, hits) = (line.line.to_string(), line.visits.to_string());
                let attributes = [("number", number.as_str()), ("hits", &hits)];
                writer.create_element("line").with_attributes(attributes).write_empty()?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn visited(file: &FileCoverage) -> usize {
    file.lines.iter().filter(|line| line.visits > 0).count()
}

fn rate(covered: usize, valid: usize) -> String {
    let rate = if valid == 0 { 1.0 } else { covered as f64 / valid as f64 };
    format!("{rate:.4}")
}
