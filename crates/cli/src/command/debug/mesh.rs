//! `reprise debug --thread` of draws by mesh shaders.

use super::replayed::meshes;
use super::{Arguments, MANY, StageName, replay, waves};
use crate::debug::check;
use crate::debug::lines::Lines;
use crate::debug::mesh::{Drawn, Ended, Given, Meshes, Plan, Watched, three};
use crate::debug::mesh_told::Checks;
use crate::debug::outputs::Compared;
use crate::debug::prompt::Prompt;
use crate::debug::told::{self, Run};
use crate::debug::{Draw, Key, Store, draw_told, mesh_told, meshlet};
use crate::terminal::exit::{self, Failure, OrExit};
use reprise_interpreter::{Fault, Lean, Meshlet, Opens, is_free};
use reprise_replay::{MeshOf, ShotContents};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// A draw with what is asked of it.
struct Job<'j> {
    arguments: &'j Arguments,
    draw: &'j Draw,
    meshes: &'j Meshes,
    plan: Plan,
}

/// Runs the thread that is asked for, and says whether something is wrong.
pub(super) fn run(arguments: &Arguments, draw: &Draw, (thread, view): ([u32; 3], u32)) -> Result<bool, Failure> {
    let call = draw.shader.call;
    let Some(meshes) = &draw.meshes else {
        return Err(Failure::message(exit::FAILED, format!("call {call}: it draws no meshes")));
    };
    let of_amplification = arguments.stage == Some(StageName::Amplification);
    if of_amplification && arguments.parent.is_some() {
        let what = "--parent is for threads of the mesh shader: a group of the amplification shader has none";
        return Err(Failure::message(exit::USAGE, what));
    }
    if meshes.amplification.is_none() && arguments.parent.is_some() {
        let what = format!("call {call}: --parent names a group of an amplification shader, and the pipeline has none");
        return Err(Failure::message(exit::USAGE, what));
    }
    let threads = meshes.module(of_amplification).group().map(|count| count.max(1));
    let group = [0, 1, 2].map(|axis| thread[axis] / threads[axis]);
    let own = [0, 1, 2].map(|axis| thread[axis] % threads[axis]);
    let lane = own[0] + threads[0] * (own[1] + threads[1] * own[2]);
    let watched = Watched { of_amplification, parent: arguments.parent, group, lane };
    let groups = draw.shader.command().groups();
    let wave = waves(arguments, meshes)?;
    let budget = if arguments.one_group { arguments.budget } else { MANY.min(arguments.budget) };
    let (alone, has_others) = (arguments.one_group, has_others(draw));
    let plan = Plan { groups, wave, budget, watched: Some(watched), alone, has_others };
    let mut job = Job { arguments, draw, meshes, plan };
    let mut store = Store::new(&draw.shader);
    store.disturbed = arguments.disturbed;
    let (mut drawn, mut opens) = match job.all(&mut store)? {
        Ok(found) => found,
        // All of them take too long.
        Err(Ended { fault: Fault::Budget { .. }, .. }) if !job.plan.alone => {
            job.plan = Plan { alone: true, budget: arguments.budget, ..job.plan };
            job.found(&mut store)?
        }
        Err(ended) => return Err(job.ended(&ended)),
    };
    store.settle(&mut opens);
    let Some(ran) = drawn.ran.take() else { return Err(job.absent(&drawn)) };
    let check = if arguments.no_check { None } else { Some(job.check(&mut store, &mut opens, &drawn, watched)?) };
    let lines = &Lines::of(&draw.shader.command().container);
    let module = meshes.module(of_amplification);
    let groups = match (job.plan.alone, of_amplification) {
        (true, _) => 1,
        _ => (drawn.given.len() + drawn.started.len()) as u64,
    };
    let (invocation, all_groups, ran, opens) = (&draw.shader, job.is_whole(), &ran, &opens);
    let shaders = store.shaders();
    let told = Run { invocation, module, thread, group, lane, wave, groups, all_groups, ran, opens, lines, shaders };
    let mut json = mesh_told::json(&told, &mut store, (meshes, &drawn, watched), check.as_ref());
    json["view"] = Json::from((draw.raster.view_instances > 1).then_some(view));
    let write = |step: &Json| step["write"].is_object() && draw_told::is_output(module, step);
    if arguments.json {
        replay::print(&json.to_string())?;
    } else if arguments.interactive {
        let text = mesh_told::lines(&json, (1, 0), |_| false);
        text.iter().try_for_each(|line| replay::print(line))?;
        Prompt::new(&json).run(&mut std::io::stdin().lock(), &mut std::io::stdout()).or_exit(exit::FAILED)?;
    } else {
        let (range, all) = arguments.listed(&told, &json, write);
        let lines = mesh_told::lines(&json, range, |step| all || write(step));
        lines.iter().try_for_each(|line| replay::print(line))?;
    }
    Ok(check.is_some_and(|check| check.is_wrong()))
}

/// Whether something else of the call may write what the draw's mesh shaders write.
pub(super) fn has_others(draw: &Draw) -> bool {
    draw.is_of_several() || draw.writes_pixels || draw.raster.view_instances > 1
}

/// Whether last bits are open of something that a group gives.
fn is_near(meshlet: &Meshlet) -> bool {
    let shapes = meshlet.primitives.iter();
    let words = meshlet.vertices.iter().chain(shapes.map(|shape| &shape.words)).flat_map(|words| words.values());
    let opens = words.map(|(_, open)| *open).chain(meshlet.primitives.iter().map(|shape| shape.open));
    opens.chain([meshlet.open]).any(|open| open != 0 && !is_free(open))
}

