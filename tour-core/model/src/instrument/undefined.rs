//! The undefined behaviours of C11, annex J.2, and what becomes of each: the table of the book, and what a proof does not
//! speak of.
//!
//! A proof of `undefined-behaviour` names those that are not checked and that the program may contain. What the program
//! may contain is seen from its text and its calls alone.

use super::library;
use tour_ir::program::{
    ArrayLen, Assumption, Callee, ExprKind, HavocOrigin, Op, PlaceKind, Program, QualType, Rule, Type,
};
use tour_ir::source::Span;

/// One undefined behaviour.
pub struct Undefined {
    /// The clause of C11.
    pub clause: &'static str,
    /// What is undefined, in short.
    pub text: &'static str,
    /// What becomes of it.
    pub how: How,
}

/// What becomes of a program that does so.
pub enum How {
    /// These rules find it; with a remark on where, or none.
    Checked(&'static [Rule], &'static str),
    /// To get there makes the verdict UNKNOWN.
    Unsupported,
    /// The preprocessor, the compiler or the front end does not take the program, or says what it means.
    Rejected,
    /// Nobody can tell, for this reason.
    Never(&'static str),
    /// It is not looked for where the program has this.
    NotChecked(Trace),
}

/// What a program that contains it looks like.
pub enum Trace {
    /// It calls one of these.
    Calls(&'static [&'static str]),
    /// One of these words is in its text.
    Words(&'static [&'static str]),
    /// A member of an atomic record is accessed.
    AtomicMember,
    /// `const` is cast away, and some record has `const` members.
    ConstMember,
    /// `volatile` is cast away.
    VolatileCast,
    /// A parameter is declared `[static n]`.
    StaticLength,
    /// There are threads, and `rand` is called.
    ThreadedRand,
    /// There are pointers to arrays of variable length.
    VlaPointer,
    /// The front end has named it already.
    Named,
}

const fn entry(clause: &'static str, text: &'static str, how: How) -> Undefined {
    Undefined { clause, text, how }
}

