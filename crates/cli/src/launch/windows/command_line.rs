//! Which words of a command line are a Windows program, and what runs it.
//!
//! Pure: what the words name in the file system is asked through a function, so that the tests are tables of real lines.

use crate::launch::windows::executable::is_executable_name;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What runs a Windows program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Carrier {
    /// Wine by one of its own names.
    Wine,
    /// Proton or umu, below whatever containers.
    Proton,
    /// Something else that is given a Windows program: a script, most likely.
    Other,
}

impl Carrier {
    /// As people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Carrier::Wine => "Wine",
            Carrier::Proton => "Proton",
            Carrier::Other => "a launcher",
        }
    }
}

/// A command line that brings a Windows program to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Windows {
    pub(crate) carrier: Carrier,
    /// The program's file; `None` where no word names one that is there.
    pub(crate) program: Option<PathBuf>,
}

/// What a command line is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Line {
    Native,
    Windows(Windows),
    /// It starts programs that we cannot reach from here, and what to do.
    Unreachable(&'static str),
}

const FLATPAK: &str = "a Flatpak's programs see neither our files nor our environment from outside. For Steam's Flatpak: copy \
    `reprise` with its `windows` folder below ~/.var/app/com.valvesoftware.Steam, and name it there in the game's launch options \
    (docs/steam.md)";
const CLIENT: &str = "this client hands the game to a process of its own, which does not get our environment. Put `reprise capture \
    -- %command%` (or `reprise run -- %command%`) into the game's launch options (Steam), or `reprise capture --` into its command prefix (Lutris, Heroic, \
    Bottles); see docs/steam.md";

/// What the words are. `locate` gives the file of a word that names a Windows program that is there; `is_system`, whether a file is
/// one of Windows' own programs, which may start another (`start.exe`, `explorer.exe`).
pub(crate) fn line(
    words: &[OsString],
    locate: &dyn Fn(&OsStr) -> Option<PathBuf>,
    is_system: &dyn Fn(&Path) -> bool,
) -> Line {
    let carriers = words.iter().map(|word| carrier(name(word)));
    let (at, carrier) = match carriers.enumerate().find_map(|(at, carrier)| Some((at, carrier?))) {
        Some((at, carrier)) => (at + 1, carrier),
        // A program itself, which the system hands to Wine.
        None if words.first().is_some_and(|word| is_executable_name(name(word))) => (0, Carrier::Wine),
        None => (1, Carrier::Other),
    };
    let behind = words.get(at..).unwrap_or_default();
    let found: Vec<PathBuf> = behind.iter().filter_map(|word| program(word, locate)).collect();
    let program = found.iter().find(|path| !is_system(path)).or(found.first()).cloned();
    let first = words.first().map_or("", |word| name(word));
    match (carrier, program) {
        _ if first == "flatpak" => Line::Unreachable(FLATPAK),
        (Carrier::Other, None) if is_client(first, words) => Line::Unreachable(CLIENT),
        (Carrier::Other, None) => Line::Native,
        (carrier, program) => Line::Windows(Windows { carrier, program }),
    }
}

/// The file that a word names, or what stands behind its equals sign (`--exe=game.exe`).
fn program(word: &OsStr, locate: &dyn Fn(&OsStr) -> Option<PathBuf>) -> Option<PathBuf> {
    let value = || word.to_str().and_then(|word| word.split_once('=')).map(|(_, value)| OsStr::new(value));
    locate(word).or_else(|| value().and_then(locate))
}

/// The last part of a path of either system.
fn name(word: &OsStr) -> &str {
    word.to_str().and_then(|word| word.rsplit(['/', '\\']).next()).unwrap_or_default()
}

fn carrier(name: &str) -> Option<Carrier> {
    match name {
        "proton" | "umu-run" | "umu_run.py" => Some(Carrier::Proton),
        "wine" | "wine64" | "wine-preloader" | "wine64-preloader" | "wine-stable" | "wine-development"
        | "wine-staging" => Some(Carrier::Wine),
        _ => None,
    }
}

