/**
 * Looks of `<newsletter-signup>`: system colours follow the page's `color-scheme`, logical properties its direction.
 */
import { css } from 'lit';

export const styles = css`
  :host {
    --_danger: var(--newsletter-danger, color-mix(in srgb, #e00 65%, CanvasText));
    display: block;
  }
  * {
    box-sizing: border-box;
    margin: 0;
    padding: 0;
    border: 0;
  }
  ::slotted([slot=head]) {
    margin: 0 0 0.5rem;
  }
  ::slotted(p[slot=head]) {
    margin-block-end: 1.25rem;
  }
  .stacked,
  .card {
    max-inline-size: var(--newsletter-width, 32rem);
  }
  .card,
  .dialog {
    padding: var(--newsletter-padding, clamp(1.25rem, 6%, 2rem));
    border: 1px solid #0000;
  }
  form {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: var(--newsletter-gap, 1rem);
    overflow-wrap: anywhere;
  }
  :host([hidden]),
  [hidden] {
    display: none;
  }
  [part=field] {
    flex: 100%;
    min-inline-size: 0;
  }
  [part=label],
  [part=problem] {
    display: block;
    margin-block-end: 0.5rem;
  }
  [part=label] {
    font-weight: 600;
  }
  small {
    font-weight: 400;
  }
  [part=choice] {
    display: flex;
    align-items: center;
    gap: 0.75rem;
    min-block-size: 44px;
  }
  input,
  button {
    inline-size: 100%;
    min-block-size: 44px;
    padding: 0.5rem 0.75rem;
    font: inherit;
    font-size: max(16px, 1em);
    color: var(--newsletter-text, FieldText);
    background: var(--newsletter-field, Field);
    border: 1px solid var(--newsletter-border, color-mix(in srgb, currentColor 55%, #0000));
    border-radius: var(--newsletter-radius, 0.5rem);
  }
  [part=choice] input {
    flex: none;
    inline-size: 1.5rem;
    min-block-size: 1.5rem;
    accent-color: var(--newsletter-accent);
  }
  button {
    font-weight: 600;
    /* Mixed, so that forced colours replace them: they keep system colours as they are, and put a plate of Canvas behind Canvas. */
    color: var(--newsletter-on-accent, color-mix(in srgb, Canvas, Canvas));
    background: var(--newsletter-accent, color-mix(in srgb, CanvasText, CanvasText));
    border-color: #0000;
    cursor: pointer;
  }
  .inline > form > :has(> input) {
    flex: 999 11em;
  }
  .inline > form > button {
    /* Wide enough for what it says while it sends, too. */
    flex: 11.5em;
  }
  [aria-disabled] {
    opacity: 0.65;
    cursor: progress;
  }
  [aria-invalid=true] {
    border-color: var(--_danger);
    outline: 2px solid var(--_danger);
    outline-offset: -2px;
  }
  :focus-visible {
    outline: 2px solid var(--newsletter-focus, CanvasText);
    outline-offset: 2px;
  }
  [part=problem],
  .error {
    color: var(--_danger);
  }
  [part=notice]:not(:empty) {
    margin-block-start: var(--newsletter-gap, 1rem);
  }
  .busy {
    position: fixed;
    clip-path: inset(50%);
  }
`;
