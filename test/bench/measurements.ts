/** Every figure that `npm run bench` reports, with its goal. */

export interface Goal {
  /** `Package: figure` */
  readonly title: string;
  readonly unit: string;
  /** The peer, where the figure is a ratio to that of a peer. */
  readonly peer?: string;
  readonly must: { readonly below: number } | { readonly atMost: number } | { readonly atLeast: number };
}

/** One process that measures: it prints a figure for each goal, under the goal's name. */
export interface Measurement {
  /** File beside this one. */
  readonly script: string;
  readonly goals: Readonly<Record<string, Goal>>;
}

const goal = (title: string, unit: string, must: Goal['must']): Goal => ({ title, unit, must });

/** A figure that is divided by that of a peer. */
const ratio = (title: string, peer: string, must: Goal['must']): Goal => ({ ...goal(title, '×', must), peer });

const atFirst = (what: string): Goal =>
  ratio(`Core: time of ${what}, 150 ms latency`, 'a loop over fetch', { atMost: 1.3 });

export const measurements: readonly Measurement[] = [
  {
    script: 'core/calls.ts',
    goals: {
      createKy: ratio('Core: creations per CPU time on ky', '@beehiiv/sdk', { atLeast: 1 }),
      createFetch: ratio('Core: creations per CPU time on the fetch host', '@beehiiv/sdk', { atLeast: 1.25 }),
      pageKy: ratio('Core: pages of 100 per CPU time on ky, validated', '@beehiiv/sdk', { atLeast: 0.9 }),
      pageFetch: ratio('Core: pages of 100 per CPU time on the fetch host, validated', '@beehiiv/sdk', {
        atLeast: 1.05,
      }),
      getKy: ratio('Core: reads of one record per CPU time on ky', '@beehiiv/sdk', { atLeast: 1 }),
      getFetch: ratio('Core: reads of one record per CPU time on the fetch host', '@beehiiv/sdk', { atLeast: 1.5 }),
    },
  },
  {
    script: 'rooms/walks.ts',
    goals: {
      call: goal('Core: functions entered by a read of one record', 'functions', { atMost: 60 }),
      frames: goal('Core: frames between the caller of that read and fetch', 'frames', { atMost: 8 }),
      signup: goal('Relay: functions entered from a post to its 202', 'functions', { atMost: 90 }),
      poll: goal('n8n: functions entered by a poll of the trigger, one new person', 'functions', { atMost: 120 }),
    },
  },
  {
    script: 'core/cold-start.ts',
    goals: Object.fromEntries(
      [20, 100, 500].flatMap((calls) => [
        [`client${calls}`, atFirst(`${calls} parallel calls of a fresh client`)],
        [`process${calls}`, atFirst(`${calls} parallel calls, the first of a process`)],
      ]),
    ),
  },
  {
    script: 'core/import-cost.ts',
    goals: {
      cpu: goal('Core: CPU time of importing the package', 'ms', { atMost: 60 }),
      firstCall: goal(
        'Core: CPU time of the first call with a body, schemas included, above that of a Response',
        'ms',
        { atMost: 50 },
      ),
    },
  },
  {
    script: 'core/quota.ts',
    goals: {
      used: goal('Core: share of the quota that is used, stated in headers', 'of 1', { atLeast: 0.97 }),
      refused: goal('Core: answers that are 429 with the quota stated in headers', '%', { below: 1 }),
      recovery: goal('Core: windows until the client keeps to a quota that was cut', 'windows', { below: 2 }),
      silentUsed: goal('Core: share of the quota that is used, without headers', 'of 1', { atLeast: 0.95 }),
      silentRefused: goal('Core: answers that are 429 without headers', '%', { below: 3 }),
    },
  },
  {
    script: 'core/size.ts',
    goals: {
      client: goal('Core: a client that makes five calls, without zod, gzip', 'kB', { atMost: 18 }),
      validating: goal('Core: a client that makes five calls, with validation, gzip', 'kB', { atMost: 40 }),
    },
  },
  {
    script: 'core/import.ts',
    goals: {
      speed: goal('Core: bulk import of 1,000,000 rows from a CSV file', 'rows/s', { atLeast: 30_000 }),
      careful: goal(
        'Core: the same where a column says who has left and a list of 100,000 keeps people out',
        'of that rate',
        { atLeast: 0.8 },
      ),
      memory: goal('Core: memory while importing 1,000,000 rows so', 'MB', { below: 200 }),
    },
  },
  {
    script: 'core/watch.ts',
    goals: {
      bytes: goal('Core: bytes per subscription in the state of a watch over 1,000,000', 'bytes', { atMost: 12 }),
      page: goal('Core: time to compare one scanned subscription with the state', 'µs', { below: 20 }),
      memory: goal('Core: memory while scanning 1,000,000 subscriptions', 'MB', { below: 200 }),
      state: goal('Core: state of a watch over 1,000,000 subscriptions, JSON', 'MB', { atMost: 16 }),
      statuses: goal('Core: state of a watch over the statuses of 250,000 subscriptions, JSON', 'MB', { atMost: 3 }),
    },
  },
  {
    script: 'core/sources.ts',
    goals: {
      time: goal('Core: report on the sources of 1,000,000 subscriptions, page by page', 's', { atMost: 30 }),
      memory: goal('Core: memory of that report', 'MB', { atMost: 300 }),
    },
  },
  {
    script: 'core/sync.ts',
    goals: {
      share: ratio('Sync: time to plan a sync of 100,000 subscriptions and contacts', 'JSON.parse of both sides', {
        atMost: 1.6,
      }),
      compare: ratio(
        'Sync: speed of planning a first sync of 20,000 subscriptions and contacts',
        "n8n's Compare Datasets",
        { atLeast: 20 },
      ),
      oneAddress: ratio('Sync: time to plan 100,000 contacts with one address', 'as many with different ones', {
        atMost: 3,
      }),
    },
  },
  {
    script: 'cli/sync.ts',
    goals: {
      memory: goal('Sync: memory of a sync of 1,000,000 subscriptions and contacts in PostgreSQL', 'MB', {
        atMost: 400,
      }),
    },
  },
  {
    script: 'cli/sync-aged.ts',
    goals: {
      age: ratio(
        'Sync: time of later runs of 20,000 in PostgreSQL, after growth from 200 or beside another sync',
        'a fresh database',
        { atMost: 1.2 },
      ),
    },
  },
  {
    script: 'sandbox/million.ts',
    goals: {
      depth: ratio('Sandbox: time of a page of 100 anywhere in 1,000,000', 'the first page', { below: 3 }),
      seed: goal('Sandbox: time to generate 1,000,000 subscriptions', 's', { atMost: 60 }),
      memory: goal('Sandbox: memory with 1,000,000 subscriptions', 'MB', { below: 400 }),
    },
  },
  {
    script: 'relay/accept.ts',
    goals: {
      rate: goal('Relay: signups acknowledged a second, each synced to disk, 32 callers', '/s', { atLeast: 3000 }),
      share: ratio('Relay: rate of those signups', 'a bare node:http echo', { atLeast: 0.28 }),
      latency: ratio('Relay: 99th percentile of those answers', 'four times that of the echo and one sync', {
        atMost: 1,
      }),
      memory: goal('Relay: memory a second after its start', 'MB', { atMost: 110 }),
      looked: goal('Relay: memory after the first /metrics', 'MB', { atMost: 128 }),
    },
  },
  {
    script: 'relay/scale.ts',
    goals: {
      sqliteBytes: goal('Relay: a waiting signup on the disk, SQLite', 'bytes', { atMost: 1500 }),
      sqliteExpiredBytes: goal('Relay: a delivered and erased signup on the disk, SQLite', 'bytes', { atMost: 600 }),
      postgresBytes: goal('Relay: a waiting signup on the disk, PostgreSQL', 'bytes', { atMost: 1800 }),
      postgresExpiredBytes: goal('Relay: a delivered and erased signup on the disk, PostgreSQL', 'bytes', {
        atMost: 800,
      }),
      sqliteRate: goal('Relay: signups with consent per second, SQLite, 32 callers', '/s', { atLeast: 2000 }),
      postgresRate: goal('Relay: signups with consent per second, PostgreSQL on the same machine', '/s', {
        atLeast: 2000,
      }),
      sqliteP99: goal('Relay: 99th percentile of those answers, SQLite', 'ms', { atMost: 30 }),
      postgresP99: goal('Relay: 99th percentile of those answers, PostgreSQL', 'ms', { atMost: 60 }),
      sqliteIdle: goal('Relay: memory after three idle minutes, SQLite', 'MB', { atMost: 95 }),
      postgresIdle: goal('Relay: memory after three idle minutes, PostgreSQL', 'MB', { atMost: 95 }),
    },
  },
  {
    script: 'relay/backlog.ts',
    goals: {
      p99: ratio(
        'Relay: 99th percentile with 1,000,000 waiting, 5,000,000 erased and delivery running',
        'an empty store',
        { atMost: 2 },
      ),
      polled: ratio('Relay: 99th percentile while an operator looks every second', 'nobody who looks', { atMost: 1.2 }),
      metrics: goal('Relay: time of /metrics with so many', 'ms', { atMost: 50 }),
      status: goal('Relay: time of the status with so many', 'ms', { atMost: 50 }),
      written: goal('Relay: what a signup writes into that store, 32 callers', 'kB', { atMost: 14.2 }),
      writtenAlone: goal('Relay: what it writes there alone', 'kB', { atMost: 25.6 }),
    },
  },
  {
    script: 'relay/drain.ts',
    goals: {
      drain: goal("Relay: share of the API's quota that emptying a backlog uses, one by one", 'of 1', { atLeast: 0.9 }),
      calls: goal('Relay: requests per 1,000 of 100,000 waiting signups, until they are confirmed', 'requests', {
        atMost: 15,
      }),
      minutes: goal('Relay: time until 100,000 waiting are confirmed, 180 requests a minute', 'minutes', {
        atMost: 10,
      }),
      fresh: goal(
        'Relay: longest wait of a new signup behind 100,000, until the API has created the subscription',
        's',
        { atMost: 5 },
      ),
    },
  },
  {
    script: 'relay/worker-costs.ts',
    goals: {
      workerRequests: goal('Relay: requests to the Worker per 1,000 signups', 'requests', { atMost: 2000 }),
      objectRequests: goal('Relay: requests to its Durable Object per 1,000 signups, alarms included', 'requests', {
        atMost: 2000,
      }),
      rowsRead: goal('Relay: rows that the Worker reads per 1,000 signups', 'rows', { atMost: 40_000 }),
      rowsWritten: goal('Relay: rows that the Worker writes per 1,000 signups, indexes and alarms included', 'rows', {
        atMost: 10_000,
      }),
    },
  },
  {
    script: 'widget/size.ts',
    goals: {
      script: goal('Tag: size of the script, brotli', 'B', { atMost: 14_000 }),
      signup: goal('Tag: size of all scripts of a signup, brotli', 'B', { atMost: 21_000 }),
      npm: goal('Tag: size of the package without Lit, brotli', 'B', { atMost: 9000 }),
    },
  },
  {
    script: 'widget/load.ts',
    goals: {
      script: ratio('Tag: script time on a processor four times slower', 'the form of Ghost', { atMost: 0.1 }),
      work: ratio('Tag: all work of the main thread there', 'the form of Ghost', { atMost: 0.18 }),
      heap: goal('Tag: memory', 'MB', { atMost: 0.5 }),
      requests: goal('Tag: requests until the focus enters the form', 'requests', { atMost: 1 }),
      cookies: goal('Tag: cookies', 'cookies', { atMost: 0 }),
      fonts: goal('Tag: fonts', 'fonts', { atMost: 0 }),
      shift: goal('Tag: layout shift of the copied snippet, in three fonts, thanks included', 'CLS', { atMost: 0 }),
    },
  },
];
