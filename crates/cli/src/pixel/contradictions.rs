//! Where the value of a pixel and what became of the fragments do not agree: one of them is wrong, or something writes that is not known.

use reprise_replay::{DrawTests, PixelEvent, PixelTest, PixelTouch};
use serde_json::Value as Json;

/// What of an event does not agree.
pub(crate) fn of(event: &Json, it: &PixelEvent, tests: Option<&DrawTests>) -> Vec<String> {
    let mut found = Vec::new();
    let changed = |side: &Json| side["changed"] == true;
    if it.is_outside && changed(event) {
        found.push("the pixel lies outside of what the call writes, and its value changes".to_owned());
    }
    let Some(tests) = tests else { return found };
    let all = tests.left.first().map_or(0, |(_, count)| *count);
    let alone = if all > 1 { " (each fragment is counted as if it were alone)" } else { "" };
    let passed = tests.left.last().map_or(0, |(_, count)| *count);
    // A fragment that fails the test of stencil or depth may still write the stencil.
    let reached = tests.left.iter().rfind(|(test, _)| !matches!(test, PixelTest::Stencil | PixelTest::Depth));
    let reached = reached.map_or(0, |(_, count)| *count);
    let mut say = |side: &str, has_changed: bool, count: u64| {
        if has_changed && count == 0 {
            let none = if all == 0 { "no fragment comes to the pixel" } else { "all fragments are lost" };
            found.push(format!("{none}, and {side} changes{alone}"));
        }
    };
    match it.touch {
        PixelTouch::Target(_) => say("its value", changed(event), passed),
        PixelTouch::Depth => say("its value", changed(event), if it.is_stencil { reached } else { passed }),
        // Shaders write through unordered views whatever becomes of their fragments.
        _ => {}
    }
    say("the depth beside it", changed(&event["depth"]), passed);
    say("the stencil beside it", changed(&event["stencil"]), reached);
    if tests.masked && passed > 0 && changed(event) {
        found.push("the pipeline writes nothing of it, and its value changes".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(touch: PixelTouch, is_stencil: bool, is_outside: bool) -> PixelEvent {
        PixelEvent {
            submission: 9,
            list: 4,
            call: 7,
            method: "DrawInstanced",
            touch,
            is_stencil,
            is_outside,
            bundle: None,
            pass: None,
            depth: None,
            can_be_shown: [true; 2],
            draws: true,
            slices: 1,
            rays: None,
        }
    }

    fn tests(left: &[(PixelTest, u64)], masked: bool) -> DrawTests {
        DrawTests { left: left.to_vec(), masked, ..DrawTests::default() }
    }

    #[test]
    fn what_changes_although_its_fragments_are_lost_is_said() {
        let target = event(PixelTouch::Target(0), false, false);
        let (changed, same) = (json!({ "changed": true }), json!({ "changed": false }));
        let lost = tests(&[(PixelTest::Coverage, 1), (PixelTest::Stencil, 1), (PixelTest::Depth, 0)], false);
        let passed = tests(&[(PixelTest::Coverage, 1), (PixelTest::Depth, 1)], false);
        let masked = tests(&[(PixelTest::Coverage, 1)], true);
        for (tests, wanted) in [
            (&lost, "all fragments are lost, and its value changes"),
            (&masked, "the pipeline writes nothing of it, and its value changes"),
            (&tests(&[(PixelTest::Coverage, 0)], false), "no fragment comes to the pixel, and its value changes"),
        ] {
            assert_eq!(of(&changed, &target, Some(tests)), [wanted]);
            assert_eq!(of(&same, &target, Some(tests)), [""; 0]);
        }
        assert_eq!(of(&changed, &target, Some(&passed)), [""; 0]);
        assert_eq!(of(&changed, &target, None), [""; 0]);
        // Stencil is written by what fails the tests of stencil and depth, and by nothing that is lost before them.
        let stencil = event(PixelTouch::Depth, true, false);
        assert_eq!(of(&changed, &stencil, Some(&lost)), [""; 0]);
        let culled = tests(&[(PixelTest::Coverage, 2), (PixelTest::Cull, 0), (PixelTest::Stencil, 0)], false);
        let alone = " (each fragment is counted as if it were alone)";
        assert_eq!(
            of(&changed, &stencil, Some(&culled)),
            [format!("all fragments are lost, and its value changes{alone}")]
        );
        let beside = json!({ "changed": false, "depth": { "changed": true }, "stencil": { "changed": true } });
        assert_eq!(of(&beside, &target, Some(&lost)), ["all fragments are lost, and the depth beside it changes"]);
        // A predicate that leaves the draw out leaves its stencil, too.
        let left_out = tests(&[(PixelTest::Coverage, 1), (PixelTest::Stencil, 1), (PixelTest::Predicate, 0)], false);
        assert_eq!(of(&changed, &stencil, Some(&left_out)), ["all fragments are lost, and its value changes"]);
        // Whatever becomes of fragments, their shaders may write.
        assert_eq!(of(&changed, &event(PixelTouch::Unordered, false, false), Some(&lost)), [""; 0]);
        let outside = event(PixelTouch::Clear, false, true);
        assert_eq!(
            of(&changed, &outside, None),
            ["the pixel lies outside of what the call writes, and its value changes"]
        );
        assert_eq!(of(&same, &outside, None), [""; 0]);
    }
}
