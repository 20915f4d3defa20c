//! The front end's first half: from files to syntax trees.
//!
//! `preprocess` (the real compiler) → `scan` (our tokens) → `split` (external declarations) → `reach` (only what the
//! entry needs) → `rewrite` and `outline` (what lang-c rejects or is slow on) → `parse` (lang-c).
//!
//! The result is a [`ParsedUnit`] for each file, from which [`crate::sema`] makes the typed program.
//!
//! # How constructs that lang-c has no node for are written in the tree
//!
//! The rewriter puts reserved names into the text, and `sema` gives them their meaning:
//!
//! | in C | in the tree |
//! |---|---|
//! | `__int128`, `unsigned __int128`, `__float128` | typedef names `__tour_int128`, `__tour_uint128`, `__tour_float128` |
//! | `__auto_type` | typedef name `__tour_auto` |
//! | `a ?: b` | `a ? __tour_same : b` |
//! | `&&label` | `__tour_label_address(label)` |
//! | `goto *e;` | `__tour_computed_goto(e);` |
//! | `__label__ a, b;` | `__tour_local_label(a, b);` |
//! | `__builtin_types_compatible_p(A, B)` | `__tour_types_compatible(sizeof(A), sizeof(B))` |
//! | `_Alignof e`, `__alignof__ e` of an expression | `__tour_alignof(e)` |
//! | `__alignof__(T)` of a type | `_Alignof(T)` |
//! | `__real__ e`, `__imag__ e` | `__tour_real(e)`, `__tour_imag(e)` |
//! | `{}` as an initialiser | `{ __tour_empty }` |
//! | `_Alignas(x)` on a member or variable | `__attribute__((aligned(x)))`, `aligned(_Alignof(T))` for a type |
//! | `__builtin_convertvector(v, T)` | `__builtin_convertvector(v, sizeof(T))` |
//! | `typeof(T)` of a type | `__typeof(__attribute__(()) T)`: a type with an empty attribute |
//! | `a$b`, `é` in names | `a__tour_x24_b`, `__tour_xe9_` |
//! | attributes that change the meaning | their names without underscores; others are dropped |
//! | `enum e : T { … }` | `enum e { … } __attribute__((__tour_enum_type(sizeof(T))))` |
//! | a function within a function | its declaration, then `__tour_unsupported` |
//! | a body whose parameters hide types | `{ __tour_piece_N; }` |
//! | anything that would change the meaning if dropped | the statement `__tour_unsupported("kind", "message");` |
//! | a deep parenthesis or block, taken out of the text | the name `__tour_piece_N` (as expression or statement) |

pub mod attribute;
mod call;
mod dependencies;
mod flags;
mod judge;
pub mod library;
mod outline;
mod parse;
mod pragma;
mod preprocess;
mod reach;
mod rewrite;
mod scan;
mod split;
mod token;

pub use flags::Abi;
pub use judge::{Family, WIDE_FIELD, accepts};
pub use pragma::Directives;
pub use preprocess::{Input, Origin, Preprocessed, compiler_identity, preprocess};
pub use scan::{Scan, scan};
pub use token::{Kind, Token};

use index_vec::IndexVec;
use lang_c::ast::{Expression, ExternalDeclaration, Statement};
use lang_c::span::Node;
use preprocess::Preprocessor;
use reach::SplitUnit;
use rewrite::Rewriter;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use tour_ir::program::{DataModel, Unsupported};
use tour_ir::source::{Diagnostic, Skipped, SourceMap, Span, Unit, UnitId};

/// How units are read.
#[derive(Clone, Debug)]
pub struct FrontOptions {
    /// The C compiler that preprocesses.
    pub compiler: PathBuf,
    /// Its flags for all units.
    pub flags: Vec<OsString>,
    /// The data model: with `ilp32`, the compiler runs with `-m32`.
    pub data_model: DataModel,
    /// The functions from which the program is run; only what they need is parsed. Empty: everything is.
    pub entries: Vec<String>,
    /// Functions of the standard library that the program does not define have the bodies of [`library`].
    pub library: bool,
}

impl FrontOptions {
    /// The compiler `cc`, no flags, and the entry `main`.
    pub fn new(data_model: DataModel) -> FrontOptions {
        FrontOptions {
            compiler: "cc".into(),
            flags: Vec::new(),
            data_model,
            entries: vec!["main".to_owned()],
            library: true,
        }
    }
}

