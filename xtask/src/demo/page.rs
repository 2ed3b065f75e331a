//! The page of the demo: one file, no scripts, nothing loaded from elsewhere.

use super::Verdict;
use super::figures::Figures;
use super::picture::Pair;
use std::fmt::Write;

const STYLE: &str = "
:root{--ink:#1d2430;--soft:#5d6878;--line:#dde2ea;--page:#f6f7f9;--card:#fff;--good:#1a7f4b;--bad:#b3261e;--bar:#4f7cac}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#97a3b4;--line:#2c3440;--page:#12161c;--card:#1a2028;
--good:#5fc992;--bad:#ff8a80;--bar:#6f9bc9}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:62rem;margin:0 auto;padding:3rem 1.5rem 5rem}
h1{font-size:2.1rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.02em}
h2{font-size:1.15rem;margin:3rem 0 1rem}
p{margin:.3rem 0;color:var(--soft);max-width:46rem}
.verdict{display:inline-block;margin:1.4rem 0 0;padding:.35rem .9rem;border-radius:2rem;color:#fff;font-weight:600}
.good{background:var(--good)}.bad{background:var(--bad)}
@media(prefers-color-scheme:dark){.verdict{color:#0d1117}}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;margin:0}
dl div{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:.9rem 1.1rem}
dt{color:var(--soft);font-size:.83rem}dd{margin:.1rem 0 0;font-size:1.35rem;font-weight:600}
dd small{font-size:.8rem;font-weight:400;color:var(--soft)}
.pairs{display:grid;grid-template-columns:repeat(auto-fit,minmax(26rem,1fr));gap:1.2rem}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem}
figure>div{display:grid;grid-template-columns:1fr 1fr;gap:.6rem}
figure img{display:block;width:100%;border-radius:.35rem;background:#000}
figure span{display:block;color:var(--soft);font-size:.8rem;margin-bottom:.25rem}
figcaption{display:flex;justify-content:space-between;gap:1rem;margin-top:.7rem;font-size:.9rem}
figcaption b.good{background:none;color:var(--good)}figcaption b.bad{background:none;color:var(--bad)}
table{width:100%;border-collapse:collapse;font-size:.92rem}
td{padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:middle}
td.count{text-align:right;white-space:nowrap}td.bar{width:40%}
td.bar i{display:block;height:.55rem;border-radius:.3rem;background:var(--bar);min-width:2px}
code{font:.88em ui-monospace,monospace;overflow-wrap:anywhere}
@media(max-width:34rem){.pairs{grid-template-columns:1fr}}
";

/// The whole page.
pub(crate) fn html(figures: &Figures, verdict: &Verdict, pairs: &[Pair]) -> String {
    let mut page = String::with_capacity(1 << 20);
    page.push_str("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    let _ = write!(page, "<title>Reprise: a captured program and its replay</title><style>{STYLE}</style></head>");
    page.push_str("<body><main><h1>Captured, then replayed</h1>");
    let _ = write!(
        page,
        "<p><code>{}</code> ran under a virtual display while <code>reprise capture</code> recorded each of its calls; \
         then <code>reprise replay</code> made the same calls, without the program and without a display. \
         Both runs hashed every pixel of each frame.</p>",
        escape(&figures.program)
    );
    let (class, words) = if verdict.passed() {
        ("good", format!("All {} frames are equal, pixel for pixel", grouped(verdict.equal as u64)))
    } else {
        let first = verdict.first.as_deref().unwrap_or("none at all");
        ("bad", format!("{} of {} frames equal; first difference: {first}", verdict.equal, verdict.captured))
    };
    let _ = write!(page, "<div class=\"verdict {class}\">{}</div>", escape(&words));
    write_figures(&mut page, figures);
    write_pairs(&mut page, pairs);
    write_methods(&mut page, figures);
    page.push_str("</main></body></html>\n");
    page
}

fn write_figures(page: &mut String, figures: &Figures) {
    let recorded = figures.recorded.as_secs_f64();
    let each_call = figures.recorded.as_nanos() as f64 / figures.calls.max(1) as f64;
    let cards = [
        ("Frames", grouped(figures.frames), format!("{:.0} a second at capture", rate(figures.frames, recorded))),
        ("Calls", grouped(figures.calls), format!("from {}", threads(figures.threads))),
        ("Trace", megabytes(figures.bytes), format!("{:.1} bytes a call", figures.bytes_per_call())),
        (
            "Recorded time",
            format!("{recorded:.2} s"),
            format!("{each_call:.0} ns a call, the program's own work included"),
        ),
        ("Capture", format!("{:.2} s", figures.captured.as_secs_f64()), "wall time of the whole command".to_owned()),
        ("Replay", format!("{:.2} s", figures.replayed.as_secs_f64()), {
            format!("{:.0} frames a second, hashed", rate(figures.frames, figures.replayed.as_secs_f64()))
        }),
    ];
    let _ = write!(page, "<h2>Figures</h2><dl>");
    for (name, value, note) in cards {
        let _ = write!(page, "<div><dt>{name}</dt><dd>{value}<br><small>{}</small></dd></div>", escape(&note));
    }
    let _ = write!(page, "</dl><p>Adapter: {}</p>", escape(&figures.adapter));
}

fn write_pairs(page: &mut String, pairs: &[Pair]) {
    page.push_str("<h2>Frames side by side</h2><div class=\"pairs\">");
    for pair in pairs {
        let (class, word) = if pair.equal { ("good", "equal") } else { ("bad", "different") };
        let _ = write!(
            page,
            "<figure><div><div><span>captured</span><img alt=\"frame {0} as captured\" src=\"{1}\"></div>\
             <div><span>replayed</span><img alt=\"frame {0} as replayed\" src=\"{2}\"></div></div>\
             <figcaption>Frame {0}<b class=\"{class}\">{word}</b></figcaption></figure>",
            pair.frame,
            data_url(&pair.captured),
            data_url(&pair.replayed)
        );
    }
    page.push_str("</div>");
}

fn write_methods(page: &mut String, figures: &Figures) {
    let Some(most) = figures.methods.iter().map(|(_, count)| *count).max() else { return };
    page.push_str("<h2>What was called most</h2><table>");
    for (name, count) in &figures.methods {
        let _ = write!(
            page,
            "<tr><td><code>{}</code></td><td class=\"count\">{}</td><td class=\"bar\"><i style=\"width:{:.1}%\"></i></td></tr>",
            escape(name),
            grouped(*count),
            *count as f64 * 100.0 / most.max(1) as f64
        );
    }
    page.push_str("</table>");
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
