/**
 * Checks what a relay needs before signups arrive: origins, API key, publications, clock and store.
 */
import { ApiError, type Client } from '@newsletter-kit/core';
import type { Form } from './config/form.ts';
import type { RelayConfig } from './config/settings.ts';
import type { RelayContext } from './context.ts';
import type { OpenTransport } from './confirmation/smtp.ts';
import { checkMail, checkSender, isReadable, mailServerCheck, timeoutMs } from './mail-checks.ts';
import type { CheckOptions, CheckResult } from './ops/operator.ts';
import { unclearConsentsText } from './ops/unclear-consents.ts';
import { storeName } from './config/store-address.ts';
import { answerWithinMs, within } from './deadline.ts';
import { StoreUnavailableError } from './errors.ts';
import { asStoreError } from './health.ts';
import { decideRetry, type Retry } from './queue/retry.ts';
import type { SignupStore } from './store/signup-store.ts';
import type { Log } from './log.ts';

/** The clocks that this machine's has to agree with, the tolerated difference in milliseconds, and what to do. */
const clocks = {
  clock: {
    of: 'the API',
    mostMs: 120_000,
    advice: 'set it by NTP. Form tokens, limits and delivery go by it.',
  },
  'clock of the store': {
    of: 'the database',
    mostMs: 3000,
    advice:
      'set both by NTP. Relays that share a database tell by their clocks which signups are due and which claims have expired.',
  },
} as const;

const mayNotRead =
  'NEWSLETTER_API_KEY may not read subscriptions. It may still create them; what was sent in bulk cannot be confirmed, and mails have no List-Unsubscribe.';

/** Warns of sites without https: anybody on the network path can read their visitors' addresses. */
export function checkOrigins({ forms }: Pick<RelayConfig, 'forms'>): CheckResult {
  const origins = new Set(Object.values(forms).flatMap((form) => [...form.origins]));
  const open = [...origins].filter(isReadable);
  if (open.length === 0) return { name: 'origins', result: 'ok', text: [...origins].join(', ') };
  const text = `${open.join(', ')} ${open.length === 1 ? 'is a site' : 'are sites'} without https: if visitors see https, name that origin in RELAY_ALLOWED_ORIGINS.`;
  return { name: 'origins', result: 'warning', text };
}

/**
 * Reads one subscription of each form's publication: that needs a valid key, publication and API address.
 *
 * @param onRefused - called for each form whose key or publication the API refuses, so that its signups cannot be
 *   delivered
 */
export async function checkService(
  { config, secrets, now }: Pick<RelayContext, 'config' | 'secrets' | 'now'>,
  clientOf: (apiKey: string) => Client,
  onRefused: (form: string, failure: Retry) => void = () => {},
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  let skewMs: number | undefined;
  const lanes = Map.groupBy(Object.values(config.forms), ({ publicationId, apiKey }) =>
    JSON.stringify([publicationId, apiKey]),
  );
  for (const group of lanes.values()) {
    const [{ name: form, publicationId, apiKey } = { name: '', publicationId: '', apiKey: '' }] = group;
    const name = `publication of ${group.map((form) => `"${form.name}"`).join(', ')}`;
    try {
      const { headers } = await clientOf(apiKey)
        .subscriptions.list({ publicationId, limit: 1 }, { timeoutMs, retry: { retries: 0 } })
        .withResponse();
      const serviceNow = timeIn(headers['date']);
      if (serviceNow !== null) skewMs ??= now() - serviceNow;
      results.push({ name, result: 'ok', text: `${publicationId} can be read` });
      results.push(...(await checkPages(group, clientOf(apiKey))));
    } catch (error) {
      const decision = decideRetry(error, secrets);
      if (error instanceof ApiError && error.status === 403)
        results.push({ name, result: 'warning', text: mayNotRead });
      else {
        results.push({ name, result: 'failed', text: decision.reason });
        if (decision.kind === 'retry' && decision.needsOperator && decision.scope !== 'unknown')
          onRefused(form, decision);
      }
    }
  }
  if (skewMs !== undefined) results.push(clockResult('clock', skewMs));
  return results;
}

