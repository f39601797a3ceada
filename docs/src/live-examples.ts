/** Shows below each example the events of its form, and what the form posted. */
import { answerPosts } from '../../examples/demo/page/states.ts';
import { base } from './base.ts';

answerPosts(window);

const script = document.createElement('script');
script.src = `${base}/signup/signup-form.js`;
document.head.append(script);

/** The example that was sent last. */
let sent: Element | null | undefined;

for (const name of ['newsletter-submit', 'newsletter-success', 'newsletter-error'])
  document.addEventListener(name, ({ target }) => {
    const example = target instanceof Element ? target.closest('.example') : null;
    if (name === 'newsletter-submit') {
      sent = example;
      write(example, '', 'replace');
    }
    write(example, `Event: ${name}\n`, 'append');
  });

document.addEventListener('stand-in', (event) => {
  if (event instanceof CustomEvent)
    write(sent, `Posted: ${JSON.stringify(JSON.parse(String(event.detail)), null, 2)}\n`, 'append');
});

function write(example: Element | null | undefined, text: string, how: 'append' | 'replace'): void {
  const output = example?.querySelector('output');
  if (!output) return;
  output.textContent = how === 'append' ? output.textContent + text : text;
}
