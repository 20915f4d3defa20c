//! Inline assembly, as far as its operands tell what it does.
//!
//! Instructions are not modelled. But GNU's assembly says what it changes: its outputs, and what it names as clobbered. So what
//! does not name `"memory"` leaves everything but its outputs alone, which get values that nobody knows
//! ([`HavocOrigin::Uncomputed`]): good enough for a proof, while no run can be executed any further. Barriers do nothing. An empty
//! template passes on what is matched by its constraints. Everything else is unsupported, also an output that is a
//! pointer: nobody knows where it leads.

use super::{Lower, Sema};
use lang_c::ast::{AsmStatement, GnuAsmOperand, GnuExtendedAsmStatement, StringLiteral};
use lang_c::span::Node;
use tour_ir::program::{Assumption, HavocOrigin, Op, Unsupported};
use tour_ir::source::Span;

/// Instructions that change nothing that a program sees.
const HARMLESS: [&str; 13] = [
    "",
    "nop",
    "pause",
    "rep",
    "rep nop",
    "mfence",
    "lfence",
    "sfence",
    "cli",
    "sti",
    "lock",
    // A barrier of processors without `mfence`: it adds nothing to what lies on the stack.
    "addl $0,0(%%esp)",
    "addl $0,0(%%rsp)",
];

/// The text of a literal, its parts put together.
fn text(literal: &StringLiteral) -> String {
    literal.iter().map(|part| part.trim().trim_start_matches('"').trim_end_matches('"')).collect()
}

/// All instructions of a template are harmless.
fn is_barrier(template: &str) -> bool {
    let lines = template.replace("\\n", "\n").replace("\\t", " ");
    let mut instructions = lines.split([';', '\n']).map(str::trim);
    instructions.all(|instruction| HARMLESS.contains(&instruction) || instruction.starts_with('#'))
}

impl Sema<'_> {
    pub(super) fn asm(&mut self, asm: &AsmStatement, span: Span) -> Lower<()> {
        match asm {
            AsmStatement::GnuBasic(template) if is_barrier(&text(&template.node)) => Ok(()),
            AsmStatement::GnuBasic(_) => self.not_modelled(span),
            AsmStatement::GnuExtended(asm) => self.extended(asm, span),
        }
    }

    fn not_modelled(&mut self, span: Span) -> Lower<()> {
        let message = "inline assembly is not modelled".to_owned();
        self.emit_unsupported(Unsupported { kind: "inline-asm", message }, span)
    }

    fn extended(&mut self, asm: &GnuExtendedAsmStatement, span: Span) -> Lower<()> {
        let template = text(&asm.template.node);
        let barrier = is_barrier(&template);
        if !barrier && asm.clobbers.iter().any(|clobber| text(&clobber.node) == "memory") {
            return self.not_modelled(span);
        }
        if !barrier {
            let text = "inline assembly changes nothing but its outputs";
            if !self.program.assumptions.iter().any(|assumption| assumption.text == text) {
                self.program.assumptions.push(Assumption { text: text.into(), span });
            }
        }
        for input in &asm.inputs {
            self.effect(&input.node.variable_name)?;
        }
        for (number, output) in asm.outputs.iter().enumerate() {
            let constraint = text(&output.node.constraints.node);
            // What is read and written stays as it is.
            if barrier && constraint.starts_with('+') {
                continue;
            }
            let place = self.place(&output.node.variable_name)?;
            let ty = self.program.places[place].ty;
            let op = match matched(&asm.inputs, number).filter(|_| barrier) {
                Some(input) => {
                    let value = self.rvalue(&input.variable_name)?;
                    Op::Assign(place, self.convert(value, ty, span)?)
                }
                None if self.program.types.int_type(ty).is_some() => {
                    Op::Havoc(place, HavocOrigin::Uncomputed)
                }
                None => return self.not_modelled(span),
            };
            self.emit(op, span)?;
        }
        Ok(())
    }
}

/// The input that begins in the same place as an output.
fn matched(inputs: &[Node<GnuAsmOperand>], output: usize) -> Option<&GnuAsmOperand> {
    let number = output.to_string();
    inputs.iter().map(|input| &input.node).find(|input| text(&input.constraints.node) == number)
}
