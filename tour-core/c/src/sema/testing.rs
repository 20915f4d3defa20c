//! Trees for tests, straight from lang-c.

use crate::front::{OffsetMap, ParsedUnit, Piece, PieceId, Tree};
use lang_c::ast::{Constant, Expression, ExternalDeclaration, Initializer};
use lang_c::driver::{Config, parse_preprocessed};
use lang_c::span::Node;
use tour_ir::source::UnitId;

/// Reserved type names, known to the parser.
const PRELUDE: &str = "typedef int __tour_int128, __tour_uint128, __tour_float128, __tour_auto;\n";

/// The tree of a whole text as one piece.
pub(crate) fn parse(unit: UnitId, text: &str) -> ParsedUnit {
    let source = format!("{PRELUDE}{text}");
    let parsed = match parse_preprocessed(&Config::with_gcc(), source) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{text:?} does not parse: {error:?}"),
    };
    let mut items = parsed.unit.0;
    items.remove(0);
    let shift = PRELUDE.len() as u32;
    let piece = Piece { tree: Tree::External(items), offsets: OffsetMap { pairs: vec![(0, 0), (shift, 0)] } };
    ParsedUnit::plain(unit, vec![PieceId::new(0)], [piece].into_iter().collect())
}

/// The external declarations of a parsed text.
pub(crate) fn items(parsed: &ParsedUnit) -> &[Node<ExternalDeclaration>] {
    match &parsed.pieces[PieceId::new(0)].tree {
        Tree::External(items) => items,
        Tree::Expression(_) | Tree::Statement(_) => &[],
    }
}

/// The tree of a constant.
pub(crate) fn constant(text: &str) -> Constant {
    let parsed = parse(UnitId::new(0), &format!("int x = {text};"));
    let [item] = items(&parsed) else { panic!("one declaration") };
    let ExternalDeclaration::Declaration(declaration) = &item.node else { panic!("a declaration") };
    let initializer = declaration.node.declarators[0].node.initializer.as_ref().expect("an initialiser");
    let Initializer::Expression(expr) = &initializer.node else { panic!("an expression") };
    let Expression::Constant(constant) = &expr.node else { panic!("{text} is no constant") };
    constant.node.clone()
}