/// The list, by clause.
pub const UNDEFINED: &[Undefined] = &[
    entry("4", "a requirement outside of a constraint is broken", How::Never("by the entries below")),
    entry(
        "5.1.1.2",
        "a source file does not end in a new line, or ends in a partial token or comment",
        How::Rejected,
    ),
    entry("5.1.1.2", "pasting of tokens makes a universal character name", How::Rejected),
    entry(
        "5.1.2.2.1",
        "a program in a hosted environment has no `main` of a form that is allowed",
        How::Rejected,
    ),
    entry(
        "5.1.2.4",
        "two threads access the same memory at the same time, not atomically, and one of them writes",
        How::Checked(&[Rule::DataRace], ""),
    ),
    entry("5.2.1", "a character is outside of the basic source character set", How::Rejected),
    entry(
        "5.2.1.2",
        "an identifier, comment, literal or header name contains an invalid multibyte character",
        How::Rejected,
    ),
    entry("6.2.2", "one identifier has internal and external linkage in one unit", How::Rejected),
    entry(
        "6.2.4",
        "an object is referred to outside of its lifetime",
        How::Checked(&[Rule::UseAfterFree], ""),
    ),
    entry(
        "6.2.4",
        "the value of a pointer to an object is used whose lifetime has ended",
        How::Never("an access through it is checked, a comparison is unsupported, and nothing else shows"),
    ),
    entry(
        "6.2.4",
        "the value of an automatic object is used while it is indeterminate",
        How::Checked(&[Rule::UninitialisedRead], ""),
    ),
    entry(
        "6.2.6.1",
        "a trap representation is read by an lvalue that has no character type",
        How::Checked(&[Rule::InvalidBool], ""),
    ),
    entry(
        "6.2.6.1",
        "a trap representation is made by a side effect through an lvalue that has no character type",
        How::Checked(&[Rule::InvalidBool], ""),
    ),
    entry(
        "6.2.6.2",
        "the operands of bit operations could give a negative zero where there is none",
        How::Never("two's complement has none"),
    ),
    entry(
        "6.2.7",
        "two declarations of one object or function have types that are not compatible",
        How::Rejected,
    ),
    entry("6.2.7", "a composite type needs the length of an array that was never evaluated", How::Rejected),
    entry(
        "6.3.1.4",
        "a number is converted between an integer and a floating type that does not have it",
        How::Checked(&[Rule::FloatCastOverflow], ""),
    ),
    entry(
        "6.3.1.5",
        "a floating number is demoted to a type that does not have it",
        How::Never("IEEE arithmetic gives an infinity"),
    ),
    entry(
        "6.3.2.1",
        "an lvalue does not designate an object when it is evaluated",
        How::Checked(&[Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree], ""),
    ),
    entry("6.3.2.1", "an lvalue of incomplete type is used where its value is needed", How::Rejected),
    entry(
        "6.3.2.1",
        "an automatic object that could be a register is used before it is set",
        How::Checked(&[Rule::UninitialisedRead], ""),
    ),
    entry("6.3.2.1", "an array with register storage is converted to a pointer", How::Rejected),
    entry("6.3.2.2", "the value of a void expression is used", How::Rejected),
    entry(
        "6.3.2.3",
        "a pointer is converted to an integer type that does not have its value",
        How::Never("compilers cut it off"),
    ),
    entry(
        "6.3.2.3",
        "a pointer is converted to a type for which it is not aligned",
        How::Checked(&[Rule::MisalignedAccess], "where it is followed"),
    ),
    entry("6.3.2.3", "a pointer to a function is used to call one of another type", How::Unsupported),
    entry("6.4", "an unmatched quote stands on a logical line", How::Rejected),
    entry("6.4.1", "a reserved word is used for something else", How::Rejected),
    entry(
        "6.4.2.1",
        "a universal character name is where none may be, or an identifier begins with a digit",
        How::Rejected,
    ),
    entry(
        "6.4.2.1",
        "two identifiers differ only in characters that do not count",
        How::Never("all characters count"),
    ),
    entry("6.4.2.2", "`__func__` is declared", How::Rejected),
    entry("6.4.5", "a string literal is changed", How::Checked(&[Rule::ConstWrite], "")),
    entry("6.4.7", "a quote, a backslash or a comment stands in a header name", How::Rejected),
    entry(
        "6.5",
        "a side effect is not sequenced with another one on, or a read of, the same scalar",
        How::Checked(&[Rule::Unsequenced], ""),
    ),
    entry(
        "6.5",
        "the result of an expression is not defined mathematically, or does not fit its type",
        How::Checked(&[Rule::SignedOverflow, Rule::DivisionByZero], ""),
    ),
    entry(
        "6.5",
        "an object is accessed through an lvalue of a type that is not allowed",
        How::Checked(&[Rule::EffectiveType], "where that is decided; else the verdict says so"),
    ),
    entry(
        "6.5.2.2",
        "a function without prototype is called with a wrong number of arguments",
        How::Unsupported,
    ),
    entry(
        "6.5.2.2",
        "a function without prototype is called with arguments of wrong types",
        How::Unsupported,
    ),
    entry("6.5.2.2", "a function is called as one of another type", How::Unsupported),
    entry(
        "6.5.2.3",
        "a member of an atomic structure or union is accessed",
        How::NotChecked(Trace::AtomicMember),
    ),
    entry(
        "6.5.3.2",
        "the operand of `*` has an invalid value",
        How::Checked(&[Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree], ""),
    ),
    entry("6.5.4", "a pointer is converted to something that is no integer and no pointer", How::Rejected),
    entry("6.5.5", "the right side of `/` or `%` is zero", How::Checked(&[Rule::DivisionByZero], "")),
    entry(
        "6.5.6",
        "a sum of a pointer and an integer leaves its array",
        How::Checked(&[Rule::PointerOverflow], ""),
    ),
    entry(
        "6.5.6",
        "a sum of a pointer and an integer that is one past the end is followed",
        How::Checked(&[Rule::OutOfBounds], ""),
    ),
    entry("6.5.6", "pointers to different arrays are subtracted", How::Checked(&[Rule::PointerOverflow], "")),
    entry(
        "6.5.6",
        "an index is out of range, although the memory behind is the object's",
        How::Checked(&[Rule::OutOfBounds], ""),
    ),
    entry(
        "6.5.6",
        "the difference of two pointers does not fit `ptrdiff_t`",
        How::Never("no object is so large"),
    ),
    entry(
        "6.5.7",
        "a shift count is negative or as large as the width",
        How::Checked(&[Rule::ShiftOutOfRange], ""),
    ),
    entry(
        "6.5.7",
        "a signed value is shifted left and the result does not fit",
        How::Checked(&[Rule::ShiftOutOfRange], ""),
    ),
    entry(
        "6.5.8",
        "pointers to different objects are compared by order",
        How::Checked(&[Rule::PointerOverflow], ""),
    ),
    entry(
        "6.5.16.1",
        "what is assigned overlaps what it is assigned to, not exactly or as another type",
        How::Checked(&[Rule::OverlappingCopy], ""),
    ),
    entry("6.6", "an expression that must be constant is not", How::Rejected),
    entry("6.6", "a constant expression contains what it must not", How::Rejected),
    entry("6.6", "an arithmetic constant expression contains what it must not", How::Rejected),
    entry("6.6", "the value of an object is used in an address constant", How::Rejected),
    entry("6.7", "an identifier without linkage has an incomplete type", How::Rejected),
    entry(
        "6.7.1",
        "a function is declared in a block with a storage class other than `extern`",
        How::Rejected,
    ),
    entry("6.7.2.1", "a structure or union has no named member", How::Never("compilers allow it")),
    entry(
        "6.7.2.1",
        "an element of a flexible array is accessed that is not there",
        How::Checked(&[Rule::OutOfBounds], ""),
    ),
    entry("6.7.2.3", "a type is needed completely and is not complete", How::Rejected),
    entry(
        "6.7.3",
        "an object defined `const` is changed through another lvalue",
        How::Checked(&[Rule::ConstWrite], ""),
    ),
    entry(
        "6.7.3",
        "a `const` member of a structure that is a variable is changed through another lvalue",
        How::NotChecked(Trace::ConstMember),
    ),
    entry(
        "6.7.3",
        "an object defined `volatile` is accessed through another lvalue",
        How::NotChecked(Trace::VolatileCast),
    ),
    entry("6.7.3", "a function type has a qualifier", How::Rejected),
    entry("6.7.3", "two qualified types must be compatible and are not", How::Rejected),
    entry(
        "6.7.3.1",
        "an object that is changed is accessed by a restricted pointer and by another one",
        How::NotChecked(Trace::Words(&["restrict", "__restrict", "__restrict__"])),
    ),
    entry(
        "6.7.3.1",
        "a restricted pointer is assigned one that is restricted in the same block",
        How::NotChecked(Trace::Words(&["restrict", "__restrict", "__restrict__"])),
    ),
    entry(
        "6.7.4",
        "an inline function with external linkage is declared and not defined in the unit",
        How::Rejected,
    ),
    entry("6.7.4", "a function declared `_Noreturn` returns", How::Unsupported),
    entry("6.7.5", "declarations of an object say different alignments", How::Rejected),
    entry(
        "6.7.5",
        "declarations in different units say different alignments",
        How::NotChecked(Trace::Words(&["_Alignas", "alignas"])),
    ),
    entry("6.7.6.1", "two pointer types must be compatible and are not", How::Rejected),
    entry("6.7.6.2", "the length of a variable array is not positive", How::Checked(&[Rule::VlaLength], "")),
    entry(
        "6.7.6.2",
        "two array types must be compatible, and their lengths differ",
        How::NotChecked(Trace::VlaPointer),
    ),
    entry(
        "6.7.6.3",
        "an argument of a parameter declared `[static n]` has fewer elements",
        How::NotChecked(Trace::StaticLength),
    ),
    entry("6.7.6.3", "a storage class stands where only `void` is a parameter", How::Rejected),
    entry("6.7.6.3", "two function types must be compatible and are not", How::Rejected),
    entry("6.7.9", "the value of an unnamed member is used", How::Rejected),
    entry("6.7.9", "an initialiser of a scalar is neither one expression nor one in braces", How::Rejected),
    entry(
        "6.7.9",
        "an initialiser of an automatic record is neither a list nor one of its type",
        How::Rejected,
    ),
    entry("6.7.9", "an initialiser of an aggregate is no list", How::Rejected),
    entry("6.9", "an identifier with external linkage is used, and defined nowhere or twice", How::Rejected),
    entry("6.9.1", "a definition in the old style redeclares its parameters wrongly", How::Rejected),
    entry(
        "6.9.1",
        "a function takes variable arguments and its definition does not say so",
        How::NotChecked(Trace::Words(&["__builtin_va_start", "va_start"])),
    ),
    entry(
        "6.9.1",
        "the end of a function is reached and its value is used",
        How::Checked(&[Rule::MissingReturn], ""),
    ),
    entry("6.9.2", "a tentative definition with internal linkage has an incomplete type", How::Rejected),
    entry("6.10.1", "`defined` is made by a macro, or does not have its form", How::Rejected),
    entry("6.10.2", "`#include` does not have its form after expansion", How::Rejected),
    entry("6.10.2", "a number in `#include` is wrong", How::Rejected),
    entry("6.10.3", "lines among the arguments of a macro look like directives", How::Rejected),
    entry("6.10.3.2", "the result of `#` is no string literal", How::Rejected),
    entry("6.10.3.3", "the result of `##` is no token", How::Rejected),
    entry("6.10.4", "`#line` does not have its form, or its number is zero or too large", How::Rejected),
    entry(
        "6.10.6",
        "a pragma that is not standard fails or behaves in a way that is not documented",
        How::Unsupported,
    ),
    entry("6.10.6", "a `#pragma STDC` does not have its form", How::Rejected),
    entry("6.10.8", "a predefined macro is defined or undefined", How::Rejected),
    entry(
        "7",
        "something of the library is used and no header declares it properly",
        How::Never("declared by hand they are the same functions"),
    ),
    entry("7.1.2", "a header of the program has the name of a standard one", How::Rejected),
    entry("7.1.2", "a header is included inside of a declaration", How::Rejected),
    entry("7.1.2", "something of a header is used before it is included", How::Rejected),
    entry("7.1.2", "a macro has the name of a keyword where a header is included", How::Rejected),
    entry("7.1.3", "a reserved identifier is declared or defined", How::NotChecked(Trace::Named)),
    entry("7.1.3", "a macro that begins with an underscore is undefined", How::Rejected),
    entry(
        "7.1.4",
        "an argument of a library function has an invalid value",
        How::Checked(
            &[Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree],
            "in its body; functions without a body are unsupported",
        ),
    ),
    entry(
        "7.1.4",
        "the pointer given to a library function does not point to as many bytes as it needs",
        How::Checked(&[Rule::OutOfBounds], ""),
    ),
    entry("7.1.4", "a library macro is used, whose function is declared in another way", How::Rejected),
    entry(
        "7.1.4",
        "a signal handler calls a function that is not safe there",
        How::NotChecked(Trace::Calls(&["signal", "sigaction"])),
    ),
    entry("7.2", "`assert` is undefined to get at a function", How::Rejected),
    entry("7.2", "the argument of `assert` is no scalar", How::Rejected),
    entry(
        "7.3.4",
        "`CX_LIMITED_RANGE`, `FENV_ACCESS` or `FP_CONTRACT` stand where they must not",
        How::NotChecked(Trace::Words(&["STDC"])),
    ),
    entry(
        "7.4",
        "an argument of a character function is neither a character nor `EOF`",
        How::NotChecked(Trace::Calls(&[
            "isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint",
            "ispunct", "isspace", "isupper", "isxdigit", "tolower", "toupper",
        ])),
    ),
    entry("7.5", "`errno` is undefined, or defined by the program", How::Rejected),
    entry(
        "7.6.1",
        "a part of a program tests or sets the floating environment without `FENV_ACCESS`",
        How::NotChecked(Trace::Calls(&["fegetround", "fesetround", "fetestexcept", "feraiseexcept"])),
    ),
    entry(
        "7.6.2",
        "exceptions are named that there are not",
        How::NotChecked(Trace::Calls(&["feclearexcept", "feraiseexcept", "fetestexcept"])),
    ),
    entry(
        "7.6.2.4",
        "`fesetexceptflag` sets flags that were never saved",
        How::NotChecked(Trace::Calls(&["fesetexceptflag"])),
    ),
    entry(
        "7.6.4.3",
        "`fesetenv` and `feupdateenv` get what is no environment",
        How::NotChecked(Trace::Calls(&["fesetenv", "feupdateenv"])),
    ),
    entry(
        "7.8.2.1",
        "the result of a conversion of the largest integers does not fit",
        How::Checked(&[Rule::SignedOverflow], ""),
    ),
    entry(
        "7.8.2.3",
        "`strtoimax` and its kin get an object that has no text",
        How::Checked(&[Rule::OutOfBounds, Rule::NullDeref], ""),
    ),
    entry(
        "7.11.1.1",
        "the program changes the text that `setlocale` gives",
        How::NotChecked(Trace::Calls(&["setlocale"])),
    ),
    entry(
        "7.11.2.1",
        "the program changes what `localeconv` gives",
        How::NotChecked(Trace::Calls(&["localeconv"])),
    ),
    entry("7.12", "`math_errhandling` is undefined", How::Rejected),
    entry("7.12.3", "a macro that classifies gets no floating number", How::Rejected),
    entry("7.12.14", "a macro that compares gets no floating number", How::Rejected),
    entry("7.13", "`setjmp` is undefined, or the program defines it", How::Rejected),
    entry("7.13.1.1", "`setjmp` stands where it must not", How::Unsupported),
    entry(
        "7.13.2.1",
        "`longjmp` goes to where no `setjmp` was, or to a function that has returned",
        How::Unsupported,
    ),
    entry(
        "7.13.2.1",
        "after `longjmp` an automatic variable is read that was changed and is not volatile",
        How::Unsupported,
    ),
    entry(
        "7.14.1.1",
        "the program uses `signal` with several threads",
        How::NotChecked(Trace::Calls(&["signal", "sigaction", "raise"])),
    ),
    entry(
        "7.14.1.1",
        "a handler of a computation signal returns",
        How::NotChecked(Trace::Calls(&["signal", "sigaction", "raise"])),
    ),
    entry(
        "7.14.1.1",
        "a handler uses a static object that is no lock-free atomic",
        How::NotChecked(Trace::Calls(&["signal", "sigaction", "raise"])),
    ),
    entry(
        "7.14.1.1",
        "a handler reads `errno` after `signal` failed",
        How::NotChecked(Trace::Calls(&["signal", "sigaction", "raise"])),
    ),
    entry(
        "7.14.1.1",
        "a signal is raised by a handler that `raise` called",
        How::NotChecked(Trace::Calls(&["signal", "sigaction", "raise"])),
    ),
    entry(
        "7.16",
        "a `va_list` is used after a function that it was given to used it",
        How::NotChecked(Trace::Words(&["__builtin_va_start", "va_start"])),
    ),
    entry("7.16", "a macro of variable arguments is undefined", How::Rejected),
    entry(
        "7.16.1.1",
        "`va_arg` gets an argument of another type, or one that is not there",
        How::NotChecked(Trace::Words(&["__builtin_va_start", "va_start"])),
    ),
    entry("7.16.1.1", "`va_arg` is given a type that a `*` can't be put behind", How::Rejected),
    entry(
        "7.16.1.2",
        "`va_copy` or `va_start` starts a list that was started already",
        How::NotChecked(Trace::Words(&["__builtin_va_start", "va_start"])),
    ),
    entry(
        "7.16.1.3",
        "`va_end` is missing, or called without a start",
        How::NotChecked(Trace::Words(&["__builtin_va_start", "va_start"])),
    ),
    entry("7.16.1.4", "the last parameter is a register, an array or one that is promoted", How::Rejected),
    entry(
        "7.17.2.1",
        "an atomic object is not initialised by `ATOMIC_VAR_INIT` or `atomic_init`",
        How::Checked(&[Rule::UninitialisedRead], ""),
    ),
    entry(
        "7.17.2.2",
        "`atomic_init` runs while another thread accesses the object",
        How::Checked(&[Rule::DataRace], ""),
    ),
    entry(
        "7.17.7",
        "a memory order is given that the operation can't have",
        How::NotChecked(Trace::Words(&[
            "memory_order_acquire",
            "memory_order_release",
            "memory_order_consume",
            "memory_order_acq_rel",
            "memory_order_relaxed",
            "__ATOMIC_RELAXED",
            "__ATOMIC_ACQUIRE",
            "__ATOMIC_RELEASE",
            "__ATOMIC_ACQ_REL",
        ])),
    ),
    entry("7.19", "`offsetof` names no member, or a bit-field", How::Rejected),
    entry("7.20.4", "an argument of a macro for integer constants does not fit", How::Rejected),
    entry(
        "7.21.2",
        "a byte function is used on a wide stream or the other way round",
        How::NotChecked(Trace::Calls(&[
            "fwide", "fgetwc", "fputwc", "wprintf", "fwprintf", "getwc", "putwc", "getwchar", "putwchar",
        ])),
    ),
    entry(
        "7.21.2",
        "a file is written behind a truncated wide character",
        How::NotChecked(Trace::Calls(&[
            "fwide", "fgetwc", "fputwc", "wprintf", "fwprintf", "getwc", "putwc", "getwchar", "putwchar",
        ])),
    ),
    entry("7.21.3", "the value of a closed stream is used", How::NotChecked(Trace::Calls(&["fclose"]))),
    entry(
        "7.21.5.2",
        "`fflush` is called for a stream that was read last",
        How::NotChecked(Trace::Calls(&["fflush"])),
    ),
    entry(
        "7.21.5.3",
        "a stream is opened with a mode that there is not",
        How::NotChecked(Trace::Calls(&["fopen", "freopen"])),
    ),
    entry(
        "7.21.5.3",
        "output follows input without a flush or a new position, or the other way round",
        How::NotChecked(Trace::Calls(&["fopen", "freopen"])),
    ),
    entry(
        "7.21.5.6",
        "the buffer of `setvbuf` is used while the stream is open",
        How::NotChecked(Trace::Calls(&["setvbuf", "setbuf"])),
    ),
    entry(
        "7.21.5.6",
        "`setvbuf` is called after the stream was used",
        How::NotChecked(Trace::Calls(&["setvbuf", "setbuf"])),
    ),
    entry("7.21.6.1", "a format asks for more arguments than there are", How::Unsupported),
    entry(
        "7.21.6.1",
        "a format and its argument have different types",
        How::NotChecked(Trace::Calls(&[
            "printf",
            "fprintf",
            "sprintf",
            "snprintf",
            "vprintf",
            "vfprintf",
            "vsprintf",
            "vsnprintf",
            "dprintf",
        ])),
    ),
    entry(
        "7.21.6.1",
        "a format contains a conversion that there is not, or flags and lengths that do not fit it",
        How::Unsupported,
    ),
    entry("7.21.6.1", "a text given to `%s` does not end", How::Checked(&[Rule::OutOfBounds], "")),
    entry(
        "7.21.6.2",
        "what `scanf` reads does not fit the object that it is stored to",
        How::NotChecked(Trace::Calls(&["scanf", "fscanf", "sscanf"])),
    ),
    entry(
        "7.21.6.2",
        "the argument of `scanf` is too short for what is read",
        How::Checked(&[Rule::OutOfBounds], ""),
    ),
    entry(
        "7.21.6.2",
        "a number that `scanf` reads does not fit its type",
        How::NotChecked(Trace::Calls(&["scanf", "fscanf", "sscanf"])),
    ),
    entry(
        "7.21.6.7",
        "`snprintf`, `sprintf` or `sscanf` copy between objects that overlap",
        How::Checked(&[Rule::OverlappingCopy], "what `%s` and `%c` copy"),
    ),
    entry(
        "7.21.6.8",
        "`vprintf` and its kin are called with a list that was not started",
        How::NotChecked(Trace::Words(&["__builtin_va_start", "va_start"])),
    ),
    entry(
        "7.21.6.8",
        "a `va_list` is used after `vprintf` or its kin without `va_end`",
        How::NotChecked(Trace::Words(&["__builtin_va_start", "va_start"])),
    ),
    entry(
        "7.21.7.2",
        "what `fgets` read is used after a read error",
        How::NotChecked(Trace::Calls(&["fgets"])),
    ),
    entry(
        "7.21.7.10",
        "`ungetc` pushes more back than it can, at the start of a file",
        How::NotChecked(Trace::Calls(&["ungetc"])),
    ),
    entry("7.21.8.1", "what `fread` read is used after an error", How::NotChecked(Trace::Calls(&["fread"]))),
    entry(
        "7.21.9.1",
        "`fsetpos` gets a position that `fgetpos` did not give",
        How::NotChecked(Trace::Calls(&["fsetpos"])),
    ),
    entry(
        "7.21.9.2",
        "`fseek` gets an offset that `ftell` did not give",
        How::NotChecked(Trace::Calls(&["fseek"])),
    ),
    entry(
        "7.22",
        "a number is converted by `atof` and its kin and does not fit",
        How::NotChecked(Trace::Calls(&["atoi", "atol", "atoll", "atof"])),
    ),
    entry(
        "7.22.1",
        "`strtod` and its kin get no text",
        How::Checked(&[Rule::OutOfBounds, Rule::NullDeref], ""),
    ),
    entry(
        "7.22.2.2",
        "`rand` and `srand` are called by several threads",
        How::NotChecked(Trace::ThreadedRand),
    ),
    entry("7.22.3", "a block is used after it was freed", How::Checked(&[Rule::UseAfterFree], "")),
    entry("7.22.3", "the bytes of a block of size zero are accessed", How::Checked(&[Rule::OutOfBounds], "")),
    entry(
        "7.22.3.1",
        "`aligned_alloc` gets an alignment that there is not, or a size that is no multiple",
        How::NotChecked(Trace::Calls(&["aligned_alloc"])),
    ),
    entry("7.22.3.3", "`free` or `realloc` get what is no block", How::Checked(&[Rule::InvalidFree], "")),
    entry(
        "7.22.3.3",
        "`free` or `realloc` get a block that was freed",
        How::Checked(&[Rule::DoubleFree], ""),
    ),
    entry(
        "7.22.3.4",
        "the value of a block of `malloc` is used before it is set",
        How::Checked(&[Rule::UninitialisedRead], ""),
    ),
    entry(
        "7.22.3.5",
        "the bytes that `realloc` added are used before they are set",
        How::Checked(&[Rule::UninitialisedRead], ""),
    ),
    entry(
        "7.22.4.2",
        "more than one exit is called, or a handler leaves by `longjmp`",
        How::NotChecked(Trace::Calls(&["atexit", "at_quick_exit", "on_exit"])),
    ),
    entry("7.22.4.6", "the text that `getenv` gives is changed", How::NotChecked(Trace::Calls(&["getenv"]))),
    entry(
        "7.22.4.6",
        "the result of `getenv` is used after another call changed it",
        How::NotChecked(Trace::Calls(&["getenv"])),
    ),
    entry(
        "7.22.4.8",
        "`system` is called for a command that behaves in some way",
        How::NotChecked(Trace::Calls(&["system"])),
    ),
    entry(
        "7.22.5",
        "a comparison for `bsearch` or `qsort` changes the elements, or contradicts itself",
        How::NotChecked(Trace::Calls(&["qsort", "bsearch", "qsort_r"])),
    ),
    entry(
        "7.22.5.1",
        "the array of `bsearch` is not sorted",
        How::NotChecked(Trace::Calls(&["qsort", "bsearch", "qsort_r"])),
    ),
    entry(
        "7.22.6.1",
        "the result of `abs`, `div` and their kin does not fit",
        How::Checked(&[Rule::SignedOverflow, Rule::DivisionByZero], ""),
    ),
    entry(
        "7.22.7",
        "`mblen` and its kin are used after the locale changed",
        How::NotChecked(Trace::Calls(&["mblen", "mbtowc", "wctomb", "mbstowcs", "wcstombs"])),
    ),
    entry(
        "7.23.1",
        "a pointer that is given to a string function is not valid",
        How::Checked(&[Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree], ""),
    ),
    entry(
        "7.23.2",
        "`memcpy`, `strcpy`, `strncpy`, `strcat` or their kin copy between objects that overlap",
        How::Checked(&[Rule::OverlappingCopy], "copies of texts inside of one object may be unsupported"),
    ),
    entry(
        "7.23.4.5",
        "the result of `strxfrm` is used although it did not fit",
        How::NotChecked(Trace::Calls(&["strxfrm"])),
    ),
    entry(
        "7.23.5.8",
        "`strtok` is called with null before it was given a text",
        How::Checked(&[Rule::NullDeref], ""),
    ),
    entry(
        "7.23.6.2",
        "the text that `strerror` gives is changed",
        How::NotChecked(Trace::Calls(&["strerror"])),
    ),
    entry("7.24", "a macro of generic mathematics gets arguments that have no such function", How::Rejected),
    entry("7.25", "a type that is complex is given to a function that is not", How::Rejected),
    entry(
        "7.26",
        "a C11 mutex or condition is used in a way that it was not made for",
        How::NotChecked(Trace::Calls(&["mtx_lock", "mtx_unlock", "mtx_timedlock", "cnd_wait", "cnd_signal"])),
    ),
    entry(
        "7.26.3",
        "a thread that has the lock destroys or locks a mutex again",
        How::Checked(&[Rule::MutexMisuse, Rule::Deadlock], ""),
    ),
    entry(
        "7.26.5",
        "a thread that was joined or detached is joined or detached again",
        How::NotChecked(Trace::Words(&["pthread_join", "pthread_detach", "thrd_join", "thrd_detach"])),
    ),
    entry("7.27.2", "the parts of a time do not fit", How::NotChecked(Trace::Calls(&["mktime", "timegm"]))),
    entry(
        "7.27.3",
        "`asctime` gets a time out of range",
        How::NotChecked(Trace::Calls(&["asctime", "ctime", "strftime"])),
    ),
    entry(
        "7.28.1",
        "functions on multibyte text get a state that is none",
        How::NotChecked(Trace::Calls(&["mbrtowc", "wcrtomb", "mbrlen", "mbsrtowcs", "wcsrtombs"])),
    ),
    entry(
        "7.29",
        "a wide function gets no wide text, or one without room",
        How::NotChecked(Trace::Calls(&[
            "wcscpy", "wcsncpy", "wcscat", "wcslen", "wcscmp", "wmemcpy", "swprintf",
        ])),
    ),
    entry(
        "7.30",
        "a function that classifies wide characters gets none",
        How::NotChecked(Trace::Calls(&[
            "iswalpha", "iswdigit", "iswspace", "iswupper", "iswlower", "towupper", "towlower",
        ])),
    ),
];

