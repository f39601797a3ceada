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

const atFirst = (what: string): Goal => ({
  title: `Core: time of ${what}, 150 ms latency`,
  unit: '×',
  peer: 'a loop over fetch',
  must: { atMost: 1.3 },
});

export const measurements: readonly Measurement[] = [
  {
    script: 'core/calls.ts',
    goals: {
      createKy: {
        title: 'Core: creations per CPU time on ky',
        unit: '×',
        peer: '@beehiiv/sdk',
        must: { atLeast: 1 },
      },
      createFetch: {
        title: 'Core: creations per CPU time on the fetch host',
        unit: '×',
        peer: '@beehiiv/sdk',
        must: { atLeast: 1.25 },
      },
      pageKy: {
        title: 'Core: pages of 100 per CPU time on ky, validated',
        unit: '×',
        peer: '@beehiiv/sdk',
        must: { atLeast: 0.9 },
      },
      pageFetch: {
        title: 'Core: pages of 100 per CPU time on the fetch host, validated',
        unit: '×',
        peer: '@beehiiv/sdk',
        must: { atLeast: 1.05 },
      },
      getKy: {
        title: 'Core: reads of one record per CPU time on ky',
        unit: '×',
        peer: '@beehiiv/sdk',
        must: { atLeast: 1 },
      },
      getFetch: {
        title: 'Core: reads of one record per CPU time on the fetch host',
        unit: '×',
        peer: '@beehiiv/sdk',
        must: { atLeast: 1.5 },
      },
    },
  },
  {
    script: 'rooms/walks.ts',
    goals: {
      call: { title: 'Core: functions entered by a read of one record', unit: 'functions', must: { atMost: 60 } },
      frames: { title: 'Core: frames between the caller of that read and fetch', unit: 'frames', must: { atMost: 8 } },
      signup: { title: 'Relay: functions entered from a post to its 202', unit: 'functions', must: { atMost: 90 } },
      poll: {
        title: 'n8n: functions entered by a poll of the trigger, one new person',
        unit: 'functions',
        must: { atMost: 120 },
      },
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
      cpu: { title: 'Core: CPU time of importing the package', unit: 'ms', must: { atMost: 60 } },
      firstCall: {
        title: 'Core: CPU time of the first call with a body, schemas included, above that of a Response',
        unit: 'ms',
        must: { atMost: 50 },
      },
    },
  },
  {
    script: 'core/quota.ts',
    goals: {
      used: {
        title: 'Core: share of the quota that is used, stated in headers',
        unit: 'of 1',
        must: { atLeast: 0.97 },
      },
      refused: { title: 'Core: answers that are 429 with the quota stated in headers', unit: '%', must: { below: 1 } },
      recovery: {
        title: 'Core: windows until the client keeps to a quota that was cut',
        unit: 'windows',
        must: { below: 2 },
      },
      silentUsed: {
        title: 'Core: share of the quota that is used, without headers',
        unit: 'of 1',
        must: { atLeast: 0.95 },
      },
      silentRefused: { title: 'Core: answers that are 429 without headers', unit: '%', must: { below: 3 } },
    },
  },
  {
    script: 'core/size.ts',
    goals: {
      client: { title: 'Core: a client that makes five calls, without zod, gzip', unit: 'kB', must: { atMost: 18 } },
      validating: {
        title: 'Core: a client that makes five calls, with validation, gzip',
        unit: 'kB',
        must: { atMost: 40 },
      },
    },
  },
  {
    script: 'core/import.ts',
    goals: {
      speed: {
        title: 'Core: bulk import of 1,000,000 rows from a CSV file',
        unit: 'rows/s',
        must: { atLeast: 30_000 },
      },
      careful: {
        title: 'Core: the same where a column says who has left and a list of 100,000 keeps people out',
        unit: 'of that rate',
        must: { atLeast: 0.8 },
      },
      memory: { title: 'Core: memory while importing 1,000,000 rows so', unit: 'MB', must: { below: 200 } },
    },
  },
  {
    script: 'core/watch.ts',
    goals: {
      bytes: {
        title: 'Core: bytes per subscription in the state of a watch over 1,000,000',
        unit: 'bytes',
        must: { atMost: 12 },
      },
      page: {
        title: 'Core: time to compare one scanned subscription with the state',
        unit: 'µs',
        must: { below: 20 },
      },
      memory: { title: 'Core: memory while scanning 1,000,000 subscriptions', unit: 'MB', must: { below: 200 } },
      state: { title: 'Core: state of a watch over 1,000,000 subscriptions, JSON', unit: 'MB', must: { atMost: 16 } },
      statuses: {
        title: 'Core: state of a watch over the statuses of 250,000 subscriptions, JSON',
        unit: 'MB',
        must: { atMost: 3 },
      },
    },
  },
  {
    script: 'core/sources.ts',
    goals: {
      time: {
        title: 'Core: report on the sources of 1,000,000 subscriptions, page by page',
        unit: 's',
        must: { atMost: 30 },
      },
      memory: { title: 'Core: memory of that report', unit: 'MB', must: { atMost: 300 } },
    },
  },
  {
    script: 'core/sync.ts',
    goals: {
      share: {
        title: 'Sync: time to plan a sync of 100,000 subscriptions and contacts',
        unit: '×',
        peer: 'JSON.parse of both sides',
        must: { atMost: 1.6 },
      },
      compare: {
        title: 'Sync: speed of planning a first sync of 20,000 subscriptions and contacts',
        unit: '×',
        peer: "n8n's Compare Datasets",
        must: { atLeast: 20 },
      },
      oneAddress: {
        title: 'Sync: time to plan 100,000 contacts with one address',
        unit: '×',
        peer: 'as many with different ones',
        must: { atMost: 3 },
      },
    },
  },
  {
    script: 'cli/sync.ts',
    goals: {
      memory: {
        title: 'Sync: memory of a sync of 1,000,000 subscriptions and contacts in PostgreSQL',
        unit: 'MB',
        must: { atMost: 400 },
      },
    },
  },
  {
    script: 'cli/sync-aged.ts',
    goals: {
      age: {
        title: 'Sync: time of later runs of 20,000 in PostgreSQL, after growth from 200 or beside another sync',
        unit: '×',
        peer: 'a fresh database',
        must: { atMost: 1.2 },
      },
    },
  },
  {
    script: 'sandbox/million.ts',
    goals: {
      depth: {
        title: 'Sandbox: time of a page of 100 anywhere in 1,000,000',
        unit: '×',
        peer: 'the first page',
        must: { below: 3 },
      },
      seed: { title: 'Sandbox: time to generate 1,000,000 subscriptions', unit: 's', must: { atMost: 60 } },
      memory: { title: 'Sandbox: memory with 1,000,000 subscriptions', unit: 'MB', must: { below: 400 } },
    },
  },
  {
    script: 'relay/accept.ts',
    goals: {
      rate: {
        title: 'Relay: signups acknowledged a second, each synced to disk, 32 callers',
        unit: '/s',
        must: { atLeast: 3000 },
      },
      share: {
        title: 'Relay: rate of those signups',
        unit: '×',
        peer: 'a bare node:http echo',
        must: { atLeast: 0.28 },
      },
      latency: {
        title: 'Relay: 99th percentile of those answers',
        unit: '×',
        peer: 'four times that of the echo and one sync',
        must: { atMost: 1 },
      },
      memory: { title: 'Relay: memory a second after its start', unit: 'MB', must: { atMost: 110 } },
      looked: { title: 'Relay: memory after the first /metrics', unit: 'MB', must: { atMost: 128 } },
    },
  },
  {
    script: 'relay/scale.ts',
    goals: {
      sqliteBytes: { title: 'Relay: a waiting signup on the disk, SQLite', unit: 'bytes', must: { atMost: 1500 } },
      sqliteExpiredBytes: {
        title: 'Relay: a delivered and erased signup on the disk, SQLite',
        unit: 'bytes',
        must: { atMost: 600 },
      },
      postgresBytes: {
        title: 'Relay: a waiting signup on the disk, PostgreSQL',
        unit: 'bytes',
        must: { atMost: 1800 },
      },
      postgresExpiredBytes: {
        title: 'Relay: a delivered and erased signup on the disk, PostgreSQL',
        unit: 'bytes',
        must: { atMost: 800 },
      },
      sqliteRate: {
        title: 'Relay: signups with consent per second, SQLite, 32 callers',
        unit: '/s',
        must: { atLeast: 2000 },
      },
      postgresRate: {
        title: 'Relay: signups with consent per second, PostgreSQL on the same machine',
        unit: '/s',
        must: { atLeast: 2000 },
      },
      sqliteP99: { title: 'Relay: 99th percentile of those answers, SQLite', unit: 'ms', must: { atMost: 30 } },
      postgresP99: { title: 'Relay: 99th percentile of those answers, PostgreSQL', unit: 'ms', must: { atMost: 60 } },
      sqliteIdle: { title: 'Relay: memory after three idle minutes, SQLite', unit: 'MB', must: { atMost: 95 } },
      postgresIdle: { title: 'Relay: memory after three idle minutes, PostgreSQL', unit: 'MB', must: { atMost: 95 } },
    },
  },
  {
    script: 'relay/backlog.ts',
    goals: {
      p99: {
        title: 'Relay: 99th percentile with 1,000,000 waiting, 5,000,000 erased and delivery running',
        unit: '×',
        peer: 'an empty store',
        must: { atMost: 2 },
      },
      polled: {
        title: 'Relay: 99th percentile while an operator looks every second',
        unit: '×',
        peer: 'nobody who looks',
        must: { atMost: 1.2 },
      },
      metrics: { title: 'Relay: time of /metrics with so many', unit: 'ms', must: { atMost: 50 } },
      status: { title: 'Relay: time of the status with so many', unit: 'ms', must: { atMost: 50 } },
      written: { title: 'Relay: what a signup writes into that store, 32 callers', unit: 'kB', must: { atMost: 14.2 } },
      writtenAlone: { title: 'Relay: what it writes there alone', unit: 'kB', must: { atMost: 25.6 } },
    },
  },
  {
    script: 'relay/drain.ts',
    goals: {
      drain: {
        title: "Relay: share of the API's quota that emptying a backlog uses, one by one",
        unit: 'of 1',
        must: { atLeast: 0.9 },
      },
      calls: {
        title: 'Relay: requests per 1,000 of 100,000 waiting signups, until they are confirmed',
        unit: 'requests',
        must: { atMost: 15 },
      },
      minutes: {
        title: 'Relay: time until 100,000 waiting are confirmed, 180 requests a minute',
        unit: 'minutes',
        must: { atMost: 10 },
      },
      fresh: {
        title: 'Relay: longest wait of a new signup behind 100,000, until the API has created the subscription',
        unit: 's',
        must: { atMost: 5 },
      },
    },
  },
  {
    script: 'relay/worker-costs.ts',
    goals: {
      workerRequests: {
        title: 'Relay: requests to the Worker per 1,000 signups',
        unit: 'requests',
        must: { atMost: 2000 },
      },
      objectRequests: {
        title: 'Relay: requests to its Durable Object per 1,000 signups, alarms included',
        unit: 'requests',
        must: { atMost: 2000 },
      },
      rowsRead: {
        title: 'Relay: rows that the Worker reads per 1,000 signups',
        unit: 'rows',
        must: { atMost: 40_000 },
      },
      rowsWritten: {
        title: 'Relay: rows that the Worker writes per 1,000 signups, indexes and alarms included',
        unit: 'rows',
        must: { atMost: 10_000 },
      },
    },
  },
  {
    script: 'widget/size.ts',
    goals: {
      script: { title: 'Tag: size of the script, brotli', unit: 'B', must: { atMost: 14_000 } },
      signup: {
        title: 'Tag: size of all scripts of a signup, brotli',
        unit: 'B',
        must: { atMost: 21_000 },
      },
      npm: { title: 'Tag: size of the package without Lit, brotli', unit: 'B', must: { atMost: 9000 } },
    },
  },
  {
    script: 'widget/load.ts',
    goals: {
      script: {
        title: 'Tag: script time on a processor four times slower',
        unit: '×',
        peer: 'the form of Ghost',
        must: { atMost: 0.1 },
      },
      work: {
        title: 'Tag: all work of the main thread there',
        unit: '×',
        peer: 'the form of Ghost',
        must: { atMost: 0.18 },
      },
      heap: { title: 'Tag: memory', unit: 'MB', must: { atMost: 0.5 } },
      requests: { title: 'Tag: requests until the focus enters the form', unit: 'requests', must: { atMost: 1 } },
      cookies: { title: 'Tag: cookies', unit: 'cookies', must: { atMost: 0 } },
      fonts: { title: 'Tag: fonts', unit: 'fonts', must: { atMost: 0 } },
      shift: {
        title: 'Tag: layout shift of the copied snippet, in three fonts, thanks included',
        unit: 'CLS',
        must: { atMost: 0 },
      },
    },
  },
];
