//! The features of a program, computed from its C text.

use tour_core::cfa::Features;

/// The worked example of [TOUR §7.2] again, read by the front end.
#[test]
fn the_front_end_gives_the_same_features() {
    let text = "void abort(void);
        void f(int i) { int a, b, c; for (a = 0; a < i; a++) { for (b = 0; b < i; b++) { c++; } } }
        void main(int *x, int k) {
            int i;
            if (x[1] > x[2]) { f(x[1]); if (k == 0) { x[2] = x[1]; } else { x[1] = x[2]; } } else { f(x[2]); }
            if (x[1] > x[2]) { abort(); }
        }";
    let units = [tour_core::front::Input::text("figure.c", text)];
    let program =
        tour_core::load(&units, &tour_core::LoadOptions::new(tour_core::program::DataModel::Lp64)).unwrap();
    let found = Features::of(&program);
    let rest = [2., 2., 1., 1., 2., 2., 1., 1., 5., 5., 3., 2., 0., 3., 6., 3., 0.];
    assert_eq!(found.values()[8..], rest);
}
