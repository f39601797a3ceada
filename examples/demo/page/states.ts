/** The states of a preview: what is done to the form, and the endpoint's answer. */

/** What the preview does to reach the state. */
type Act = 'nothing' | 'send empty' | 'fill in and send' | 'go offline, fill in and send';

/** A made-up answer of the endpoint. */
interface Answer {
  readonly status: number;
  readonly retryAfter?: number;
  readonly error?: { readonly message: string; readonly code: string };
}

interface State {
  readonly title: string;
  readonly act: Act;
  /** `never`: no answer comes, and the form stays busy. Undefined: the form posts to the relay of the demo. */
  readonly answer?: 'never' | Answer;
}

/** How long an answer takes, so that the busy state is seen, in milliseconds. */
export const answerMs = 250;

const states = {
  idle: { title: 'Idle', act: 'nothing' },
  busy: { title: 'Busy', act: 'fill in and send', answer: 'never' },
  invalid: { title: 'Invalid', act: 'send empty', answer: { status: 202 } },
  refused: {
    title: 'Refused',
    act: 'fill in and send',
    answer: { status: 400, error: { message: 'We cannot take signups from this address.', code: 'REFUSED' } },
  },
  limited: {
    title: 'Limited',
    act: 'fill in and send',
    answer: { status: 429, retryAfter: 45, error: { message: 'Too many signups.', code: 'RATE_LIMITED' } },
  },
  unavailable: {
    title: 'Down',
    act: 'fill in and send',
    answer: { status: 503, retryAfter: 300, error: { message: 'Being repaired.', code: 'UNAVAILABLE' } },
  },
  success: { title: 'Success', act: 'fill in and send', answer: { status: 202 } },
  offline: { title: 'Offline', act: 'go offline, fill in and send', answer: { status: 202 } },
} as const satisfies Readonly<Record<string, State>>;

export type StateName = keyof typeof states;

export function isState(name: string): name is StateName {
  return Object.hasOwn(states, name);
}

export function stateOf(name: StateName): State {
  return states[name];
}

/** The answer as a response, as the relay would send it. */
export function responseOf({ status, error, retryAfter }: Answer): Response {
  return Response.json(error ? { status, statusText: 'refused', errors: [error] } : { status: 'accepted' }, {
    status,
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  });
}

/** The titles of the states by name. */
export const stateTitles = Object.fromEntries(
  Object.entries(states).map(([name, { title }]) => [name, title]),
) as Readonly<Record<StateName, string>>;
