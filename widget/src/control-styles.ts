/** Styles of the controls, the error messages and the thanks; part of the style sheet in styles.ts. */
import { css, type CSSResult } from 'lit';

/** Text inputs and the button. When busy, three dots replace its text, which keeps its width. */
export const controls: CSSResult = css`
  [part='label'],
  [part='problem'] {
    display: block;
  }
  [part='label'] {
    margin-block-end: 0.375rem;
    font-size: 0.9375em;
    font-weight: 600;
  }
  small {
    font-weight: 400;
  }
  a {
    color: inherit;
  }
  input,
  select,
  button,
  [part~='chip'],
  .framed form {
    transition: 0.15s;
    transition-property: background-color, border-color, outline-color, filter, translate;
  }
  input,
  select,
  button {
    inline-size: 100%;
    min-block-size: 3rem;
    padding: 0.5rem 0.875rem;
    font: inherit;
    font-size: max(16px, 1em);
    color: inherit;
    background: var(--newsletter-field, color-mix(in srgb, currentColor 5%, #0000));
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }
  select {
    appearance: none;
    background-image: conic-gradient(from -45deg at bottom, currentColor 25%, #0000 0);
    background-position: right 0.875rem center;
    background-size: 0.75rem 0.375rem;
    background-repeat: no-repeat;
  }
  select:dir(rtl) {
    background-position-x: 0.875rem;
  }
  option {
    color: CanvasText;
    background: Canvas;
  }
  :is(input, select):hover {
    border-color: color-mix(in srgb, var(--_accent) 60%, var(--_line));
  }
  :focus-visible {
    outline: 2px solid var(--newsletter-focus, var(--_accent));
    outline-offset: 2px;
  }
  button {
    position: relative;
    padding-inline: 1.25rem;
    font-weight: 600;
    background: var(--_accent);
    border-color: #0000;
    cursor: pointer;
  }
  [part='button-text'] {
    color: var(--_on);
  }
  button:hover {
    filter: brightness(1.12) saturate(1.05);
  }
  button:active {
    translate: 0 1px;
    filter: brightness(0.94);
  }
  [aria-disabled] {
    cursor: progress;
    filter: none;
    translate: none;
    opacity: 0.65;
  }
  .busy button {
    opacity: 1;
  }
  .busy [part='button-text'] {
    opacity: 0;
  }
  .busy button::after {
    content: '• • •' / '';
    position: absolute;
    inset: 0;
    display: grid;
    place-content: center;
    color: var(--_on);
    animation: dots 0.6s infinite alternate;
  }
  @keyframes dots {
    to {
      opacity: 0.25;
    }
  }
`;

/** Checkboxes, radio buttons and chips: real inputs without the appearance of the system. */
export const choices: CSSResult = css`
  [part~='choice'] {
    display: flex;
    align-items: center;
    gap: 0.75rem;
    min-block-size: 44px;
    cursor: pointer;
  }
  [type='checkbox'],
  [type='radio'] {
    appearance: none;
    display: grid;
    flex: none;
    place-content: center;
    inline-size: 1.5rem;
    min-block-size: 1.5rem;
    padding: 0;
    border-radius: min(0.375rem, var(--_radius));
    cursor: inherit;
  }
  [type='radio'] {
    border-radius: 50%;
  }
  :checked::before {
    content: '';
    inline-size: 0.875rem;
    block-size: 0.875rem;
    background: var(--_on);
    clip-path: polygon(14% 47%, 4% 58%, 38% 92%, 98% 24%, 87% 14%, 38% 69%);
  }
  [type='radio']:checked::before {
    clip-path: circle(36%);
  }
  :is([type='checkbox'], [type='radio']):checked {
    background: var(--_accent);
    border-color: #0000;
  }
  [part='chips'] {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  [part~='chip'] {
    gap: 0.5rem;
    padding-inline: 0.75rem 1rem;
    border: 1px solid var(--_line);
    border-radius: min(99px, 3 * var(--_radius));
  }
  [part~='chip'] input {
    inline-size: 1.125rem;
    min-block-size: 1.125rem;
    border-radius: 50%;
  }
  [part~='chip'] :checked::before {
    inline-size: 0.625rem;
    block-size: 0.625rem;
  }
  [part~='chip']:hover,
  [part~='chip']:has(:checked) {
    background: color-mix(in srgb, var(--_accent) 12%, #0000);
    border-color: var(--_accent);
  }
  @media (forced-colors: active) {
    select {
      appearance: auto;
    }
    :checked::before {
      background: HighlightText;
      forced-color-adjust: none;
    }
    :is([type='checkbox'], [type='radio']):checked {
      background: Highlight;
      forced-color-adjust: none;
    }
  }
`;

/** Error messages and the thanks. */
export const result: CSSResult = css`
  [part='problem'],
  .error {
    color: var(--_danger);
  }
  [part='problem'] {
    margin-block-start: 0.375rem;
    font-size: 0.875em;
  }
  [part='problem']::before,
  [part='notice'].error:not(:empty)::before {
    content: '⚠ ' / '';
  }
  [aria-invalid='true'] {
    border-color: var(--_danger);
    box-shadow: inset 0 0 0 1px var(--_danger);
  }
  [part='notice']:not(:empty) {
    margin-block-start: var(--_gap);
  }
  [part='notice'].success {
    margin: 0;
    padding-block: 0.5rem;
    text-align: center;
    text-wrap: balance;
  }
  [part='tick'] {
    display: block;
    inline-size: 3.25rem;
    margin: 0 auto 0.75rem;
    padding: 0.875rem;
    border-radius: 50%;
    background: color-mix(in srgb, var(--_accent) 14%, #0000);
    fill: none;
    stroke: var(--_accent);
    stroke-width: 2.5;
    stroke-linecap: round;
    stroke-linejoin: round;
    animation: arrive 0.18s;
  }
  [part='thanks'] {
    display: block;
    margin-block-end: 0.25rem;
    font-size: 1.375em;
    font-weight: 700;
    line-height: 1.2;
    outline: 0;
  }
  @keyframes arrive {
    from {
      opacity: 0;
      scale: 0.8;
    }
  }
`;
