//! Classes of objects that pointers do not tell apart (Steensgaard 1996), with what is accessed in them.

use super::position::{Position, Relation, gcd};
use super::scalars::Scalar;
use std::collections::BTreeMap;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{FnId, VarId};

/// A class, or one that was merged into another: see [`Classes::find`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct ClassId(u32);

/// An object, or many that one place of the program makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Object {
    /// A variable, all its instances.
    Var(VarId),
    /// A function.
    Function(FnId),
    /// What a call of `malloc` or one of its relatives makes.
    Allocated(EdgeId),
}

#[derive(Debug, Default)]
struct Class {
    parent: Option<ClassId>,
    /// Pointers into the class point to multiples of this number of bits; 0: to the beginnings of objects.
    stride: u64,
    /// Accesses, and what the pointers among them point to.
    accesses: BTreeMap<(Position, Scalar), Access>,
    objects: Vec<Object>,
    /// Objects of it may be freed.
    freed: bool,
    /// Contents are copied without regard to their types.
    copied: bool,
}

/// What is known of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// What a pointer that is stored there points to.
    pub content: Option<ClassId>,
    /// Something reads it.
    pub read: bool,
}

/// All classes.
#[derive(Debug, Default)]
pub(super) struct Classes {
    classes: Vec<Class>,
    dirty: Vec<ClassId>,
    /// Counts changes, to see when nothing changes any more.
    pub changes: u64,
}

impl Classes {
    /// A new class without objects.
    pub fn fresh(&mut self) -> ClassId {
        self.classes.push(Class::default());
        ClassId(self.classes.len() as u32 - 1)
    }

    /// The class that a class was merged into.
    pub fn find(&self, mut class: ClassId) -> ClassId {
        while let Some(parent) = self.classes[class.0 as usize].parent {
            class = parent;
        }
        class
    }

    fn get(&mut self, class: ClassId) -> (ClassId, &mut Class) {
        let root = self.find(class);
        // The path stays short: the next search starts at the root.
        if root != class {
            self.classes[class.0 as usize].parent = Some(root);
        }
        (root, &mut self.classes[root.0 as usize])
    }

    /// Adds an object.
    pub fn add(&mut self, class: ClassId, object: Object) {
        self.get(class).1.objects.push(object);
    }

    /// Pointers into the class may move by multiples of this number of bits.
    pub fn displace(&mut self, class: ClassId, bits: u64) {
        // Distances are whole bytes; one that is too large to be known may be any number of them.
        let bits = if bits.is_multiple_of(8) { bits } else { 8 };
        let (root, class) = self.get(class);
        let stride = gcd(class.stride, bits);
        if stride != class.stride {
            class.stride = stride;
            self.dirty.push(root);
            self.changes += 1;
        }
    }

    /// Objects of the class may be freed.
    pub fn free(&mut self, class: ClassId) {
        self.get(class).1.freed = true;
    }

    /// Contents of the class are copied as bytes.
    pub fn copied(&mut self, class: ClassId) {
        self.get(class).1.copied = true;
    }

    /// Notes an access; what a pointer that is stored there points to.
    pub fn access(&mut self, class: ClassId, at: Position, scalar: Scalar, read: bool) -> Option<ClassId> {
        let (root, class) = self.get(class);
        if let Some(access) = class.accesses.get_mut(&(at, scalar)) {
            access.read |= read;
            return access.content;
        }
        let content = (scalar == Scalar::Pointer).then(|| self.fresh());
        let class = &mut self.classes[root.0 as usize];
        class.accesses.insert((at, scalar), Access { content, read });
        self.dirty.push(root);
        self.changes += 1;
        content
    }

    /// Makes two classes one.
    pub fn unify(&mut self, a: ClassId, b: ClassId) {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.changes += 1;
            let size = |c: ClassId| {
                let class = &self.classes[c.0 as usize];
                class.accesses.len() + class.objects.len()
            };
            let (from, into) = if size(a) <= size(b) { (a, b) } else { (b, a) };
            let moved = std::mem::take(&mut self.classes[from.0 as usize]);
            self.classes[from.0 as usize].parent = Some(into);
            let class = &mut self.classes[into.0 as usize];
            class.stride = gcd(class.stride, moved.stride);
            class.freed |= moved.freed;
            class.copied |= moved.copied;
            class.objects.extend(moved.objects);
            for (at, new) in moved.accesses {
                let old = class.accesses.entry(at).or_insert(new);
                old.read |= new.read;
                work.extend(old.content.zip(new.content));
            }
            self.dirty.push(into);
        }
    }

    /// Pointers that may be stored in the same slot point to the same class. Two that have no bit in common are in one slot
    /// if something else overlaps both: the bytes of a union, say.
    pub fn settle(&mut self) {
        while let Some(class) = self.dirty.pop() {
            let root = self.find(class);
            let class = &self.classes[root.0 as usize];
            let mut contents: Vec<ClassId> =
                class.accesses.values().filter_map(|access| Some(self.find(access.content?))).collect();
            contents.sort_unstable();
            contents.dedup();
            if contents.len() < 2 {
                continue;
            }
            let accesses: Vec<(Position, Option<ClassId>)> =
                class.accesses.iter().map(|((at, _), access)| (*at, access.content)).collect();
            let groups = overlapping(accesses.iter().map(|(at, _)| *at).collect(), class.stride);
            let mut of: BTreeMap<usize, ClassId> = BTreeMap::new();
            for (&(_, content), group) in accesses.iter().zip(groups) {
                let Some(content) = content else { continue };
                let first = *of.entry(group).or_insert(content);
                self.unify(first, content);
            }
            debug_assert!(self.find(root) == root || !self.dirty.is_empty());
        }
    }

    /// Everything about the classes that are left, in the order in which they were made.
    pub fn roots(&self) -> impl Iterator<Item = (ClassId, Summary<'_>)> {
        self.classes.iter().enumerate().filter(|(_, c)| c.parent.is_none()).map(|(i, class)| {
            let summary = Summary {
                stride: class.stride,
                accesses: &class.accesses,
                objects: &class.objects,
                freed: class.freed,
                copied: class.copied,
            };
            (ClassId(i as u32), summary)
        })
    }
}

/// Positions that may have bits in common, also by others in between, have one number.
fn overlapping(positions: Vec<Position>, stride: u64) -> Vec<usize> {
    let mut group: Vec<usize> = (0..positions.len()).collect();
    for i in 0..positions.len() {
        for j in i + 1..positions.len() {
            if group[i] != group[j] && positions[i].relation(positions[j], stride) != Relation::Disjoint {
                let (keep, gone) = (group[i].min(group[j]), group[i].max(group[j]));
                group.iter_mut().filter(|g| **g == gone).for_each(|g| *g = keep);
            }
        }
    }
    group
}

/// What is known of a class.
pub(super) struct Summary<'a> {
    pub stride: u64,
    pub accesses: &'a BTreeMap<(Position, Scalar), Access>,
    pub objects: &'a [Object],
    pub freed: bool,
    pub copied: bool,
}
