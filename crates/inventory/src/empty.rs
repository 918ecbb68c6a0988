//! Registries that stay empty.

#![allow(non_camel_case_types)] // as tract writes it

use std::iter::Empty;
use std::marker::PhantomData;
use std::ops::Deref;

/// The values registered for `T`: none. Written `iter::<T>` or `iter::<T>()`.
pub enum iter<T> {
    /// The value of that name.
    iter,
    /// Never made: the type's parameter wants a place.
    Of(std::convert::Infallible, PhantomData<T>),
}

/// The value, apart from the type of its name.
pub mod value {
    pub use super::iter::iter;
}

impl<T: 'static> IntoIterator for iter<T> {
    type Item = &'static T;
    type IntoIter = Empty<&'static T>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::empty()
    }
}

impl<T: 'static> Deref for iter<T> {
    type Target = fn() -> Empty<&'static T>;

    fn deref(&self) -> &Self::Target {
        &(std::iter::empty as fn() -> Empty<&'static T>)
    }
}

/// Declares a registry; there is nothing to declare.
#[macro_export]
macro_rules! collect {
    ($of:ty) => {};
}

/// Drops what would be registered.
#[macro_export]
macro_rules! submit {
    ($($value:tt)*) => {};
}
