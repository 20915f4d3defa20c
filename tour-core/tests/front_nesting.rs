//! Deep nesting: nothing may overflow the stack or take more than linear time, and what is cut into pieces must mean
//! the same as before.

use lang_c::ast::{
    BinaryOperator, BlockItem, Constant, Expression, ExternalDeclaration, Statement, UnaryOperator,
};
use tour_core::front::{FrontOptions, Input, ParsedUnit, Tree, parse_units};
use tour_core::program::DataModel;
use tour_core::source::{Diagnostic, SourceMap};

const LEVELS: usize = 10_000;

fn parse(text: String) -> Result<ParsedUnit, Vec<Diagnostic>> {
    let options = FrontOptions::new(DataModel::Lp64);
    let mut units = parse_units(&[Input::text("t.i", text)], &options, &mut SourceMap::default())?;
    Ok(units.remove(0))
}

/// `before` and `after` around `middle`, many times.
fn nested(before: &str, middle: &str, after: &str) -> String {
    before.repeat(LEVELS) + middle + &after.repeat(LEVELS)
}

fn check_expression(expression: &str) {
    let text = format!("int a[9], b, c; int f(int x); int main(void) {{ return {expression}; }}");
    if let Err(errors) = parse(text) {
        panic!("{}…: {errors:?}", &expression[..20]);
    }
}

#[test]
fn deep_expressions_parse() {
    check_expression(&nested("(", "b", ")"));
    check_expression(&nested("(b + ", "b", ")"));
    check_expression(&nested("((b && c) || ", "b", ")"));
    check_expression(&nested("f(", "b", ")"));
    check_expression(&nested("a[", "b", "]"));
    check_expression(&nested("!", "b", ""));
    check_expression(&nested("- ", "b", ""));
    check_expression(&nested("(int)", "b", ""));
    check_expression(&nested("(int)(", "b", ")"));
    check_expression(&nested("sizeof ", "b", ""));
    check_expression(&nested("sizeof(", "b", ")"));
    check_expression(&nested("b ? c : ", "b", ""));
    check_expression(&nested("b ? ", "c", " : b"));
    check_expression(&nested("b = ", "c", ""));
    check_expression(&nested("", "b", " + c"));
    check_expression(&nested("", "b", " && c || b"));
    check_expression(&nested("", "b", ", c"));
    check_expression(&nested("({ ", "b", "; })"));
    check_expression(&nested("", "b", "[0]"));
    check_expression(&nested("", "b", "->x"));
    check_expression(&nested("", "f", "(b)"));
    check_expression(&nested("__extension__ ", "b", ""));
    check_expression(&nested("__real__ ", "b", ""));
    check_expression(&nested("f(b, (c * ", "b", "))"));
    check_expression(&nested("_Generic(b, int: ", "b", ")"));
}

fn check_statement(statement: &str) {
    let text = format!("int b; int main(void) {{ {statement} return 0; }}");
    if let Err(errors) = parse(text) {
        panic!("{}…: {errors:?}", &statement[..20]);
    }
}

#[test]
fn deep_statements_parse() {
    check_statement(&nested("{ ", "b++;", " }"));
    check_statement(&nested("if (b) ", "b++;", ""));
    check_statement(&nested("if (b) { ", "b++;", " }"));
    check_statement(&nested("if (b) b--; else ", "b++;", ""));
    check_statement(&nested("if (b) { b--; } else { ", "b++;", " }"));
    check_statement(&nested("while (b) ", "b++;", ""));
    check_statement(&nested("for (int i = 0; i < b; i++) ", "b++;", ""));
    check_statement(&nested("do ", "b++;", " while (b);"));
    check_statement(&nested("switch (b) { case 1: ", "b++;", " }"));
    check_statement(&(0..LEVELS).map(|i| format!("l{i}: ")).chain(["b++;".to_owned()]).collect::<String>());
    check_statement(&nested("", "", "b++; "));
    check_statement(&nested("{ int x = ({ ", "b++;", " 1; }); }"));
}

/// Declarators, structures and initialisers cannot be cut: they parse, or the user is told.
#[test]
fn what_cannot_be_cut_is_reported() {
    let check = |text: String| {
        let errors = parse(text + "; int main(void) { return sizeof(x); }").map(|_| ()).unwrap_err();
        assert_eq!(errors[0].message, "this is nested too deep");
    };
    check(format!("int x[] = {}", nested("{", "1", "}")));
    check(format!("int {}", nested("(", "x", ")")));
    check(format!("int {}", nested("(*", "x", ")(void)")));
    check(format!("struct {{ {} }} x", nested("struct { ", "int y;", " } z;")));
    check(format!("int x({})", nested("int f(", "int y", ")")));
    check(format!("{}x", nested("int __attribute__((vector_size(sizeof(struct { ", "int y;", "})))) ")));
}

#[test]
fn time_is_linear_on_nested_conditions() {
    let mut condition = "a == 1".to_owned();
    let mut i = 0;
    while condition.len() < 200_000 {
        i += 1;
        let operator = if i % 3 == 0 { "||" } else { "&&" };
        condition = format!("(({condition}) {operator} (b == {i}))");
    }
    // Ten times the chain that lang-c alone needs seconds and a gigabyte for; a quadratic step would never end here.
    let text = format!("int main(void) {{ int a, b; if ({condition}) return 1; return 0; }}");
    assert!(parse(text).is_ok());
}

