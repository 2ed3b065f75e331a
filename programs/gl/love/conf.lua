function love.conf(options)
    options.window.width = 640
    options.window.height = 480
    options.window.vsync = 0
    options.window.depth = 16
    options.window.stencil = 8
    options.modules.audio = false
    options.modules.joystick = false
end
