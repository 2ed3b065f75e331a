"""Qt Quick 3D: lights with shadows, ambient occlusion, glow, fog, glass, instances, custom shaders and text.

Arguments: the interface (d3d12 or vulkan), how many frames, the picture to write. Qt's messages are printed: a shader that does not
compile is told there alone, and leaves the picture black.
"""

import hashlib
import os
import sys

backend, frames, picture = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.environ.update(QSG_RHI_BACKEND=backend, QSG_RENDER_LOOP="basic")

from PySide6.QtCore import QTimer, QUrl, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtQml import QQmlApplicationEngine
from PySide6.QtQuick import QQuickWindow


def say(kind, _, text):
    if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg):
        print("qt:", text[:300], flush=True)


qInstallMessageHandler(say)
app = QGuiApplication(sys.argv[:1])
engine = QQmlApplicationEngine()
engine.load(QUrl.fromLocalFile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.qml")))
# The import makes it one that can be grabbed.
window: QQuickWindow = engine.rootObjects()[0]
count = 0


def swapped():
    global count
    count += 1
    if count == frames:
        QTimer.singleShot(0, end)
    elif count < frames:
        window.setProperty("frame", count)
        window.update()


def end():
    image = window.grabWindow().convertToFormat(QImage.Format_RGBA8888)
    image.save(picture)
    found = hashlib.sha256(bytes(image.constBits())).hexdigest()[:16]
    print("quick3d", window.rendererInterface().graphicsApi().name, found, flush=True)
    app.quit()


window.frameSwapped.connect(swapped)
app.exec()