impl Job<'_> {
    /// Whether every byte is known that the call leaves: nothing else writes.
    fn is_whole(&self) -> bool {
        !self.plan.alone && !self.plan.has_others
    }

    fn failed(&self, what: impl std::fmt::Display) -> Failure {
        Failure::message(exit::FAILED, format!("call {}: {what}", self.draw.shader.call))
    }

    fn ended(&self, ended: &Ended) -> Failure {
        let stage = if ended.of_amplification { "amplification" } else { "mesh" };
        let what = told::fault(self.meshes.module(ended.of_amplification), &ended.fault);
        self.failed(format!("its {stage} shader: {what}"))
    }

    /// Why the thread did not run.
    fn absent(&self, drawn: &Drawn) -> Failure {
        let Some(watched) = self.plan.watched else { return self.failed("no thread is asked for") };
        let call = self.draw.shader.call;
        let group = three(watched.group);
        let what = match (watched.of_amplification, &drawn.started[..]) {
            (false, [_, ..]) => {
                let started: Vec<String> = drawn
                    .started
                    .iter()
                    .map(|(at, started)| format!("{} starts {}", three(*at), three(started.groups)))
                    .take(8)
                    .collect();
                let of = watched
                    .parent
                    .map_or_else(String::new, |at| format!(" of the amplification shader's group {}", three(at)));
                format!("there is no group {group}{of}: of the amplification shader group {}", started.join(", group "))
            }
            _ => format!("there is no group {group}: the draw has {}", three(self.plan.groups)),
        };
        Failure::message(exit::USAGE, format!("call {call}: {what}"))
    }

    /// Runs the groups, until nothing that they read is missing.
    fn all(&self, store: &mut Store<'_>) -> Result<Result<(Drawn, Opens), Ended>, Failure> {
        self.fetch_bound(store)?;
        let run = |store: &mut Store<'_>, opens: &mut Opens| self.meshes.run(&self.plan, store, opens);
        let (ran, opens) = self.arguments.complete(&self.draw.shader, store, Lean::Nearest, run)?;
        Ok(ran.map(|drawn| (drawn, opens)))
    }

    fn found(&self, store: &mut Store<'_>) -> Result<(Drawn, Opens), Failure> {
        self.all(store)?.map_err(|ended| self.ended(&ended))
    }

    /// What is bound for writing is looked at, also where the shaders write nothing.
    fn fetch_bound(&self, store: &mut Store<'_>) -> Result<(), Failure> {
        if self.arguments.no_check {
            return Ok(());
        }
        let bound: BTreeSet<Key> = store.writable();
        let absent: Vec<Key> = bound.into_iter().filter(|key| !store.contents.contains_key(key)).collect();
        for (key, contents) in self.arguments.shoot(&self.draw.shader, &absent, true)? {
            match contents {
                Ok(contents) => store.put(key, contents),
                Err(reason) => _ = store.unfetched.insert(key, reason),
            }
        }
        Ok(())
    }

    fn check(
        &self,
        store: &mut Store<'_>,
        opens: &mut Opens,
        drawn: &Drawn,
        watched: Watched,
    ) -> Result<Checks, Failure> {
        let shader = &self.draw.shader;
        let is_own = |it: &&Given| it.group == watched.group && it.parent == drawn.parent;
        let own = drawn.given.iter().find(is_own).filter(|_| !watched.of_amplification);
        let keys: Vec<Key> = store.contents.keys().copied().collect();
        let bytes = |shown: Result<ShotContents, String>| shown.map(|contents| Key::bytes_of(contents).0);
        let after = self.arguments.shoot(shader, &keys, false)?;
        let after: BTreeMap<_, _> = after.into_iter().map(|(key, shown)| (key, bytes(shown))).collect();
        let how = (self.is_whole(), shader.predicated);
        let mut check = check::compare(store, &after, how, opens, &[]);
        // What is only read is no result of theirs.
        let nothing = check.written == 0 && store.writable().is_empty();
        let (mut asides, mut beside) = (Vec::new(), Vec::new());
        if check.wants_asides || own.is_some_and(|own| is_near(&own.meshlet)) {
            let (contents, scattered) = (store.contents.clone(), store.scattered.clone());
            for lean in Lean::ASIDE {
                let run = |store: &mut Store<'_>, opens: &mut Opens| self.meshes.run(&self.plan, store, opens);
                let (ran, _) = self.arguments.complete(shader, store, lean, run)?;
                let ran = ran.map_err(|ended| self.ended(&ended))?;
                asides.push(store.left());
                beside.extend(ran.given.into_iter().find(|it| is_own(&it)).map(|given| given.meshlet));
            }
            (store.contents, store.scattered) = (contents, scattered);
            check = check::compare(store, &after, how, opens, &asides);
        }
        if nothing {
            check.compared = 0;
        }
        let given = match own {
            Some(own) => self.given(own, &beside, opens)?,
            None => Compared::default(),
        };
        Ok(Checks { written: check, given })
    }

    /// What the group gave against the GPU's.
    fn given(&self, own: &Given, beside: &[Meshlet], opens: &mut Opens) -> Result<Compared, Failure> {
        let mut meshes = meshes(self.arguments, self.draw, vec![(MeshOf::Rasteriser, self.draw.lone())])?;
        Ok(match meshes.pop() {
            Some(Ok(mesh)) => meshlet::compare(self.meshes, own, beside, (&mesh, self.draw.shader.predicated), opens),
            // Then what is written is compared alone.
            Some(Err(why)) => {
                let note = format!("vertices and primitives are not compared: {why}");
                Compared { notes: vec![note], ..Compared::default() }
            }
            None => Compared::default(),
        })
    }
}
