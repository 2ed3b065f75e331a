// Gradients, text, clips, layers and a shader: stands still.
import QtQuick 2.15

Rectangle {
    width: 640
    height: 480
    gradient: Gradient {
        GradientStop { position: 0.0; color: "#203040" }
        GradientStop { position: 1.0; color: "#80a0c0" }
    }

    Repeater {
        model: 12
        Rectangle {
            x: 60 + index * 40
            y: 60 + (index % 4) * 50
            width: 70
            height: 70
            radius: 12
            rotation: index * 15
            color: Qt.hsla(index / 12, 0.7, 0.5, 0.7)
            border.color: "white"
            border.width: 3
            antialiasing: true
        }
    }

    Item {
        x: 60
        y: 330
        width: 260
        height: 100
        clip: true
        Text { text: "Direct3D 12"; color: "white"; font.pixelSize: 64; style: Text.Outline; styleColor: "black" }
    }

    ShaderEffect {
        x: 360
        y: 320
        width: 240
        height: 120
        fragmentShader: "
            varying highp vec2 qt_TexCoord0;
            uniform lowp float qt_Opacity;
            void main() {
                highp float d = length(qt_TexCoord0 - vec2(0.5));
                gl_FragColor = vec4(0.5 + 0.5 * sin(d * 60.0), qt_TexCoord0, 1.0) * qt_Opacity;
            }"
    }
}
