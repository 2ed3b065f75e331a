//! The page of the demo: one file, no scripts, nothing loaded from elsewhere.

use super::Shown;
use super::crop::Crop;
use super::figures::Figures;
use super::picture::{Replayed, Row};
use super::tour::Stop;
use std::fmt::Write;

const STYLE: &str = "
:root{--ink:#1d2430;--soft:#5d6878;--line:#dde2ea;--page:#f6f7f9;--card:#fff;--good:#1a7f4b;--near:#8a5a00;--bad:#b3261e;
--mark:#e0007a}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#97a3b4;--line:#2c3440;--page:#12161c;--card:#1a2028;
--good:#5fc992;--near:#e6b450;--bad:#ff8a80;--mark:#ff5cb0}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:64rem;margin:0 auto;padding:3rem 1.5rem 5rem}
h1{font-size:2.1rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.02em}
h2{font-size:1.4rem;margin:3.2rem 0 .8rem}h2 code{font-size:1em}h3{font-size:1rem;margin:2rem 0 .8rem}
p{margin:.3rem 0;color:var(--soft);max-width:46rem}
ul.verdicts{list-style:none;margin:0 0 1.2rem;padding:0}
ul.verdicts li{margin:.25rem 0;padding-left:1.5rem;position:relative;color:var(--soft)}
ul.verdicts b{color:var(--ink)}
ul.verdicts li::before{position:absolute;left:0;font-weight:700}
li.good::before{content:'✓';color:var(--good)}li.near::before{content:'≈';color:var(--near)}
li.bad::before{content:'✗';color:var(--bad)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.2rem,1fr));gap:.8rem;margin:0 0 1.2rem}
dl div,figure{background:var(--card);border:1px solid var(--line);border-radius:.7rem}
dl div{padding:.8rem 1rem}
dt{color:var(--soft);font-size:.83rem}dd{margin:.1rem 0 0;font-size:1.3rem;font-weight:600}
dd small{display:block;font-size:.78rem;font-weight:400;line-height:1.35;color:var(--soft)}
figure{margin:0 0 1.2rem;padding:1rem}
figure>div{display:grid;grid-template-columns:repeat(3,1fr);gap:.8rem}
figure img{display:block;width:100%;border-radius:.35rem;background:#000}
figure span{display:flex;justify-content:space-between;gap:.5rem;font-size:.83rem;color:var(--soft);margin-top:.4rem}
figcaption{font-size:.9rem;margin:0 0 .7rem;font-weight:600}
.good{color:var(--good)}.near{color:var(--near)}.bad{color:var(--bad)}
.close{margin-top:1rem;display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:1.2rem}
.close figure>div{grid-template-columns:1fr 1fr}
.close img{image-rendering:pixelated;aspect-ratio:1}
.pixels{position:relative}.pixels i{position:absolute;outline:2px solid var(--mark);border-radius:1px}
pre{margin:0 0 1.2rem;padding:1rem;overflow-x:auto;font:.8rem/1.5 ui-monospace,monospace;background:var(--card);
border:1px solid var(--line);border-radius:.7rem}
code{font:.88em ui-monospace,monospace;overflow-wrap:anywhere}
@media(max-width:40rem){figure>div{gap:.4rem}main{padding:2rem 1rem 3rem}}
";

/// The whole page.
pub(super) fn html(programs: &[Shown], stops: &[Stop]) -> String {
    let mut page = String::with_capacity(1 << 20);
    page.push_str("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    let _ = write!(
        page,
        "<title>Reprise: captured, replayed, replayed on our own runtime</title><style>{STYLE}</style></head>"
    );
    page.push_str("<body><main><h1>Captured, then replayed on two runtimes</h1>");
    page.push_str(
        "<p>Each program ran on Debian’s libvkd3d under a virtual display while <code>reprise capture</code> recorded its \
         calls. <code>reprise replay</code> then made the same calls without the program and without a display: on libvkd3d, \
         and on Reprise’s own Direct3D 12 runtime. Every pixel of every frame is compared.</p>",
    );
    if let Some(first) = programs.first() {
        let _ = write!(page, "<p>Adapter: {}</p>", escape(&first.figures.adapter));
    }
    for program in programs {
        let _ = write!(page, "<h2><code>{}</code></h2>", escape(program.name));
        write_verdicts(&mut page, program);
        write_figures(&mut page, &program.figures);
        program.rows.iter().for_each(|row| write_row(&mut page, row));
        write_crops(&mut page, &program.crops);
    }
    stops.iter().for_each(|stop| write_stop(&mut page, stop));
    page.push_str("</main></body></html>\n");
    page
}

fn write_stop(page: &mut String, stop: &Stop) {
    let (title, why) = (escape(stop.title), escape(stop.why));
    let _ = write!(
        page,
        "<h2>{title}</h2><p>{why}</p><pre><b>$ {}</b>\n{}</pre>",
        escape(&stop.command),
        escape(&stop.said)
    );
    if let Some(png) = &stop.picture {
        let _ = write!(page, "<figure><img alt=\"{title}\" src=\"{}\"></figure>", data_url(png));
    }
}

fn write_verdicts(page: &mut String, program: &Shown) {
    let Shown { theirs, ours, differences, .. } = program;
    let all = |count: usize| match count {
        1 => "its frame as captured, pixel for pixel".to_owned(),
        _ => format!("all {} frames as captured, pixel for pixel", grouped(count as u64)),
    };
    let line = |page: &mut String, class: &str, runtime: &str, words: &str| {
        let _ = write!(page, "<li class=\"{class}\"><b>{runtime}:</b> {}</li>", escape(words));
    };
    page.push_str("<ul class=\"verdicts\">");
    if theirs.passed() {
        line(page, "good", "libvkd3d", &all(theirs.equal));
    } else {
        line(page, "bad", "libvkd3d", &theirs.line());
    }
    if ours.passed() {
        line(page, "good", "our runtime", &all(ours.equal));
    } else {
        let words = format!(
            "{} of {} frames as captured; in the other {}, {} of {} pixels differ",
            grouped(ours.equal as u64),
            grouped(ours.captured as u64),
            grouped(differences.frames),
            grouped(differences.pixels),
            grouped(differences.of),
        );
        line(page, if differences.rounding { "near" } else { "bad" }, "our runtime", &words);
    }
    page.push_str("</ul>");
}

fn write_figures(page: &mut String, figures: &Figures) {
    let seconds = figures.replayed.map(|time| time.as_secs_f64());
    // A rate of a few frames says nothing.
    let each_second = |seconds: f64, what: &str| match figures.frames {
        0..10 => what.to_owned(),
        frames => format!("{:.0} frames a second, {what}", rate(frames, seconds)),
    };
    let cards = [
        ("Frames", grouped(figures.frames), each_second(figures.recorded.as_secs_f64(), "captured")),
        ("Calls", grouped(figures.calls), format!("from {}", threads(figures.threads))),
        ("Trace", megabytes(figures.bytes), format!("{:.1} bytes a call", figures.bytes_per_call())),
        ("Capture", format!("{:.2} s", figures.captured.as_secs_f64()), "the whole command".to_owned()),
        ("Replay, libvkd3d", format!("{:.2} s", seconds[0]), each_second(seconds[0], "hashed")),
        ("Replay, ours", format!("{:.2} s", seconds[1]), each_second(seconds[1], "hashed")),
    ];
    page.push_str("<dl>");
    for (name, value, note) in cards {
        let _ = write!(page, "<div><dt>{name}</dt><dd>{value}<small>{}</small></dd></div>", escape(&note));
    }
    page.push_str("</dl>");
}

fn write_row(page: &mut String, row: &Row) {
    let _ = write!(
        page,
        "<figure><figcaption>Frame {0}</figcaption><div>\
         <div><img alt=\"frame {0} as captured\" src=\"{1}\"><span>captured</span></div>",
        row.frame,
        data_url(&row.captured),
    );
    for (runtime, replayed) in [("libvkd3d", &row.theirs), ("our runtime", &row.ours)] {
        let _ = write!(
            page,
            "<div><img alt=\"frame {} replayed on {runtime}\" src=\"{}\"><span>replayed on {runtime}{}</span></div>",
            row.frame,
            data_url(&replayed.png),
            likeness(replayed),
        );
    }
    page.push_str("</div></figure>");
}

fn likeness(replayed: &Replayed) -> String {
    match replayed.different {
        0 => "<b class=\"good\">equal</b>".to_owned(),
        1 => "<b class=\"near\">1 pixel differs</b>".to_owned(),
        count => format!("<b class=\"near\">{} pixels differ</b>", grouped(count as u64)),
    }
}

fn write_crops(page: &mut String, crops: &[Crop]) {
    if crops.is_empty() {
        return;
    }
    page.push_str(
        "<h3>The largest differences, pixel by pixel</h3><p>libvkd3d leaves to the driver in which order the products of a dot \
         product are added, and lets it simplify; ours adds in the order of the components, as vkd3d-proton does. The last bit of \
         a vertex then moves an edge over the centre of a pixel. docs/measurements.md has the proof.</p><div class=\"close\">",
    );
    for crop in crops {
        let (x, y) = crop.first;
        let (left, top, size) = (crop.mark.0 * 100.0, crop.mark.1 * 100.0, crop.mark.2 * 100.0);
        let _ = write!(page, "<figure><figcaption>Frame {}: pixel ({x}, {y}), by {} of 255", crop.frame, crop.step);
        if crop.pixels > 1 {
            let _ = write!(page, ", and {} more", crop.pixels - 1);
        }
        page.push_str("</figcaption><div>");
        for (runtime, png) in [("libvkd3d", &crop.theirs), ("our runtime", &crop.ours)] {
            let _ = write!(
                page,
                "<div><div class=\"pixels\"><img alt=\"\" src=\"{}\"><i style=\"left:{left:.3}%;top:{top:.3}%;\
                 width:{size:.3}%;height:{size:.3}%\"></i></div><span>{runtime}</span></div>",
                data_url(png)
            );
        }
        page.push_str("</div></figure>");
    }
    page.push_str("</div>");
}

fn threads(count: u64) -> String {
    if count == 1 { "1 thread".to_owned() } else { format!("{count} threads") }
}

fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

/// Thousands apart by a thin space.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Text as HTML: what a trace says is never markup.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A PNG as part of the page.
fn data_url(png: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut url = String::with_capacity(png.len() / 3 * 4 + 32);
    url.push_str("data:image/png;base64,");
    for group in png.chunks(3) {
        let word = group.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for index in 0..4 {
            if index <= group.len() {
                url.push(char::from(DIGITS[(word >> (18 - 6 * index)) as usize & 63]));
            } else {
                url.push('=');
            }
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_its_specification_lists_it() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(data_url(bytes.as_bytes()), format!("data:image/png;base64,{text}"));
        }
    }

    #[test]
    fn a_trace_cannot_put_markup_on_the_page() {
        assert_eq!(escape("<img src=\"x\">&"), "&lt;img src=&quot;x&quot;&gt;&amp;");
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234), "1\u{202f}234");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
