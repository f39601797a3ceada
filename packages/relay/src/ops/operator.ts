/** The operator interface: status and actions on kept signups, and the counts per minute shown on the operator page. */
import { broadcast, eventListener, type EventListener } from './events.ts';
import type { Overview, SignupFilter, SignupStore } from '../store/signup-store.ts';

/** How things stand. */
export interface Status extends Overview {
  /** Whether an operator has paused delivery. */
  readonly paused: boolean;
  /** Whether relays may hold the store that were not asked: any number of them share it. */
  readonly shared: boolean;
  /** What a running relay knows besides; null where none was asked. */
  readonly running: Running | null;
}

/** What only the running process knows. */
export interface Running {
  /** When it started, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Why the API takes no signups at present; null while it does. */
  readonly trouble: string | null;
  /** Why signups cannot be kept at present; null while they can. */
  readonly storeTrouble: string | null;
  /** The last hour, minute by minute, oldest first. */
  readonly minutes: readonly Minute[];
}

/** Collects {@link Running} from the events of a relay. */
export interface RunningStatus {
  readonly onEvent: EventListener;
  read(): Running;
}

/** Starts to collect the status of the running process. */
export function createRunningStatus(now: () => number): RunningStatus {
  const since = now();
  const counters = createMinuteCounters(now);
  /** Why signups of a key or publication, or mails, are held at present. */
  const openCircuits = new Map<string, string>();
  let storeTrouble: string | null = null;
  const watch = eventListener({
    circuitOpened: ({ scope, reason }) => openCircuits.set(scope, reason),
    circuitClosed: ({ scope }) => openCircuits.delete(scope),
    mailCircuitOpened: ({ reason }) => openCircuits.set('mail server', reason),
    mailCircuitClosed: () => openCircuits.delete('mail server'),
    storeFailed: ({ reason }) => (storeTrouble = reason),
    storeRecovered: () => (storeTrouble = null),
  });
  return {
    onEvent: broadcast([counters.onEvent, watch]),
    read: () => ({
      since,
      trouble: [...openCircuits.values()].join(' ') || null,
      storeTrouble,
      minutes: counters.minutes(),
    }),
  };
}

/** Everything an operator can ask for. All but the status is the store's own. */
export interface Operator extends Pick<
  SignupStore,
  'list' | 'listConsents' | 'person' | 'discard' | 'erase' | 'setPaused'
> {
  status(): Promise<Status>;
  /** Lets dead letters and signups in review that the filter means wait for delivery. @returns how many */
  redrive(filter: SignupFilter): Promise<number>;
}

/** Options of {@link storeOperator}. */
export interface StoreOperatorOptions {
  /** What the running relay knows. Default: nothing is running. */
  readonly running?: () => Running | null;
  /** Called where something new may be due. */
  readonly wake?: () => void;
  readonly now?: () => number;
}

/** The operator of a store in this process. */
export function storeOperator(
  store: SignupStore,
  { running = () => null, wake = () => {}, now = Date.now }: StoreOperatorOptions = {},
): Operator {
  return {
    async status() {
      return {
        ...(await store.overview(now())),
        paused: await store.paused(),
        shared: store.shared,
        running: running(),
      };
    },
    async setPaused(paused) {
      await store.setPaused(paused);
      wake();
    },
    list: (filter, page) => store.list(filter, page),
    async redrive(filter) {
      const count = await store.redrive(filter, now());
      if (count > 0) wake();
      return count;
    },
    listConsents: (page) => store.listConsents(page),
    person: (address) => store.person(address),
    discard: (filter) => store.discard(filter),
    erase: (address, options) => store.erase(address, options),
  };
}

/** What is counted. */
export type CountedEvent = 'kept' | 'refused' | 'delivered' | 'dead';

/** One minute. */
export type Minute = Readonly<Record<CountedEvent, number>> & {
  /** When it began, in milliseconds since the Unix epoch. */
  readonly from: number;
};

export interface MinuteCounters {
  readonly onEvent: EventListener;
  /** The last sixty minutes, oldest first, the running one last. */
  minutes(): readonly Minute[];
}

const minuteMs = 60_000;
const minutesKept = 60;

export function createMinuteCounters(now: () => number = Date.now): MinuteCounters {
  const counted = new Map<number, Record<CountedEvent, number>>();
  const current = (): number => Math.floor(now() / minuteMs);
  const count = (rate: CountedEvent) => (): void => {
    const minute = current();
    let row = counted.get(minute);
    if (row === undefined) {
      row = { kept: 0, refused: 0, delivered: 0, dead: 0 };
      counted.set(minute, row);
      for (const old of counted.keys()) if (old <= minute - minutesKept) counted.delete(old);
    }
    row[rate] += 1;
  };
  return {
    onEvent: eventListener({
      accepted: count('kept'),
      refused: count('refused'),
      delivered: count('delivered'),
      deadLetter: count('dead'),
    }),
    minutes: () =>
      Array.from({ length: minutesKept }, (_, index) => {
        const minute = current() - minutesKept + 1 + index;
        return { from: minute * minuteMs, ...(counted.get(minute) ?? { kept: 0, refused: 0, delivered: 0, dead: 0 }) };
      }),
  };
}
