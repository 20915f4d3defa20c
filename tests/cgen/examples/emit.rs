//! Prints a generated file: `emit SEED [PROGRAMS] [ilp32] [verbose]`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (seed, programs) = (number(0, 0), number(1, 1) as usize);
    let has = |word: &str| args.iter().any(|a| a == word);
    let model = if has("ilp32") { cgen::Model::Ilp32 } else { cgen::Model::Lp64 };
    let seeds: Vec<u64> = (0..programs).map(|i| cgen::program_seed(seed, i)).collect();
    print!("{}", cgen::file(&seeds, model, has("verbose")));
}
