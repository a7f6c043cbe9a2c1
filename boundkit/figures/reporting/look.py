"""How the report looks, on a screen and on paper."""

CSS = """
:root { color-scheme: light; --ink: #1b1f24; --faint: #6b7280; --line: #e5e7eb; --blue: #0a58cc; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 70rem; color: var(--ink); background: #fff;
  font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Verdana, sans-serif; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.45rem; line-height: 1.3; margin: 3rem 0 .8rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
a { color: var(--blue); text-decoration: none; } a:hover { text-decoration: underline; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
h2 code { font-weight: 600; font-size: .95em; }
.source, .small, footer, .up { color: var(--faint); font-size: .9rem; }
.source { margin: -.4rem 0 .6rem; }
footer { margin-top: 4rem; border-top: 1px solid var(--line); padding-top: 1rem; }
nav { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.3rem; margin: 1.5rem 0; }
nav h2 { margin: 0; font-size: 1.1rem; } nav p { margin: .3rem 0 .6rem; } nav p a { margin-right: 1.2rem; }
nav ol { columns: 20rem 3; list-style: none; margin: 0; padding: 0; font-size: .9rem; }
nav li { break-inside: avoid; padding-left: 1.1rem; position: relative; }
.counts { display: flex; flex-wrap: wrap; gap: 1.4rem; list-style: none; padding: 0; margin: 0 0 .8rem; }
.counts li { font-size: 1.15rem; font-weight: 600; }
.badge { display: inline-block; border-radius: 1rem; padding: .05rem .6rem; font-size: .8rem;
  font-weight: 600; white-space: nowrap; vertical-align: middle; border: 1px solid; }
.holds { color: #0b6b3a; background: #e7f6ee; border-color: #9fd8ba; }
.violated { color: #a50d25; background: #fdeaec; border-color: #f0a7b1; }
.undecided { color: #8a5300; background: #fff4e0; border-color: #eecb8d; }
.not-applicable, .not-tested { color: #4b5563; background: #f3f4f6; border-color: #d1d5db; }
.dot { position: absolute; left: 0; top: .45em; width: .6em; height: .6em; border-radius: 50%;
  border: 1px solid; padding: 0; }
.dot.holds { background: #2aa866; } .dot.violated { background: #c8102e; }
.dot.undecided { background: #e09a1a; }
.bad { color: #a50d25; font-weight: 700; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th { text-align: left; color: var(--faint); font-weight: 600; border-bottom: 2px solid var(--line);
  padding: .35rem .7rem .35rem 0; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: .4rem .7rem .4rem 0; vertical-align: top;
  font-variant-numeric: tabular-nums; }
table.verdicts td:first-child { max-width: 15rem; }
td ul { margin: .1rem 0 0; padding: 0; list-style: none; font-size: .82rem; color: #374151; }
.picture { display: block; width: 100%; height: auto; margin: .6rem 0; }
.formula { vertical-align: middle; max-width: 100%; }
td ul i { font-family: "DejaVu Serif", Georgia, serif; }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .5em; }
details { margin: .8rem 0; font-size: .88rem; } summary { cursor: pointer; color: var(--blue); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f9fafb; border: 1px solid var(--line);
  border-radius: .4rem; padding: .8rem; font-size: .78rem; max-height: 20rem; overflow-y: auto; }
@media print {
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  a { color: inherit; }
  .theorem { break-before: page; }
  h2, h3 { break-after: avoid; } tr, img.picture { break-inside: avoid; }
  details, .up { display: none; }
  .wide { overflow: visible; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