/** Warns of fields that the page of a form asks for and its publication lacks: the API drops what is entered there. */
async function checkPages(forms: readonly Form[], client: Client): Promise<readonly CheckResult[]> {
  const asking = forms.filter((form) => form.page !== null && form.page.fields.length > 0);
  const publicationId = asking[0]?.publicationId;
  if (publicationId === undefined) return [];
  const known = new Set<string>();
  try {
    for await (const { display } of client.customFields.list({ publicationId }, { timeoutMs, retry: { retries: 0 } }))
      known.add(display ?? '');
  } catch {
    const text = 'NEWSLETTER_API_KEY may not read custom fields, so that those of RELAY_PAGE_FIELDS were not compared.';
    return [{ name: 'hosted form', result: 'warning', text }];
  }
  return asking.map(({ name: form, page }): CheckResult => {
    const missing = page?.fields.filter(({ name }) => !known.has(name)).map(({ name }) => `"${name}"`) ?? [];
    const name = `hosted form "${form}"`;
    if (missing.length === 0) return { name, result: 'ok', text: 'the publication has its fields' };
    const text = `The publication has no custom field ${missing.join(', ')}, so that what is entered there is lost: create it, or take it out of RELAY_PAGE_FIELDS.`;
    return { name, result: 'warning', text };
  });
}

/** The service's clock by the `Date` of any answer, in milliseconds since the Unix epoch; null if none comes. */
export async function serviceTime(apiUrl: string): Promise<number | null> {
  try {
    const { headers } = await fetch(apiUrl, { method: 'HEAD', signal: AbortSignal.timeout(timeoutMs) });
    return timeIn(headers.get('date'));
  } catch {
    return null;
  }
}

/** The time in a header `Date`, in milliseconds since the Unix epoch; null where there is none. */
function timeIn(date: string | null | undefined): number | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : at;
}

function clockResult(name: keyof typeof clocks, skewMs: number): CheckResult {
  const { of, mostMs, advice } = clocks[name];
  if (Math.abs(skewMs) <= mostMs) return { name, result: 'ok', text: `agrees with ${of}` };
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const text = `This machine's clock is ${seconds} seconds ${skewMs > 0 ? 'ahead of' : 'behind'} ${of}'s: ${advice}`;
  return { name, result: 'warning', text };
}

/** Compares the clock of this machine with that of the database, which other relays share. */
export async function checkStoreClock(
  { serverTime }: Pick<SignupStore, 'serverTime'>,
  now: () => number,
): Promise<readonly CheckResult[]> {
  if (!serverTime) return [];
  const askedAt = now();
  const serverNow = await serverTime();
  // The database read its clock at some moment between question and answer.
  const skewMs = askedAt > serverNow ? askedAt - serverNow : Math.min(0, now() - serverNow);
  return [clockResult('clock of the store', skewMs)];
}

/** Warns of forms that send a consent in unclear words, and for which no sentence is named. */
export async function checkConsents(
  { forms }: Pick<RelayConfig, 'forms'>,
  store: Pick<SignupStore, 'overview'>,
  now: () => number,
): Promise<readonly CheckResult[]> {
  const text = unclearConsentsText(await store.overview(now()), forms);
  return text === null ? [] : [{ name: 'consent', result: 'warning', text }];
}

/** Writes and syncs, as a signup would, compares the clocks, and looks for unclear consents. */
export async function checkStore(
  config: Pick<RelayConfig, 'store' | 'forms'>,
  store: Pick<SignupStore, 'probe' | 'serverTime' | 'overview'>,
  now: () => number,
): Promise<readonly CheckResult[]> {
  const name = 'store';
  try {
    await within(answerWithinMs, store.probe(now(), 'fill'));
    const clock = await within(answerWithinMs, checkStoreClock(store, now));
    const consents = await within(answerWithinMs, checkConsents(config, store, now));
    return [{ name, result: 'ok', text: `${storeName(config.store)} can be written` }, ...clock, ...consents];
  } catch (cause) {
    const error = asStoreError(cause);
    if (error instanceof StoreUnavailableError) return [{ name, result: 'failed', text: error.message }];
    throw error;
  }
}

/**
 * Everything that `newsletter-relay check` reports: whether a signup would be accepted and delivered.
 *
 * @param own - the checks of the store and of the service, which a running relay makes by its own parts
 */
export async function checkAll(
  { config, secrets }: Pick<RelayContext, 'config' | 'secrets'>,
  openTransport: OpenTransport | null,
  asked: CheckOptions,
  own: readonly Promise<readonly CheckResult[]>[],
): Promise<readonly CheckResult[]> {
  const mail = [checkMail(config, secrets, openTransport), checkSender(config, secrets, openTransport, asked)];
  const results = await Promise.all([...own, ...mail]);
  return [{ name: 'settings', result: 'ok', text: 'complete' }, checkOrigins(config), ...results.flat()];
}

/** Logs what `newsletter-relay check` would report, at the start of a relay. */
export function logChecks(checks: readonly CheckResult[], log: Log): void {
  for (const { name, result, text } of checks) {
    if (result === 'failed')
      log.error(
        { check: name, reason: text },
        name === mailServerCheck
          ? 'signups are taken, but confirmation mails cannot be sent'
          : 'signups are taken, but cannot be delivered',
      );
    if (result === 'warning') log.warn({ check: name, reason: text }, 'a check found something to look at');
  }
}
