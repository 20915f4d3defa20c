//! Declarations inside of functions, and compound literals.

use super::{DeclSpecs, Fail, Lower, Sema};
use crate::program::{Op, PlaceId, Storage};
use lang_c::ast::{CompoundLiteral, Declaration, InitDeclarator, Initializer};
use lang_c::span::Node;

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
        let declared = self.declarator(specs, &item.node.declarator)?;
        let initializer = item.node.initializer.as_ref();
        if specs.is_typedef() {
            self.declare_typedef(&declared);
            return Ok(());
        }
        let function = self.current(declared.span)?.function;
        let var =
            self.add_local(declared.name().to_owned(), declared.ty, Storage::Local(function), declared.span);
        self.declare_var(declared.name(), var);
        self.emit(Op::Declare(var), declared.span)?;
        match initializer.map(|init| &init.node) {
            None => {}
            Some(Initializer::Expression(expr)) => {
                let place = self.program.var_place(var, declared.span);
                self.assign_to(place, expr, false, declared.span)?;
            }
            Some(Initializer::List(_)) => {
                return Fail::unsupported("initialiser", "this initialiser is not modelled", declared.span);
            }
        }
        Ok(())
    }

    /// `(T) { … }`
    pub(crate) fn compound_literal(&mut self, literal: &Node<CompoundLiteral>) -> Lower<PlaceId> {
        Fail::unsupported("initialiser", "compound literals are not modelled", self.span(literal.span))
    }
}
