/**
 * Styles of a form that is sent, loaded with what sends it. When busy, three dots replace the button's text, which
 * keeps its width. The thanks fade in where the form fades out, in its cell; in layouts on one line the tick is in the
 * line of the heading, so that they are no higher than the form there.
 *
 * - Icons of errors are borders, which remain in forced colours.
 * - Without `--_light`, in Chromium before 123, errors have the colour of the text.
 * - Browsers that know no text beside `content`, such as Safari before 17.4, read the dots aloud.
 */
import { addSheet } from './add-sheet.ts';

const styles = `
  :host {
    --_danger: var(
      --newsletter-danger,
      oklch(from currentColor clamp(0.45, l, 0.9) calc(0.21 - 0.13 * var(--_light)) 22 / 1)
    );
  }
  .busy button {
    position: relative;
    opacity: 1;
  }
  .busy [part='button-text'] {
    opacity: 0;
  }
  .busy button::after {
    content: '• • •';
    content: '• • •' / '';
    position: absolute;
    inset: 0;
    display: grid;
    place-content: center;
    color: var(--_on);
  }
  @keyframes fade {
    from {
      opacity: 0;
    }
  }
  [part='problem'],
  .error {
    color: var(--_danger);
  }
  [part='problem'] {
    margin-block-start: 0.375em;
    font-size: 0.875em;
    text-align: start;
  }
  .framed [part='problem'] {
    margin: calc(0.375em - 1.25 * var(--_gap)) 1.25em 0;
  }
  .error:not(:empty) {
    margin-block-start: var(--_gap);
  }
  [part='problem']::before,
  .error:not(:empty)::before {
    content: '';
    display: inline-block;
    margin-inline-end: 0.375em;
    vertical-align: -2px;
    border: 7px solid;
    clip-path: path(evenodd, 'M7 0a7 7 0 1 0 .01 0zM6 3h2v5H6zM6 9h2v2H6z');
  }
  [aria-invalid='true'],
  [part~='frame']:has([aria-invalid='true']) {
    border-color: var(--_danger);
  }
  :not(.framed *)[aria-invalid='true'] {
    box-shadow: inset 0 0 0 1px var(--_danger);
  }
  div[aria-hidden='true'] {
    visibility: hidden;
    opacity: 0;
  }
  [aria-hidden='true'] * {
    transition: none;
  }
  .success {
    grid-area: 1 / 1 / 4 / 1;
    align-self: center;
    text-align: center;
  }
  [part='tick'] {
    inline-size: 1.25em;
    margin-inline-end: 0.25em;
    padding: 0.125em;
    vertical-align: -0.25em;
    border-radius: 50%;
    background: color-mix(in srgb, var(--_accent) 14%, #0000);
    fill: none;
    stroke: var(--_accent);
    stroke-width: 2.5;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  [part='thanks'] {
    outline: 0;
  }
  .success span {
    display: block;
    font-size: 0.8125em;
    line-height: 1.35;
  }
  .inline .success {
    text-align: start;
  }
  [part='surface']:not(.inline, .framed) .success {
    [part='tick'] {
      display: block;
      inline-size: 3em;
      margin: 0 auto 0.375em;
      padding: 0.75em;
    }
    [part='thanks'] {
      display: block;
      margin-block-end: 0.25em;
      font-size: 1.25em;
      line-height: 1.2;
    }
    span {
      font-size: 0.875em;
    }
  }
  @media not all and (prefers-reduced-motion) {
    .busy button::after {
      animation: fade 0.6s infinite alternate-reverse;
    }
    .success {
      animation: fade 0.15s;
    }
    div[aria-hidden='true'] {
      transition: 0.15s;
    }
  }`;
let sheet: CSSStyleSheet | undefined;

/** Adds the styles to a form. */
export function addSendingStyles(host: Element): void {
  try {
    if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(styles);
    addSheet(host, sheet);
  } catch {
    // Before Safari 16.4 and Firefox 101 errors and thanks look like the text around them.
  }
}
