//! Text that functions of the library read through their arguments: what `printf("%s", p)` and its kin do with `p`.
//!
//! Output has no effect on the program, but it reads. Before each such call, another one walks over the text in C, where
//! its reads are checked as all others are. String literals need no walk. A format that is no literal, or that says
//! what we do not know, is not modelled.

use super::library;
use super::weave::{delay, unsupported};
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::program::{
    Builtin, Call, Callee, ExprId, ExprKind, FnId, InitItem, Op, PlaceKind, Program, Storage, VarId,
};

/// Walks over a text, up to a number of characters.
const WALK: &str = "__reads_text";

/// Which argument is read.
enum Reads {
    /// A text.
    Text(usize),
    /// A format, and the texts among the arguments behind it.
    Format(usize),
}

/// How many characters of a text are read at most.
#[derive(Clone, Copy)]
enum Most {
    All,
    Number(i128),
    /// An `int` argument; a negative one is none.
    Given(ExprId),
}

/// Puts the walks before the calls.
pub(super) fn add(program: &mut Program) {
    let Some(walk) = program.function(WALK).filter(|f| program.functions[*f].body.is_some()) else { return };
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Call(Call { callee: Callee::Direct(f), args, .. }) = &program.cfa.edges[edge].op else {
            continue;
        };
        let Some(reads) = reads(program, *f) else { continue };
        let texts = match reads {
            Reads::Text(i) => Ok(args.get(i).map(|&text| (text, Most::All)).into_iter().collect()),
            Reads::Format(i) => texts(program, args, i),
        };
        match texts {
            Ok(texts) => {
                for (text, most) in texts {
                    if literal(program, text).is_none() {
                        read_before(program, walk, edge, text, most);
                    }
                }
            }
            Err(why) => {
                let (from, span) = (program.cfa.edges[edge].from, program.cfa.edges[edge].span);
                let rest = delay(program, from);
                unsupported(program, (from, rest), why.to_owned(), span);
            }
        }
    }
}

/// Leaves out the walks of library functions: they have no effect but what the rules about memory see.
pub(super) fn leave_out(program: &mut Program) {
    let Some(walk) = program.function(WALK) else { return };
    for edge in &mut program.cfa.edges {
        if matches!(&edge.op, Op::Call(Call { callee: Callee::Direct(f), .. }) if *f == walk) {
            edge.op = Op::Nop;
        }
    }
}

fn reads(program: &Program, f: FnId) -> Option<Reads> {
    let function = &program.functions[f];
    match function.builtin {
        Some(Builtin::Printf) if function.body.is_none() => return Some(Reads::Format(0)),
        Some(Builtin::Puts) if function.body.is_none() => return Some(Reads::Text(0)),
        _ if function.body.is_none() || !library::is_ours(program, f) => return None,
        _ => {}
    }
    Some(match function.name.as_str() {
        "fputs" => Reads::Text(0),
        "fprintf" => Reads::Format(1),
        _ => return None,
    })
}

fn read_before(program: &mut Program, walk: FnId, edge: EdgeId, text: ExprId, most: Most) {
    let span = program.cfa.edges[edge].span;
    let params = program.functions[walk].params.clone();
    let [pointer, size] = [0, 1].map(|i| program.vars[params[i]].ty.ty);
    let text = program.cast(text, pointer, span);
    let most = match most {
        Most::All => program.int(-1, size, span),
        Most::Number(most) => program.int(most, size, span),
        // A negative number becomes a huge one.
        Most::Given(most) => program.cast(most, size, span),
    };
    let (from, function) =
        (program.cfa.edges[edge].from, program.cfa.locs[program.cfa.edges[edge].from].function);
    let next = program.cfa.add_loc(function, LocKind::Plain);
    program.cfa.locs[from].out.retain(|e| *e != edge);
    program.cfa.edges[edge].from = next;
    program.cfa.locs[next].out.push(edge);
    let call = Call { callee: Callee::Direct(walk), args: vec![text, most], dest: None };
    program.cfa.add_edge(from, next, Op::Call(call), span);
}

/// The string literal that a pointer points to the start of.
fn literal(program: &Program, mut pointer: ExprId) -> Option<VarId> {
    loop {
        match program.exprs[pointer].kind {
            ExprKind::Cast(inner) => pointer = inner,
            ExprKind::AddrOf(mut place) => loop {
                match program.places[place].kind {
                    PlaceKind::Var(var) => {
                        let is = program.vars[var].storage == Storage::Literal;
                        return is.then_some(var);
                    }
                    PlaceKind::Index(base, index) if program.const_value(index) == Some(0) => place = base,
                    _ => return None,
                }
            },
            _ => return None,
        }
    }
}

/// The texts that a format reads, each with how many characters at most.
fn texts(program: &Program, args: &[ExprId], format: usize) -> Result<Vec<(ExprId, Most)>, &'static str> {
    let not_literal = "a format that is not a string literal";
    let var = args.get(format).and_then(|&arg| literal(program, arg)).ok_or(not_literal)?;
    let bytes = match program.vars[var].init.as_ref().map(|init| &init.items[..]) {
        Some([InitItem::Bytes { bytes, .. }]) => bytes,
        _ => return Err(not_literal),
    };
    let mut args = args[format + 1..].iter().copied();
    let too_few = "a format that asks for more arguments than there are";
    let mut texts = Vec::new();
    let mut rest = bytes.iter().copied().take_while(|&b| b != 0).peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        while rest.next_if(|b| b"-+ #0'".contains(b)).is_some() {}
        if rest.next_if_eq(&b'*').is_some() {
            args.next().ok_or(too_few)?;
        }
        while rest.next_if(u8::is_ascii_digit).is_some() {}
        let mut most = Most::All;
        if rest.next_if_eq(&b'.').is_some() {
            most = match rest.next_if_eq(&b'*') {
                Some(_) => Most::Given(args.next().ok_or(too_few)?),
                None => {
                    let mut number = 0i128;
                    while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                        number = (number * 10 + i128::from(digit - b'0')).min(i128::from(i32::MAX));
                    }
                    Most::Number(number)
                }
            };
        }
        let mut wide = false;
        while let Some(length) = rest.next_if(|b| b"hlqjztL".contains(b)) {
            wide |= length == b'l';
        }
        match rest.next() {
            Some(b'%') => {}
            Some(b's') if wide => return Err("this conversion of a text"),
            Some(b's') => texts.push((args.next().ok_or(too_few)?, most)),
            // Where `%n` stores to is seen to by `sema::format`.
            Some(b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b'p' | b'n') => {
                _ = args.next().ok_or(too_few)?
            }
            Some(b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A') => _ = args.next().ok_or(too_few)?,
            Some(b'm') => {}
            _ => return Err("a format that does something else than to print"),
        }
    }
    Ok(texts)
}
