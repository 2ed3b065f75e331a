//! `reprise debug --vertex` and `--pixel`.

use super::replayed::meshes;
use super::{Arguments, mesh, replay, waves};
use crate::debug::draw_told;
use crate::debug::lines::Lines;
use crate::debug::mesh::{Assembled, Plan};
use crate::debug::outputs::Compared;
use crate::debug::pixel::{self, NoFragment, Shift};
use crate::debug::pixel_check::{self, Aside, Runs, Texel};
use crate::debug::prompt::Prompt;
use crate::debug::sampling::Sampling;
use crate::debug::told::{self, Run};
use crate::debug::vertex::{self, NoPlace, Vertex};
use crate::debug::{Draw, Stage, Store};
use crate::ours::VIEW;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use anyhow::Context;
use reprise_interpreter::{BuiltIn, Fault, Given, Lean, Left, Module, Opens, Port, Ran, Task, run_lanes};
use reprise_replay::{DrawTests, LoneDraw, Mesh, MeshOf, PixelDraw, PixelDraws};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

pub(super) fn run(arguments: &Arguments) -> Ended {
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let stage = if arguments.vertex.is_some() { Stage::Vertex } else { Stage::Pixel };
    let call = (arguments.call, arguments.submission);
    let mut draw = arguments.find(|trace, index, progress| Draw::of(trace, index, call, stage, progress))?;
    arguments.resolve(&mut draw.shader)?;
    let mut module = Module::read(&draw.shader.command().compiled.words).context("its shader").or_exit(exit::FAILED)?;
    draw.be_of_view(arguments.view(&draw)?);
    if let Some(at) = arguments.vertex {
        module.specialise(VIEW, draw.view);
        let job = Job { arguments, draw: &draw, module: &module };
        let vertex = Vertex { at, instance: arguments.instance.unwrap_or(0) };
        return Ok(arguments.exit(job.vertex(vertex)?));
    }
    let at = arguments.pixel.unwrap_or_default();
    let views = arguments.view.map_or_else(|| draw.views(), |view| vec![view]);
    // The draw is that of the first view now.
    let mut covered = Job { arguments, draw: &draw, module: &module }.covered(at)?;
    for view in views.into_iter().skip(1) {
        if covered.is_there() {
            break;
        }
        draw.be_of_view(view);
        covered = Job { arguments, draw: &draw, module: &module }.covered(at)?;
    }
    module.specialise(VIEW, draw.view);
    let job = Job { arguments, draw: &draw, module: &module };
    Ok(arguments.exit(job.pixel(at, covered)?))
}

/// A bit of all that comes of the stage before is another one.
pub(super) fn disturb(lane: &mut Given) {
    const HIGH: u64 = 1 << 20;
    // What the API has names for comes of that stage where it is a vertex's.
    let own = lane.words.iter_mut().filter(|(port, _)| !matches!(port, Port::BuiltIn(..)));
    let words = lane.vertices.iter_mut().flat_map(|words| words.iter_mut()).chain(own);
    words.for_each(|(_, (bits, _))| *bits ^= HIGH);
}

/// Why the replay does not tell what the shader gives for a target.
fn not_told(tests: &DrawTests) -> String {
    match tests.notes.as_slice() {
        [] => "what the GPU's fragment gives is not told: some of the draw's fragments there are discarded".to_owned(),
        notes => format!("what the GPU's fragment gives is not told: {}", notes.join("; ")),
    }
}

/// A draw with what is asked of it.
pub(super) struct Job<'j> {
    pub(super) arguments: &'j Arguments,
    pub(super) draw: &'j Draw,
    pub(super) module: &'j Module,
}

/// The draw's fragments at a pixel.
struct Covered {
    /// The sample that is looked at.
    sample: u32,
    tests: DrawTests,
    /// Targets that the shader gives something for.
    slots: Vec<u32>,
}

