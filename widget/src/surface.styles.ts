/** Looks of the layouts beyond `inline`: head and surface. They come with `layouts.ts`. */

const css = String.raw;

export const surfaceStyles = css`
  ::slotted([slot=head]) {
    margin: 0 0 0.5rem;
    overflow-wrap: anywhere;
    text-wrap: balance;
  }
  ::slotted(p[slot=head]) {
    margin-block-end: 1.25rem;
  }
  small,
  ::placeholder,
  ::slotted(p[slot=head]) {
    color: var(--newsletter-muted, color-mix(in srgb, currentColor 70%, #0000));
  }
  .stacked,
  .card {
    max-inline-size: var(--newsletter-width, 32rem);
  }
  .card,
  .dialog {
    padding: var(--newsletter-padding, clamp(1.25rem, 6%, 2rem));
    color: var(--newsletter-text, CanvasText);
    background: var(--newsletter-surface, Canvas);
    border: 1px solid color-mix(in srgb, currentColor 16%, #0000);
    border-radius: min(1.25rem, 2 * var(--newsletter-radius, 0.5rem));
    box-shadow: var(--newsletter-shadow, none);
  }
`;
