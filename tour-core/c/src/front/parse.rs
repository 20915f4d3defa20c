//! Hands texts to lang-c, each on its own, and turns its complaints into diagnostics.
//!
//! lang-c only reads whole translation units. So each text gets declarations of the types that it uses in front, and
//! expressions and statements a function around them, which are taken off the tree again.

use super::outline::{PieceText, TextKind};
use super::rewrite::respell;
use super::token::{Kind, Token};
use super::{Piece, PieceId, Tree};
use index_vec::IndexVec;
use lang_c::ast::{BlockItem, ExternalDeclaration, Statement};
use lang_c::driver::{Config, SyntaxError, parse_preprocessed};
use lang_c::span::Node;
use tour_ir::source::{Diagnostic, Span, UnitId};

/// Stack for lang-c: each text is low, but its frames are large.
const STACK: usize = 64 << 20;

/// How many bytes of text are worth a thread of their own.
const WORTH_A_THREAD: usize = 32 << 10;

/// Parses the texts of a unit. `text` and `tokens` are the unit's, for messages.
pub fn parse_pieces(
    unit: UnitId,
    text: &str,
    tokens: &[Token],
    pieces: IndexVec<PieceId, PieceText>,
) -> Result<IndexVec<PieceId, Piece>, Diagnostic> {
    let parse_all = |pieces: Vec<PieceText>| -> Result<Vec<Piece>, Diagnostic> {
        let config = Config::with_gcc();
        let parse_one = |mut piece: PieceText| {
            let tree = parse(&config, &mut piece).map_err(|e| diagnostic(unit, text, tokens, &piece, &e))?;
            Ok(Piece { tree, offsets: piece.offsets })
        };
        stacker::grow(STACK, || pieces.into_iter().map(parse_one).collect())
    };
    let shares = shares(pieces.into_iter().collect());
    let parsed: Vec<Result<Vec<Piece>, Diagnostic>> = std::thread::scope(|scope| {
        let mut shares = shares.into_iter();
        let own = shares.next().unwrap_or_default();
        let others: Vec<_> = shares.map(|share| scope.spawn(|| parse_all(share))).collect();
        let own = parse_all(own);
        let joined =
            others.into_iter().map(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(own).chain(joined).collect()
    });
    // In the order of the text, so that the first error is the one that is reported.
    let mut all = IndexVec::new();
    for share in parsed {
        all.extend(share?);
    }
    Ok(all)
}

/// Splits texts into shares of about the same size, one for each core that is worth it.
fn shares(pieces: Vec<PieceText>) -> Vec<Vec<PieceText>> {
    let total: usize = pieces.iter().map(|p| p.text.len()).sum();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = (total / WORTH_A_THREAD).clamp(1, cores);
    let share = total / threads + 1;
    let mut shares = vec![Vec::new()];
    let mut size = 0;
    for piece in pieces {
        if size >= share {
            shares.push(Vec::new());
            size = 0;
        }
        size += piece.text.len();
        if let Some(last) = shares.last_mut() {
            last.push(piece);
        }
    }
    shares
}

fn parse(config: &Config, piece: &mut PieceText) -> Result<Tree, SyntaxError> {
    let mut source = declare(&mut piece.types);
    let declared = usize::from(!source.is_empty());
    let (before, after) = match piece.kind {
        TextKind::External => ("", ""),
        TextKind::Expression => ("void f(void){return ", ";}"),
        TextKind::Statement => ("void f(void){", "}"),
    };
    source.push_str(before);
    let shift = source.len() as u32;
    for pair in &mut piece.offsets.pairs {
        pair.0 += shift;
    }
    source.push_str(&piece.text);
    source.push_str(after);
    let mut parsed = parse_preprocessed(config, source)?;
    let mut items = parsed.unit.0.split_off(declared.min(parsed.unit.0.len()));
    Ok(match piece.kind {
        TextKind::External => Tree::External(items),
        TextKind::Expression | TextKind::Statement => match items.pop().and_then(body) {
            Some(Node { node: Statement::Return(Some(value)), .. }) if piece.kind == TextKind::Expression => {
                Tree::Expression(value)
            }
            Some(statement) => Tree::Statement(Box::new(statement)),
            None => Tree::External(items),
        },
    })
}

/// The only statement of a function.
fn body(item: Node<ExternalDeclaration>) -> Option<Node<Statement>> {
    let ExternalDeclaration::FunctionDefinition(function) = item.node else { return None };
    let Statement::Compound(mut items) = function.node.statement.node else { return None };
    match items.pop()?.node {
        BlockItem::Statement(statement) => Some(statement),
        BlockItem::Declaration(_) | BlockItem::StaticAssert(_) => None,
    }
}

/// A declaration that makes names types.
fn declare(types: &mut Vec<&str>) -> String {
    types.sort_unstable();
    types.dedup();
    let mut source = String::new();
    for name in types {
        source.push_str(if source.is_empty() { "typedef int " } else { "," });
        match respell(Kind::Identifier, name) {
            Some(spelling) => source.push_str(&spelling),
            None => source.push_str(name),
        }
    }
    if !source.is_empty() {
        source.push(';');
    }
    source
}

/// What lang-c did not understand, in the user's text.
fn diagnostic(
    unit: UnitId,
    text: &str,
    tokens: &[Token],
    piece: &PieceText,
    error: &SyntaxError,
) -> Diagnostic {
    let offset = piece.offsets.original(error.offset);
    let index = tokens.partition_point(|t| t.end <= offset).min(tokens.len().saturating_sub(1));
    let Some(token) = tokens.get(index) else {
        return Diagnostic::error("tour::parse", "this is not C that we can read");
    };
    let found = token.text(text);
    let span = Span { unit, start: token.start, end: token.end };
    let (message, help) = match expected(error) {
        Some(what) => (format!("syntax error: expected {what}, found `{found}`"), None),
        None => (format!("syntax error at `{found}`"), unknown_type(text, tokens, index)),
    };
    let help = help.unwrap_or_else(|| {
        "if your compiler accepts this text, it is an extension of C that tour does not read yet".to_owned()
    });
    Diagnostic::error("tour::parse", message).label(span, "not understood from here").help(help)
}

/// What the parser would have taken, if that can be said in a few words.
fn expected(error: &SyntaxError) -> Option<&'static str> {
    const WORDS: &[(&str, &str)] = &[(";", "`;`"), (")", "`)`"), ("]", "`]`"), ("}", "`}`"), (":", "`:`")];
    WORDS.iter().find(|(token, _)| error.expected.contains(token)).map(|(_, words)| *words)
}

/// Two names in a row: the first is probably a type that nothing declares.
fn unknown_type(text: &str, tokens: &[Token], index: usize) -> Option<String> {
    let is_name = |i: usize| tokens.get(i).is_some_and(|t| t.kind == Kind::Identifier);
    let first = if is_name(index) && is_name(index + 1) { index } else { index.checked_sub(1)? };
    (is_name(first) && is_name(first + 1))
        .then(|| format!("is `{}` a type? Nothing before this line declares it", tokens[first].text(text)))
}