/// The value of an expression of constants, through its pieces.
fn value(unit: &ParsedUnit, expression: &Expression) -> i64 {
    let value = |e: &Expression| stacker::maybe_grow(64 << 10, 1 << 20, || value(unit, e));
    match expression {
        Expression::Identifier(name) => match &unit.pieces[unit.piece_named(&name.node.name).unwrap()].tree {
            Tree::Expression(inner) => value(&inner.node),
            other => panic!("{other:?}"),
        },
        Expression::Constant(constant) => match &constant.node {
            Constant::Integer(integer) => integer.number.parse().unwrap(),
            other => panic!("{other:?}"),
        },
        Expression::UnaryOperator(unary) => match unary.node.operator.node {
            UnaryOperator::Minus => value(&unary.node.operand.node).wrapping_neg(),
            UnaryOperator::Complement => !value(&unary.node.operand.node),
            UnaryOperator::Negate => i64::from(value(&unary.node.operand.node) == 0),
            ref other => panic!("{other:?}"),
        },
        Expression::BinaryOperator(binary) => {
            let (l, r) = (value(&binary.node.lhs.node), value(&binary.node.rhs.node));
            match binary.node.operator.node {
                BinaryOperator::Plus => l.wrapping_add(r),
                BinaryOperator::Minus => l.wrapping_sub(r),
                BinaryOperator::Multiply => l.wrapping_mul(r),
                BinaryOperator::BitwiseXor => l ^ r,
                BinaryOperator::Less => i64::from(l < r),
                BinaryOperator::LogicalAnd => i64::from(l != 0 && r != 0),
                BinaryOperator::LogicalOr => i64::from(l != 0 || r != 0),
                ref other => panic!("{other:?}"),
            }
        }
        Expression::Conditional(conditional) => {
            if value(&conditional.node.condition.node) != 0 {
                value(&conditional.node.then_expression.node)
            } else {
                value(&conditional.node.else_expression.node)
            }
        }
        other => panic!("{other:?}"),
    }
}

/// A random expression and its value; how deep it gets is up to `depth`.
fn random(seed: &mut u64, depth: u32) -> (String, i64, u8) {
    let mut next = |n: u64| {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) % n
    };
    if depth == 0 || next(12) == 0 {
        let n = next(100) as i64;
        return (n.to_string(), n, 20);
    }
    // Text of an operand that binds at least as tightly as `level`.
    let fit = |(text, value, level): (String, i64, u8), least: u8| {
        if level >= least { (text, value) } else { (format!("({text})"), value) }
    };
    match next(9) {
        0 => {
            let (text, value) = fit(random(seed, depth - 1), 15);
            (format!("- {text}"), value.wrapping_neg(), 15)
        }
        1 => {
            let (text, value) = fit(random(seed, depth - 1), 15);
            (format!("!{text}"), i64::from(value == 0), 15)
        }
        2 => {
            let (c, cv) = fit(random(seed, depth - 2.min(depth)), 2);
            let (a, av, _) = random(seed, depth / 2);
            let (b, bv) = fit(random(seed, depth - 1), 1);
            (format!("{c} ? {a} : {b}"), if cv != 0 { av } else { bv }, 1)
        }
        n => {
            let (operator, level) =
                [("+", 12), ("-", 12), ("*", 13), ("^", 6), ("<", 10), ("&&", 4)][n as usize - 3];
            // Mostly one side is deep, so that the tree gets high and not only large.
            let sides = if n % 2 == 0 { (depth - 1, depth / 3) } else { (depth / 3, depth - 1) };
            let (a, l) = fit(random(seed, sides.0), level);
            let (b, r) = fit(random(seed, sides.1), level + 1);
            let value = match operator {
                "+" => l.wrapping_add(r),
                "-" => l.wrapping_sub(r),
                "*" => l.wrapping_mul(r),
                "^" => l ^ r,
                "<" => i64::from(l < r),
                _ => i64::from(l != 0 && r != 0),
            };
            (format!("{a} {operator} {b}"), value, level)
        }
    }
}

#[test]
fn cutting_keeps_the_meaning() {
    let mut seed = 7;
    let mut cut = 0;
    for round in 0..400 {
        let (text, expect, _) = random(&mut seed, 4 + round % 60);
        let unit = parse(format!("int main(void) {{ return {text}; }}")).unwrap();
        cut += unit.pieces.len() - 1;
        let Tree::External(items) = &unit.pieces[unit.items[0]].tree else { panic!() };
        let ExternalDeclaration::FunctionDefinition(function) = &items[0].node else { panic!() };
        let Statement::Compound(body) = &function.node.statement.node else { panic!() };
        let BlockItem::Statement(statement) = &body[0].node else { panic!() };
        let Statement::Return(Some(result)) = &statement.node else { panic!() };
        assert_eq!(value(&unit, &result.node), expect, "{text}");
    }
    assert!(cut > 100, "the expressions are too low to be cut: {cut} pieces");
}
