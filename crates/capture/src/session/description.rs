//! The description of the captured process in a trace: program, arguments, and environment variables that affect Direct3D.

use crate::host;
use crate::json;
use std::path::Path;

/// What goes into the trace about this process.
pub(crate) fn describe() -> String {
    let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let mut text = String::from("{\"program\":");
    json::text(&mut text, program.as_deref().or(arguments.first().map(String::as_str)).unwrap_or(""));
    text.push_str(",\"arguments\":[");
    // Long command lines are cut: the description has a fixed place.
    let mut room = 16usize << 10;
    for (index, argument) in arguments.iter().skip(1).enumerate() {
        let Some(left) = room.checked_sub(argument.len() * 6 + 3) else { break };
        room = left;
        if index > 0 {
            text.push(',');
        }
        json::text(&mut text, argument);
    }
    text.push(']');
    if let Some(host) = host::process::host() {
        text.push_str(",\"host\":");
        json::text(&mut text, &host);
    }
    text.push_str(",\"environment\":{");
    let mut first = true;
    for name in ALLOWED {
        let Some(value) = std::env::var_os(name) else { continue };
        let value = value.to_string_lossy();
        let Some(left) = room.checked_sub(value.len() * 6 + name.len() + 6) else { continue };
        room = left;
        if !first {
            text.push(',');
        }
        first = false;
        json::text(&mut text, name);
        text.push(':');
        json::text(&mut text, &value);
    }
    text.push_str("},\"policies\":{\"time_stamps\":\"calls with results\"}}");
    text
}

/// Of the environment only what changes how Direct3D runs is stored: traces are shared.
const ALLOWED: [&str; 9] = [
    "VKD3D_CONFIG",
    "VKD3D_DEBUG",
    "VKD3D_SHADER_MODEL",
    "VKD3D_FEATURE_LEVEL",
    "VKD3D_VULKAN_DEVICE",
    "VKD3D_DISABLE_EXTENSIONS",
    "LP_NUM_THREADS",
    "MESA_VK_VERSION_OVERRIDE",
    "GALLIUM_DRIVER",
];
