# Materials, shadows of two kinds of lights, glow, fog, instances. It turns by its own count of frames, and stands still from the
# sixtieth on.
extends Spatial

const LAST = 60
var frame = 0
var turning = Spatial.new()

func _ready():
    add_child(turning)
    for number in range(9):
        var shape = MeshInstance.new()
        shape.mesh = [SphereMesh.new(), CubeMesh.new(), CylinderMesh.new()][number % 3]
        var material = SpatialMaterial.new()
        material.albedo_color = Color.from_hsv(number / 9.0, 0.8, 0.9)
        material.metallic = number / 9.0
        material.roughness = 1.0 - number / 9.0
        material.rim_enabled = number % 2 == 0
        shape.material_override = material
        shape.translation = Vector3((number % 3 - 1) * 3, 1, (number / 3 - 1) * 3)
        turning.add_child(shape)
    var ground = MeshInstance.new()
    ground.mesh = PlaneMesh.new()
    ground.scale = Vector3(10, 1, 10)
    add_child(ground)
    var sun = DirectionalLight.new()
    sun.shadow_enabled = true
    sun.rotation_degrees = Vector3(-50, 30, 0)
    add_child(sun)
    var lamp = OmniLight.new()
    lamp.shadow_enabled = true
    lamp.translation = Vector3(0, 4, 0)
    lamp.omni_range = 12
    lamp.light_color = Color(1, 0.6, 0.3)
    add_child(lamp)
    var world = WorldEnvironment.new()
    var surroundings = Environment.new()
    surroundings.background_mode = Environment.BG_SKY
    surroundings.background_sky = ProceduralSky.new()
    surroundings.glow_enabled = true
    surroundings.fog_enabled = true
    surroundings.ssao_enabled = true
    world.environment = surroundings
    add_child(world)
    var camera = Camera.new()
    add_child(camera)
    camera.look_at_from_position(Vector3(8, 7, 8), Vector3(0, 0, 0), Vector3(0, 1, 0))
    camera.current = true

func _process(_delta):
    if frame < LAST:
        frame += 1
        turning.rotation_degrees = Vector3(0, frame * 3, 0)