/// Reads units: the syntax trees of what the entries need, each unit in the order of its text. The texts go to
/// `sources`.
pub fn parse_units(
    inputs: &[Input],
    options: &FrontOptions,
    sources: &mut SourceMap,
) -> Result<Vec<ParsedUnit>, Vec<Diagnostic>> {
    let mut preprocessor = Preprocessor::new(options);
    let mut loaded = Vec::new();
    let mut errors = Vec::new();
    for input in inputs {
        match preprocessor.load(input, sources) {
            Ok((text, mut scan)) => {
                let files = std::mem::take(&mut scan.files);
                let markers = std::mem::take(&mut scan.markers);
                let unit = sources.add(Unit { path: input.path.clone(), text: text.clone(), files, markers });
                match split::split(&text, &scan.tokens) {
                    Ok(split) => {
                        loaded.push(Loaded { unit, text, scan, split, abi: preprocessor.abi(input) })
                    }
                    Err(unbalanced) => errors.push(unbalanced_brackets(unit, &text, &scan, unbalanced)),
                }
            }
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let own = loaded.len();
    if options.library && !options.entries.is_empty() {
        add_library(options.data_model, &mut loaded, sources);
    }
    let views: Vec<SplitUnit> = loaded.iter().map(Loaded::view).collect();
    let needed = reach::reach(&views, own, &options.entries);
    let mut units = Vec::new();
    for (index, (unit, items)) in loaded.iter().zip(needed).enumerate() {
        if index >= own && items.is_empty() {
            continue;
        }
        if index < own {
            note_skipped(unit.unit, &unit.text, &unit.scan, &unit.split, &items, sources);
        }
        match parse_items(unit, &items, &preprocessor) {
            Ok(parsed) => units.push(parsed),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(units) } else { Err(errors) }
}

/// Notes the functions of a unit that are not needed.
fn note_skipped(
    unit: UnitId,
    text: &str,
    scan: &Scan,
    split: &split::Split,
    needed: &[u32],
    sources: &mut SourceMap,
) {
    for (index, item) in split.items.iter().enumerate() {
        let tokens = &scan.tokens[item.tokens.start as usize..item.tokens.end as usize];
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
        let is_needed = needed.binary_search(&(index as u32)).is_ok();
        if item.kind != split::ItemKind::Function || is_needed || sources.place_of(unit, first.start).system {
            continue;
        }
        let name = split.names_of(item).iter().find(|name| name.role == split::Role::Function);
        let name = name.map_or("", |name| scan.tokens[name.token as usize].text(text)).to_owned();
        let body = tokens.iter().position(|token| token.kind == Kind::LeftBrace).unwrap_or(tokens.len());
        let mut statements = Vec::new();
        let mut line = None;
        for token in tokens.iter().skip(body + 1) {
            let own = Some(sources.place_of(unit, token.start).line);
            let punctuation = matches!(
                token.kind,
                Kind::LeftBrace | Kind::RightBrace | Kind::Semicolon | Kind::LeftParen | Kind::RightParen
            );
            if !punctuation && own != line {
                statements.push(token.start);
                line = own;
            }
        }
        let span = Span { unit, start: first.start, end: last.end };
        sources.skip(Skipped { name, span, statements });
    }
}

/// A unit that was read.
struct Loaded {
    unit: UnitId,
    text: Arc<str>,
    scan: Scan,
    split: split::Split,
    abi: Abi,
}

impl Loaded {
    fn view(&self) -> SplitUnit<'_> {
        SplitUnit { text: &self.text, scan: &self.scan, split: &self.split }
    }
}

/// Adds the library.
fn add_library(model: DataModel, loaded: &mut Vec<Loaded>, sources: &mut SourceMap) {
    for (path, text) in library::units(model) {
        let scan = scan(&text, std::path::Path::new(&path));
        let Ok(split) = split::split(&text, &scan.tokens) else { continue };
        let text: Arc<str> = text.into();
        let unit = sources.add(Unit::plain(path, text.clone()));
        loaded.push(Loaded { unit, text, scan, split, abi: Abi::default() });
    }
}

fn parse_items(
    loaded: &Loaded,
    needed: &[u32],
    preprocessor: &Preprocessor<'_>,
) -> Result<ParsedUnit, Diagnostic> {
    let Loaded { unit, text, scan, split, abi } = loaded;
    let unit = *unit;
    let mut rewriter = Rewriter::new(text, &scan.tokens, &split.partners, abi.short_wchar);
    let mut items = Vec::new();
    for &item in needed {
        match rewriter.item(&split.items[item as usize]) {
            Ok(piece) => items.extend(piece),
            Err(offset) => {
                let span = Span { unit, start: offset, end: offset + 1 };
                return Err(Diagnostic::error("tour::parse", "this is nested too deep")
                    .label(span, format!("more than {} levels", outline::NESTING_LIMIT))
                    .help("declare a typedef or a variable for an inner part"));
            }
        }
    }
    let mut unmodelled = std::mem::take(&mut rewriter.unmodelled);
    unmodelled.extend(unknown_attributes(&rewriter.unknown, preprocessor));
    unmodelled.extend(scan.directives.unmodelled.iter().cloned());
    unmodelled.extend(unmodelled_flags(loaded, needed));
    let unmodelled = unmodelled.into_iter().map(|(start, end, message)| {
        let what = Unsupported { kind: "front-end", message };
        (what, Span { unit, start, end })
    });
    let tokens = needed.iter().flat_map(|&item| split.items[item as usize].tokens.clone());
    let wide = tokens.filter_map(|i| scan.tokens.get(i as usize)).map(|token| (token.kind, token.text(text)));
    let family = if judge::has_wide_field(wide) { judge::family(preprocessor) } else { None };
    let unmodelled = unmodelled.collect();
    let pieces = parse::parse_pieces(unit, text, &scan.tokens, rewriter.into_pieces())?;
    let token = |index: u32| scan.tokens.get(index as usize);
    let assembler = (split.items.iter().filter(|item| item.kind == split::ItemKind::Asm))
        .filter_map(|item| Some(token(item.tokens.start)?.start..token(item.tokens.end.checked_sub(1)?)?.end))
        .collect();
    let directives = scan.directives.clone();
    Ok(ParsedUnit { unit, items, pieces, directives, abi: abi.clone(), family, unmodelled, assembler })
}

/// Attributes in none of our lists that the compiler knows: where, and why not.
fn unknown_attributes(
    unknown: &[(u32, u32, &str)],
    preprocessor: &Preprocessor<'_>,
) -> Vec<(u32, u32, String)> {
    if unknown.is_empty() {
        return Vec::new();
    }
    let mut names: Vec<&str> = unknown.iter().map(|(_, _, name)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let known = judge::known_attributes(&names, preprocessor);
    let found = unknown.iter().filter(|(_, _, name)| known.contains(name));
    found.map(|(from, to, name)| (*from, *to, format!("the attribute `{name}` is not modelled"))).collect()
}

/// Flags of a unit that are not modelled; those about floating numbers only where it has some.
fn unmodelled_flags(loaded: &Loaded, needed: &[u32]) -> Vec<(u32, u32, String)> {
    let Loaded { scan, split, abi, text, .. } = loaded;
    let finding = |flag: &String| (0, 0, format!("the compiler's flag `{flag}` is not modelled"));
    let mut found: Vec<_> = abi.unmodelled.iter().map(finding).collect();
    let mut tokens = needed.iter().flat_map(|&item| split.items[item as usize].tokens.clone());
    let floating = |i: u32| {
        scan.tokens.get(i as usize).is_some_and(|token| match token.kind {
            Kind::Float | Kind::Double | Kind::FloatN | Kind::Float128 | Kind::Float80 => true,
            Kind::Number => is_floating(token.text(text)),
            _ => false,
        })
    };
    if !abi.floating.is_empty() && tokens.any(floating) {
        found.extend(abi.floating.iter().map(finding));
    }
    found
}

/// A constant has a floating type: it has a point or an exponent.
fn is_floating(number: &str) -> bool {
    let hexadecimal = number.starts_with("0x") || number.starts_with("0X");
    number.contains('.') || number.contains(if hexadecimal { ['p', 'P'] } else { ['e', 'E'] })
}

fn unbalanced_brackets(unit: UnitId, text: &str, scan: &Scan, unbalanced: split::Unbalanced) -> Diagnostic {
    let at = |index: u32| {
        let token = scan.tokens[index as usize];
        (Span { unit, start: token.start, end: token.end }, token.text(text))
    };
    match (unbalanced.close.map(at), unbalanced.open.map(at)) {
        (Some((close, found)), Some((open, opened))) => {
            Diagnostic::error("tour::parse", format!("`{found}` does not close `{opened}`"))
                .label(close, "this bracket does not fit")
                .label(open, "the innermost bracket that is open")
        }
        (Some((close, found)), None) => Diagnostic::error("tour::parse", format!("`{found}` closes nothing"))
            .label(close, "no bracket is open"),
        (None, Some((open, opened))) => {
            Diagnostic::error("tour::parse", format!("`{opened}` is never closed")).label(open, "opened here")
        }
        (None, None) => Diagnostic::error("tour::parse", "the brackets do not match"),
    }
    .help("look for a bracket that is missing or too many nearby")
}

index_vec::define_index_type! {
    /// A piece of a unit that was parsed on its own.
    pub struct PieceId = u32;
    DEBUG_FORMAT = "piece{}";
}

/// What a piece was parsed as.
#[derive(Debug)]
pub enum Tree {
    /// External declarations (mostly one).
    External(Vec<Node<ExternalDeclaration>>),
    /// An expression that was taken out of a larger one.
    Expression(Box<Node<Expression>>),
    /// A statement that was taken out of a larger one.
    Statement(Box<Node<Statement>>),
}

/// A piece of text that lang-c parsed on its own.
#[derive(Debug)]
pub struct Piece {
    /// Its syntax tree; spans in it are offsets into the piece's rewritten text.
    pub tree: Tree,
    /// Back to the unit's text.
    pub offsets: OffsetMap,
}

/// From offsets in a piece's rewritten text to offsets in the unit's preprocessed text: `(rewritten, original)`
/// pairs in ascending order; between two pairs, offsets advance together.
#[derive(Debug, Clone, Default)]
pub struct OffsetMap {
    /// The pairs; the first has `rewritten == 0`.
    pub pairs: Vec<(u32, u32)>,
}

impl OffsetMap {
    /// The original offset of a rewritten one.
    pub fn original(&self, rewritten: usize) -> u32 {
        let rewritten = rewritten as u32;
        let i = self.pairs.partition_point(|p| p.0 <= rewritten);
        match i.checked_sub(1).map(|i| self.pairs[i]) {
            Some((from, to)) => {
                let next = self.pairs.get(i).map_or(u32::MAX, |p| p.1);
                (to + (rewritten - from)).min(next)
            }
            None => 0,
        }
    }
}

/// The syntax trees of a unit: only what the entry needs, in the order of the text.
#[derive(Debug)]
pub struct ParsedUnit {
    /// The unit.
    pub unit: UnitId,
    /// The pieces that are external declarations, in the order of the text.
    pub items: Vec<PieceId>,
    /// All pieces.
    pub pieces: IndexVec<PieceId, Piece>,
    /// What its pragmas say.
    pub directives: Directives,
    /// What its flags change of the ABI.
    pub abi: Abi,
    /// Who wrote the compiler, where that matters.
    pub family: Option<Family>,
    /// What changes the meaning of the whole unit and is not modelled.
    pub unmodelled: Vec<(Unsupported, Span)>,
    /// Where assembler text stands between functions.
    pub assembler: Vec<std::ops::Range<u32>>,
}

/// What names of outlined pieces begin with.
pub const PIECE_PREFIX: &str = "__tour_piece_";

impl ParsedUnit {
    /// The piece that a name stands for.
    pub fn piece_named(&self, name: &str) -> Option<PieceId> {
        let index: usize = name.strip_prefix(PIECE_PREFIX)?.parse().ok()?;
        (index < self.pieces.len()).then(|| PieceId::new(index))
    }

    /// The span of a node of a piece.
    pub fn span(&self, piece: PieceId, span: lang_c::span::Span) -> Span {
        let map = &self.pieces[piece].offsets;
        let start = map.original(span.start);
        // The end maps with the last byte, so that a rewrite behind it does not stretch the span.
        let end = if span.end > span.start { map.original(span.end - 1) + 1 } else { start };
        Span { unit: self.unit, start, end: end.max(start) }
    }

    /// A unit with nothing special about it.
    pub fn plain(unit: UnitId, items: Vec<PieceId>, pieces: IndexVec<PieceId, Piece>) -> ParsedUnit {
        ParsedUnit {
            unit,
            items,
            pieces,
            directives: Directives::default(),
            abi: Abi::default(),
            family: None,
            unmodelled: Vec::new(),
            assembler: Vec::new(),
        }
    }

    /// `#pragma pack` in force at an offset.
    pub fn pack_at(&self, offset: u32) -> Option<u64> {
        let packs = &self.directives.packs;
        let i = packs.partition_point(|p| p.0 <= offset);
        i.checked_sub(1).and_then(|i| packs[i].1).or(self.abi.pack)
    }
}
