/**
 * Answers the posts of a page's forms in the browser, so that the site needs no server. The address of a post names the
 * answer: `…/answers/refused`.
 */
import { answerMs, isState, responseOf, stateOf } from '../../examples/demo/page/states.ts';

const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
  const [, state = ''] = /\/answers\/(\w+)$/.exec(pathname) ?? [];
  if (!isState(state)) return send(input, init);
  const { answer } = stateOf(state);
  if (typeof init?.body === 'string') document.dispatchEvent(new CustomEvent('stand-in', { detail: init.body }));
  if (answer === undefined) return new Response(null, { status: 404 });
  await wait(answer === 'never' ? undefined : answerMs, init?.signal);
  return answer === 'never' ? new Response(null, { status: 504 }) : responseOf(answer);
};

/** Waits so many milliseconds, or until the signal; rejects as `fetch` does then. */
function wait(milliseconds: number | undefined, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (milliseconds !== undefined) setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () =>
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted')),
    );
  });
}
