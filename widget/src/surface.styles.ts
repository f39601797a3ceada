/** Looks of the layouts beyond `inline`: what changes no sizes, and so may come after the first paint. They come with `layouts.ts`. */

const css = String.raw;

export const surfaceStyles = css`
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
`;
