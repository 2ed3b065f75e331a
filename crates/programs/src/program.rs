//! The programs.

mod aliasing;
mod arithmetic;
mod aspects;
mod atomics;
mod barriers;
mod barycentrics;
mod beside;
mod bindless;
mod blending;
mod blocks;
mod borders;
mod boundaries;
mod bounds;
mod breadcrumbs;
mod bundles;
mod clear_orders;
mod clears;
mod comparisons;
mod compute;
mod conditions;
mod conservative;
mod copies;
mod costs;
mod counters;
mod decompression;
mod demands;
mod depth;
mod depth_bias;
mod dispatches;
mod dxgi;
mod either;
mod feedback;
mod feedback_levels;
mod filters;
mod folded;
mod formats;
mod generic_programs;
mod hosted;
mod indirect;
mod interop;
mod kept_bundles;
mod kept_maps;
mod lines;
mod many_draws;
mod many_views;
mod markers;
mod memories;
mod mesh;
mod mesh_atomics;
mod mesh_derivatives;
mod mesh_statistics;
mod messages;
mod micromaps;
mod multisamples;
mod narrow;
mod no_numbers;
mod ordered;
mod outputs;
mod overlaps;
mod passes;
mod pipelines;
mod pixels;
mod placed;
mod planes;
mod positions;
mod predication;
mod prepass;
mod presents;
mod promises;
mod quads;
mod queries;
mod queues;
mod rates;
mod ray_queries;
mod rays;
mod rays_foreign;
mod rays_samplers;
mod rays_texture;
mod reached;
mod relaxed;
mod remapped;
mod resolves;
mod roots;
mod sample_inputs;
mod samplers;
mod samples;
mod shapes;
mod shares;
mod simultaneous;
mod sizes;
mod stages;
mod stale;
mod starts;
mod stencils;
mod steps;
mod stream_output;
mod stream_parts;
mod streaming;
mod structures;
mod subresources;
mod tables;
mod targets;
mod textures;
mod threads;
mod tile_layers;
mod tile_texels;
mod tiles;
mod topologies;
mod uavs;
pub(crate) mod undefined;
mod vertices;
mod video;
mod view_instances;
mod viewports;
mod views;
mod volumes;
mod ways;
mod work_graphs;
mod worth;
mod writers;
pub(crate) mod wrong;
mod wrong_descriptors;
mod zeroes;

use crate::digest::Digest;
use crate::failure::Failure;
use crate::stage::Stage;

/// One program.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// What it exercises, in a line.
    pub(crate) about: &'static str,
    /// Runs it; the digest is of everything that it read back.
    pub(crate) run: fn(&Stage) -> Result<Digest, Failure>,
}

