//! Scenes of Bevy: culling by the GPU, deferred shading with what Bevy has behind it, and forward shading with glass.
//! Arguments: the scene (culling, deferred, forward), how many frames, the picture to write.
use bevy::anti_alias::taa::TemporalAntiAliasing;
use bevy::camera::{Exposure, Hdr};
use bevy::core_pipeline::oit::OrderIndependentTransparencySettings;
use bevy::core_pipeline::prepass::{DeferredPrepass, DepthPrepass, MotionVectorPrepass, NormalPrepass};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::atmosphere::ScatteringMedium;
use bevy::light::{Atmosphere, AtmosphereEnvironmentMapLight, FogVolume, VolumetricFog, VolumetricLight};
use bevy::pbr::{
    AtmosphereSettings, ContactShadows, DefaultOpaqueRendererMethod, ScreenSpaceAmbientOcclusion,
    ScreenSpaceReflections,
};
use bevy::post_process::bloom::Bloom;
use bevy::post_process::dof::{DepthOfField, DepthOfFieldMode};
use bevy::post_process::motion_blur::MotionBlur;
use bevy::prelude::*;
use bevy::render::occlusion_culling::OcclusionCulling;
use bevy::render::view::screenshot::{Screenshot, save_to_disk};
use bevy::time::TimeUpdateStrategy;
use bevy::window::{PresentMode, WindowResolution};
use std::time::Duration;

#[derive(Resource)]
struct Told {
    scene: String,
    frames: u32,
    picture: String,
}

#[derive(Component)]
struct Turns(f32);

fn main() {
    let mut words = std::env::args().skip(1);
    let told = Told {
        scene: words.next().unwrap(),
        frames: words.next().unwrap().parse().unwrap(),
        picture: words.next().unwrap(),
    };
    let mut app = App::new();
    if told.scene == "deferred" {
        app.insert_resource(DefaultOpaqueRendererMethod::deferred());
    }
    let size = WindowResolution::new(400, 300).with_scale_factor_override(1.0);
    app.insert_resource(ClearColor(Color::srgb(0.05, 0.06, 0.1)))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(16)))
        .add_plugins(
            DefaultPlugins
                .set(WindowPlugin {
                    primary_window: Some(Window {
                        title: told.scene.clone(),
                        resolution: size,
                        resizable: false,
                        present_mode: PresentMode::AutoNoVsync,
                        ..default()
                    }),
                    ..default()
                })
                .set(bevy::render::RenderPlugin { synchronous_pipeline_compilation: true, ..default() }),
        )
        .insert_resource(told)
        .add_systems(Startup, setup)
        .add_systems(Update, (turn, end))
        .run();
}

fn turn(time: Res<Time>, mut all: Query<(&mut Transform, &Turns)>) {
    for (mut at, speed) in &mut all {
        at.rotation = Quat::from_euler(EulerRot::XYZ, 0.3 * speed.0, time.elapsed_secs() * speed.0, 0.1);
    }
}

fn end(mut count: Local<u32>, told: Res<Told>, mut commands: Commands, mut exit: MessageWriter<AppExit>) {
    *count += 1;
    if *count == told.frames {
        commands.spawn(Screenshot::primary_window()).observe(save_to_disk(told.picture.clone()));
    }
    if *count > told.frames && (std::path::Path::new(&told.picture).exists() || *count > told.frames + 400) {
        println!("bevy {} {}", told.scene, std::path::Path::new(&told.picture).exists());
        exit.write(AppExit::Success);
    }
}

fn setup(
    told: Res<Told>,
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut mediums: ResMut<Assets<ScatteringMedium>>,
) {
    match told.scene.as_str() {
        "culling" => culling(&mut commands, &mut meshes, &mut materials),
        "deferred" => deferred(&mut commands, &mut meshes, &mut materials, &mut mediums),
        _ => forward(&mut commands, &mut meshes, &mut materials),
    }
}

fn culling(commands: &mut Commands, meshes: &mut Assets<Mesh>, materials: &mut Assets<StandardMaterial>) {
    let (cube, silver) = (meshes.add(Cuboid::new(0.1, 0.1, 0.1)), materials.add(Color::srgb(0.75, 0.75, 0.7)));
    let parent = commands.spawn((Transform::default(), Visibility::default(), Turns(0.6))).id();
    let sphere = Sphere::new(3.0).mesh().ico(5).unwrap();
    for at in sphere.attribute(Mesh::ATTRIBUTE_POSITION).unwrap().as_float3().unwrap() {
        let place = Transform::from_translation(Vec3::from_slice(at));
        let one = commands.spawn((Mesh3d(cube.clone()), MeshMaterial3d(silver.clone()), place)).id();
        commands.entity(parent).add_child(one);
    }
    commands.spawn((
        Mesh3d(meshes.add(Cuboid::new(2.0, 2.0, 2.0))),
        MeshMaterial3d(materials.add(Color::srgb(0.9, 0.3, 0.2))),
        Transform::IDENTITY,
        Turns(1.0),
    ));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_rotation(Quat::from_euler(EulerRot::ZYX, 0.0, -0.5, -0.5)),
    ));
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(0.0, 0.0, 9.0).looking_at(Vec3::ZERO, Vec3::Y),
        DepthPrepass,
        OcclusionCulling,
        Msaa::Off,
    ));
}