/// The clause of restricted pointers: compilers rely on them, so that no claim holds where one is broken.
const RESTRICT: &str = "6.7.3.1";

/// What a proof of `undefined-behaviour` does not speak of in this program, and what any proof rests on.
pub(super) fn not_checked(program: &Program, rules: &[Rule]) -> Vec<Assumption> {
    let all = Rule::named("undefined-behaviour").unwrap_or_default();
    let full = all.iter().all(|rule| rules.contains(rule));
    let mut found = Vec::new();
    for entry in UNDEFINED.iter().filter(|entry| full || entry.clause == RESTRICT) {
        let How::NotChecked(trace) = &entry.how else { continue };
        if let Some(span) = trace.find(program) {
            let text = format!("not checked: {} (C11 {})", entry.text, entry.clause);
            found.push(Assumption { text, span });
        }
    }
    found
}

impl Trace {
    /// Where the program has it first.
    fn find(&self, program: &Program) -> Option<Span> {
        match self {
            Trace::Calls(names) => calls(program, names),
            Trace::Named => None,
            Trace::Words(words) => words.iter().find_map(|word| find_word(program, word)),
            Trace::StaticLength => find_word(program, "static").and_then(|_| find_text(program, "[static")),
            Trace::AtomicMember => program.places.iter().find_map(|place| match place.kind {
                PlaceKind::Field(base, _) if program.place_quals(base).atomic => Some(place.span),
                _ => None,
            }),
            Trace::ConstMember => {
                let has = program.types.records.iter().any(|r| r.fields.iter().any(|f| f.ty.quals.constant));
                casts_away(program, |ty| ty.quals.constant).filter(|_| has)
            }
            Trace::VolatileCast => casts_away(program, |ty| ty.quals.volatile),
            Trace::ThreadedRand => {
                calls(program, &["rand", "srand"]).filter(|_| crate::threads::creates_threads(program))
            }
            Trace::VlaPointer => program.vars.iter().find_map(|var| {
                let to = program.types.pointee(var.ty.ty)?;
                let variable = matches!(program.types[to.ty], Type::Array(_, ArrayLen::Variable(_)));
                variable.then_some(var.span)
            }),
        }
    }
}

