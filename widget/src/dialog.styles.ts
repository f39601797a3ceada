/** Looks of the dialog beyond those of its surface. */

const css = String.raw;

export const dialogStyles = css`
  dialog {
    inline-size: var(--newsletter-width, 32rem);
    margin: auto;
    background: none;
    overflow: visible;
  }
  ::backdrop {
    background: rgb(0 0 0/0.5);
  }
  .dialog {
    max-block-size: calc(100dvb - 2rem);
    overflow: auto;
    overscroll-behavior: contain;
  }
  .dialog ::slotted(:not(p)) {
    margin-inline-end: 2rem;
  }
  [part=close] {
    position: absolute;
    inset: 0.25rem;
    inset-inline-start: auto;
    inline-size: 44px;
    block-size: 44px;
    padding: 0;
    font: 1.5rem/1 sans-serif;
    color: inherit;
    background: none;
  }
`;
