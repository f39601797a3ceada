/** Styles of the controls and the thanks; part of the style sheet in styles.ts. */
import { css, type CSSResult } from 'lit';

/** Text inputs and the button. */
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
input,
select,
button,
[part~='chip'],
.framed form {
  transition: 0.15s;
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
`;

/** Checkboxes, radio buttons and chips: real inputs without the appearance of the system. */
export const choices: CSSResult = css`
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
  border-radius: 50%;
}
:checked::before {
  content: '';
  inline-size: 0.875em;
  block-size: 0.875em;
  background: var(--_on);
  clip-path: polygon(14% 47%, 4% 58%, 38% 92%, 98% 24%, 87% 14%, 38% 69%);
}
[type='radio']:checked::before {
  clip-path: circle(36%);
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

/**
 * The thanks, in the cell of the form. In layouts on one line the tick is in the line of the heading, so that they are
 * no higher than the form there.
 */
export const thanks: CSSResult = css`
[part='notice'] {
  grid-area: 2 / 1;
}
.success {
  grid-area: 1 / 1 / 4 / 1;
  align-self: center;
  text-align: center;
}
[part='tick'] {
  display: block;
  inline-size: 3em;
  margin: 0 auto 0.375em;
  padding: 0.75em;
  border-radius: 50%;
  background: color-mix(in srgb, var(--_accent) 14%, #0000);
  fill: none;
  stroke: var(--_accent);
  stroke-width: 2.5;
  stroke-linecap: round;
  stroke-linejoin: round;
}
[part='thanks'] {
  display: block;
  margin-block-end: 0.25em;
  font-size: 1.25em;
  line-height: 1.2;
  outline: 0;
}
.success span {
  display: block;
  font-size: 0.875em;
  line-height: 1.35;
}
.inline .success {
  text-align: start;
}
:is(.inline, .framed) .success > div {
  display: contents;
}
:is(.inline, .framed) [part='tick'] {
  display: inline-block;
  inline-size: 1.25em;
  margin: 0 0.25em 0 0;
  padding: 0.125em;
  vertical-align: -0.25em;
}
:is(.inline, .framed) [part='thanks'] {
  display: inline;
  font-size: 1em;
}
:is(.inline, .framed) .success span {
  font-size: 0.8125em;
}
`;
