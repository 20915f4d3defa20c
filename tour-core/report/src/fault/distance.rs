//! Distances between two runs that are both given, word for word as `[FAULT]` defines them. The search of the closest
//! run speaks of the same distances as formulas; this is what it is tested against.

/// The least number of unaligned elements over all alignments (Definitions 1, 2 and 9). Elements can be aligned if they
/// are equal, one to one and in order, so that what is aligned is a longest common subsequence.
pub fn unaligned<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row = vec![0usize; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    a.len() + b.len() - 2 * row[b.len()]
}

/// `diff(π, π') < diff(π, π'')` of Definition 7; events are their positions in the failing run, ascending.
pub fn is_closer(a: &[usize], b: &[usize]) -> bool {
    let mut pairs = a.iter().rev().zip(b.iter().rev());
    match pairs.find(|(x, y)| x != y) {
        Some((x, y)) => x > y,
        None => a.len() < b.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_aligned_counts_on_both_sides() {
        assert_eq!(unaligned(&[1, 2, 3, 5], &[1, 2, 3, 5]), 0);
        assert_eq!(unaligned(&[1, 2, 3, 5], &[1, 4, 5]), 3);
        // Alignments do not cross.
        assert_eq!(unaligned(&[1, 2], &[2, 1]), 2);
        assert_eq!(unaligned::<u8>(&[], &[]), 0);
    }

    #[test]
    fn the_example_of_figure_3_4() {
        // π' differs from π in events 3 and 14, π'' in events 6 and 14: π'' is closer.
        assert!(is_closer(&[6, 14], &[3, 14]) && !is_closer(&[3, 14], &[6, 14]));
        // Fewer events, if those are the last ones of the other.
        assert!(is_closer(&[14], &[6, 14]));
        // Later events, even if they are more.
        assert!(is_closer(&[6, 14], &[6]));
        assert!(!is_closer(&[6], &[6]));
    }
}
