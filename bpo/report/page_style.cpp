// The style sheet of a page. Figures have plain colours as attributes, so that they can also stand
// alone; in the dark each of these is turned into one that is as clear on a dark ground.
#include "bpo/report/page.h"

namespace bpo::report {

const std::string_view kPageStyle = R"css(
:root {
  --ground: #fff; --ink: #1a1a1a; --soft: #4d4d4d; --rule: #d8d8d8; --card: #fff; --accent: #0072b2;
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 Helvetica, Arial, 'DejaVu Sans', sans-serif;
}
main { max-width: 1180px; margin: 0 auto; padding: 20px 16px 60px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.2em 0 0.4em; overflow-wrap: anywhere; }
h2 {
  font-size: 1.35rem; margin: 2em 0 0.5em; padding-top: 0.5em; border-top: 2px solid var(--rule);
  overflow-wrap: anywhere;
}
h3 { font-size: 1.08rem; margin: 1.6em 0 0.4em; }
h4 { font-size: 1rem; margin: 1.2em 0 0.3em; }
p { max-width: 75ch; margin: 0.5em 0; overflow-wrap: anywhere; }
a { color: var(--accent); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; margin: 0; }
.table { overflow-x: auto; margin: 0.8em 0; }
table { border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 14px 5px 0; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--rule); font-weight: 600; }
td { border-bottom: 1px solid var(--rule); }
.right { text-align: right; white-space: nowrap; }
.figures {
  display: grid; gap: 22px; margin: 0.8em 0; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 380px), 1fr));
}
figure { margin: 0; min-width: 0; position: relative; }
figure > svg, .strip > svg, .player > svg { display: block; width: 100%; height: auto; max-width: 620px; }
figcaption { font-size: 0.85rem; color: var(--soft); margin: 4px 0 0 4px; overflow-wrap: anywhere; }
.series.off, .key.off { opacity: 0.15; }
.series.off { display: none; }
.key[role] { cursor: pointer; }
.mark:hover > :first-child { stroke: var(--ink); stroke-width: 1.5; }
[data-t].later { opacity: 0.06; }
.column rect { shape-rendering: crispEdges; }
.replay { grid-column: 1 / -1; }
.player { display: grid; gap: 12px; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
.player[hidden] { display: none; }
.player .stage { max-width: none; border: 1px solid var(--rule); border-radius: 8px; }
@media (max-width: 700px) { .player { grid-template-columns: minmax(0, 1fr); } }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; margin: 6px 4px 2px; font-size: 0.85rem; }
.controls input { flex: 1 1 120px; min-width: 0; accent-color: var(--accent); }
.controls button {
  font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--rule);
  border-radius: 6px; padding: 3px 12px; cursor: pointer;
}
.controls output { font-variant-numeric: tabular-nums; }
#tip {
  position: fixed; pointer-events: none; z-index: 9; background: var(--ink); color: var(--ground);
  font-size: 0.8rem; line-height: 1.35; padding: 5px 9px; border-radius: 6px; max-width: 300px;
  white-space: pre-line; overflow-wrap: anywhere;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --ink: #e8e8e8; --soft: #a9adb4; --rule: #363b44; --accent: #56b4e9;
  }
  figure:not(.paper) svg {
    & [fill="#FFFFFF"] { fill: var(--ground); } & [stroke="#FFFFFF"] { stroke: var(--ground); }
    & [fill="#000000"] { fill: var(--ink); } & [stroke="#000000"] { stroke: var(--ink); }
    & [fill="#4D4D4D"] { fill: var(--soft); } & [stroke="#4D4D4D"] { stroke: var(--soft); }
    & [fill="#E3E3E3"] { fill: #2a2f37; } & [stroke="#E3E3E3"] { stroke: #2a2f37; }
    & [fill="#0072B2"] { fill: #4ba9ea; } & [stroke="#0072B2"] { stroke: #4ba9ea; }
    & [fill="#D55E00"] { fill: #ff8b4a; } & [stroke="#D55E00"] { stroke: #ff8b4a; }
    & [fill="#009E73"] { fill: #2fc79a; } & [stroke="#009E73"] { stroke: #2fc79a; }
    & [fill="#CC79A7"] { fill: #e6a0c6; } & [stroke="#CC79A7"] { stroke: #e6a0c6; }
    & [fill="#56B4E9"] { fill: #a9daf7; } & [stroke="#56B4E9"] { stroke: #a9daf7; }
    & [fill="#E69F00"] { fill: #f0b93a; } & [stroke="#E69F00"] { stroke: #f0b93a; }
  }
  .paper > svg { border-radius: 8px; }
}
@media print {
  html, body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  h2 { margin-top: 1em; }
  .table { overflow: visible; }
  th, td { padding-right: 8px; font-size: 8pt; }
  .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px; }
  figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  nav, .controls, .player, #tip { display: none; }
  .strip[hidden] { display: block; }
  .replay { grid-column: auto; }
  [data-t].later { opacity: 1; }
}
)css";

}  // namespace bpo::report
