/** Styles of the controls; part of the style sheet in styles.ts. */
import { css, type CSSResult } from 'lit';

/**
 * Text inputs and the button; checkboxes, radio buttons and chips, which are real inputs without the appearance of the
 * system.
 */
export const controls: CSSResult = css`
[part='label'] {
  display: block;
  margin-block-end: 0.375em;
  font-size: 0.9375em;
  font-weight: 600;
}
small {
  font-weight: 400;
}
a {
  color: inherit;
}
@media not all and (prefers-reduced-motion) {
  input,
  select,
  button,
  [part~='chip'],
  .framed form {
    transition: 0.15s;
  }
}
input,
select,
button {
  inline-size: 100%;
  min-block-size: max(44px, 3em);
  padding: 0.5em 0.875em;
  font: inherit;
  color: inherit;
  background: var(--newsletter-field, var(--_lift));
  border: 1px solid var(--_line);
  border-radius: var(--_radius);
}
select {
  appearance: none;
  background: conic-gradient(from -45deg at bottom, currentColor 25%, #0000 0) right 0.875em center / 0.75em 0.375em
    no-repeat var(--newsletter-field, var(--_lift));
}
select:dir(rtl) {
  background-position-x: 0.875em;
}
::-webkit-calendar-picker-indicator {
  background: conic-gradient(from -45deg at bottom, currentColor 25%, #0000 0) center / 0.75em 0.375em
    no-repeat;
}
option {
  color: CanvasText;
  background: Canvas;
}
:is(input, select):hover {
  border-color: var(--_accent);
}
:focus-visible {
  outline: 2px solid var(--newsletter-focus, var(--_accent));
  outline-offset: 2px;
}
button {
  padding-inline: 1.25em;
  font-weight: 600;
  background: var(--_accent);
  border-color: #0000;
  cursor: pointer;
}
[part='button-text'] {
  color: var(--_on);
}
button:hover {
  filter: brightness(1.12);
}
button:active {
  translate: 0 1px;
  filter: brightness(0.94);
}
[aria-disabled] {
  cursor: progress;
  opacity: 0.65;
}
[part~='choice'] {
  display: flex;
  align-items: center;
  gap: 0.75em;
  min-block-size: 44px;
  cursor: pointer;
}
[part='box'] {
  appearance: none;
  display: grid;
  flex: none;
  place-content: center;
  inline-size: 1.5em;
  min-block-size: 1.5em;
  padding: 0;
  border-radius: min(0.375em, var(--_radius));
  cursor: inherit;
}
[type='radio'] {
  --_mark: circle(36%);
  border-radius: 50%;
}
:checked::before {
  content: '';
  inline-size: 0.875em;
  block-size: 0.875em;
  background: var(--_on);
  clip-path: var(--_mark, polygon(14% 47%, 4% 58%, 38% 92%, 98% 24%, 87% 14%, 38% 69%));
}
[part='box']:checked {
  background: var(--_accent);
  border-color: #0000;
}
[part='chips'] {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5em;
}
[part~='chip'] {
  gap: 0.5em;
  padding-inline: 0.75em 1em;
  border: 1px solid var(--_line);
  border-radius: min(99px, 3 * var(--_radius));
}
[part~='chip'] input {
  font-size: 0.75em;
}
[part~='chip']:hover,
[part~='chip']:has(:checked) {
  background: color-mix(in srgb, var(--_accent) 12%, #0000);
  border-color: var(--_accent);
}
@media (forced-colors: active) {
  select,
  [part='box'] {
    appearance: auto;
  }
  :checked::before {
    content: none;
  }
}
`;
