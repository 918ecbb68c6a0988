//! Structure tests.
