//! Initialisers (C 6.7.9): which subobject each expression goes to.
//!
//! A plan is a list of stores in the order of the text. What a later designator overrides is taken out of it, and what
//! no store reaches is zero. Elided braces are followed with a stack of the aggregates we are in; only written braces
//! recurse.

use super::literal::{StringValue, decode_string};
use super::{Fail, Lower, Sema};
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem, UnaryOperator};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tour_ir::program::{ArrayLen, QualType, RecordKind, Type, TypeId};
use tour_ir::source::Span;

/// More elements than this are not given one by one by a range designator.
const MAX_RANGE: u64 = 1 << 20;

/// A step from an object to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// A field, by index.
    Field(u32),
    /// An array element.
    Index(u64),
}

/// The way from the initialised object to a part of it.
pub type Path = SmallVec<[Step; 4]>;

/// What goes into a part of the object.
#[derive(Clone, Debug)]
pub enum InitValue<'t> {
    /// The value of an expression, converted to the part's type.
    Expr(&'t Node<Expression>),
    /// Bytes at the start of an array of characters (of any width); the rest of the array is zero.
    Bytes(Vec<u8>),
}

/// One store of an initialiser.
#[derive(Clone, Debug)]
pub struct InitStep<'t> {
    /// Where to; empty for the whole object.
    pub path: Path,
    /// The type of that part (a scalar, a record, or an array of characters).
    pub ty: TypeId,
    /// What.
    pub value: InitValue<'t>,
    /// Stores of the same number are of one expression that is evaluated once: those of a range of elements.
    pub evaluation: u32,
}

/// An aggregate whose parts are being initialised.
struct Level {
    ty: TypeId,
    /// The next part: field or element.
    index: u64,
    /// How many parts there are.
    count: u64,
    union: bool,
}

/// A plan under construction.
#[derive(Default)]
struct Planner<'t> {
    steps: Vec<InitStep<'t>>,
    path: Path,
    /// Elements that a flexible array member gets.
    flexible: u64,
    /// How many expressions were planned.
    evaluations: u32,
    /// Aggregates that an expression gives as a whole, and how many expressions were planned then.
    wholes: Vec<(Path, u32)>,
}

impl<'t> Planner<'t> {
    fn push(&mut self, ty: TypeId, value: InitValue<'t>) {
        let evaluation = self.evaluations;
        self.evaluations += 1;
        self.steps.push(InitStep { path: self.path.clone(), ty, value, evaluation });
    }

    /// What was planned last is an aggregate that an expression gives as a whole.
    fn is_whole(&mut self) {
        self.wholes.push((self.path.clone(), self.evaluations));
    }

    /// A part of an aggregate is initialised again that an expression gives as a whole.
    fn overrides_a_part(&self) -> bool {
        let wholes: FxHashMap<&[Step], u32> = self.wholes.iter().map(|(path, n)| (&path[..], *n)).collect();
        let within = |step: &InitStep<'_>, n: usize| {
            wholes.get(&step.path[..n]).is_some_and(|planned| step.evaluation >= *planned)
        };
        !wholes.is_empty() && self.steps.iter().any(|step| (0..step.path.len()).any(|n| within(step, n)))
    }
}