/// The first call of one of these functions by the program itself.
fn calls(program: &Program, names: &[&str]) -> Option<Span> {
    program.cfa.edges.iter().find_map(|edge| {
        let f = match &edge.op {
            Op::Call(call) => match call.callee {
                Callee::Direct(f) => f,
                Callee::Indirect(_) => return None,
            },
            Op::Havoc(_, HavocOrigin::Undefined(f)) => *f,
            _ => return None,
        };
        let caller = program.cfa.locs[edge.from].function;
        let named = names.contains(&program.functions[f].name.as_str());
        (named && !library::is_ours(program, caller)).then_some(edge.span)
    })
}

/// A conversion of a pointer that takes a qualifier away.
fn casts_away(program: &Program, has: impl Fn(QualType) -> bool) -> Option<Span> {
    program.exprs.iter().find_map(|expr| {
        let ExprKind::Cast(inner) = expr.kind else { return None };
        let from = program.types.pointee(program.exprs[inner].ty)?;
        let to = program.types.pointee(expr.ty)?;
        (has(from) && !has(to)).then_some(expr.span)
    })
}

/// The first place of a word in the text of the program, without headers of the system.
fn find_word(program: &Program, word: &str) -> Option<Span> {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    find(program, word, |text, at| {
        let bytes = text.as_bytes();
        !is_part(at.checked_sub(1).and_then(|i| bytes.get(i))) && !is_part(bytes.get(at + word.len()))
    })
}

