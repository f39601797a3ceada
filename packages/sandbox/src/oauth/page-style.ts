/** The layout of the OAuth pages, a card from 320 pixels up, on top of the palette of all pages. */
import { pageStyle } from '@newsletter-kit/core/endpoint';

export const style = `${pageStyle}
body { max-width: none; margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 var(--sans); }
main { width: 100%; max-width: 27rem; overflow: hidden; background: var(--card); border: 1px solid var(--line); border-radius: 16px;
  box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 12px 40px -12px rgb(0 0 0 / .18); }
.brand { margin: 0; padding: .8rem 1.5rem; border-bottom: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
.brand b { color: var(--ink); font-weight: 600; }
.body { padding: 1.5rem; }
h1 { margin: 0 0 1rem; font-size: 1.3rem; line-height: 1.3; letter-spacing: -.015em; text-wrap: balance; overflow-wrap: anywhere; }
h2 { margin: 1.25rem 0 .5rem; font-size: .875rem; font-weight: 600; color: var(--soft); }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.person { display: flex; align-items: center; gap: .75rem; padding: .7rem .8rem; border: 1px solid var(--line); border-radius: 12px; }
.person span:first-child { flex: none; display: grid; place-items: center; width: 2.4rem; height: 2.4rem; border-radius: 50%; background: var(--accent-back);
  color: var(--accent); font-weight: 600; font-size: .875rem; }
.person b, .person small { display: block; overflow-wrap: anywhere; line-height: 1.35; }
.person b { font-weight: 600; } small { font-size: .875rem; color: var(--soft); }
ul { list-style: none; margin: 0; padding: 0; }
li { position: relative; padding-block: .3rem; padding-inline-start: 1.7rem; overflow-wrap: anywhere; }
li::before { content: ''; position: absolute; inset-inline-start: .2rem; top: .72rem; width: .75rem; height: .38rem; border: solid var(--accent); border-width: 0 0 2px 2px;
  transform: rotate(-45deg); }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin: 1.5rem 0 1.1rem; }
button { min-height: 2.9rem; padding: .5rem 1rem; border: 1px solid var(--edge); border-radius: 10px; background: transparent; color: var(--ink);
  font: inherit; font-weight: 600; cursor: pointer; }
button[value=allow] { border-color: transparent; background: var(--accent); color: var(--on-accent); }
button:hover { border-color: var(--soft); } button[value=allow]:hover { filter: brightness(1.07); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.after { margin: 0; color: var(--soft); font-size: .875rem; } .after b { color: var(--ink); font-weight: 600; }
code { font: .875rem/1.5 var(--mono); overflow-wrap: anywhere; }
.wrong { color: var(--bad); }
dl { margin: 0; display: grid; gap: .1rem; } dt { color: var(--soft); font-size: .875rem; } dd { margin: 0 0 .6rem; overflow-wrap: anywhere; }
@media (max-width: 22rem) { body { padding: .5rem; } .body { padding: 1.1rem; } .brand { padding-inline: 1.1rem; } }
@media (forced-colors: active) { li::before { border-color: CanvasText; } main { border-color: CanvasText; } }
`;
