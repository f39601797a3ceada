/** Shows in a form what is to be mended, and that it is being sent. */
import { controlsOf, labelOf } from './controls.ts';
import type { Problems } from './entry.ts';
import type { Messages } from './messages.ts';
import { setAttribute } from './set-attribute.ts';
import type { Undo } from './standing.ts';

let count = 0;

/** Says before each control what is wrong with it. */
export function markProblems(form: HTMLFormElement, problems: Problems, texts: Messages): Undo {
  const undo: Undo[] = [];
  for (const [name, control] of controlsOf(form)) {
    const problem = problems.get(name);
    if (!problem) continue;
    const { input, described } = control;
    const sentence = Object.assign(document.createElement('p'), {
      id: `newsletter-${++count}`,
      part: 'problem',
      textContent: texts[problem].replace('{label}', () => labelOf(control)),
    });
    (input.closest('label') ?? input).before(sentence);
    undo.push(
      () => sentence.remove(),
      setAttribute(
        described,
        'aria-describedby',
        `${sentence.id} ${described.getAttribute('aria-describedby') ?? ''}`.trim(),
      ),
    );
    // Of several boxes none is wrong by itself.
    if (input === described) undo.push(setAttribute(input, 'aria-invalid', 'true'));
  }
  return () => undo.forEach((each) => each());
}

/** Lets the buttons rest; they keep the focus. */
export function markBusy(form: HTMLFormElement): Undo {
  const undo = Array.from(form.querySelectorAll('[type=submit], button:not([type])'), (button) =>
    setAttribute(button, 'aria-disabled', 'true'),
  );
  return () => undo.forEach((each) => each());
}
