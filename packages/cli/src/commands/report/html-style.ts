/** The style sheet of the report's page, on that of the pages without a script. */
import { pageStyle } from '@newsletter-kit/core/endpoint';

/**
 * @param all - share of all people who are still there, drawn as a line across the bars
 * @param columns - titles of the columns with figures, which stand at each figure on a narrow screen
 */
export function reportStyle(all: number | undefined, columns: readonly string[]): string {
  const mark = all === undefined ? 'none' : 'block';
  const titles = columns
    .map((title, index) => `tbody td:nth-child(${index + 2})::before{content:"${title}";content:"${title}"/""}`)
    .slice(1);
  const colors = `:root{--bar:light-dark(#39887e,#3d8e80);--all:${all?.toFixed(3) ?? 0};--mark:${mark}}`;
  return compact(`${pageStyle}${colors}${wide}@media screen and (max-width:58rem){${narrow}${titles.join('')}}${rest}`);
}

function compact(css: string): string {
  return css.replace(/\s*\n\s*/g, '');
}

/** On a wide screen and on paper. */
const wide = `
body{max-width:72rem;margin:0 auto;padding:2.5rem 1.25rem 3rem;font-size:.9375rem}
h1,h2,p,ul,dl,dd,figure{margin:0;padding:0}
header,main{display:grid;grid-template-columns:minmax(0,1fr);gap:.75rem}
header p,footer,figcaption,#reading{color:var(--soft)}
h1{font-size:clamp(1.75rem,4.4vw,2.6rem);line-height:1.1;letter-spacing:-.02em;text-wrap:balance}
h1 span{display:block}
h1 em{font-style:normal;color:var(--accent)}
h2{font-size:1.125rem;letter-spacing:-.01em}
header bdi{font-weight:600;color:var(--ink)}
main{gap:1.25rem;margin:1.75rem 0}
section,.tiles{padding:1.25rem 1.4rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
section{display:grid;grid-template-columns:minmax(0,1fr);gap:.5rem}
.tiles{display:flex;flex-wrap:wrap;gap:1rem .75rem}
.tiles div{flex:1 0 6rem;white-space:nowrap}
dt,small{color:var(--soft);font-size:.8125rem}
dd{font-size:1.75rem;font-weight:600;line-height:1.2;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
dd small{display:block;font-weight:400;letter-spacing:0}
#reading{font-size:.875rem}
#reading h2{color:var(--ink)}
#reading ul{display:grid;gap:.35rem;padding-inline-start:1.1rem}
code{font:.92em var(--mono)}
footer{font-size:.8125rem}
table{width:100%;border-collapse:collapse;table-layout:fixed;font-variant-numeric:tabular-nums}
caption{padding-block-end:.4rem;color:var(--soft);font-size:.8125rem;text-align:start}
thead th,thead td{padding:.3rem 0 .4rem .5rem;border-bottom:1px solid var(--line);color:var(--soft);font-size:.8125rem;font-weight:500;text-align:end;vertical-align:bottom;overflow-wrap:normal}
thead :first-child{width:26%}
thead :nth-child(2){width:28%;padding-inline-start:0;text-align:start}
tbody th{padding:.35rem .75rem .35rem 0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:500;text-align:start}
details th{white-space:normal;overflow-wrap:anywhere}
tbody i{font-weight:400;color:var(--soft);white-space:normal}
tbody td{padding:.35rem 0 .35rem .5rem;white-space:nowrap;text-align:end;vertical-align:middle}
tbody td:nth-child(2){position:relative;padding-inline-start:0;font-weight:600}
tbody tr+tr>*{border-top:1px solid var(--line)}
td:nth-child(2)::after{content:"";display:var(--mark);position:absolute;inset-block:.2rem;left:calc((100% - 3.4rem)*var(--all));border-left:1px dashed var(--soft)}
td svg{float:left;width:calc(100% - 3.4rem);height:1rem;margin-top:.2rem;background:var(--sunk);border-radius:3px;overflow:hidden}
td line{stroke:var(--bar);stroke-width:2rem}
td line+line{stroke:var(--ink);stroke-width:2px;transform:translateY(.5rem)}
figcaption{display:flex;flex-wrap:wrap;gap:.2rem 1.25rem;margin-bottom:.5rem;font-size:.8125rem}
figcaption span::before{content:"";display:inline-block;width:.7rem;height:.7rem;margin-inline-end:.4rem;border:1px solid var(--bar);border-radius:2px}
figcaption .there::before{background:var(--bar)}
.weeks{display:block;width:100%;height:12rem;overflow:visible}
.plot{overflow:visible}
.plot path{vector-effect:non-scaling-stroke}
.plot .there{fill:var(--bar)}
.plot .left{fill:var(--accent-back);stroke:var(--bar)}
.plot .grid{stroke:var(--line)}
text{fill:var(--soft);stroke:var(--card);stroke-width:4px;paint-order:stroke;font-size:.75rem}
summary{width:fit-content;color:var(--accent);cursor:pointer}
summary+table{margin-top:.75rem}
`;

/** On a telephone: a row is a block of its own, in which the title of a column stands above each figure. */
const narrow = `
body{padding:1.5rem .9rem 2rem}
section,.tiles{padding:1rem}
.tiles{gap:1rem .6rem}
.tiles div{flex-basis:5.2rem}
dd{font-size:1.45rem}
table,caption,tbody{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(5rem,1fr));gap:0 .4rem;padding:.7rem 0;border-top:1px solid var(--line)}
tbody tr+tr>*{border:0}
tbody th,tbody td:nth-child(2){grid-column:1/-1;padding:0}
tbody th{white-space:normal;overflow-wrap:anywhere}
tbody td:nth-child(n+3){padding:.3rem 0 0;text-align:start}
td::before{display:block;color:var(--soft);font-size:.6875rem}
`;

/** On paper, and in the colours of the system. */
const rest = `
@media print{
@page{size:A4;margin:12mm}
:root{color-scheme:light;font-size:11px;print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{padding:1px;background:none}
main,section{display:block}
section,.tiles{margin-block:1rem}
h2{margin-bottom:.5rem}
tr,figure,.tiles,#reading{break-inside:avoid}
h2,caption,thead{break-after:avoid}
}
@media (forced-colors:active){
:root{--bar:Highlight;--accent:LinkText;--card:Canvas;--ink:CanvasText;--soft:CanvasText}
}
`;
