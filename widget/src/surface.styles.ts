/**
 * Looks of the layouts beyond `inline`, and of the dialog: what changes no sizes, and so may come after the first
 * paint. They come with `layouts.ts`, and are read when they are needed.
 */
import { css, type CSSResult } from 'lit';

export const surfaceStyles = (): CSSResult => css`
  ::slotted([slot=head]) {
    overflow-wrap: anywhere;
    text-wrap: balance;
  }
  small,
  ::placeholder,
  ::slotted(p[slot=head]) {
    color: var(--newsletter-muted, color-mix(in srgb, currentColor 70%, #0000));
  }
  .card,
  .dialog {
    color: var(--newsletter-text, CanvasText);
    background: var(--newsletter-surface, Canvas);
    border-color: color-mix(in srgb, currentColor 16%, #0000);
    border-radius: min(1.25rem, 2 * var(--newsletter-radius, 0.5rem));
    box-shadow: var(--newsletter-shadow, none);
  }
  dialog {
    inline-size: var(--newsletter-width, 32rem);
    margin: auto;
    background: none;
    overflow: visible;
  }
  ::backdrop {
    background: #0008;
  }
  .dialog {
    max-block-size: 90dvb;
    overflow: auto;
    overscroll-behavior: contain;
  }
  .dialog ::slotted(:not(p)) {
    margin-inline-end: 2rem;
  }
  [part=close] {
    position: absolute;
    inset-block-start: 0.25rem;
    inset-inline-end: 0.25rem;
    inline-size: 44px;
    padding: 0;
    font: 1.5rem sans-serif;
    color: inherit;
    background: none;
  }
`;
