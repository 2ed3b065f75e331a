"""Filament, in Open3D: physical materials under an environment, shadows, occlusion, transparency, points, lines, depth.

Arguments: how many frames, the picture to write. Prints the hash of the last picture and of its depths.
"""

import hashlib
import math
import sys

import numpy as np
import open3d as o3d
from open3d.visualization import rendering

import png

WIDTH, HEIGHT = 320, 240
frames, picture = int(sys.argv[1]), sys.argv[2]
renderer = rendering.OffscreenRenderer(WIDTH, HEIGHT)
scene = renderer.scene
scene.set_background([0.1, 0.15, 0.25, 1.0])
scene.show_skybox(True)
scene.set_lighting(rendering.Open3DScene.LightingProfile.MED_SHADOWS, np.array([0.4, -1.0, -0.5], np.float32))
scene.scene.enable_sun_light(True)
scene.view.set_post_processing(True)
scene.view.set_ambient_occlusion(True, True)
scene.view.set_antialiasing(True, True)
scene.view.set_shadowing(True, rendering.View.ShadowType.VSM)


def material(shader, **given):
    made = rendering.MaterialRecord()
    made.shader = shader
    for name, value in given.items():
        setattr(made, name, value)
    return made


def placed(mesh, x, y, z):
    mesh.compute_vertex_normals()
    return mesh.translate((x, y, z))


shapes = o3d.geometry.TriangleMesh
ground = placed(shapes.create_box(12, 0.1, 12), -6, -0.1, -6)
scene.add_geometry("ground", ground, material("defaultLit", base_color=[0.6, 0.6, 0.6, 1], base_roughness=0.7))
for i in range(5):
    ball = placed(shapes.create_sphere(0.6, 30), (i - 2) * 1.5, 0.6, -1.5)
    lit = material("defaultLit", base_color=[0.9, 0.5, 0.2, 1], base_metallic=i / 4, base_roughness=0.15 + 0.2 * i)
    lit.base_clearcoat = 1.0 if i == 2 else 0.0
    scene.add_geometry(f"ball{i}", ball, lit)
knot = placed(shapes.create_torus(0.8, 0.3, 48, 24), 0, 1.2, 1)
scene.add_geometry("torus", knot, material("defaultLit", base_color=[0.3, 0.6, 0.9, 1], base_roughness=0.3, base_reflectance=0.8))
for i in range(3):
    pane = placed(shapes.create_box(1.2, 1.4, 0.05), -2.4 + i * 0.5, 0.1, 1.2 + i * 0.5)
    tint = [[1, 0.3, 0.3, 0.4], [0.3, 1, 0.3, 0.4], [0.3, 0.3, 1, 0.4]][i]
    scene.add_geometry(f"pane{i}", pane, material("defaultLitTransparency", base_color=tint, base_roughness=0.1))
glass = placed(shapes.create_sphere(0.7, 30), 2.4, 0.8, 1.2)
scene.add_geometry(
    "glass",
    glass,
    material(
        "defaultLitSSR",
        base_color=[0.6, 0.9, 0.8, 1],
        base_roughness=0.0,
        base_reflectance=0.5,
        thickness=0.5,
        transmission=0.9,
        absorption_distance=1.0,
        absorption_color=[0.6, 0.9, 0.8],
    ),
)
turns = np.arange(3000) * 2.39996
heights = np.linspace(0, 2.5, 3000)
places = np.stack([1.2 * np.cos(turns) - 3.5, heights, 1.2 * np.sin(turns) - 2.5], 1)
cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(places))
cloud.colors = o3d.utility.Vector3dVector(0.5 + 0.5 * np.sin(places))
scene.add_geometry("cloud", cloud, material("defaultUnlit", point_size=4.0))
edges = o3d.geometry.LineSet.create_from_triangle_mesh(placed(shapes.create_icosahedron(0.8), 3.6, 1.2, -2.5))
scene.add_geometry("edges", edges, material("unlitLine", line_width=3.0, base_color=[1, 1, 0.2, 1]))
scene.scene.add_point_light("lamp", [1, 0.6, 0.3], [1.5, 2.5, 2.5], 20000, 8, True)
scene.scene.add_spot_light("spot", [0.4, 0.5, 1], [-3, 4, 3], [0.6, -0.8, -0.6], 40000, 12, 0.3, 0.6, True)
for frame in range(frames):
    turn = 0.5 + 0.1 * frame
    renderer.setup_camera(55.0, [0, 0.6, 0], [8 * math.sin(turn), 4.5, 8 * math.cos(turn)], [0, 1, 0])
    image = np.asarray(renderer.render_to_image())
depths = np.asarray(renderer.render_to_depth_image())
pixels = np.dstack([image, np.full((HEIGHT, WIDTH), 255, np.uint8)]).tobytes()
png.write(picture, WIDTH, HEIGHT, pixels)
print("filament", hashlib.sha256(pixels).hexdigest()[:16], hashlib.sha256(depths.tobytes()).hexdigest()[:16], flush=True)
