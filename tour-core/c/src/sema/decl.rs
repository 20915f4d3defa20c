//! Declarations inside of functions, and compound literals.

use super::init::Step;
use super::{DeclSpecs, Declared, Fail, InitStep, InitValue, Lower, Sema, StorageClass};
use lang_c::ast::{CompoundLiteral, Declaration, Expression, InitDeclarator, Initializer};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::program::{
    ArrayLen, ExprKind, Field, Op, PlaceId, QualType, Quals, RecordKind, Storage, Type, TypeId, VarId,
};
use tour_ir::source::Span;

/// Larger arrays of unions are not initialised element by element.
const MAX_ELEMENTS: u64 = 1000;

impl Sema<'_> {
    /// A declaration in a block.
    pub(crate) fn local_declaration(&mut self, declaration: &Node<Declaration>) -> Lower<()> {
        let declarators = &declaration.node.declarators;
        let specs = self.decl_specs(&declaration.node.specifiers, declarators.is_empty())?;
        for declarator in declarators {
            if let Err(fail) = self.local_declarator(&specs, declarator) {
                self.recover(*fail);
            }
        }
        Ok(())
    }

    fn local_declarator(&mut self, specs: &DeclSpecs, item: &Node<InitDeclarator>) -> Lower<()> {
        let mut declared = self.declarator(specs, &item.node.declarator)?;
        let init = item.node.initializer.as_ref();
        if let Some(what) = declared.attrs.unmodelled.take() {
            self.emit_unsupported(what, declared.span)?;
        }
        if specs.is_typedef() {
            self.declare_typedef(&declared);
            return Ok(());
        }
        if specs.infer {
            declared.ty = self.inferred_type(init, declared.span)?;
        }
        let is_function = matches!(self.program.types[declared.ty.ty], Type::Function(_));
        match specs.storage {
            _ if is_function => self.declare_function(specs, &declared).map(drop),
            Some(StorageClass::Extern) => self.declare_object(specs, &declared, false).map(drop),
            Some(StorageClass::Static) => self.static_local(specs, &declared, init),
            None | Some(StorageClass::Auto | StorageClass::Register | StorageClass::Typedef) => {
                let function = self.current(declared.span)?.function;
                let var = self.new_variable(specs, &declared, Storage::Local(function));
                if declared.attrs.label.is_some() {
                    self.shared.symbols.registers.insert(var);
                }
                self.declare_var(declared.name(), var);
                self.initialise(var, init, declared.span)
            }
        }
    }

    fn new_variable(&mut self, specs: &DeclSpecs, declared: &Declared<'_>, storage: Storage) -> VarId {
        let var = self.add_local(declared.name().to_owned(), declared.ty, storage, declared.span);
        self.program.vars[var].thread_local = specs.thread_local;
        self.program.vars[var].align = declared.attrs.align;
        var
    }

    /// `__auto_type`: what the initialiser has, as a value.
    fn inferred_type(&mut self, init: Option<&Node<Initializer>>, span: Span) -> Lower<QualType> {
        let Some(Initializer::Expression(expr)) = init.map(|init| &init.node) else {
            return Fail::error("`__auto_type` needs a value to take the type of", span, "declared here");
        };
        let ty = self.type_of_expr(expr)?.ty;
        Ok(match self.program.types[ty] {
            Type::Array(of, _) => self.program.types.pointer(of).into(),
            Type::Function(_) => self.program.types.pointer(ty).into(),
            _ => QualType { ty, quals: Quals::default() },
        })
    }

    /// `static` in a function.
    fn static_local(
        &mut self,
        specs: &DeclSpecs,
        declared: &Declared<'_>,
        init: Option<&Node<Initializer>>,
    ) -> Lower<()> {
        let function = self.current(declared.span)?.function;
        let var = self.new_variable(specs, declared, Storage::StaticLocal(function));
        self.declare_var(declared.name(), var);
        self.program.globals.push(var);
        self.object_in_section(var, &declared.attrs, declared.span)?;
        match init {
            Some(init) => self.static_init(var, init),
            None => Ok(()),
        }
    }

    /// The life of a local variable begins.
    fn initialise(&mut self, var: VarId, init: Option<&Node<Initializer>>, span: Span) -> Lower<()> {
        let Some(init) = init else { return self.begin_life(var, span) };
        let (ty, steps) = self.plan_init(self.program.vars[var].ty.ty, init)?;
        self.program.vars[var].ty.ty = ty;
        self.begin_life(var, span)?;
        let place = self.program.var_place(var, span);
        self.run_plan(place, steps, span)
    }

    fn begin_life(&mut self, var: VarId, span: Span) -> Lower<()> {
        let ty = self.program.vars[var].ty.ty;
        if matches!(self.program.types[ty], Type::Void) || self.is_incomplete(ty) {
            let message = format!("`{}` has an incomplete type", self.program.vars[var].name);
            return Fail::error(message, span, format!("of type `{}`", self.program.show_type(ty)));
        }
        self.current(span)?.graph.declare(var);
        self.emit(Op::Declare(var), span)
    }

    fn is_incomplete(&self, ty: TypeId) -> bool {
        match self.program.types[ty] {
            Type::Array(_, ArrayLen::Unknown) => true,
            Type::Record(id) => !self.program.types.records[id].complete,
            _ => false,
        }
    }

    /// Stores what an initialiser says. What no store reaches is zero.
    fn run_plan(&mut self, place: PlaceId, steps: Vec<InitStep<'_>>, span: Span) -> Lower<()> {
        let ty = self.program.places[place].ty;
        let given: Option<u64> = steps.iter().map(|step| self.leaves(step.ty)).sum();
        let zeroed = self.leaves(ty).is_none_or(|all| given != Some(all));
        if zeroed {
            let paths: Vec<&[Step]> = steps.iter().map(|step| &step.path[..]).collect();
            self.clear_rest(place, &paths, span)?;
        }
        let mut seen = FxHashSet::default();
        let exprs: Vec<&Node<Expression>> = (steps.iter())
            .filter_map(|step| match step.value {
                InitValue::Expr(expr) => seen.insert(step.evaluation).then_some(expr),
                InitValue::Bytes(_) => None,
            })
            .collect();
        self.ordered(&exprs, |sema| {
            let mut first_of = FxHashMap::default();
            for step in steps {
                let mut part = place;
                for step in step.path {
                    part = sema.part_place(part, step, span);
                }
                match step.value {
                    InitValue::Expr(expr) => {
                        if let Some(&first) = first_of.get(&step.evaluation) {
                            // Elements of a range: the value is that of the first.
                            let value = sema.load(first, span)?;
                            sema.store(part, value, span)?;
                            continue;
                        }
                        sema.assign_to(part, expr, false, sema.span(expr.span))?;
                        if !matches!(sema.const_eval_ast(expr), Ok(Some(_))) {
                            first_of.insert(step.evaluation, part);
                        }
                    }
                    InitValue::Bytes(bytes) => sema.store_bytes(part, bytes, zeroed, span)?,
                }
            }
            Ok(())
        })
    }

    /// Clears an object before parts of it are given values. Of a union, only the member is cleared that gets a value: C
    /// does not say what the bytes beside it are (6.2.6.1p7).
    fn clear_rest(&mut self, place: PlaceId, given: &[&[Step]], span: Span) -> Lower<()> {
        let ty = self.program.places[place].ty;
        let types = &self.program.types;
        if given.iter().any(|path| path.is_empty()) && types.is_scalar(ty) {
            return Ok(());
        }
        if !given.iter().any(|path| self.leaves_bytes_open(ty, path)) {
            let kind = match types[ty] {
                Type::Float(_) => ExprKind::Float(0.0),
                _ if types.is_scalar(ty) => ExprKind::Int(0),
                _ => ExprKind::Zeroed,
            };
            let zero = self.program.add_expr(kind, ty, span);
            return self.store(place, zero, span);
        }
        let inside = |part: Step| -> Vec<&[Step]> {
            let split = given.iter().filter_map(|path| path.split_first());
            split.filter(|(first, _)| **first == part).map(|(_, rest)| rest).collect()
        };
        let parts: Vec<Step> = match &types[ty] {
            Type::Record(id) if types.records[*id].kind == RecordKind::Union => {
                given.iter().filter_map(|path| path.first().copied()).take(1).collect()
            }
            Type::Record(id) => {
                let fields = (0..).zip(&types.records[*id].fields);
                let has_value = |field: &Field| {
                    types.size(field.ty.ty).is_some() && (field.name.is_some() || field.bits.is_none())
                };
                fields.filter(|(_, field)| has_value(field)).map(|(i, _)| Step::Field(i)).collect()
            }
            Type::Array(_, ArrayLen::Fixed(n)) if *n <= MAX_ELEMENTS => (0..*n).map(Step::Index).collect(),
            _ => return Fail::unsupported("initialiser", "a large array of unions", span),
        };
        for part in parts {
            let place = self.part_place(place, part, span);
            self.clear_rest(place, &inside(part), span)?;
        }
        Ok(())
    }

    /// A store to a part leaves bytes of an object without a value: those of a union that its member does not have.
    fn leaves_bytes_open(&self, mut ty: TypeId, path: &[Step]) -> bool {
        let types = &self.program.types;
        for step in path {
            let part = match (&types[ty], step) {
                (Type::Record(id), Step::Field(field)) => {
                    let record = &types.records[*id];
                    let Some(field) = record.fields.get(*field as usize) else { return false };
                    let size = types.size(field.ty.ty);
                    if record.kind == RecordKind::Union && (size < types.size(ty) || field.bits.is_some()) {
                        return true;
                    }
                    field.ty.ty
                }
                (Type::Array(of, _), Step::Index(_)) => of.ty,
                _ => return false,
            };
            ty = part;
        }
        false
    }

    /// How many scalars an object has; `None` if it has a union, whose parts overlap, or something else that has to be
    /// cleared as a whole.
    fn leaves(&self, ty: TypeId) -> Option<u64> {
        match &self.program.types[ty] {
            Type::Array(of, ArrayLen::Fixed(n)) => self.leaves(of.ty)?.checked_mul(*n),
            Type::Record(id) => {
                let record = &self.program.types.records[*id];
                match record.kind {
                    RecordKind::Struct => record
                        .fields
                        .iter()
                        .filter(|field| field.name.is_some() || field.bits.is_none())
                        .map(|field| self.leaves(field.ty.ty))
                        .sum(),
                    RecordKind::Union => None,
                }
            }
            _ if self.program.types.is_scalar(ty) => Some(1),
            _ => None,
        }
    }

    /// The bytes of a string at the start of an array, and zeros behind them.
    fn store_bytes(&mut self, array: PlaceId, mut bytes: Vec<u8>, zeroed: bool, span: Span) -> Lower<()> {
        let ty = self.program.places[array].ty;
        if zeroed && bytes.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let size = self.program.types.size(ty).and_then(|size| usize::try_from(size).ok());
        let Some(size) = size else {
            return Fail::unsupported(
                "initialiser",
                "this array is too large to be initialised by a string",
                span,
            );
        };
        bytes.resize(size, 0);
        let literal = self.literal(bytes, ty, None, span);
        let place = self.program.var_place(literal, span);
        let value = self.program.load(place, span);
        self.store(array, value, span)
    }

    /// `(T) { … }`: an unnamed object, of the block or of the whole program.
    pub(crate) fn compound_literal(&mut self, literal: &Node<CompoundLiteral>) -> Lower<PlaceId> {
        let span = self.span(literal.span);
        let ty = self.type_name(&literal.node.type_name)?;
        let items = &literal.node.initializer_list;
        let name = format!("({}){{…}}", self.program.show_type(ty.ty));
        let Some(function) = self.current.as_ref().map(|current| current.function) else {
            let var = self.add_local(name, ty, Storage::Literal, span);
            self.program.globals.push(var);
            self.static_init_list(var, items, span)?;
            return Ok(self.program.var_place(var, span));
        };
        let (complete, steps) = self.plan_init_list(ty.ty, items, span)?;
        let var = self.add_local(name, QualType { ty: complete, ..ty }, Storage::Local(function), span);
        self.begin_life(var, span)?;
        let place = self.program.var_place(var, span);
        self.run_plan(place, steps, span)?;
        Ok(self.program.var_place(var, span))
    }
}
