use super::*;

/// Hull shaders of the test programs, of both forms: one point with a pixel and a number, and a number of the patch.
const HULLS: [&[u8]; 2] = [
    include_bytes!("../../../../programs/shaders/pipelines.hull.dxbc"),
    include_bytes!("../../../../programs/shaders/pipelines.hull.dxil"),
];

#[test]
fn it_takes_what_the_hull_shader_gives() {
    for hull in HULLS {
        let of = |part| make(hull, part).unwrap();
        let names = |shader: &[u8], tag: &[u8; 4]| -> Vec<(String, u32, u32)> {
            let container = Container::parse(shader).unwrap();
            let rows = signature::parse(&container.part(Tag(*tag)).unwrap()).unwrap();
            rows.into_iter().map(|row| (row.semantic, row.index, row.mask.count_ones())).collect()
        };
        let row = |name: &str, index, components| (name.to_owned(), index, components);
        let points = [row("PIXEL", 0, 2), row("NUMBER", 0, 1)];
        for part in [PatchPart::Locations, PatchPart::Point(0), PatchPart::Constants] {
            let shader = of(part);
            let container = Container::parse(&shader).unwrap();
            assert_eq!(container.checksum().word(), "valid");
            assert_eq!(names(&shader, b"ISGN"), points);
            assert!(names(&shader, b"PCSG").contains(&row("SV_InsideTessFactor", 1, 1)));
            let code = container.part(Tag::SHEX).unwrap().data;
            assert_eq!(code.len(), 4 * u32::from_le_bytes(*code[4..].first_chunk().unwrap()) as usize);
        }
        assert_eq!(
            names(&of(PatchPart::Locations), b"OSGN"),
            [row("PATCH_LOCATION", 0, 2), row("PATCH_PRIMITIVE", 0, 1)]
        );
        assert_eq!(names(&of(PatchPart::Point(0)), b"OSGN"), [row("PATCH_PIXEL", 0, 2), row("PATCH_NUMBER", 0, 1)]);
        let constants = names(&of(PatchPart::Constants), b"OSGN");
        assert!(constants.len() == 7 && constants.contains(&row("PATCH_SV_TessFactor", 3, 1)), "{constants:?}");
        assert_eq!(shown(&constants[0].0).find("PATCH_"), None);
    }
    assert!(make(b"no container", PatchPart::Locations).is_err());
}
