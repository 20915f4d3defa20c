//! The same functions compiled by rustc and executed by the interpreter, with the same random inputs: both must end
//! alike.

use super::tests::lower;
use tour::harness::{Arbitrary, Source};
use tour_interp::interp::{Fixed, Image, Inputs, Options, Outcome, Random, Request, Unobserved, Why};
use tour_ir::program::HavocOrigin;

struct Harness {
    text: &'static str,
    native: fn(&mut Source),
}

/// Functions with their texts.
macro_rules! harnesses {
    ($($name:ident($($param:ident: $ty:ty),*) $body:block)*) => {
        $(#[allow(unused, clippy::all)]
        fn $name($($param: $ty),*) $body)*

        const HARNESSES: &[Harness] = &[$(Harness {
            text: concat!("fn h(", $(stringify!($param), ": ", stringify!($ty), ",",)* ")", stringify!($body)),
            native: |source| {
                $(let $param = <$ty as Arbitrary>::take(source);)*
                $name($($param),*);
            },
        }),*];
    };
}

harnesses! {
    operators(x: i8, y: i8, z: u8, n: u32) {
        let a = x + y;
        let b = (a - 3) * 2;
        assert!(b / (y | 1) + b % (y | 1) < 120);
        let c = z << (n % 9) >> 1;
        assert!((c & 0x55) ^ z != 3);
        assert!(!x != y && -y < 100);
    }
    wide(x: u64, y: i64, a: u128, b: i128, m: u128, n: i128) {
        assert!(x / 3 * 3 <= x);
        let c = (y as i128) * (x as i128);
        assert!(c % 7 < 7);
        let d = a * (m | 1);
        assert_eq!(d / (m | 1), a);
        let e = b * n;
        assert!(n == 0 || e / n == b);
    }
    casts(x: i32, y: u16, z: i8, b: bool) {
        assert_eq!(x as u8 as u32, (x as u32) & 0xff);
        assert!((z as u8) as i16 >= 0);
        assert_eq!(z as u64 as i8, z);
        assert!(y as i16 as i32 != -7 || b);
        assert_eq!(b as u8 + 1, if b { 2 } else { 1 });
        assert_eq!(i64::from(x) - i64::from(y), x as i64 - y as i64);
        assert!((x as usize).wrapping_sub(5) as isize != 17);
        assert!(300 as u16 as u8 != y as u8);
    }
    wrapping(x: i16, y: i16, n: u32) {
        assert!(x.wrapping_add(y) != 17 || x.wrapping_mul(y) > 0);
        assert!(x.wrapping_neg() != 5 && x.wrapping_abs() != 6);
        assert_eq!(x.wrapping_shl(n).wrapping_shr(n) & 1, x & 1 & if n % 16 == 0 { 1 } else { x });
        assert!(x.wrapping_div(y | 1) != 3 && x.wrapping_rem(y | 1) != -2);
        assert_eq!(x.rotate_left(n).rotate_right(n), x);
    }
    checked(x: i32, y: i32, n: u32) {
        match x.checked_add(y) {
            Some(s) => assert_eq!(s - y, x),
            None => assert!((x > 0) == (y > 0)),
        }
        if let Some(s) = x.checked_mul(y) { assert!(y == 0 || s / y == x); }
        let (s, o) = x.overflowing_sub(y);
        assert_eq!(o, x.checked_sub(y).is_none());
        assert_eq!(x.checked_sub(y).unwrap_or(s), s);
        assert!(x.checked_div(y).is_some() || y == 0 || x == i32::MIN);
        assert_eq!(x.checked_shl(n).is_some(), n < 32);
        assert!(x.checked_neg().unwrap() != 9);
        assert!(x.checked_rem(y) != Some(3));
    }
    saturating(x: i8, y: i8, a: u8, b: u8) {
        assert_eq!(x.saturating_add(y) as i32, (x as i32 + y as i32).clamp(-128, 127));
        assert_eq!(x.saturating_sub(y) as i32, (x as i32 - y as i32).clamp(-128, 127));
        assert_eq!(x.saturating_mul(y) as i32, (x as i32 * y as i32).clamp(-128, 127));
        assert_eq!(a.saturating_add(b) as u16, (a as u16 + b as u16).min(255));
        assert_eq!(a.saturating_sub(b), a.max(b) - b);
        assert_eq!(a.abs_diff(b), a.max(b) - a.min(b));
        assert_eq!(x.unsigned_abs() as i32, (x as i32).abs());
        assert!(x.abs() >= 0);
        assert_eq!(a.is_power_of_two(), a != 0 && a & a.wrapping_sub(1) == 0);
    }
    loops(n: u8, k: u8) {
        let mut sum = 0u32;
        for i in 0..n { sum += i as u32; }
        for i in (k..=n).rev() { if i % 3 == 0 { continue; } sum += 1; }
        for mut i in 1..=3 { i += 1; sum += i; }
        let mut i = n;
        let found = loop {
            if i == k { break true; }
            if i == 0 { break false; }
            i -= 1;
        };
        assert_eq!(found, k <= n);
        'outer: for a in 0..5u8 {
            for b in 0..5u8 {
                if a * b == k { break 'outer; }
                if b > a { continue 'outer; }
                sum += 1;
            }
        }
        while let Some(next) = i.checked_add(50) { i = next; }
        assert!(sum % 5 != 4 && i > 205);
    }
    arrays(a: [i16; 4], i: usize, x: i16) {
        let mut b = a;
        b[i % 4] = x;
        b[(i + 1) % 4] += 1;
        assert!(a != b || x == a[i % 4]);
        b = [b[3], b[2], b[1], b[0]];
        assert_eq!(b[3 - i % 4], if i % 4 == 3 && false { 0 } else { b[3 - i % 4] });
        let t = (b, i as u8, [[1u8, 2], [3, 4]]);
        assert!(t.2[i & 1][t.1 as usize & 1] != 3 || t.0[0] > -5);
        let s = &b[1..3];
        assert!(s[0] != 7 && s.len() == 2);
        let c = b[i % 9];
        let z = [x; 100];
        assert_eq!(z[i % 100], x);
    }
    order(x: u8, y: u8) {
        let mut v = x;
        let r = { v = v.wrapping_add(1); v } ^ { v = v.wrapping_mul(3); v };
        assert!(r != 2);
        let mut a = [0u8; 3];
        let mut i = 0;
        a[{ i += 1; i }] = { i += 1; y };
        assert_eq!(a[2], y);
        v -= { v = v / 2; v };
        let w = (v > 3 && { v = 9; true }) || y == 7;
        assert!(w || v != 9 || y == 9);
        let t = if x > y { x - y } else { y - x };
        assert!(t < 200);
        let q = match (x, y) { (0, _) => 1, (a, 1..=9) if a > 5 => a, (_, b'c' | 200..) => 3, (p, q) => p & q };
        assert!(q != 1 || x == 0 || x & y == 1);
    }
    shadows(x: u32) {
        let x = x % 100;
        let y = { let x = x * 2; x + 1 };
        let z = if y > 50 { let y = 3; y } else { y };
        if z == 3 && x > 90 { return; }
        let mut p = x;
        { let q = &mut p; *q += z; }
        let r = &p;
        assert!(*r + 1 != 18, "text {}", x);
        unreachable!();
    }
}

/// Random inputs that fit what edges ask for.
fn scalars(seed: u64) -> Vec<u128> {
    let mut random = Random::new(seed);
    (0..64)
        .map(|i| {
            let bits = [8, 8, 16, 32, 64, 128][(seed as usize + i) % 6];
            let request = Request { edge: None, ty: None, bits, why: Why::Havoc(HavocOrigin::Input) };
            random.next(&request).unwrap_or(0)
        })
        .collect()
}

#[test]
fn rustc_and_the_interpreter_agree() {
    let mut ends = [0; 2];
    for harness in HARNESSES {
        let lowered = lower(harness.text, "").unwrap_or_else(|error| panic!("{error}\n{}", harness.text));
        let image = Image::new(&lowered.program);
        for seed in 0..400 {
            let values = scalars(seed);
            let native = std::panic::catch_unwind(|| (harness.native)(&mut Source::of(values.clone())));
            let mut fixed = Fixed::new(values.clone());
            let run = image.run(&mut fixed, &Options::default(), &mut Unobserved);
            let same = match (&native, &run.outcome) {
                (Ok(()), Outcome::Exited(_)) => true,
                (Err(panic), Outcome::Error(check)) => {
                    let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                    let message =
                        message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                    agrees(&message, &lowered.program.checks[*check].message)
                }
                _ => false,
            };
            let panicked = native.as_ref().err().map(|panic| {
                panic
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).into()))
            });
            let seen = match run.outcome {
                Outcome::Error(check) => lowered.program.checks[check].message.clone(),
                ref other => format!("{other:?}"),
            };
            assert!(same, "{}\nwith {values:?}\nnative: {panicked:?}\ninterpreted: {seen}", harness.text);
            ends[usize::from(native.is_err())] += 1;
        }
    }
    assert!(ends.iter().all(|n| *n > 100), "one end is hardly ever seen: {ends:?}");
}

/// The interpreter's message says what rustc's says.
fn agrees(native: &str, interpreted: &str) -> bool {
    let rest = native.strip_prefix("assertion failed: ");
    let claim = interpreted.strip_prefix("assertion `");
    match (rest, claim) {
        (Some(_), Some(_)) => true,
        (None, Some(claim)) => native.starts_with("assertion `left") && claim.starts_with("left"),
        (_, None) => {
            native.starts_with(interpreted)
                || interpreted.starts_with("called `unwrap`") && native.contains("on a `None` value")
                || interpreted == "entered unreachable code" && native.contains("entered unreachable code")
        }
    }
}
