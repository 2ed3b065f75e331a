//! Values of texels in JSON.

use serde_json::{Value as Json, json};

/// JSON has no NaN and no infinity: they are texts there. Whole numbers stand without a point.
pub(crate) fn plain(value: f64) -> Json {
    if !value.is_finite() {
        return json!(value.to_string());
    }
    let whole = value as i64;
    if whole as f64 == value && !(value == 0.0 && value.is_sign_negative()) { json!(whole) } else { json!(value) }
}
