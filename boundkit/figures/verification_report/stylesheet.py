"""How the report looks, on a screen and on paper."""

CSS = """
:root { color-scheme: light; --ink: #1b1f24; --faint: #6b7280; --line: #e5e7eb; --blue: #0a58cc; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 84rem; color: var(--ink); background: #fff;
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
.ways a { margin-right: 1.2rem; }
.counts { display: flex; flex-wrap: wrap; gap: 1.4rem; list-style: none; padding: 0; margin: 0 0 .8rem; }
.counts li { font-size: 1.15rem; font-weight: 600; }
.badge { display: inline-block; border-radius: 1rem; padding: .05rem .6rem; font-size: .8rem;
  font-weight: 600; white-space: nowrap; vertical-align: middle; border: 1px solid; }
.holds { color: #0b6b3a; background: #e7f6ee; border-color: #9fd8ba; }
.violated { color: #a50d25; background: #fdeaec; border-color: #f0a7b1; }
.undecided { color: #8a5300; background: #fff4e0; border-color: #eecb8d; }
.not-applicable, .not-tested { color: #4b5563; background: #f3f4f6; border-color: #d1d5db; }
.bad { color: #a50d25; font-weight: 700; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th { text-align: left; color: var(--faint); font-weight: 600; border-bottom: 2px solid var(--line);
  padding: .35rem .7rem .35rem 0; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: .4rem .7rem .4rem 0; vertical-align: top;
  font-variant-numeric: tabular-nums; }
table.verdicts td:first-child { min-width: 15rem; } td:nth-child(2) .badge { white-space: nowrap; }
small { color: var(--faint); font-size: .85em; }
td ul { margin: .1rem 0 0; padding: 0; list-style: none; font-size: .92em; color: #374151; }
td ul i { font-family: "DejaVu Serif", Georgia, serif; }
.picture { display: block; width: 100%; max-width: 62rem; height: auto; margin: .6rem 0; }
.picture * { stroke-linejoin: round; stroke-linecap: butt; }
.formula { vertical-align: middle; max-width: 100%; height: auto; fill: currentColor; overflow: visible; }
.theorem > p, .theorem > .wide, header > p, #glance > p { max-width: 62rem; }
.glance { display: grid; gap: 0 2.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); }
.glance ol { list-style: none; margin: 0; padding: 0; }
.glance li { display: grid; grid-template-columns: minmax(10rem, 19rem) 1fr 3.6rem; gap: .7rem;
  align-items: center; border-bottom: 1px solid var(--line); font-size: .88rem; line-height: 1.25;
  padding: .12rem 0; font-variant-numeric: tabular-nums; }
.glance .scale { color: var(--faint); border: 0; }
.track { position: relative; height: 1.3rem; } .track > * { position: absolute; top: 50%; }
.track s { transform: translate(-50%, -50%); text-decoration: none; white-space: nowrap; }
.track q { top: -.15rem; bottom: -.15rem; border-left: 2px solid var(--ink); quotes: none; }
.track i, .track b { border-radius: 50%; transform: translate(-50%, -50%); border: 0; padding: 0; }
.track i { width: .5rem; height: .5rem; background: #4b5563; opacity: .6; }
.track b { width: .85rem; height: .85rem; background: var(--blue); outline: 2px solid #fff; }
.track b.violated { background: #c8102e; border-radius: 0; } .track b.undecided { background: #ae6a00; }
.track b.lower { border-radius: 0; clip-path: polygon(100% 0, 100% 100%, 0 50%); outline: 0; }
.track u { height: 3px; margin-top: -1px; background: var(--blue); text-decoration: none;
  border: 0; padding: 0; }
.track u.violated { background: #c8102e; } .track u.undecided { background: #ae6a00; }
.track em { position: static; font-style: normal; font-size: .92em; background: none; }
.pairs { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.4rem; max-width: 62rem; }
.pairs dd { margin: 0; } .theorem > ul { max-width: 62rem; padding-left: 1.2rem; }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .5em; }
details { margin: .8rem 0; font-size: .88rem; } summary { cursor: pointer; color: var(--blue); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f9fafb; border: 1px solid var(--line);
  border-radius: .4rem; padding: .8rem; font-size: .78rem; max-height: 20rem; overflow-y: auto; }
@media (max-width: 640px) {
  body { padding: 1rem .9rem 3rem; } h1 { font-size: 1.7rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
  .glance li { grid-template-columns: 1fr 3.4rem; gap: 0 .6rem; padding: .3rem 0; }
  .glance li > :first-child { grid-column: 1 / 3; } .glance .scale > :first-child { display: none; }
  .wide { overflow: visible; } table, tbody, tr, td { display: block; width: 100%; } thead { display: none; }
  tr { border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .6rem; margin: 0 0 .6rem; }
  .pairs { grid-template-columns: 1fr; gap: 0; } .pairs dd { margin: 0 0 .5rem; }
  td { border: 0; padding: .15rem 0; overflow-wrap: anywhere; }
  td:not(:first-child):not(:empty)::before { content: attr(data-of) ": "; color: var(--faint); }
}
@media print {
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  a { color: inherit; }
    h2, h3 { break-after: avoid; } tr, .picture, .glance li { break-inside: avoid; }
  details, .up { display: none; }
  .wide { overflow: visible; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
