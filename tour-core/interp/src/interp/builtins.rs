//! Library functions with a meaning of their own.

use super::image::Repr;
use super::memory::Kind;
use super::outcome::{Step, Undefined, undefined, unsupported};
use super::portable::open;
use super::run::Machine;
use super::trace::Observer;
use super::value::{Pointer, Value};
use tour_ir::program::{Builtin, ExprId, IntType};

impl<O: Observer> Machine<'_, '_, O> {
    /// An object of this size can be there: the difference of two pointers into it fits.
    fn is_possible(&self, size: u64) -> bool {
        size >> (self.image.program.model.pointer_bits() - 1) == 0
    }

    /// Calls a library function. What a `void` function returns is not looked at.
    pub fn builtin(&mut self, builtin: Builtin, args: &[ExprId]) -> Step<Value> {
        match builtin {
            Builtin::Printf => self.printf(args),
            Builtin::Malloc | Builtin::Outside => {
                let [size] = self.numbers(args)?;
                if !self.is_possible(size) {
                    return Ok(Value::int(0));
                }
                let block = self.memory.allocate_block(size, Kind::Heap)?;
                if builtin == Builtin::Outside {
                    self.memory.give(block);
                }
                Ok(self.memory.pointer(block).value())
            }
            Builtin::Calloc => {
                let [count, size] = self.numbers(args)?;
                let Some(size) = count.checked_mul(size).filter(|size| self.is_possible(*size)) else {
                    return Ok(Value::int(0));
                };
                let block = self.memory.allocate_block(size, Kind::Heap)?;
                let pointer = self.memory.pointer(block);
                self.memory.fill(pointer, 0, size)?;
                Ok(pointer.value())
            }
            Builtin::Realloc => {
                let [old, size] = self.values(args)?;
                self.realloc(old.as_pointer(), size.bits as u64)
            }
            Builtin::Free => {
                let [block] = self.values(args)?;
                if block.bits != 0 {
                    let (index, _) = self.memory.heap_block(block.as_pointer())?;
                    self.memory.release(index);
                }
                Ok(Value::int(0))
            }
            Builtin::Alloca => {
                let [size] = self.numbers(args)?;
                let block = self.memory.allocate_block(size, Kind::Alloca)?;
                self.allocas.push(block);
                Ok(self.memory.pointer(block).value())
            }
            Builtin::Memcpy | Builtin::Memmove => {
                let [to, from, size] = self.values(args)?;
                let (to_at, from_at, size) = (to.as_pointer(), from.as_pointer(), size.bits as u64);
                if size > 0 {
                    let apart = to_at.address.abs_diff(from_at.address);
                    if builtin == Builtin::Memcpy && apart > 0 && apart < size {
                        return undefined(Undefined::Overlap);
                    }
                    self.memory.copy(to_at, from_at, size)?;
                }
                Ok(to)
            }
            Builtin::Memset => {
                let [to, byte, size] = self.values(args)?;
                if size.bits > 0 {
                    self.memory.fill(to.as_pointer(), byte.bits as u8, size.bits as u64)?;
                }
                Ok(to)
            }
            Builtin::Memcmp => {
                let [a, b, size] = self.values(args)?;
                self.compare(a.as_pointer(), b.as_pointer(), size.bits as u64, false)
            }
            Builtin::Strcmp => {
                let [a, b] = self.values(args)?;
                self.compare(a.as_pointer(), b.as_pointer(), u64::MAX, true)
            }
            Builtin::Strncmp => {
                let [a, b, size] = self.values(args)?;
                self.compare(a.as_pointer(), b.as_pointer(), size.bits as u64, true)
            }
            Builtin::Strlen => {
                let [text] = self.values(args)?;
                Ok(Value::int(self.string_length(text.as_pointer())?.into()))
            }
            Builtin::Strcpy => {
                let [to, from] = self.values(args)?;
                self.copy_string(to.as_pointer(), from.as_pointer())?;
                Ok(to)
            }
            Builtin::Strcat => {
                let [to, from] = self.values(args)?;
                let end = self.string_length(to.as_pointer())?;
                self.copy_string(to.as_pointer().offset(end), from.as_pointer())?;
                Ok(to)
            }
            Builtin::Strncpy => {
                let [to, from, size] = self.values(args)?;
                let mut ended = false;
                for i in 0..size.bits as u64 {
                    let byte = if ended { 0 } else { self.read_byte(from.as_pointer().offset(i))? };
                    ended |= byte == 0;
                    self.memory.store(to.as_pointer().offset(i), 1, Value::int(byte.into()))?;
                }
                Ok(to)
            }
            Builtin::Strchr => {
                let [text, wanted] = self.values(args)?;
                let mut at = text.as_pointer();
                loop {
                    let byte = self.read_byte(at)?;
                    if byte == wanted.bits as u8 {
                        return Ok(at.value());
                    }
                    if byte == 0 {
                        return Ok(Value::int(0));
                    }
                    at = at.offset(1);
                }
            }
            Builtin::Puts => {
                let [text] = self.values(args)?;
                let length = self.string_length(text.as_pointer())?;
                for i in 0..length {
                    let byte = self.read_byte(text.as_pointer().offset(i))?;
                    self.output.push(byte);
                }
                self.output.push(b'\n');
                Ok(Value::int(1))
            }
            Builtin::Putchar => {
                let [byte] = self.values(args)?;
                self.output.push(byte.bits as u8);
                Ok(Value::int(u128::from(byte.bits as u8)))
            }
            Builtin::ThreadSelf if O::PORTABLE => open("which number a thread is"),
            Builtin::ThreadSelf => Ok(Value::int(1)),
            Builtin::AtomicBegin | Builtin::AtomicEnd | Builtin::ThreadStart | Builtin::ThreadFinished => {
                Ok(Value::int(0))
            }
            // What follows is the end of the program.
            Builtin::ThreadExit => Ok(Value::int(0)),
            Builtin::Blocked => unsupported("a wait for what no other thread can do"),
            Builtin::ThreadCreate | Builtin::ThreadJoin => {
                unsupported("a thread in a program that has one only")
            }
        }
    }

