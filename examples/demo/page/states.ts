/** The states of a form on show: what is done to the form, and the answer of its endpoint, which needs no server. */

/** What the preview does to reach the state. */
type Act = 'nothing' | 'send empty' | 'fill in and send' | 'go offline, fill in and send';

/** A made-up answer of the endpoint. */
interface Answer {
  readonly status: number;
  readonly retryAfter?: number;
  readonly error?: { readonly message: string; readonly code: string };
}

interface State {
  readonly act: Act;
  /**
   * `never`: no answer comes, and the form stays busy. `no network`: the post fails. Undefined: the form posts to the
   * endpoint of the page.
   */
  readonly answer?: 'never' | 'no network' | Answer;
}

/** How long an answer takes, so that the busy state is seen, in milliseconds. */
const answerMs = 250;

const states = {
  idle: { act: 'nothing' },
  busy: { act: 'fill in and send', answer: 'never' },
  invalid: { act: 'send empty', answer: { status: 202 } },
  refused: {
    act: 'fill in and send',
    answer: { status: 400, error: { message: 'We cannot take signups from this address.', code: 'REFUSED' } },
  },
  limited: {
    act: 'fill in and send',
    answer: { status: 429, retryAfter: 45, error: { message: 'Too many signups.', code: 'RATE_LIMITED' } },
  },
  unavailable: {
    act: 'fill in and send',
    answer: { status: 503, retryAfter: 300, error: { message: 'Being repaired.', code: 'UNAVAILABLE' } },
  },
  success: { act: 'fill in and send', answer: { status: 202 } },
  offline: { act: 'go offline, fill in and send', answer: 'no network' },
} as const satisfies Readonly<Record<string, State>>;

export type StateName = keyof typeof states;

function isState(name: string): name is StateName {
  return Object.hasOwn(states, name);
}

export function stateOf(name: StateName): State {
  return states[name];
}

export const stateNames = Object.keys(states).filter(isState);

/**
 * Answers the posts of a window's forms in the browser. The address of a post names the answer: `…/answers/refused`.
 * The event `stand-in` carries what was posted.
 */
export function answerPosts(view: Window & typeof globalThis): void {
  const send = view.fetch;
  view.fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof view.Request ? input.url : input, view.location.href);
    const [, state = ''] = /\/answers\/(\w+)$/.exec(pathname) ?? [];
    if (!isState(state)) return send(input, init);
    const { answer } = stateOf(state);
    if (typeof init?.body === 'string') view.document.dispatchEvent(new CustomEvent('stand-in', { detail: init.body }));
    if (answer === undefined) return new Response(null, { status: 404 });
    await wait(answer === 'never' ? undefined : answerMs, init?.signal);
    if (answer === 'no network') throw new TypeError('Failed to fetch');
    return answer === 'never' ? new Response(null, { status: 504 }) : responseOf(answer);
  };
}

/** The answer as a response, as the relay would send it. */
function responseOf({ status, error, retryAfter }: Answer): Response {
  return Response.json(error ? { status, statusText: 'refused', errors: [error] } : { status: 'accepted' }, {
    status,
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  });
}

/** Waits so many milliseconds, or until the signal; rejects as `fetch` does then. */
async function wait(milliseconds: number | undefined, signal: AbortSignal | null | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    if (milliseconds !== undefined) setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => resolve());
  });
  signal?.throwIfAborted();
}
