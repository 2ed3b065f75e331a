import QtQuick
import QtQuick.Window
import QtQuick3D
import QtQuick3D.Effects
import QtQuick3D.Helpers
import QtQuick3D.Particles3D

Window {
    id: window
    width: 480; height: 360; visible: true; color: "#203040"
    property int frame: 0
    View3D {
        id: view
        anchors.fill: parent
        environment: ExtendedSceneEnvironment {
            clearColor: "#335577"
            backgroundMode: SceneEnvironment.SkyBox
            lightProbe: Texture { textureData: ProceduralSkyTextureData {} }
            antialiasingMode: SceneEnvironment.MSAA
            antialiasingQuality: SceneEnvironment.High
            aoEnabled: true
            aoStrength: 80; aoDistance: 20
            glowEnabled: true
            glowStrength: 0.6
            depthOfFieldEnabled: false
            tonemapMode: SceneEnvironment.TonemapModeFilmic
            fog: Fog { enabled: true; color: "#8899aa"; density: 0.1; depthEnabled: true; depthNear: 300; depthFar: 1500 }
        }
        PerspectiveCamera { position: Qt.vector3d(0, 220, 480); eulerRotation.x: -22 }
        DirectionalLight {
            eulerRotation: Qt.vector3d(-50, -30, 0); brightness: 1.2
            castsShadow: true; shadowMapQuality: Light.ShadowMapQualityMedium; csmNumSplits: 2
        }
        PointLight { position: Qt.vector3d(120, 150, 100); color: "orange"; brightness: 1.5; castsShadow: true }
        SpotLight { position: Qt.vector3d(-200, 250, 100); eulerRotation.x: -60; color: "#80a0ff"; brightness: 8; castsShadow: true; coneAngle: 50 }
        Model {
            source: "#Rectangle"; scale: Qt.vector3d(10, 10, 1); eulerRotation.x: -90
            materials: PrincipledMaterial { baseColor: "#777777"; roughness: 0.4 }
        }
        Repeater3D {
            model: 6
            Model {
                required property int index
                source: ["#Sphere", "#Cube", "#Cone"][index % 3]
                position: Qt.vector3d(index * 100 - 250, 50, (index % 2) * 80 - 40)
                scale: Qt.vector3d(.8, .8, .8)
                eulerRotation: Qt.vector3d(window.frame * 3, window.frame * 5 + index * 20, 0)
                materials: PrincipledMaterial {
                    baseColor: Qt.hsva(index / 6, .8, .9, 1); metalness: index / 5; roughness: .15 + index * .12
                    clearcoatAmount: index == 2 ? 1 : 0
                }
            }
        }
        Model {
            source: "#Sphere"; position: Qt.vector3d(0, 120, 120); scale: Qt.vector3d(.9, .9, .9)
            materials: PrincipledMaterial {
                baseColor: "white"; transmissionFactor: .9; thicknessFactor: 30; indexOfRefraction: 1.4; roughness: .1
            }
        }
        Model {
            source: "#Cube"; position: Qt.vector3d(-60, 160, 0); scale: Qt.vector3d(.5, .5, .5); opacity: .5
            eulerRotation.y: window.frame * 4
            materials: CustomMaterial {
                shadingMode: CustomMaterial.Shaded
                property real when: window.frame / 10
                fragmentShader: "wave.frag"
                vertexShader: "wave.vert"
            }
        }
        Model {
            source: "#Sphere"
            instancing: InstanceList {
                instances: [
                    InstanceListEntry { position: Qt.vector3d(-150, 20, 160); scale: Qt.vector3d(.2,.2,.2); color: "red" },
                    InstanceListEntry { position: Qt.vector3d(-100, 20, 180); scale: Qt.vector3d(.3,.2,.2); color: "lime" },
                    InstanceListEntry { position: Qt.vector3d(-50, 20, 160); scale: Qt.vector3d(.2,.4,.2); color: "blue" }
                ]
            }
            materials: PrincipledMaterial { baseColor: "white" }
        }
        ParticleSystem3D {
            id: system
            running: false
            useRandomSeed: false
            seed: 7
            time: window.frame * 60
            ModelParticle3D { id: chip; maxAmount: 200; delegate: Component { Model { source: "#Cube"; scale: Qt.vector3d(.06,.06,.06); materials: PrincipledMaterial { baseColor: "yellow" } } } }
            SpriteParticle3D { id: dot; maxAmount: 300; color: "#80ffffff"; particleScale: 8 }
            ParticleEmitter3D { particle: chip; position: Qt.vector3d(120, 30, 160); emitRate: 60; lifeSpan: 2000; velocity: VectorDirection3D { direction: Qt.vector3d(0, 120, 0); directionVariation: Qt.vector3d(40, 20, 40) } }
            ParticleEmitter3D { particle: dot; position: Qt.vector3d(200, 30, 60); emitRate: 100; lifeSpan: 2000; velocity: VectorDirection3D { direction: Qt.vector3d(0, 160, 0); directionVariation: Qt.vector3d(60, 20, 60) } }
        }
    }
    Rectangle {
        x: 12; y: 12; width: 180; height: 64; radius: 10; color: "#a0ffffff"; border.color: "black"; border.width: 2
        Text { anchors.centerIn: parent; text: "Qt Quick 3D " + window.frame; font.pixelSize: 20; rotation: -4 }
    }
    ShaderEffectSource { id: grabbed; sourceItem: view; sourceRect: Qt.rect(120, 100, 160, 120); width: 120; height: 90; x: 350; y: 12; mipmap: true; smooth: true }
}
