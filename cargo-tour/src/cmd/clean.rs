//! `cargo tour clean`: remove what tour keeps.

use crate::exit::Exit;
use crate::packages::{CleanArgs, PackageArgs};
use crate::term::{print_error, print_line};
use tour::capture;

/// Removes `target/tour`, or the results in it.
pub fn run(args: CleanArgs) -> Exit {
    let packages = PackageArgs { manifest_path: args.manifest_path, ..PackageArgs::default() };
    let places = match capture::locate(&packages.folder()) {
        Ok(places) => places,
        Err(error) => {
            print_error(format_args!("error: {error}\nhelp: {}", error.help()));
            return Exit::Usage;
        }
    };
    // Results that others write meanwhile may stay.
    let folder = if args.cache { places.tour.join("cache") } else { places.tour };
    let removed = if args.cache { std::fs::remove_dir_all(&folder) } else { capture::remove(&folder) };
    match removed {
        Ok(()) => {
            print_line(format_args!("   Removed {}", folder.display()));
            Exit::Success
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            print_line(format_args!("   Nothing to remove in {}", folder.display()));
            Exit::Success
        }
        Err(error) => {
            print_error(format_args!("error: cannot remove `{}`: {error}", folder.display()));
            Exit::Usage
        }
    }
}
