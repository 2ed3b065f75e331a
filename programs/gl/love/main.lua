-- Canvases, a stencil, a shader, a mesh and many sprites. It moves by its own count of frames, and stands still from the hundredth on.
local LAST = 100
local frame = 0
local canvas, shader, mesh, batch

function love.load()
    canvas = love.graphics.newCanvas(320, 240)
    shader = love.graphics.newShader([[
        extern number turn;
        vec4 effect(vec4 colour, Image image, vec2 at, vec2 pixel) {
            vec2 moved = at + 0.02 * vec2(sin(at.y * 20.0 + turn), cos(at.x * 20.0 + turn));
            return Texel(image, moved) * colour;
        }
    ]])
    mesh = love.graphics.newMesh({ { 0, -1, 0, 0, 1, 0, 0 }, { 1, 1, 1, 0, 0, 1, 0 }, { -1, 1, 0, 1, 0, 0, 1 } }, "triangles")
    local dots = love.image.newImageData(8, 8)
    dots:mapPixel(function(x, y) return x / 8, y / 8, 1, (x + y) % 2 end)
    batch = love.graphics.newSpriteBatch(love.graphics.newImage(dots), 1000)
    for number = 0, 999 do
        batch:add((number * 37) % 640, (number * 53) % 480, number * 0.1)
    end
end

function love.update()
    frame = math.min(frame + 1, LAST)
end

function love.draw()
    local turn = frame * 0.05
    love.graphics.setCanvas({ canvas, stencil = true })
    love.graphics.clear(0.1, 0.1, 0.2, 1)
    love.graphics.stencil(function() love.graphics.circle("fill", 160, 120, 90) end, "replace", 1)
    love.graphics.setStencilTest("greater", 0)
    love.graphics.draw(mesh, 160, 120, turn, 150)
    love.graphics.setStencilTest()
    love.graphics.setCanvas()
    love.graphics.clear(0.3, 0.3, 0.3)
    love.graphics.draw(batch)
    shader:send("turn", turn)
    love.graphics.setShader(shader)
    love.graphics.draw(canvas, 160, 120)
    love.graphics.setShader()
    love.graphics.print("frame " .. frame, 10, 10, 0, 2)
end
