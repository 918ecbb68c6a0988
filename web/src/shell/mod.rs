//! What is at hand on every page: the palette, the keys, what a page can do, and a new version of the app.

mod acts;
mod keys;
mod palette;
mod places;
mod sheet;
mod singles;
mod state;
mod update;

pub use acts::Act;
pub use palette::{Palette, PaletteButton};
pub use places::{Place, Places};
pub use sheet::Sheet;
pub use state::{PAGES, Shell, use_acts};
pub use update::{Update, UpdateNote};