fn things(commands: &mut Commands, meshes: &mut Assets<Mesh>, materials: &mut Assets<StandardMaterial>) {
    let floor = StandardMaterial { base_color: Color::srgb(0.3, 0.35, 0.3), perceptual_roughness: 0.2, ..default() };
    commands
        .spawn((Mesh3d(meshes.add(Plane3d::default().mesh().size(20.0, 20.0))), MeshMaterial3d(materials.add(floor))));
    let shapes = [
        meshes.add(Sphere::new(0.5).mesh().ico(4).unwrap()),
        meshes.add(Torus::default()),
        meshes.add(Cuboid::default()),
    ];
    for index in 0..9_u8 {
        let (row, column) = (f32::from(index / 3), f32::from(index % 3));
        let material = StandardMaterial {
            base_color: Color::hsl(f32::from(index) * 40.0, 0.8, 0.5),
            metallic: column / 2.0,
            perceptual_roughness: 0.1 + row * 0.3,
            ..default()
        };
        commands.spawn((
            Mesh3d(shapes[usize::from(index % 3)].clone()),
            MeshMaterial3d(materials.add(material)),
            Transform::from_xyz(column * 1.6 - 1.6, 0.6, row * 1.6 - 1.6),
            Turns(1.0 + column),
        ));
    }
}

fn sun() -> (DirectionalLight, Transform) {
    let light = DirectionalLight { shadow_maps_enabled: true, illuminance: 20_000.0, ..default() };
    (light, Transform::from_xyz(3.0, 6.0, 2.0).looking_at(Vec3::ZERO, Vec3::Y))
}

fn deferred(
    commands: &mut Commands,
    meshes: &mut Assets<Mesh>,
    materials: &mut Assets<StandardMaterial>,
    mediums: &mut Assets<ScatteringMedium>,
) {
    things(commands, meshes, materials);
    commands.spawn((sun(), VolumetricLight));
    commands.spawn(Atmosphere::earth(mediums.add(ScatteringMedium::earth(64, 64))));
    commands.spawn((FogVolume { density_factor: 0.02, ..default() }, Transform::from_scale(Vec3::splat(12.0))));
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(-3.5, 2.2, 4.5).looking_at(Vec3::new(0.0, 0.4, 0.0), Vec3::Y),
        (Hdr, Msaa::Off, Exposure { ev100: 12.0 }, Tonemapping::AcesFitted, Bloom::NATURAL),
        (DepthPrepass, NormalPrepass, MotionVectorPrepass, DeferredPrepass),
        (AtmosphereSettings::default(), AtmosphereEnvironmentMapLight::default()),
        VolumetricFog { ambient_intensity: 0.1, ..default() },
        (ScreenSpaceAmbientOcclusion::default(), ScreenSpaceReflections::default(), ContactShadows::default()),
        (TemporalAntiAliasing::default(), MotionBlur::default()),
    ));
}

fn forward(commands: &mut Commands, meshes: &mut Assets<Mesh>, materials: &mut Assets<StandardMaterial>) {
    things(commands, meshes, materials);
    commands.spawn(sun());
    for (index, at) in [Vec3::new(-2.0, 2.0, 1.0), Vec3::new(2.0, 1.5, -1.0)].into_iter().enumerate() {
        let color = Color::hsl(index as f32 * 180.0, 0.9, 0.6);
        let light = PointLight { shadow_maps_enabled: true, intensity: 300_000.0, color, ..default() };
        commands.spawn((light, Transform::from_translation(at)));
    }
    commands.spawn((
        SpotLight { shadow_maps_enabled: true, intensity: 2_000_000.0, outer_angle: 0.5, ..default() },
        Transform::from_xyz(0.0, 5.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    for index in 0..4_u8 {
        let glass = StandardMaterial {
            base_color: Color::hsla(f32::from(index) * 90.0, 0.9, 0.5, 0.4),
            alpha_mode: AlphaMode::Blend,
            ..default()
        };
        commands.spawn((
            Mesh3d(meshes.add(Sphere::new(0.8).mesh().uv(24, 18))),
            MeshMaterial3d(materials.add(glass)),
            Transform::from_xyz(f32::from(index) * 0.7 - 1.0, 1.0, 2.5),
        ));
    }
    let clear = StandardMaterial {
        base_color: Color::WHITE,
        specular_transmission: 0.9,
        thickness: 1.0,
        ior: 1.4,
        perceptual_roughness: 0.12,
        ..default()
    };
    commands.spawn((
        Mesh3d(meshes.add(Sphere::new(0.7).mesh().uv(24, 18))),
        MeshMaterial3d(materials.add(clear)),
        Transform::from_xyz(-2.2, 0.8, 2.4),
    ));
    commands.spawn((
        Camera3d {
            depth_texture_usages: (bevy::render::render_resource::TextureUsages::RENDER_ATTACHMENT
                | bevy::render::render_resource::TextureUsages::TEXTURE_BINDING)
                .into(),
            ..default()
        },
        Transform::from_xyz(-2.5, 2.4, 6.0).looking_at(Vec3::new(0.0, 0.4, 0.0), Vec3::Y),
        (Hdr, Msaa::Off, Tonemapping::AcesFitted),
        (DepthPrepass, OrderIndependentTransparencySettings::default()),
        DepthOfField { mode: DepthOfFieldMode::Bokeh, focal_distance: 5.0, aperture_f_stops: 0.05, ..default() },
    ));
}
