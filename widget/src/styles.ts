/**
 * The style sheet of `<newsletter-signup>`: colours, slots and layouts, with the styles of control-styles.ts. Every
 * colour derives from `currentColor`, so that the form suits a page of any colour with or without `color-scheme`.
 * Logical properties follow the direction of the text.
 */
import { css, type CSSResult } from 'lit';
import { choices, controls, result } from './control-styles.ts';

/** Colours and defaults. `--_on`: black or white, depending on the contrast with the accent. */
const base = css`
  :host {
    --_accent: var(--newsletter-accent, currentColor);
    --_line: var(--newsletter-border, color-mix(in srgb, currentColor 55%, #0000));
    --_radius: var(--newsletter-radius, 0.625rem);
    --_gap: var(--newsletter-gap, 1rem);
    --_danger: var(--newsletter-danger, color-mix(in srgb, #e5002b 62%, currentColor));
    --_on: var(--newsletter-on-accent, Canvas);
    display: block;
  }
  @supports (color: oklch(from red l c h)) {
    :host {
      --_on: var(--newsletter-on-accent, oklch(from var(--_accent) clamp(0, (0.6 - l) * 999, 1) 0 0));
    }
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
  .busy[part='notice'],
  .framed [part='label'] {
    position: absolute;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;

/** The head, the small print and the proof: elements of the page. */
const head = css`
  ::slotted([slot='head']) {
    margin: 0 0 0.5rem;
    line-height: 1.2;
    letter-spacing: -0.01em;
    overflow-wrap: anywhere;
    text-wrap: balance;
  }
  ::slotted(p[slot='head']) {
    margin-block-end: 1.25rem;
    line-height: 1.5;
    letter-spacing: normal;
  }
  ::slotted([slot='note']),
  ::slotted([slot='proof']) {
    display: block;
    margin: 0.75rem 0 0;
    font-size: 0.8125em;
  }
  ::slotted([slot='proof']) {
    display: flex;
    align-items: center;
    gap: 0.625rem;
  }
  small,
  ::placeholder,
  ::slotted(p[slot='head']),
  ::slotted([slot='note']) {
    color: var(--newsletter-muted, color-mix(in srgb, currentColor 70%, #0000));
    opacity: 1;
  }
`;

/** Layouts. */
const layouts = css`
  [part='surface'] {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    max-inline-size: var(--newsletter-width, 30rem);
    margin-inline: auto;
    overflow-wrap: anywhere;
  }
  .owners:is(.inline, .joined, .stacked) {
    max-inline-size: var(--newsletter-width, none);
  }
  .card,
  .cover,
  .dialog {
    padding: var(--newsletter-padding, clamp(1.25rem, 6%, 2rem));
    color: var(--newsletter-text, CanvasText);
    background: var(--newsletter-surface, Canvas);
    border: 1px solid color-mix(in srgb, currentColor 16%, #0000);
    border-radius: min(1.5rem, 2 * var(--_radius));
    box-shadow: var(--newsletter-shadow, none);
  }
  .cover {
    gap: clamp(1.25rem, 5%, 2.5rem);
    max-inline-size: var(--newsletter-width, 56rem);
    padding: var(--newsletter-padding, clamp(1.5rem, 8%, 4rem));
  }
  [part~='content'] {
    flex: 1 1 18rem;
    min-inline-size: 0;
    align-self: center;
  }
  ::slotted([slot='picture']) {
    display: block;
    flex: 1 1 14rem;
    inline-size: 100%;
    min-inline-size: 0;
    block-size: auto;
    max-block-size: 26rem;
    object-fit: cover;
    border-radius: var(--_radius);
  }
  [part~='form'] {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: var(--_gap);
  }
  .cover form {
    max-inline-size: 30rem;
  }
  [part='field'] {
    flex: 100%;
    min-inline-size: 0;
  }
  .row [part='field'] {
    flex: 999 11em;
  }
  .row button {
    flex: 9em;
  }
  .joined,
  .joined ::slotted([slot='proof']) {
    text-align: center;
    justify-content: center;
  }
  [part~='frame'] {
    gap: 0;
    padding: 0.3125rem;
    background: var(--newsletter-field, color-mix(in srgb, currentColor 5%, #0000));
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) + 0.3125rem);
  }
  [part~='frame']:has(input:focus-visible) {
    border-color: var(--newsletter-focus, var(--_accent));
    outline: 4px solid color-mix(in srgb, var(--newsletter-focus, var(--_accent)) 28%, #0000);
  }
  .framed [part='field'] {
    text-align: start;
  }
  .framed input {
    background: none;
    border-color: #0000;
    outline: 0;
    box-shadow: none;
  }
  .framed button {
    flex: auto;
    inline-size: auto;
  }
  [part~='frame']:has([aria-invalid='true']) {
    border-color: var(--_danger);
  }
`;

/** No motion if the visitor prefers reduced motion. */
const motion = css`
  @media (prefers-reduced-motion) {
    * {
      animation: none !important;
      transition: none !important;
    }
  }
`;

/** One style sheet, because each costs time when the page starts. */
export const styles: CSSResult = css`${base}${head}${layouts}${controls}${choices}${result}${motion}`;
