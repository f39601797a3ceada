/** The list of what the tag has told the page, newest first. */
import { element, find } from './dom.ts';

const limit = 50;

/** @returns adds one event */
export function showEvents(): (name: string, carries: Readonly<Record<string, unknown>>) => void {
  const list = find('#events', HTMLOListElement);
  const nothingYet = find('#no-events', HTMLElement);
  find('#clear-log', HTMLButtonElement).addEventListener('click', () => {
    list.replaceChildren();
    nothingYet.hidden = false;
  });
  return (name, carries) => {
    nothingYet.hidden = true;
    list.prepend(
      element(
        'li',
        {},
        element('time', {}, new Date().toLocaleTimeString()),
        ' ',
        element('strong', {}, name),
        ' ',
        element('code', {}, JSON.stringify(carries)),
      ),
    );
    while (list.children.length > limit) list.lastElementChild?.remove();
  };
}
