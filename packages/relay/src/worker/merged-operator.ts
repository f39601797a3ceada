/** One operator interface for the Durable Objects of several publications. */
import type { Operator, Running } from '../ops/operator.ts';
import { earliest, reasonsShown, signupStates, type SignupCounts } from '../store/overview.ts';
import type { ConsentRecord, WebhookBacklog } from '../store/signup-store.ts';

/** The operator of one publication. */
export interface PublicationOperator {
  readonly operator: Operator;
  /** Names of the publication's forms. */
  readonly forms: ReadonlySet<string>;
}

/** @param publications - at least one */
export function mergedOperator(publications: readonly [PublicationOperator, ...PublicationOperator[]]): Operator {
  const operators = publications.map(({ operator }) => operator);
  const each = <T>(call: (operator: Operator) => Promise<T>): Promise<T[]> => Promise.all(operators.map(call));
  return {
    async status() {
      const all = await each((operator) => operator.status());
      return {
        counts: Object.fromEntries(
          signupStates.map((state) => [state, sum(all.map(({ counts }) => counts[state]))]),
        ) as SignupCounts,
        due: sum(all.map(({ due }) => due)),
        oldestWaitingSince: earliest(all.map(({ oldestWaitingSince }) => oldestWaitingSince)),
        forms: all.flatMap(({ forms }) => forms).toSorted((a, b) => (a.form < b.form ? -1 : 1)),
        deadByReason: mergedReasons(all.flatMap(({ deadByReason }) => deadByReason)),
        paused: all.every(({ paused }) => paused),
        shared: false,
        webhooks: mergedBacklogs(all.flatMap(({ webhooks }) => webhooks)),
        running: mergedRunning(all.flatMap(({ running }) => (running ? [running] : []))),
      };
    },
    setPaused: async (paused) => void (await each((operator) => operator.setPaused(paused))),
    // What belongs to no form any more is kept with the first publication.
    async load(signups, consents) {
      const [first] = publications;
      const ownerOf = ({ form }: { readonly form: string }) =>
        publications.find(({ forms }) => forms.has(form)) ?? first;
      const added = publications.map((publication) => {
        const own = signups.filter((signup) => ownerOf(signup) === publication);
        const ownConsents = consents.filter((consent) => ownerOf(consent) === publication);
        return own.length + ownConsents.length > 0 ? publication.operator.load(own, ownConsents) : Promise.resolve(0);
      });
      return sum(await Promise.all(added));
    },
    async list(filter, page) {
      const pages = await each((operator) => operator.list(filter, page));
      return pages
        .flat()
        .toSorted((a, b) => (a.id > b.id ? -1 : 1))
        .slice(0, page.limit);
    },
    async listConsents(page) {
      const pages = await each((operator) => operator.listConsents(page));
      const bySignup = Map.groupBy(pages.flat(), ({ signup }) => signup);
      return [...bySignup]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, page.limit)
        .flatMap(([, records]): ConsentRecord[] => records);
    },
    async person(address) {
      const parts = await each((operator) => operator.person(address));
      return {
        signups: parts.flatMap(({ signups }) => signups).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        consents: parts.flatMap(({ consents }) => consents).toSorted((a, b) => a.at - b.at),
      };
    },
    resumeWebhooks: async (destination) =>
      (await each((operator) => operator.resumeWebhooks(destination))).includes(true),
    async redriveWebhooks(destination) {
      const counts = (await each((operator) => operator.redriveWebhooks(destination))).filter(
        (count) => count !== null,
      );
      return counts.length === 0 ? null : sum(counts);
    },
    redrive: async (filter) => sum(await each((operator) => operator.redrive(filter))),
    discard: async (filter) => sum(await each((operator) => operator.discard(filter))),
    async erase(address, options) {
      const erased = await each((operator) => operator.erase(address, options));
      return {
        signups: sum(erased.map(({ signups }) => signups)),
        consents: sum(erased.map(({ consents }) => consents)),
      };
    },
  };
}

/** Every publication sends to the same destinations. */
function mergedBacklogs(all: readonly WebhookBacklog[]): WebhookBacklog[] {
  return [...Map.groupBy(all, ({ destination }) => destination)].map(([destination, same]) => ({
    destination,
    waiting: sum(same.map(({ waiting }) => waiting)),
    oldestSince: earliest(same.map(({ oldestSince }) => oldestSince)),
    dead: sum(same.map(({ dead }) => dead)),
    held: joined(same.map(({ held }) => held)),
    reason: joined(same.map(({ reason }) => reason)),
  }));
}

function mergedReasons(all: readonly { readonly reason: string; readonly count: number }[]) {
  return [...Map.groupBy(all, ({ reason }) => reason)]
    .map(([reason, same]) => ({ reason, count: sum(same.map(({ count }) => count)) }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, reasonsShown);
}

/** The objects start at different times, but each reports the same sixty minutes. */
function mergedRunning(all: readonly Running[]): Running | null {
  const [first] = all;
  if (!first) return null;
  return {
    since: Math.min(...all.map(({ since }) => since)),
    trouble: joined(all.map(({ trouble }) => trouble)),
    storeTrouble: joined(all.map(({ storeTrouble }) => storeTrouble)),
    minutes: first.minutes.map(({ from }) => {
      const same = all.flatMap(({ minutes }) => minutes.filter((minute) => minute.from === from));
      return {
        from,
        kept: sum(same.map(({ kept }) => kept)),
        refused: sum(same.map(({ refused }) => refused)),
        delivered: sum(same.map(({ delivered }) => delivered)),
        dead: sum(same.map(({ dead }) => dead)),
      };
    }),
  };
}

function joined(texts: readonly (string | null)[]): string | null {
  return [...new Set(texts.filter((text) => text !== null))].join(' ') || null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
