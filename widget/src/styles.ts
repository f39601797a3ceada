/**
 * The style sheet of `<newsletter-signup>`: colours, slots and layouts, with the styles of control-styles.ts.
 *
 * - Every colour derives from `currentColor`, so that the form suits a page of any colour with or without
 *   `color-scheme`, also under text whose colour the page sets.
 * - Every size is in `em` of a text of at least 16 px: some pages have a root of 10 px.
 * - Space comes from this sheet alone: a page's margins for headings and paragraphs would win over defaults.
 * - Logical properties follow the direction of the text.
 */
import { css, type CSSResult } from 'lit';
import { controls } from './control-styles.ts';

/**
 * Colours and defaults, slots, and layouts.
 *
 * - While the focus is in its shadow tree, the host matches a page's rules for `:focus`: their ring is the field's.
 * - A colour is dark below a lightness of 0.6; the page behind a dark text is light. Chromium 119 and 120, without
 *   `light-dark()`, compute colours from `currentColor` wrongly.
 * - `--_deep`: the text colour with more contrast, because lines and small print mix it with the background
 * - `--_paper`: white below dark text, almost black below light text; `--_lift`: the page's colour, closer to that
 * - `--_on`: black or white, depending on the contrast with the accent
 * - The head, the proof and the small print are elements of the page, but for their margins, which would win over gaps.
 * - The thanks share the cell of the form, which keeps its height: the page below does not move.
 * - On one line the label has no baseline, so that the button aligns with the input, also above an error.
 */
const surface = css`
:host {
  --_accent: var(--newsletter-accent, currentColor);
  --_deep: currentColor;
  --_paper: #0000;
  --_on: var(--newsletter-on-accent, Canvas);
  --_lift: color-mix(in srgb, var(--_paper) 60%, #0000);
  --_line: var(--newsletter-border, color-mix(in srgb, var(--_deep) 55%, #0000));
  --_muted: var(--newsletter-muted, color-mix(in srgb, var(--_deep) 77%, #0000));
  --_radius: var(--newsletter-radius, 0.625em);
  --_gap: var(--newsletter-gap, 1em);
  display: block;
}
@supports (color: light-dark(oklch(from currentColor l c h), red)) {
  :host {
    --_light: clamp(0, (l - 0.6) * 999, 1);
    --_deep: oklch(from currentColor clamp(0.9 * var(--_light), l, 0.25 + var(--_light)) c h / 1);
    --_paper: oklch(from currentColor calc(1 - 0.83 * var(--_light)) 0 0 / 1);
    --_on: var(--newsletter-on-accent, oklch(from var(--_accent) calc(1 - var(--_light)) 0 0 / 1));
  }
}
:host(:focus) {
  outline: 0 !important;
  box-shadow: none !important;
}
* {
  box-sizing: border-box;
  margin: 0;
  padding: 0;
  border: 0;
}
:host([hidden]),
[hidden] {
  display: none !important;
}
.unseen,
.framed [part='label'] {
  position: absolute;
  clip-path: inset(50%);
}
[part='surface'] ::slotted([slot]) {
  margin: 0 !important;
}
.front,
.foot,
[part='head'] {
  display: grid;
  grid-template-columns: 100%;
  gap: 0.5em;
}
::slotted([slot='head']:not(p)) {
  line-height: 1.2;
  letter-spacing: -0.01em;
  text-wrap: balance;
}
.foot {
  grid-area: 3 / 1;
  margin-block-start: 0.75em;
}
::slotted([slot='note']),
::slotted([slot='proof']) {
  font-size: 0.8125em;
}
small,
::placeholder,
::slotted(p[slot='head']),
::slotted([slot='proof']) {
  color: var(--_muted);
  opacity: 1;
}
::slotted([slot='note']) {
  color: var(--newsletter-muted, color-mix(in srgb, var(--_deep) 88%, #0000));
}
[part='surface'] {
  position: relative;
  display: flex;
  flex-wrap: wrap;
  max-inline-size: var(--newsletter-width, none);
  margin-inline: auto;
}
[part='surface']:where(:not(.owners)) {
  max-inline-size: var(--newsletter-width, 30em);
  font-size: max(16px, 1em);
  overflow-wrap: anywhere;
}
.card,
.cover,
.dialog {
  padding: var(--newsletter-padding, clamp(1.25em, 6%, 2em));
  color: var(--newsletter-text, inherit);
  background: var(--newsletter-surface, var(--_lift));
  border: 1px solid color-mix(in srgb, var(--_deep) 16%, #0000);
  border-radius: min(1.5em, 2 * var(--_radius));
  box-shadow: var(--newsletter-shadow, none);
}
.cover {
  gap: 2em;
  max-inline-size: var(--newsletter-width, 56em);
  padding: var(--newsletter-padding, clamp(1.5em, 8%, 4em));
}
[part~='content'] {
  flex: 1 1 18em;
  min-inline-size: 0;
  display: grid;
  grid-template-columns: 100%;
  align-self: center;
}
.front {
  grid-area: 1 / 1;
  gap: calc(1.25 * var(--_gap));
}
::slotted([slot='picture']) {
  display: block;
  flex: 1 1 14em;
  inline-size: 100% !important;
  min-inline-size: 0;
  block-size: auto;
  max-block-size: 26em;
  object-fit: cover;
  border-radius: min(1.25em, var(--_radius));
}
[part~='form'] {
  display: flex;
  flex-wrap: wrap;
  gap: var(--_gap);
}
.cover .front {
  max-inline-size: 30em;
}
[part='field'] {
  flex: 100%;
  min-inline-size: 0;
}
.row form {
  align-items: baseline;
}
.row [part='label'] {
  contain: layout;
}
.row [part='field'] {
  flex: 999 11em;
}
.row button {
  flex: 9em;
  max-inline-size: 100%;
  overflow-wrap: break-word;
}
.joined {
  text-align: center;
}
[part~='frame'] {
  gap: 0;
  padding: 0.3125em;
  background: var(--newsletter-field, var(--_lift));
  border: 1px solid var(--_line);
  border-radius: calc(var(--_radius) + 0.3125em);
}
[part~='frame']:has(input:focus-visible) {
  border-color: var(--newsletter-focus, var(--_accent));
  outline: 4px solid color-mix(in srgb, var(--newsletter-focus, var(--_accent)) 28%, #0000);
}
.framed input {
  background: none;
  border-color: #0000;
  outline: 0;
}
.framed button {
  flex: auto;
  inline-size: auto;
}
`;

/** One style sheet, because each costs time when the page starts. */
export const styles: CSSResult = css`${surface}${controls}`;