impl Sema<'_> {
    /// Plans the initialisation of an object of type `ty`. Returns its completed type (the length of `int a[] = …`; a
    /// struct with a flexible array member gets its length) and the stores; all other bytes are zero.
    pub fn plan_init<'t>(
        &mut self,
        ty: TypeId,
        init: &'t Node<Initializer>,
    ) -> Lower<(TypeId, Vec<InitStep<'t>>)> {
        match &init.node {
            Initializer::List(items) => self.plan_init_list(ty, items, self.span(init.span)),
            Initializer::Expression(expr) => {
                let mut plan = Planner::default();
                let span = self.span(expr.span);
                match self.init_whole(ty, expr, &mut plan)? {
                    Some(ty) => Ok((ty, plan.steps)),
                    None if matches!(self.program.types[ty], Type::Array(..)) => {
                        Fail::error("an array needs a list or a string to initialise it", span, "not this")
                    }
                    // The assignment will say what is wrong with the types.
                    None => {
                        plan.push(ty, InitValue::Expr(expr));
                        Ok((ty, plan.steps))
                    }
                }
            }
        }
    }

    /// As [`Sema::plan_init`], for the list of a compound literal.
    pub fn plan_init_list<'t>(
        &mut self,
        ty: TypeId,
        items: &'t [Node<InitializerListItem>],
        span: Span,
    ) -> Lower<(TypeId, Vec<InitStep<'t>>)> {
        let mut plan = Planner::default();
        let mut ty = self.init_list(ty, items, span, &mut plan)?;
        // `{ .p = v, .p.x = 1 }`: whether the rest of `v` stays or is zero, and whether `v` is evaluated at all, is not the
        // same for all compilers.
        if plan.overrides_a_part() {
            let message = "a part of an aggregate that an expression initialises is initialised again";
            return Fail::unsupported("initialiser", message, span);
        }
        if plan.flexible > 0 {
            ty = self.with_flexible(ty, plan.flexible);
        }
        Ok((ty, plan.steps))
    }

    /// A braced list for an object of type `ty` at the plan's path; returns the completed type.
    fn init_list<'t>(
        &mut self,
        ty: TypeId,
        items: &'t [Node<InitializerListItem>],
        span: Span,
        plan: &mut Planner<'t>,
    ) -> Lower<TypeId> {
        let items = if is_empty_list(items) { &[] } else { items };
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.program.types[ty] {
            Type::Array(..) | Type::Record(_) => self.init_aggregate(ty, items, span, plan),
            _ => {
                match items.first().map(|item| &item.node.initializer.node) {
                    None => {}
                    Some(Initializer::Expression(expr)) => plan.push(ty, InitValue::Expr(expr)),
                    Some(Initializer::List(inner)) => {
                        self.init_list(ty, inner, span, plan)?;
                    }
                }
                Ok(ty)
            }
        })
    }

    fn init_aggregate<'t>(
        &mut self,
        ty: TypeId,
        items: &'t [Node<InitializerListItem>],
        span: Span,
        plan: &mut Planner<'t>,
    ) -> Lower<TypeId> {
        // A string in braces.
        if let [item] = items
            && item.node.designation.is_empty()
            && let Initializer::Expression(expr) = &item.node.initializer.node
            && matches!(expr.node, Expression::StringLiteral(_))
            && matches!(self.program.types[ty], Type::Array(..))
            && let Some(ty) = self.init_whole(ty, expr, plan)?
        {
            return Ok(ty);
        }
        let base = plan.path.len();
        let mut levels = vec![self.level(ty, span)?];
        let mut length = 0;
        let mut visited = FxHashSet::default();
        let designated = items.iter().any(|item| !item.node.designation.is_empty());
        for item in items {
            let init = &*item.node.initializer;
            let again = |index: u64| visited.contains(&index);
            if item.node.designation.is_empty() {
                self.settle(&mut levels, plan);
                if levels.len() == 1 {
                    self.override_earlier(&levels, plan, &again);
                }
                self.init_next(&mut levels, init, plan)?;
            } else {
                levels.truncate(1);
                plan.path.truncate(base);
                self.init_designated(&mut levels, &item.node.designation, init, plan, &again)?;
            }
            // `index` already points behind what was initialised, unless we are still inside of it.
            let end = levels[0].index + u64::from(levels.len() > 1);
            if designated {
                let first = if item.node.designation.is_empty() { end.saturating_sub(1) } else { 0 };
                visited.extend(self.touched(&item.node.designation, first, end, &levels)?);
            }
            length = length.max(end);
        }
        plan.path.truncate(base);
        match self.program.types[ty] {
            Type::Array(of, ArrayLen::Unknown) if base == 0 => Ok(self.program.types.array(of, length)),
            Type::Array(_, ArrayLen::Unknown) => {
                plan.flexible = plan.flexible.max(length);
                Ok(ty)
            }
            _ => Ok(ty),
        }
    }

    /// The parts of the outermost aggregate that an item touched.
    fn touched(
        &mut self,
        designation: &[Node<Designator>],
        first: u64,
        end: u64,
        levels: &[Level],
    ) -> Lower<std::ops::Range<u64>> {
        let last = end.saturating_sub(1);
        Ok(match designation.first().map(|d| &d.node) {
            Some(Designator::Range(range)) => {
                let from = self.const_int(&range.node.from)?;
                u64::try_from(from).unwrap_or(0)..end
            }
            // A union is exhausted after one member: its index says nothing.
            _ if levels[0].union => 0..levels[0].count,
            Some(Designator::Index(_) | Designator::Member(_)) => last..end,
            None => first..end,
        })
    }

    fn level(&self, ty: TypeId, span: Span) -> Lower<Level> {
        let types = &self.program.types;
        let (count, union) = match types[ty] {
            Type::Array(_, ArrayLen::Fixed(n)) => (n, false),
            Type::Array(_, ArrayLen::Unknown) => (u64::MAX, false),
            Type::Array(_, ArrayLen::Variable(_)) => {
                return Fail::error("a variable-length array can't be initialised", span, "not constant");
            }
            Type::Record(id) => {
                let record = &types.records[id];
                if !record.complete {
                    let shown = self.program.show_type(ty);
                    return Fail::error(
                        format!("`{shown}` is incomplete"),
                        span,
                        "its members are not known",
                    );
                }
                (record.fields.len() as u64, record.kind == RecordKind::Union)
            }
            _ => (0, false),
        };
        let mut level = Level { ty, index: 0, count, union };
        self.skip_unnamed(&mut level);
        Ok(level)
    }

    /// Unnamed bit-fields are not initialised.
    fn skip_unnamed(&self, level: &mut Level) {
        if let Type::Record(id) = self.program.types[level.ty] {
            let fields = &self.program.types.records[id].fields;
            while fields.get(level.index as usize).is_some_and(|f| f.name.is_none() && f.bits.is_some()) {
                level.index += 1;
            }
        }
    }

    /// The part that comes next in a level.
    fn part(&self, level: &Level) -> Option<(Step, TypeId)> {
        if level.index >= level.count {
            return None;
        }
        match self.program.types[level.ty] {
            Type::Array(of, _) => Some((Step::Index(level.index), of.ty)),
            Type::Record(id) => {
                let field = self.program.types.records[id].fields.get(level.index as usize)?;
                Some((Step::Field(level.index as u32), field.ty.ty))
            }
            _ => None,
        }
    }

    fn advance(&self, level: &mut Level) {
        level.index = if level.union { level.count } else { level.index + 1 };
        self.skip_unnamed(level);
    }

    /// Leaves inner aggregates that are full.
    fn settle(&self, levels: &mut Vec<Level>, plan: &mut Planner<'_>) {
        while levels.len() > 1 && levels.last().is_some_and(|top| self.part(top).is_none()) {
            levels.pop();
            plan.path.pop();
            if let Some(parent) = levels.last_mut() {
                self.advance(parent);
            }
        }
    }

    /// Puts an initialiser into the next part, going into aggregates without braces as needed.
    fn init_next<'t>(
        &mut self,
        levels: &mut Vec<Level>,
        init: &'t Node<Initializer>,
        plan: &mut Planner<'t>,
    ) -> Lower<()> {
        let span = self.span(init.span);
        loop {
            self.settle(levels, plan);
            let Some(top) = levels.last() else { return Ok(()) };
            // Too many initialisers: compilers warn and leave them out.
            let Some((step, ty)) = self.part(top) else { return Ok(()) };
            plan.path.push(step);
            let done = match &init.node {
                Initializer::List(items) => {
                    self.init_list(ty, items, span, plan)?;
                    true
                }
                Initializer::Expression(expr) => self.init_whole(ty, expr, plan)?.is_some(),
            };
            if done {
                plan.path.pop();
                if let Type::Array(_, ArrayLen::Unknown) = self.program.types[top.ty]
                    && levels.len() > 1
                {
                    plan.flexible = plan.flexible.max(top.index + 1);
                }
                if let Some(top) = levels.last_mut() {
                    self.advance(top);
                }
                return Ok(());
            }
            levels.push(self.level(ty, span)?);
        }
    }

    /// Follows designators, then puts the initialiser there. `again` tells whether a part of the outermost aggregate
    /// was initialised before.
    fn init_designated<'t>(
        &mut self,
        levels: &mut Vec<Level>,
        designators: &[Node<Designator>],
        init: &'t Node<Initializer>,
        plan: &mut Planner<'t>,
        again: &dyn Fn(u64) -> bool,
    ) -> Lower<()> {
        let Some((first, rest)) = designators.split_first() else {
            self.override_earlier(levels, plan, again);
            return self.init_next(levels, init, plan);
        };
        let span = self.span(first.span);
        match &first.node {
            Designator::Index(index) => {
                let index = self.const_int(index)?;
                self.select_index(levels, index, span)?;
                self.enter_part(levels, rest, plan, span)?;
                self.init_designated(levels, rest, init, plan, again)
            }
            Designator::Range(range) => {
                let (from, to) = (self.const_int(&range.node.from)?, self.const_int(&range.node.to)?);
                if to < from {
                    return Fail::error("this range is empty", span, format!("from {from} to {to}"));
                }
                if to - from >= i128::from(MAX_RANGE) {
                    let message = format!("a range of {} elements is too large", to - from + 1);
                    return Fail::unsupported("large-initialiser", message, span);
                }
                let (depth, base) = (levels.len(), plan.path.len());
                let first = plan.evaluations;
                for index in from..=to {
                    // Each element gets what the first one does, evaluated once.
                    plan.evaluations = first;
                    levels.truncate(depth);
                    plan.path.truncate(base);
                    self.select_index(levels, index, span)?;
                    self.enter_part(levels, rest, plan, span)?;
                    self.init_designated(levels, rest, init, plan, again)?;
                }
                Ok(())
            }
            Designator::Member(name) => {
                let ty = levels.last().map_or(TypeId::new(0), |level| level.ty);
                let Some(path) = self.find_member(ty, &name.node.name) else {
                    let (shown, name) = (self.program.show_type(ty), &name.node.name);
                    return Fail::error(format!("`{shown}` has no member `{name}`"), span, "no such member");
                };
                for (i, index) in path.iter().enumerate() {
                    if let Some(level) = levels.last_mut() {
                        level.index = u64::from(*index);
                    }
                    if i + 1 < path.len() {
                        self.push_part(levels, plan, span)?;
                    }
                }
                self.enter_part(levels, rest, plan, span)?;
                self.init_designated(levels, rest, init, plan, again)
            }
        }
    }

    fn select_index(&mut self, levels: &mut [Level], index: i128, span: Span) -> Lower<()> {
        let Some(level) = levels.last_mut() else { return Ok(()) };
        let is_array = matches!(self.program.types[level.ty], Type::Array(..));
        match u64::try_from(index) {
            Ok(index) if is_array && index < level.count && index < u64::from(u32::MAX) => {
                level.index = index;
                Ok(())
            }
            _ if !is_array => Fail::error("an index needs an array", span, "this is no array"),
            _ => Fail::error(format!("the index {index} is outside of the array"), span, "this index"),
        }
    }

    /// Goes into the selected part if more designators follow.
    fn enter_part(
        &mut self,
        levels: &mut Vec<Level>,
        rest: &[Node<Designator>],
        plan: &mut Planner<'_>,
        span: Span,
    ) -> Lower<()> {
        if rest.is_empty() { Ok(()) } else { self.push_part(levels, plan, span) }
    }

    fn push_part(&mut self, levels: &mut Vec<Level>, plan: &mut Planner<'_>, span: Span) -> Lower<()> {
        let Some((step, ty)) = levels.last().and_then(|level| self.part(level)) else { return Ok(()) };
        plan.path.push(step);
        levels.push(self.level(ty, span)?);
        Ok(())
    }

    /// Takes out what the designated part overrides, and other members of the unions around it.
    fn override_earlier(&self, levels: &[Level], plan: &mut Planner<'_>, again: &dyn Fn(u64) -> bool) {
        if !again(levels[0].index) {
            return;
        }
        let Some((last, _)) = levels.last().and_then(|level| self.part(level)) else { return };
        let mut target = plan.path.clone();
        target.push(last);
        plan.steps.retain(|step| !step.path.starts_with(&target));
        let outer = target.len() - levels.len();
        for (depth, level) in levels.iter().enumerate().filter(|(_, level)| level.union) {
            let at = outer + depth;
            debug_assert!(level.index < level.count);
            plan.steps.retain(|step| {
                !step.path.starts_with(&target[..at]) || step.path.get(at) == Some(&target[at])
            });
        }
    }

    /// Initialises all of an object with one expression: any scalar, a string for an array of characters, a record for
    /// a record. `None` if the expression is for a part of it; else the completed type.
    fn init_whole<'t>(
        &mut self,
        ty: TypeId,
        expr: &'t Node<Expression>,
        plan: &mut Planner<'t>,
    ) -> Lower<Option<TypeId>> {
        match self.program.types[ty] {
            Type::Array(of, len) => match &expr.node {
                Expression::StringLiteral(text) => {
                    let string = decode_string(&text.node);
                    Ok(self.init_string(ty, of, len, string, plan))
                }
                Expression::CompoundLiteral(literal) => {
                    let span = self.span(expr.span);
                    let own = self.type_name(&literal.node.type_name)?;
                    if !self.program.types.compatible(own.ty, ty) {
                        return Ok(None);
                    }
                    let ty = self.program.types.composite(ty, own.ty);
                    let ty = self.init_list(ty, &literal.node.initializer_list, span, plan)?;
                    plan.is_whole();
                    Ok(Some(ty))
                }
                _ => Ok(None),
            },
            Type::Record(_) => {
                if is_plainly_scalar(&expr.node) {
                    return Ok(None);
                }
                if let Expression::CompoundLiteral(literal) = &expr.node {
                    let own = self.type_name(&literal.node.type_name)?;
                    let span = self.span(expr.span);
                    if !self.program.types.compatible(own.ty, ty) {
                        return Ok(None);
                    }
                    let ty = self.init_list(ty, &literal.node.initializer_list, span, plan)?;
                    plan.is_whole();
                    return Ok(Some(ty));
                }
                let own = self.type_of_expr(expr)?;
                if !self.program.types.compatible(own.ty, ty) {
                    return Ok(None);
                }
                plan.push(ty, InitValue::Expr(expr));
                plan.is_whole();
                Ok(Some(ty))
            }
            _ => {
                plan.push(ty, InitValue::Expr(expr));
                Ok(Some(ty))
            }
        }
    }

    fn init_string(
        &mut self,
        ty: TypeId,
        element: QualType,
        len: ArrayLen,
        string: StringValue,
        plan: &mut Planner<'_>,
    ) -> Option<TypeId> {
        let types = &mut self.program.types;
        if !types.is_integer(element.ty) || types.size(element.ty) != Some(string.width as u64) {
            return None;
        }
        let elements = string.elements();
        let mut bytes = string.bytes;
        let ty = match len {
            ArrayLen::Fixed(n) => {
                bytes.truncate((n.min(elements) as usize) * string.width);
                ty
            }
            ArrayLen::Unknown if plan.path.is_empty() => types.array(element, elements),
            ArrayLen::Unknown | ArrayLen::Variable(_) => {
                plan.flexible = plan.flexible.max(elements);
                ty
            }
        };
        plan.push(ty, InitValue::Bytes(bytes));
        Some(ty)
    }

    /// A struct type whose flexible array member has `length` elements. `sizeof` it is that of the struct without
    /// them, as C says; [`tour_ir::program::Types::object_size`] counts them.
    fn with_flexible(&mut self, ty: TypeId, length: u64) -> TypeId {
        let Type::Record(id) = self.program.types[ty] else { return ty };
        let mut record = self.program.types.records[id].clone();
        let Some(last) = record.fields.last_mut() else { return ty };
        let Type::Array(of, ArrayLen::Unknown) = self.program.types[last.ty.ty] else { return ty };
        last.ty.ty = self.program.types.array(of, length);
        let id = self.program.types.records.push(record);
        self.program.types.intern(Type::Record(id))
    }
}

