/** How the window looks; follows the system's light or dark. */
export const style = `
:root { --ink: light-dark(#1b1f24, #e8eaed); --soft: light-dark(#5c6570, #9aa3ad); --line: light-dark(#e3e6ea, #2c3238);
  --page: light-dark(#f7f8f9, #131619); --card: light-dark(#fff, #1b1f24); --accent: light-dark(#0a6b5e, #4fc9b4);
  --bad: light-dark(#b3261e, #ff8a80); --warn: light-dark(#8a5a00, #f2c14e); color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
header { display: flex; align-items: baseline; gap: 1rem; padding: 1.1rem 1.5rem .2rem; }
h1 { margin: 0; font-size: 1.15rem; letter-spacing: -.01em; }
h2 { margin: 0; padding: .8rem 1rem; font-size: .95rem; border-bottom: 1px solid var(--line); }
h2 span { color: var(--soft); font-weight: 400; }
#state { margin: 0; color: var(--soft); }
#state::before { content: ''; display: inline-block; width: .55em; height: .55em; margin-right: .45em; border-radius: 50%; background: var(--warn); }
#state[data-state=live]::before { background: var(--accent); }
main { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem; padding: 1rem 1.5rem 2rem; align-items: start; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.scroll { overflow: auto; max-height: calc(100vh - 9rem); }
table { width: 100%; border-collapse: collapse; }
th { position: sticky; top: 0; background: var(--card); text-align: left; font-weight: 500; color: var(--soft); }
th, td { padding: .45rem 1rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; }
time { color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
.subscriber { width: 38%; } .subscriber b { display: block; font-weight: 500; } small { color: var(--soft); font-size: 12.5px; }
.status { color: var(--soft); white-space: nowrap; }
.status[data-status=active] { color: var(--accent); }
.status[data-status=invalid] { color: var(--bad); }
.status[data-status=validating], .status[data-status=pending], .status[data-status=needs_attention] { color: var(--warn); }
.fields span { display: inline-block; margin: 0 .7em .1em 0; } .fields i { font-style: normal; color: var(--soft); margin-right: .35em; }
ol { list-style: none; margin: 0; padding: 0; overflow: auto; max-height: calc(100vh - 9rem); }
li { padding: .5rem 1rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
code, .path { font: 12.5px/1.5 ui-monospace, monospace; }
.code { margin: 0 .3em; font-weight: 600; color: var(--accent); } .code.refused { color: var(--bad); }
.reasons { margin: .15rem 0 0; color: var(--soft); }
.empty { margin: 0; padding: 1rem; color: var(--soft); } .empty[hidden] { display: none; }
.fresh { animation: fresh 1.6s ease-out; }
@keyframes fresh { from { background: color-mix(in srgb, var(--accent) 22%, transparent); } }
@media (prefers-reduced-motion: reduce) { .fresh { animation: none; } }
@media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); padding: 1rem; } .scroll, ol { max-height: 60vh; } }
@media (max-width: 36rem) {
  thead { position: absolute; clip-path: inset(50%); } table, tbody { display: block; }
  tr { display: grid; grid-template-columns: 1fr auto; padding: .5rem 1rem; border-bottom: 1px solid var(--line); }
  td { padding: 0; border: 0; } .subscriber { width: auto; } .status { padding-left: 1rem; text-align: right; } .created { text-align: right; padding-left: 1rem; }
}
`;
