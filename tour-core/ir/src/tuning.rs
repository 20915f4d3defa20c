//! Tuning values: numbers that were chosen because they seem to work.
//!
//! None of them changes what is true, only what is found and how soon. Each stands beside what it decides and what was
//! measured, so that a number without a measurement is seen to be one.

/// What is known of a tuning value besides the value itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its area and its name: `abstraction.max_values`.
    pub name: &'static str,
    /// What it decides.
    pub decides: &'static str,
    /// What was measured, or `not yet`.
    pub measured: &'static str,
}

/// Defines a structure of tuning values: each field with what it decides, its default, and what was measured.
#[macro_export]
macro_rules! tuning {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident in $area:literal {
            $( $(#[doc = $doc:literal])+ $field:ident: $ty:ty = $value:expr, measured $measured:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        $vis struct $name {
            $(
                $(#[doc = $doc])+
                #[doc = ""]
                #[doc = concat!("Measured: ", $measured, ". Again: `--example heuristics -- --vary ",
                    $area, ".", stringify!($field), "`.")]
                pub $field: $ty,
            )*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $( $field: $value, )* }
            }
        }

        impl $name {
            /// What is known of each field.
            pub const FIELDS: &'static [$crate::tuning::Field] = &[
                $( $crate::tuning::Field {
                    name: concat!($area, ".", stringify!($field)),
                    decides: concat!($($doc),+),
                    measured: $measured,
                }, )*
            ];
        }
    };
}