impl Covered {
    fn is_there(&self) -> bool {
        self.tests.left.first().is_some_and(|(_, count)| *count != 0)
    }
}

/// What a run gave.
pub(super) struct Found {
    pub(super) ran: Ran,
    pub(super) left: Vec<Left>,
    pub(super) opens: Opens,
}

impl Job<'_> {
    pub(super) fn failed(&self, what: impl std::fmt::Display) -> Failure {
        Failure::message(exit::FAILED, format!("call {}: {what}", self.draw.shader.call))
    }

    pub(super) fn asked(&self, what: impl std::fmt::Display) -> Failure {
        Failure::message(exit::USAGE, format!("call {}: {what}", self.draw.shader.call))
    }

    /// Runs lanes, until nothing that they and their inputs read is missing.
    fn run(
        &self,
        store: &mut Store<'_>,
        (watched, lean): (u32, Lean),
        mut given: impl FnMut(&mut Store<'_>, &mut Opens) -> Result<Option<Vec<Given>>, String>,
    ) -> Result<Found, Failure> {
        let is_of_pixels = self.arguments.vertex.is_none();
        if self.module.uses_more_than_quads() || !is_of_pixels && self.module.uses_waves() {
            let what = "the shader's results depend on which lanes share a wave, which the API leaves open for draws";
            return Err(self.failed(format!("unsupported: {what}")));
        }
        let run = |store: &mut Store<'_>, opens: &mut Opens| {
            let lanes = given(store, opens)?;
            Ok(lanes.map(|lanes| self.lanes(&lanes, watched, store, opens)))
        };
        let (ran, opens) = self.arguments.complete(&self.draw.shader, store, lean, run)?;
        let ran = ran.map_err(|what: String| self.failed(what))?;
        let ran = ran.ok_or_else(|| self.failed("inputs are missing that nothing asks for"))?;
        let (ran, left) = ran.map_err(|fault| self.failed(told::fault(self.module, &fault)))?;
        Ok(Found { ran, left, opens })
    }

    fn lanes(
        &self,
        given: &[Given],
        watched: u32,
        store: &mut Store<'_>,
        opens: &mut Opens,
    ) -> Result<(Ran, Vec<Left>), Fault> {
        let (wave, budget) = (given.len() as u32, self.arguments.budget);
        let task = Task { wave, watched: Some(watched), alone: true, budget, ..Task::default() };
        run_lanes(self.module, task, given, store, opens)
    }

    /// What comes to the rasteriser: by a replay, or by the interpreter, where mesh shaders give it. And whether the API leaves any of it open.
    fn before(&self, store: &mut Store<'_>, lean: Lean) -> Result<(Assembled, bool), Failure> {
        let Some(meshes) = &self.draw.meshes else {
            return Ok((self.mesh(MeshOf::Rasteriser)?.map_err(|why| self.failed(why))?.into(), false));
        };
        let groups = self.draw.shader.command().groups();
        let (wave, budget) = (waves(self.arguments, meshes)?, self.arguments.budget);
        let plan = Plan { groups, wave, budget, watched: None, alone: false, has_others: mesh::has_others(self.draw) };
        let run = |store: &mut Store<'_>, opens: &mut Opens| meshes.run(&plan, store, opens);
        let (drawn, opens) = self.arguments.complete(&self.draw.shader, store, lean, run)?;
        let drawn = drawn.map_err(|ended| {
            let stage = if ended.of_amplification { "amplification" } else { "mesh" };
            let what = told::fault(meshes.module(ended.of_amplification), &ended.fault);
            self.failed(format!("its {stage} shader: {what}"))
        })?;
        let assembled = meshes.assembled(&drawn).map_err(|why| self.failed(why))?;
        Ok((assembled, !opens.all().is_empty()))
    }

    /// The vertices that the GPU gives, by a replay: to the rasteriser, or by the vertex shader.
    fn mesh(&self, of: MeshOf) -> Result<Result<Mesh, String>, Failure> {
        let mut meshes = self.meshes(vec![(of, self.draw.lone())])?;
        Ok(meshes.pop().unwrap_or_else(|| Err("the replay did not show it".to_owned())))
    }

    /// Several of the draw's meshes, of itself or with other counts, by a replay.
    pub(super) fn meshes(&self, wishes: Vec<(MeshOf, Option<LoneDraw>)>) -> Result<Vec<Result<Mesh, String>>, Failure> {
        meshes(self.arguments, self.draw, wishes)
    }

    fn vertex(&self, vertex: Vertex) -> Result<bool, Failure> {
        let counts = self.draw.counts();
        if vertex.at >= counts.vertices || vertex.instance >= counts.instances {
            let what = format!("the draw has {} vertices in each of {} instances", counts.vertices, counts.instances);
            return Err(self.asked(format!("there is no vertex {} in instance {}: {what}", vertex.at, vertex.instance)));
        }
        let mut store = Store::new(&self.draw.shader);
        store.disturbed = self.arguments.disturbed;
        let mut run = |lean: Lean| {
            self.run(&mut store, (0, lean), |store, opens| {
                Ok(vertex.given(self.draw, (self.module, &self.draw.inputs), store, opens)?.map(|given| vec![given]))
            })
        };
        let found = run(Lean::Nearest)?;
        let left = found.left.first().cloned().unwrap_or_default();
        // What the last bits of operations make of the results.
        let mut asides = Vec::new();
        if !self.arguments.no_check && !found.opens.all().is_empty() {
            for lean in Lean::ASIDE {
                asides.extend(run(lean)?.left.into_iter().next());
            }
        }
        let compared = match self.arguments.no_check {
            true => None,
            false => Some(match self.mesh(MeshOf::VertexShader)? {
                Ok(mesh) => match vertex.place(self.draw, &mesh) {
                    Ok(place) => vertex::compare(self.draw, &left, &asides, &mesh, place),
                    Err(NoPlace::LeftOut) => {
                        let what = "the GPU gave no vertices: the predicate that is set left the draw out";
                        Compared { notes: vec![what.to_owned()], left_out: true, ..Compared::default() }
                    }
                    Err(NoPlace::Other(why)) => Compared { unseen: vec![why], ..Compared::default() },
                },
                Err(why) => Compared { unseen: vec![why], ..Compared::default() },
            }),
        };
        let about = json!({
            "vertex": vertex.at,
            "instance": vertex.instance,
            "view": self.draw.asked_view(),
        });
        self.tell(&mut store, &found, 0, about, compared.as_ref())
    }

    /// The draw's fragments at a pixel: in the sample that is asked for, or in the first that the draw covers.
    fn covered(&self, at: (u32, u32)) -> Result<Covered, Failure> {
        let raster = &self.draw.raster;
        let unsupported = |what: &str| Err(self.failed(format!("unsupported: {what}")));
        if raster.forced_samples > 1 {
            return unsupported("forced samples: a replay does not tell their fragments one by one");
        }
        if let Some(sample) = self.arguments.sample.filter(|sample| *sample >= raster.samples) {
            return Err(self.asked(format!("there is no sample {sample}: the targets have {}", raster.samples)));
        }
        if raster.conservative {
            return unsupported("conservative rasterisation: where inputs are taken in a pixel is open");
        }
        if self.draw.bound().shading_rate.as_ref().is_some_and(|set| set.value.0 != 0)
            || self.draw.bound().shading_rate_image.as_ref().is_some_and(|set| set.value != 0)
        {
            return unsupported("shading rates: pixels that are shaded together");
        }
        // The targets that the shader gives something for.
        let slots = self.draw.outputs.iter().filter(|row| row.semantic.eq_ignore_ascii_case("SV_Target"));
        let slots = slots
            .map(|row| row.index)
            .filter(|slot| raster.targets.get(*slot as usize).is_some_and(|format| *format != 0));
        let slots: Vec<u32> = slots.collect();
        // Without a sample the first that the draw covers.
        let asked = self.arguments.sample.map_or(0..raster.samples, |sample| sample..sample + 1);
        let (mut sample, mut tests) = (asked.start, DrawTests::default());
        for it in asked {
            (sample, tests) = (it, self.fragments((at, it), slots.first().copied())?.map_err(|why| self.failed(why))?);
            if tests.left.first().is_some_and(|(_, count)| *count != 0) {
                break;
            }
        }
        Ok(Covered { sample, tests, slots })
    }

    fn pixel(&self, at: (u32, u32), covered: Covered) -> Result<bool, Failure> {
        let raster = &self.draw.raster;
        let Covered { sample, tests, slots } = covered;
        let sampling = Sampling::of(self.draw.bound(), raster.samples, sample).map_err(|why| self.failed(why))?;
        let sampling = if self.arguments.turned_samples { sampling.turned() } else { sampling };
        let mut store = Store::new(&self.draw.shader);
        store.disturbed = self.arguments.disturbed;
        let (mesh, is_open) = self.before(&mut store, Lean::Nearest)?;
        let asked = (self.arguments.primitive, self.arguments.instance);
        let mut target = pixel::choose(self.draw, &mesh, &tests, (at, &sampling, self.arguments.sample), asked)
            .map_err(|why| match why {
                NoFragment::Asked(why) => self.asked(why),
                NoFragment::Unknown(why) => self.failed(why),
            })?;
        if raster.alpha_to_coverage && sampling.is_of_several() {
            target.notes.push(
                "alpha to coverage: which samples alpha leaves is open, and the fragment is told as if it left all"
                    .to_owned(),
            );
        }
        if let Some(what) = self.draw.behind() {
            let told = "which fragments pass is told by the depth and stencil that the call finds";
            target.notes.push(format!("{what}: {told}"));
        }
        let lane = target.lane();
        // What leans before the rasteriser, too.
        let mut others = Vec::new();
        if is_open && !self.arguments.no_check {
            for lean in Lean::ASIDE {
                let (mesh, _) = self.before(&mut store, lean)?;
                others.push((lean, target.of_other(self.draw, &mesh).map_err(|why| self.failed(why))?));
            }
        }
        let mut run = |shift: &Shift, lean: Lean| -> Result<(Found, Aside), Failure> {
            let target = others.iter().find(|(of, _)| *of == lean).map_or(&target, |(_, other)| other);
            let found = self.run(&mut store, (lane, lean), |_, opens| {
                let mut lanes = target.given(self.draw, &mesh, self.module, shift, opens)?;
                if self.arguments.disturbed {
                    lanes.iter_mut().for_each(disturb);
                }
                Ok(Some(lanes))
            })?;
            let mut left = found.left.get(lane as usize).cloned().unwrap_or_default();
            // A sample that the shader takes out of its coverage is not drawn to.
            let mask = left.words.get(&Port::BuiltIn(BuiltIn::SampleMask as u32, 0));
            left.discarded |= mask.is_some_and(|(mask, _)| mask >> sample & 1 == 0);
            let depth = target.depth(shift).map_err(|why| self.failed(why))?;
            Ok((found, Aside { left, depth }))
        };
        let (mut found, own) = run(&Shift::default(), Lean::Nearest)?;
        let compared = if self.arguments.no_check {
            None
        } else {
            let shifts = pixel::shifts(&sampling).into_iter().map(|shift| (shift, Lean::Nearest));
            let leans = Lean::ASIDE.map(|lean| (Shift::default(), lean));
            let aside = shifts.chain(leans).map(|(shift, lean)| run(&shift, lean).map(|(_, aside)| aside));
            let aside: Vec<Aside> = aside.collect::<Result<_, Failure>>()?;
            let texels: Vec<Texel> = slots
                .iter()
                .map(|slot| {
                    let told = target.fragment.outputs.get(slot);
                    let format = raster.targets.get(*slot as usize).copied().unwrap_or(0);
                    match told {
                        Some((format, bytes)) => Texel { slot: *slot, format: *format, bytes: Ok(bytes.clone()) },
                        None => Texel { slot: *slot, format, bytes: Err(not_told(&tests)) },
                    }
                })
                .collect();
            let differs = target.fragment.depth.is_some_and(|depth| depth != own.depth as f32);
            let interpolated = if differs { target.interpolated(&mut found.opens) } else { 0 };
            let tests_early = self.module.tests_early();
            let runs = Runs { own: &own, aside: &aside, opens: &found.opens, interpolated, tests_early };
            Some(pixel_check::compare(self.draw, &target, &tests, &texels, &runs))
        };
        let fragment = &target.fragment;
        let about = json!({
            "pixel": [at.0, at.1],
            "view": self.draw.asked_view(),
            "sample": sampling.is_of_several().then_some(sample),
            "primitive": target.primitive,
            "instance": fragment.instance,
            "fragment": target.number,
            "fragments": tests.left.first().map(|(_, count)| *count),
            "front": fragment.front,
            "discarded": own.left.discarded,
            "notes": target.notes,
        });
        self.tell(&mut store, &found, lane, about, compared.as_ref())
    }

    /// The draw's fragments in a sample of the pixel, with what they give for all targets, by a replay. What is masked is told of that in a slot.
    fn fragments(
        &self,
        (at, sample): ((u32, u32), u32),
        slot: Option<u32>,
    ) -> Result<Result<DrawTests, String>, Failure> {
        let mut options = self.arguments.runtime.options()?;
        let (call, submission) = (self.draw.shader.seen, self.draw.shader.submission);
        let draw = PixelDraw { submission, call, slot, plane: None, lone: self.draw.lone() };
        options.pixel = Some(PixelDraws {
            at,
            sample,
            draws: vec![draw],
            coverage_only: false,
            in_full: true,
            view: self.draw.asked_view(),
        });
        let mut report = replay::play_quietly(&self.arguments.source, options)?;
        replay::sound(&report, &self.arguments.source)?;
        let mut tests = report.pixel.take().unwrap_or_default();
        let found = tests.remove(&(submission, call));
        Ok(found.unwrap_or_else(|| Err("the replay did not show its fragments".to_owned())))
    }

    /// Prints a run, and says whether something is wrong.
    pub(super) fn tell(
        &self,
        store: &mut Store<'_>,
        found: &Found,
        lane: u32,
        about: Json,
        compared: Option<&Compared>,
    ) -> Result<bool, Failure> {
        let (invocation, module, ran, opens) = (&self.draw.shader, self.module, &found.ran, &found.opens);
        let (wave, groups, all_groups) = (found.left.len() as u32, 1, false);
        let lines = &Lines::of(&invocation.command().container);
        let (thread, group) = ([0; 3], [0; 3]);
        let run = Run {
            invocation,
            module,
            thread,
            group,
            lane,
            wave,
            groups,
            all_groups,
            ran,
            opens,
            lines,
            shaders: BTreeMap::new(),
        };
        let told = draw_told::json((&run, &self.draw.outputs), store, about, compared);
        if self.arguments.json {
            replay::print(&told.to_string())?;
        } else if self.arguments.interactive {
            let text = draw_told::lines(&told, (1, 0), |_| false);
            text.iter().try_for_each(|line| replay::print(line))?;
            Prompt::new(&told).run(&mut std::io::stdin().lock(), &mut std::io::stdout()).or_exit(exit::FAILED)?;
        } else {
            let write = |step: &Json| draw_told::is_output(self.module, step);
            let (range, all) = self.arguments.listed(&run, &told, write);
            let lines = draw_told::lines(&told, range, |step| all || write(step));
            lines.iter().try_for_each(|line| replay::print(line))?;
        }
        Ok(compared.is_some_and(Compared::is_wrong))
    }
}
