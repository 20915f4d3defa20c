//! Choices that users make by name: on the command line, in files, in attributes. The library knows the names and what
//! they do, so that no front end keeps a list of its own.

/// Something to choose from.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// All that there is, in the order in which it is shown: the choice, its name, and what it does.
    fn all() -> Vec<(Self, &'static str, &'static str)>;

    /// The name that users write.
    fn name(self) -> &'static str {
        Self::all().into_iter().find(|(choice, ..)| *choice == self).map_or("", |(_, name, _)| name)
    }

    /// The choice of a name.
    fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|(_, own, _)| *own == name).map(|(choice, ..)| choice)
    }
}