/// Whether this is a client that is asked to start a game.
fn is_client(first: &str, words: &[OsString]) -> bool {
    let asks = |start: &str| words.iter().any(|word| word.to_str().is_some_and(|word| word.starts_with(start)));
    match first {
        "steam" | "steam.sh" => asks("steam://") || asks("-applaunch"),
        "lutris" => asks("lutris:"),
        "heroic" => asks("heroic:"),
        "bottles" | "bottles-cli" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a line is where the words that end in `.exe` name files, but for those with `missing` in their names.
    fn of(text: &str) -> Line {
        let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
        let locate = |word: &OsStr| {
            let text = word.to_str()?;
            (is_executable_name(text) && !text.contains("missing") && !text.contains('=')).then(|| text.into())
        };
        line(&words, &locate, &|path| path.to_string_lossy().to_lowercase().contains("windows"))
    }

    fn windows(carrier: Carrier, program: &str) -> Line {
        Line::Windows(Windows { carrier, program: Some(program.into()) })
    }

    #[test]
    fn programs_in_the_lines_of_launchers() {
        use Carrier::{Other, Proton, Wine};
        let table = [
            ("wine game.exe", Wine, "game.exe"),
            ("/usr/lib/wine/wine64 /g/Game.EXE -dx12 other.exe", Wine, "/g/Game.EXE"),
            (r"wine C:\Games\game.exe --config=a", Wine, r"C:\Games\game.exe"),
            (r"wine start /unix /g/game.exe", Wine, "/g/game.exe"),
            (r"wine C:\windows\system32\start.exe /wait game.exe", Wine, "game.exe"),
            (r"wine C:\windows\notepad.exe", Wine, r"C:\windows\notepad.exe"),
            ("wine explorer /desktop=a,640x480 game.exe", Wine, "game.exe"),
            ("env WINEPREFIX=/p WINEDEBUG=-all wine64 game.exe", Wine, "game.exe"),
            ("gamescope -w 1920 -- gamemoderun mangohud wine game.exe", Wine, "game.exe"),
            ("game.exe -x", Wine, "game.exe"),
            ("./launch.sh --fast game.exe", Other, "game.exe"),
            ("./launch.sh --exe=game.exe", Other, "game.exe"),
            // Steam, with its reaper, the container and Proton; `%command%` is all of it.
            (
                "/home/u/.local/share/Steam/ubuntu12_32/reaper SteamLaunch AppId=1 -- \
                 /home/u/.local/share/Steam/ubuntu12_32/steam-launch-wrapper -- \
                 /s/common/SteamLinuxRuntime_sniper/_v2-entry-point --verb=waitforexitandrun -- \
                 /s/common/Proton/proton waitforexitandrun /s/common/Game/bin/game.exe -dx12",
                Proton,
                "/s/common/Game/bin/game.exe",
            ),
            // Lutris.
            (
                "/usr/bin/lutris-wrapper Game 1 1 /home/u/.local/share/lutris/runners/wine/ge/bin/wine /g/game.exe",
                Wine,
                "/g/game.exe",
            ),
            ("umu-run /g/game.exe", Proton, "/g/game.exe"),
            // Heroic, with the legendary client in between.
            (
                "/opt/Heroic/legendary launch Fork --wine /home/u/.config/heroic/tools/wine/ge/bin/wine --override-exe game.exe",
                Wine,
                "game.exe",
            ),
            // Bottles runs inside of its own sandbox.
            ("/app/bin/wine64 start /wait /unix /g/game.exe", Wine, "/g/game.exe"),
        ];
        for (text, carrier, program) in table {
            assert_eq!(of(text), windows(carrier, program), "{text}");
        }
    }

    #[test]
    fn programs_that_no_word_names() {
        for (text, carrier) in [("wine missing.exe", Carrier::Wine), ("proton run game", Carrier::Proton)] {
            assert_eq!(of(text), Line::Windows(Windows { carrier, program: None }), "{text}");
        }
    }

    #[test]
    fn native_programs_stay_native() {
        for text in ["vkd3d-gears", "./game -windowed", "sh -c true", "winetricks d3d12", "tool missing.exe", "a .exe"]
        {
            assert_eq!(of(text), Line::Native, "{text}");
        }
        assert_eq!(line(&[], &|_| None, &|_| false), Line::Native);
    }

    #[test]
    fn clients_are_told_what_to_do() {
        for text in
            ["steam steam://rungameid/1", "steam -applaunch 1", "lutris lutris:rungameid/1", "bottles-cli run -b x"]
        {
            assert_eq!(of(text), Line::Unreachable(CLIENT), "{text}");
        }
        for text in [
            "flatpak run com.valvesoftware.Steam steam://rungameid/1",
            "flatpak run --command=wine org.winehq.Wine game.exe",
        ] {
            assert_eq!(of(text), Line::Unreachable(FLATPAK), "{text}");
        }
        assert_eq!(of("steam"), Line::Native);
    }
}
