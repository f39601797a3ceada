/** Looks of `<newsletter-signup>`: system colours follow the page's `color-scheme`, logical properties its direction. */
import { css } from 'lit';

export const styles = css`
  :host {
    --_danger: var(--newsletter-danger, color-mix(in srgb, #e00 65%, CanvasText));
    --_gap: var(--newsletter-gap, 1rem);
    display: block;
  }
  * {
    box-sizing: border-box;
    margin: 0;
    padding: 0;
    border: 0;
  }
  form {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: var(--_gap);
    overflow-wrap: anywhere;
  }
  :host([hidden]),
  [hidden] {
    display: none;
  }
  [part=field] {
    flex: 1 1 100%;
    min-width: 0;
  }
  [part=field]:first-child:has(+ button) {
    flex: 999 1 14rem;
  }
  [part=label],
  [part=problem] {
    display: block;
    margin-bottom: 0.5rem;
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
    gap: 0.5rem;
    min-height: 44px;
  }
  input,
  button {
    width: 100%;
    min-height: 44px;
    padding: 0.5rem 0.75rem;
    font: inherit;
    font-size: max(16px, 1em);
    color: FieldText;
    background: var(--newsletter-field, Field);
    border: 1px solid var(--newsletter-border, color-mix(in srgb, currentColor 55%, #0000));
    border-radius: var(--newsletter-radius, 0.5rem);
  }
  [part=choice] input {
    flex: none;
    width: 1.5rem;
    min-height: 1.5rem;
    accent-color: var(--newsletter-accent);
  }
  button {
    flex: 1 0 auto;
    width: auto;
    font-weight: 600;
    color: var(--newsletter-on-accent, Canvas);
    background: var(--newsletter-accent, CanvasText);
    border-color: transparent;
    cursor: pointer;
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
    margin-top: var(--_gap);
  }
  .busy {
    position: fixed;
    clip-path: inset(50%);
  }
`;