/// `{}`
fn is_empty_list(items: &[Node<InitializerListItem>]) -> bool {
    match items {
        [] => true,
        [only] => matches!(&only.node.initializer.node, Initializer::Expression(expr)
            if matches!(&expr.node, Expression::Identifier(name) if name.node.name == "__tour_empty")),
        _ => false,
    }
}

/// An expression that can't be a record, without looking at types.
fn is_plainly_scalar(expr: &Expression) -> bool {
    match expr {
        Expression::Constant(_)
        | Expression::StringLiteral(_)
        | Expression::SizeOfTy(_)
        | Expression::SizeOfVal(_)
        | Expression::AlignOf(_)
        | Expression::OffsetOf(_)
        | Expression::Cast(_) => true,
        Expression::UnaryOperator(unary) => unary.node.operator.node != UnaryOperator::Indirection,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sema::{Shared, testing};
    use lang_c::ast::ExternalDeclaration;
    use tour_ir::program::{DataModel, Program};
    use tour_ir::source::Unit;

    /// Plans the last declaration of a text: its completed type, then the stores.
    fn plan(text: &str) -> String {
        let mut program = Program::new(DataModel::Lp64);
        let unit = program.sources.add(Unit::plain("t.c", text));
        let parsed = testing::parse(unit, text);
        let mut shared = Shared::default();
        let mut sema = Sema::new(&mut program, &mut shared, &parsed);
        let mut out = String::new();
        for item in testing::items(&parsed) {
            let ExternalDeclaration::Declaration(declaration) = &item.node else { continue };
            let Ok(specs) = sema.decl_specs(&declaration.node.specifiers, false) else { panic!("{text}") };
            for item in &declaration.node.declarators {
                let Ok(declared) = sema.declarator(&specs, &item.node.declarator) else { panic!("{text}") };
                let Some(init) = &item.node.initializer else { continue };
                out = match sema.plan_init(declared.ty.ty, init) {
                    Ok((ty, steps)) => show(&sema, text, ty, &steps),
                    Err(fail) => match *fail {
                        Fail::Error(diagnostic) => format!("error: {}", diagnostic.message),
                        Fail::Unsupported(what, _) => format!("unsupported: {}", what.message),
                    },
                };
            }
        }
        out
    }

    fn show(sema: &Sema<'_>, text: &str, ty: TypeId, steps: &[InitStep<'_>]) -> String {
        let mut out = sema.program.show_type(ty);
        for step in steps {
            let mut ty = ty;
            out.push_str("; ");
            for part in &step.path {
                match (part, &sema.program.types[ty]) {
                    (Step::Field(i), Type::Record(id)) => {
                        let field = &sema.program.types.records[*id].fields[*i as usize];
                        out.push_str(&format!(".{}", field.name.as_deref().unwrap_or("")));
                        ty = field.ty.ty;
                    }
                    (Step::Index(i), Type::Array(of, _)) => {
                        out.push_str(&format!("[{i}]"));
                        ty = of.ty;
                    }
                    other => panic!("{other:?} in {text}"),
                }
            }
            match &step.value {
                InitValue::Expr(expr) => {
                    let span = sema.span(expr.span);
                    out.push_str(&format!("={}", sema.program.sources.text(span).trim_end()));
                }
                InitValue::Bytes(bytes) => out.push_str(&format!("={:?}", String::from_utf8_lossy(bytes))),
            }
        }
        out
    }

    #[test]
    fn parts_of_what_an_expression_gives_are_not_initialised_again() {
        let text = |list: &str| {
            let types = "struct p { int x, y; }; struct q { struct p p; int z; };";
            plan(&format!("{types} struct q q = {list};"))
        };
        let unsupported =
            "unsupported: a part of an aggregate that an expression initialises is initialised again";
        assert_eq!(text("{ .p = (struct p){ 1, 2 }, .p.x = 1 }"), unsupported);
        for list in ["{ .p = (struct p){ 1, 2 }, .z = 1 }", "{ .p = { 1, 2 }, .p.x = 3 }"] {
            assert_ne!(text(list), unsupported, "{list}");
        }
    }

    #[test]
    fn initialisers_find_their_place() {
        let check = |text: &str, want: &str| assert_eq!(plan(text), want, "{text}");
        check("int x = 1;", "int; =1");
        check("int x = { 1 };", "int; =1");
        check("int a[] = { 1, 2, 3 };", "int[3]; [0]=1; [1]=2; [2]=3");
        check("int a[5] = { [3] = 1, 2, [1] = 7 };", "int[5]; [3]=1; [4]=2; [1]=7");
        check("int a[] = { [0 ... 2] = 1, 5 };", "int[4]; [0]=1; [1]=1; [2]=1; [3]=5");
        check("int a[2][2] = { 1, 2, 3, 4 };", "int[2][2]; [0][0]=1; [0][1]=2; [1][0]=3; [1][1]=4");
        check("int a[2][2] = { { 1 }, 3 };", "int[2][2]; [0][0]=1; [1][0]=3");
        check("int a[][2] = { 1, 2, 3 };", "int[2][2]; [0][0]=1; [0][1]=2; [1][0]=3");
        check("char s[] = \"ab\";", "char[3]; =\"ab\\0\"");
        check("char s[2] = { \"ab\" };", "char[2]; =\"ab\"");
        check("char s[][4] = { \"ab\", \"c\" };", "char[4][2]; [0]=\"ab\\0\"; [1]=\"c\\0\"");
        check("char *s[] = { \"ab\" };", "char *[1]; [0]=\"ab\"");
        check("int a[3] = {};", "int[3]");
        check("int a[3] = { __tour_empty };", "int[3]");
        check("struct s { int a, b; } x = { 1 };", "struct s; .a=1");
        check(
            "struct s { int a; struct { int b, c; } d; } x = { 1, 2, 3 };",
            "struct s; .a=1; .d.b=2; .d.c=3",
        );
        check("struct s { int a; int : 3; int b : 2; } x = { 1, 2 };", "struct s; .a=1; .b=2");
        check("union u { int a; char b; } x = { 1 };", "union u; .a=1");
        check("union u { int a; char b; } x = { .b = 1 };", "union u; .b=1");
        check("struct s { union { int a; char b; }; int c; } x = { 1, 2 };", "struct s; ..a=1; .c=2");
        check("struct s { union { int a; char b; }; int c; } x = { .b = 1, 2 };", "struct s; ..b=1; .c=2");
        check(
            "struct s { int a, b; } x[2] = { [1].b = 4, [0] = { 1, 2 } };",
            "struct s[2]; [1].b=4; [0].a=1; [0].b=2",
        );
        check("struct s { int a[3]; int b; } x = { .a[1] = 4, 5, 6 };", "struct s; .a[1]=4; .a[2]=5; .b=6");
        check("struct s { int a; } x = { a: 1 };", "struct s; .a=1");
        check("struct s { int n; int a[]; } x = { 1, { 2, 3 } };", "struct s; .n=1; .a[0]=2; .a[1]=3");
        check("struct s { int n; } x = (struct s) { 4 };", "struct s; .n=4");
        check("int a[2] = { 1, 2, 3 };", "int[2]; [0]=1; [1]=2");
        check("struct e {}; struct s { struct e e; int a; } x = { {}, 1 };", "struct s; .a=1");
    }

    #[test]
    fn later_designators_override() {
        let check = |text: &str, want: &str| assert_eq!(plan(text), want, "{text}");
        check("int a[2] = { [1] = 1, [1] = 2 };", "int[2]; [1]=2");
        check(
            "struct { struct { int a, b; } s; } x = { .s = { 1, 2 }, .s.a = 3 };",
            "struct <anonymous>; .s.b=2; .s.a=3",
        );
        check(
            "struct { struct { int a, b; } s; } x = { .s.a = 1, .s = { .b = 2 } };",
            "struct <anonymous>; .s.b=2",
        );
        check("union u { int a; char b; } x = { .a = 1, .b = 2 };", "union u; .b=2");
        check(
            "struct { int a, b; } x[2] = { [1] = { 1, 2 }, [0] = { 3 }, { 4 } };",
            "struct <anonymous>[2]; [0].a=3; [1].a=4",
        );
    }

    #[test]
    fn bad_initialisers_are_reported() {
        let check = |text: &str, want: &str| assert_eq!(plan(text), want, "{text}");
        check("int a[2] = { [2] = 1 };", "error: the index 2 is outside of the array");
        check("struct s { int a; } x = { .b = 1 };", "error: `struct s` has no member `b`");
        check("int a[2] = 1;", "error: an array needs a list or a string to initialise it");
        check("int a[3] = { [2 ... 1] = 1 };", "error: this range is empty");
    }
}
