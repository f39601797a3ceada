/** A row of choices of which one holds: radio buttons, so that arrow keys and screen readers know it. */
import { element } from './dom.ts';
import type { Setup } from './setup.ts';

/** @returns shows which choice a setup holds */
export function segments<Name extends 'mode' | 'width' | 'scheme' | 'direction' | 'state' | 'platform'>(
  bar: HTMLElement,
  title: string,
  name: Name,
  choices: Readonly<Record<Setup[Name], string>>,
  onChoice: (value: Setup[Name]) => void,
): (setup: Setup) => void {
  const radios = (Object.entries(choices) as [Setup[Name], string][]).map(([value, text]) => {
    const radio = element('input', { type: 'radio', name, value });
    radio.addEventListener('click', () => onChoice(value));
    return { radio, label: element('label', {}, radio, element('span', {}, text)) };
  });
  bar.append(
    element(
      'fieldset',
      { class: 'segment-group' },
      element('legend', { class: 'legend' }, title),
      element('div', { class: 'segments' }, ...radios.map(({ label }) => label)),
    ),
  );
  return (setup) => {
    for (const { radio } of radios) radio.checked = radio.value === setup[name];
  };
}
