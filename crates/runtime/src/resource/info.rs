//! Sizes: allocation infos and footprints of copies.
