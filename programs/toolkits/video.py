"""GStreamer's Direct3D 12 elements: pictures are converted, scaled, turned, put together and read back, and compared with the processor's.

Arguments: the folder of the packages, the folder of what is written. It copies the plugins that it needs into a folder of their own, for a
scan of all takes minutes.
"""

import glob
import os
import pathlib
import shutil
import subprocess
import sys

SITE, OUT = sys.argv[1], pathlib.Path(sys.argv[2])
LIBRARIES = ["gstreamer_cli", "gstreamer_libs", "gstreamer_msvc_runtime", "gstreamer_plugins_libs"]
PLUGINS = ["coreelements", "d3d12", "videotestsrc", "videoconvertscale"]
GPU = "video/x-raw(memory:D3D12Memory)"
SIZE = "width=320,height=240"


def source(form):
    return ["videotestsrc", "num-buffers=3", "pattern=gradient", "!", f"video/x-raw,format={form},{SIZE}", "!"]


def converted(before, after, plain=None):
    """By the GPU, and by the processor: `after`, and from there `plain`, in which the rows are told apart by nothing."""
    end = ["!", "videoconvert", "!", f"video/x-raw,format={plain}"] if plain else []
    to = f"format={after},{SIZE}"
    gpu = ["d3d12upload", "!", "d3d12convert", "!", f"{GPU},{to}", "!", "d3d12download", *end]
    return source(before) + gpu, source(before) + ["videoconvert", "!", f"video/x-raw,{to}", *end]


# Name: what the GPU does, what the processor does, and how many steps of 255 they may be apart.
CASES = {
    "nv12": (*converted("NV12", "RGBA"), 6),
    "to-nv12": (*converted("RGBA", "NV12", "AYUV"), 6),
    "vuya": (*converted("VUYA", "AYUV64"), 1),
    "planes": (*converted("GBRA", "RGBP", "RGBA"), 1),
}


def main():
    plugins = OUT.parent / "plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    OUT.mkdir(parents=True, exist_ok=True)
    for name in PLUGINS:
        (found,) = glob.glob(f"{SITE}/gstreamer_*/lib/gstreamer-1.0/gst{name}.dll")
        shutil.copy(found, plugins)
    paths = [f"{SITE}\\{name}\\bin" for name in LIBRARIES]
    environment = dict(os.environ, GST_PLUGIN_SYSTEM_PATH=str(plugins), GST_REGISTRY=str(plugins / "registry.bin"))
    environment["GST_REGISTRY_FORK"] = "no"
    environment["PATH"] = ";".join([*paths, os.environ["PATH"]])
    launch = f"{SITE}\\gstreamer_cli\\bin\\gst-launch-1.0.exe"
    wrong, told = 0, []
    for name, (gpu, processor, most) in CASES.items():
        bytes_of = []
        for way, words in (("gpu", gpu), ("processor", processor)):
            file = OUT / f"{name}-{way}.raw"
            words = [launch, "-q", *words, "!", "filesink", f"location={file.as_posix()}"]
            subprocess.run(words, env=environment, check=True, stdin=subprocess.DEVNULL)
            bytes_of.append(file.read_bytes())
        step = 2 if name == "vuya" else 1
        pairs = zip(*(one[step - 1 :: step] for one in bytes_of))
        apart = max(abs(one - other) for one, other in pairs) if len(bytes_of[0]) == len(bytes_of[1]) else 255
        wrong += apart > most
        told.append(f"{name} {apart}")
    print("video", ", ".join(told))
    return 1 if wrong else 0


sys.exit(main())
