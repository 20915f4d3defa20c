//! What the form of an expression alone says of its values: enough to see that promoted characters do not overflow
//! and that a masked index is in range.

use tour_ir::program::{BinOp, ExprId, ExprKind, IntType, Program, UnOp};

/// The smallest and the largest value that an integer expression can have, if both fit an `i128`.
pub(super) fn of(program: &Program, expr: ExprId) -> Option<(i128, i128)> {
    let int = program.int_type_of(expr)?;
    let whole = whole(int)?;
    Some(shape(program, expr, int).filter(|&range| inside(range, whole)).unwrap_or(whole))
}

/// All values of a type.
pub(super) fn whole(int: IntType) -> Option<(i128, i128)> {
    (int.bits < 128 || int.signed).then(|| (int.to_i128(int.min()), int.to_i128(int.max())))
}

pub(super) fn inside((low, high): (i128, i128), (least, most): (i128, i128)) -> bool {
    least <= low && high <= most
}

/// The values of `a op b` if it were exact.
pub(super) fn exact(op: BinOp, a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    Some(match op {
        BinOp::Add => (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?),
        BinOp::Sub => (a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?),
        BinOp::Mul => {
            let products =
                [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
            (*products.iter().min()?, *products.iter().max()?)
        }
        _ => return None,
    })
}

fn shape(program: &Program, expr: ExprId, int: IntType) -> Option<(i128, i128)> {
    match program.exprs[expr].kind {
        ExprKind::Int(bits) => {
            let value = int.to_i128(bits);
            Some((value, value))
        }
        ExprKind::Cast(inner) => of(program, inner),
        ExprKind::Load(place) => {
            let field = program.bit_field(place)?;
            whole(IntType { bits: field.width, signed: int.signed })
        }
        ExprKind::Unary(UnOp::Neg, a) => {
            let (low, high) = of(program, a)?;
            Some((high.checked_neg()?, low.checked_neg()?))
        }
        ExprKind::Binary(op, _, _) if op.is_comparison() => Some((0, 1)),
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
            exact(op, of(program, a)?, of(program, b)?)
        }
        ExprKind::Binary(BinOp::And, a, b) => {
            let (a, b) = (of(program, a)?, of(program, b)?);
            let most = [a, b].into_iter().filter(|range| range.0 >= 0).map(|range| range.1).min()?;
            Some((0, most))
        }
        ExprKind::Binary(BinOp::Rem, a, b) => {
            let (a, b) = (of(program, a)?, of(program, b)?);
            let most = b.0.checked_abs()?.max(b.1.checked_abs()?).checked_sub(1)?.max(0);
            Some((if a.0 >= 0 { 0 } else { -most }, if a.1 <= 0 { 0 } else { most }))
        }
        ExprKind::Binary(BinOp::Div, a, b) => {
            let (a, b) = (of(program, a)?, of(program, b)?);
            (b.0 > 0).then_some((a.0.min(0), a.1.max(0)))
        }
        ExprKind::Binary(BinOp::Shr, a, b) => {
            let (a, count) = (of(program, a)?, of(program, b)?);
            let least = u32::try_from(count.0).ok().filter(|n| *n < 127)?;
            (a.0 >= 0).then_some((0, a.1 >> least))
        }
        _ => None,
    }
}
