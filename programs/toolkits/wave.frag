void MAIN() {
    BASE_COLOR = vec4(0.5 + 0.5 * sin(when + UV0.x * 20.0), UV0.y, 0.8, 1.0);
    METALNESS = 0.3;
    ROUGHNESS = 0.3;
}
