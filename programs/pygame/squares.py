"""Squares that SDL 2 renders through Direct3D 12 in a window; prints `pygame HASH`. Its argument is the folder with pygame."""
import hashlib, os, sys

sys.path.insert(0, sys.argv[1])
os.environ.update(SDL_RENDER_DRIVER="direct3d12", SDL_AUDIODRIVER="dummy", PYGAME_HIDE_SUPPORT_PROMPT="1")
import pygame
from pygame._sdl2 import video

WIDTH, HEIGHT, SIDE, FRAMES, OFTEN = 320, 240, 40, 60, 10


def square(frame):
    return pygame.Rect(5 * frame % (WIDTH - SIDE), 3 * frame % (HEIGHT - SIDE), SIDE, SIDE)


def expected(frame, x, y):
    return (255, 255, 0, 255) if square(frame).collidepoint(x, y) else (4 * frame, 16, 200, 255)


pygame.init()
names = [driver.name for driver in video.get_drivers()]
window = video.Window("squares", size=(WIDTH, HEIGHT))
renderer = video.Renderer(window, index=names.index("direct3d12"))
found = hashlib.md5()
for frame in range(FRAMES):
    renderer.draw_color = expected(frame, -1, -1)
    renderer.clear()
    renderer.draw_color = (255, 255, 0, 255)
    renderer.fill_rect(square(frame))
    if frame % OFTEN == 0:
        picture = renderer.to_surface()
        for y in range(0, HEIGHT, 7):
            for x in range(0, WIDTH, 5):
                assert tuple(picture.get_at((x, y))) == expected(frame, x, y), (frame, x, y, picture.get_at((x, y)))
        found.update(pygame.image.tobytes(picture, "RGBA"))
    renderer.present()
    pygame.event.pump()
print("pygame", found.hexdigest(), flush=True)
