"""wgpu-shadertoy: ray marching, mixed with a buffer that samples its own last frame. Argument: the picture to write."""

import hashlib
import os
import sys

os.environ.setdefault("WGPU_BACKEND_TYPE", "D3D12")

import numpy as np
from wgpu_shadertoy import BufferRenderPass, Shadertoy
from wgpu_shadertoy.inputs import ShadertoyChannelBuffer

import png

WIDTH, HEIGHT, FRAMES = 320, 240, 8
TRAIL = """
void mainImage(out vec4 color, in vec2 at) {
    vec2 uv = at / iResolution.xy;
    float apart = length(uv - .5 - .3 * vec2(cos(iTime * 2.), sin(iTime * 3.)));
    vec4 spot = vec4(.5 + .5 * cos(iTime + vec3(0, 2, 4)), 1.);
    color = mix(texture(iChannel0, uv + vec2(.004, .002)) * .97, spot, smoothstep(.09, .05, apart));
    if (iFrame == 0) color = vec4(uv, .2, 1.);
}
"""
SCENE = """
float map(vec3 at) {
    vec3 cell = mod(at, 4.) - 2.;
    return min(length(cell) - .8 - .2 * sin(5. * at.x) * sin(5. * at.y), at.y + 1.5);
}
void mainImage(out vec4 color, in vec2 at) {
    vec2 uv = (2. * at - iResolution.xy) / iResolution.y;
    vec3 eye = vec3(0, .3, iTime * 2.), ray = normalize(vec3(uv, 1.5));
    float far = 0.;
    for (int step = 0; step < 64; step++) {
        float near = map(eye + ray * far);
        if (near < .002 || far > 30.) break;
        far += near;
    }
    vec3 hit = eye + ray * far;
    vec2 e = vec2(.01, 0);
    vec3 normal = normalize(vec3(map(hit + e.xyy) - map(hit - e.xyy), map(hit + e.yxy) - map(hit - e.yxy),
                                 map(hit + e.yyx) - map(hit - e.yyx)));
    vec3 lit = .2 + .8 * max(0., dot(normal, normalize(vec3(1, 2, -1)))) * vec3(1., .8, .6);
    lit = mix(lit, vec3(.4, .6, .9), 1. - exp(-.08 * far));
    color = vec4(mix(lit, texture(iChannel0, at / iResolution.xy).rgb, .5), 1.);
}
"""

trail = BufferRenderPass(buffer_idx="a", code=TRAIL, inputs=[ShadertoyChannelBuffer("a")])
toy = Shadertoy(
    SCENE, resolution=(WIDTH, HEIGHT), buffers=[trail], inputs=[ShadertoyChannelBuffer("a")], offscreen=True
)
found = hashlib.sha256()
for frame in range(FRAMES):
    picture = np.asarray(toy.snapshot(frame / FRAMES, frame=frame))
    found.update(picture.tobytes())
# The canvas has blue first.
png.write(sys.argv[1], WIDTH, HEIGHT, np.ascontiguousarray(picture[..., [2, 1, 0, 3]]).tobytes())
print("shadertoy", found.hexdigest()[:16])