fn find_text(program: &Program, text: &str) -> Option<Span> {
    find(program, text, |_, _| true)
}

fn find(program: &Program, wanted: &str, fits: impl Fn(&str, usize) -> bool) -> Option<Span> {
    program.sources.units().find_map(|(id, unit)| {
        if tour_ir::source::is_library(&unit.path) {
            return None;
        }
        let mut found = unit.text.match_indices(wanted);
        found.find_map(|(at, _)| {
            let start = at as u32;
            let own = fits(&unit.text, at) && !program.sources.place_of(id, start).system;
            own.then_some(Span { unit: id, start, end: start + wanted.len() as u32 })
        })
    })
}

/// The table of the book.
pub fn table() -> String {
    let mut text = String::from(
        "| clause | undefined | what becomes of it |\n\
         |---|---|---|\n",
    );
    for Undefined { clause, text: what, how } in UNDEFINED {
        let how = match how {
            How::Checked(rules, remark) => {
                let rules: Vec<String> = rules.iter().map(|rule| format!("`{}`", rule.id())).collect();
                let remark = if remark.is_empty() { String::new() } else { format!(" ({remark})") };
                format!("checked by {}{remark}", rules.join(", "))
            }
            How::Unsupported => "unsupported".to_owned(),
            How::Rejected => "rejected, or defined by the compiler".to_owned(),
            How::Never(why) => format!("none: {why}"),
            How::NotChecked(_) => "not checked".to_owned(),
        };
        text += &format!("| {clause} | {what} | {how} |\n");
    }
    text
}