    fn values<const N: usize>(&mut self, args: &[ExprId]) -> Step<[Value; N]> {
        let Ok(args) = <[ExprId; N]>::try_from(args) else { return undefined(Undefined::WrongArguments) };
        let mut values = [Value::int(0); N];
        for (value, arg) in values.iter_mut().zip(args) {
            *value = self.eval(arg)?;
            if O::PORTABLE
                && !matches!(self.image.reprs[self.image.program.exprs[arg].ty], Repr::Pointer { .. })
            {
                self.settle_number(*value)?;
            }
        }
        Ok(values)
    }

    /// Arguments of type `size_t`.
    fn numbers<const N: usize>(&mut self, args: &[ExprId]) -> Step<[u64; N]> {
        Ok(self.values::<N>(args)?.map(|value| value.bits as u64))
    }

    fn realloc(&mut self, old: Pointer, size: u64) -> Step<Value> {
        if old.address == 0 {
            let block = self.memory.allocate_block(size, Kind::Heap)?;
            return Ok(self.memory.pointer(block).value());
        }
        if size == 0 {
            return unsupported("realloc to size 0, which implementations take differently");
        }
        let (index, old_size) = self.memory.heap_block(old)?;
        let block = self.memory.allocate_block(size, Kind::Heap)?;
        let new = self.memory.pointer(block);
        self.memory.copy(new, old, size.min(old_size))?;
        self.memory.release(index);
        Ok(new.value())
    }

    fn compare(&mut self, a: Pointer, b: Pointer, size: u64, strings: bool) -> Step<Value> {
        let result: i32 = 'found: {
            for i in 0..size {
                let (x, y) = (self.read_byte(a.offset(i))?, self.read_byte(b.offset(i))?);
                if x != y {
                    break 'found if x < y { -1 } else { 1 };
                }
                if strings && x == 0 {
                    break;
                }
            }
            0
        };
        Ok(Value::int(IntType::signed(32).wrap(result as u128)))
    }

    pub(super) fn string_length(&mut self, text: Pointer) -> Step<u64> {
        let mut length = 0;
        while self.read_byte(text.offset(length))? != 0 {
            length += 1;
        }
        Ok(length)
    }

    /// Copies a string with its end.
    fn copy_string(&mut self, to: Pointer, from: Pointer) -> Step<()> {
        let size = self.string_length(from)? + 1;
        let apart = to.address.abs_diff(from.address);
        if apart > 0 && apart < size {
            return undefined(Undefined::Overlap);
        }
        self.memory.copy(to, from, size)
    }
}