/// All of them, in the order of `--list`.
pub(crate) const ALL: &[Program] = &[
    compute::PROGRAM,
    arithmetic::DOUBLES,
    arithmetic::WIDE,
    folded::PROGRAM,
    narrow::HALVES,
    narrow::NARROW,
    atomics::BUFFERS,
    atomics::GROUPS,
    atomics::HEAP,
    atomics::TYPED,
    tables::PROGRAM,
    bindless::PROGRAM,
    many_views::PROGRAM,
    streaming::PROGRAM,
    writers::PROGRAM,
    memories::PROGRAM,
    kept_maps::PROGRAM,
    threads::PROGRAM,
    queues::ORDERED,
    queues::WAITING,
    simultaneous::PROGRAM,
    aliasing::PROGRAM,
    either::PROGRAM,
    placed::PROGRAM,
    placed::TILES,
    hosted::PROGRAM,
    demands::DEMANDS,
    demands::RAYS,
    interop::PROGRAM,
    dispatches::SIZES,
    dispatches::COUNTS,
    dispatches::ROOTS,
    dispatches::LATE,
    dxgi::PROGRAM,
    textures::PROGRAM,
    samplers::TEXELS,
    samplers::HEAPS,
    samplers::PLAIN_READS,
    samplers::ANISOTROPY,
    samplers::POINTS,
    filters::PROGRAM,
    borders::BORDERS_OF_COLOURS,
    borders::BORDERS_OF_ALPHA,
    comparisons::PROGRAM,
    blocks::PROGRAM,
    depth::PROGRAM,
    depth_bias::PROGRAM,
    stencils::PROGRAM,
    bounds::PROGRAM,
    conservative::PROGRAM,
    vertices::PROGRAM,
    vertices::INDIRECT,
    starts::PROGRAM,
    topologies::TOPOLOGIES,
    topologies::NEIGHBOURS,
    topologies::CUT_LISTS,
    lines::PROGRAM,
    targets::PROGRAM,
    targets::BEHIND,
    clear_orders::PROGRAM,
    shares::DEVICES,
    shares::PROCESSES,
    sizes::PROGRAM,
    blending::BLENDING,
    blending::LOGIC,
    samples::PROGRAM,
    sample_inputs::PROGRAM,
    resolves::PROGRAM,
    bundles::PROGRAM,
    kept_bundles::PROGRAM,
    pipelines::STRUCTURES,
    pipelines::STREAMS,
    stages::GEOMETRY,
    stages::TESSELLATION,
    indirect::DRAWS,
    indirect::STATE,
    roots::ROOTS,
    roots::NUMBERS,
    roots::CUTS,
    reached::PASSES,
    reached::BUNDLES,
    reached::POINTERS,
    mesh::PROGRAM,
    mesh_statistics::PROGRAM,
    mesh_derivatives::PROGRAM,
    mesh_atomics::PROGRAM,
    view_instances::LOCATIONS,
    view_instances::PROGRAM,
    rates::PROGRAM,
    rates::PRIMITIVES,
    positions::PROGRAM,
    positions::ALONE,
    positions::FORCED,
    uavs::STORES,
    uavs::LOADS,
    uavs::PARTS,
    ordered::PROGRAM,
    multisamples::PROGRAM,
    quads::PROGRAM,
    feedback::PROGRAM,
    feedback_levels::PROGRAM,
    ray_queries::PROGRAM,
    structures::PROGRAM,
    micromaps::PROGRAM,
    rays::PROGRAM,
    rays::BUNDLED,
    rays::COUNTED,
    rays::GROWN,
    rays_texture::PROGRAM,
    rays_foreign::PROGRAM,
    rays_samplers::PROGRAM,
    work_graphs::PROGRAM,
    generic_programs::PROGRAM,
    decompression::PROGRAM,
    counters::PROGRAM,
    costs::PROGRAM,
    beside::PROGRAM,
    worth::PROGRAM,
    barriers::PROGRAM,
    copies::PROGRAM,
    overlaps::PROGRAM,
    relaxed::DIMENSIONS,
    relaxed::PITCHES,
    relaxed::HEAPS,
    subresources::PROGRAM,
    tiles::PROGRAM,
    tiles::BLOCKS,
    volumes::PROGRAM,
    tile_layers::PROGRAM,
    tile_texels::PROGRAM,
    remapped::PROGRAM,
    video::PROGRAM,
    planes::PROGRAM,
    aspects::PROGRAM,
    queries::QUERIES,
    queries::OWN_WORK,
    queries::TIMESTAMPS,
    stream_output::PROGRAM,
    stream_parts::PROGRAM,
    predication::PREDICATION,
    predication::WRITES,
    markers::PROGRAM,
    breadcrumbs::PROGRAM,
    messages::PROGRAM,
    many_draws::PROGRAM,
    clears::CLEARS,
    clears::SLICES,
    conditions::QUERIES,
    conditions::TRANSFERS,
    passes::PROGRAM,
    passes::WHOLE,
    viewports::PROGRAM,
    outputs::OUTPUTS,
    outputs::COVERAGE,
    pixels::PROGRAM,
    prepass::PROGRAM,
    barycentrics::PROGRAM,
    formats::PROGRAM,
    formats::ODD,
    formats::INDIRECT,
    views::VIEWS,
    views::LINES,
    views::LAYERS,
    views::STENCIL,
    views::NULL,
    zeroes::PROGRAM,
    ways::WAYS,
    ways::BOTH,
    presents::PROGRAM,
    boundaries::PROGRAM,
    steps::PROGRAM,
    promises::TIGHT,
    promises::STATES,
    promises::GROUPS,
];
