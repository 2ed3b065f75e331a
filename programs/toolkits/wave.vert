void MAIN() {
    vec3 p = VERTEX;
    p.y += 10.0 * sin(p.x * 0.1 + when);
    VERTEX = p;
    POSITION = MODELVIEWPROJECTION_MATRIX * vec4(p, 1.0);
}
