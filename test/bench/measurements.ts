/** Every figure that `npm run bench` reports, with what it must reach. */

export interface Goal {
  readonly title: string;
  readonly unit: string;
  /** What the figure must stay below, or must at least be. */
  readonly must: { readonly below: number } | { readonly atMost: number } | { readonly atLeast: number };
}

/** One process that measures; it tells a figure for each goal, under the goal's name. */
export interface Measurement {
  /** File beside this one. */
  readonly script: string;
  /** Left out where that is not installed: it takes two gigabytes, and `npm run test:n8n` brings it. */
  readonly needs?: 'n8n';
  readonly goals: Readonly<Record<string, Goal>>;
}

const atFirst = (what: string): Goal => ({
  title: `Core: ${what}, 150 ms latency, against fetch`,
  unit: '×',
  must: { atMost: 1.3 },
});

export const measurements: readonly Measurement[] = [
  {
    script: 'core/calls.ts',
    goals: {
      createKy: {
        title: 'Core: create, calls per CPU time on ky, against @beehiiv/sdk 0.1.9',
        unit: '×',
        must: { atLeast: 1 },
      },
      createFetch: { title: 'Core: the same on the fetch host', unit: '×', must: { atLeast: 1.3 } },
      pageKy: {
        title: 'Core: pages of 100 per CPU time on ky, validated, against @beehiiv/sdk 0.1.9',
        unit: '×',
        must: { atLeast: 0.9 },
      },
      pageFetch: { title: 'Core: the same on the fetch host', unit: '×', must: { atLeast: 1 } },
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
      refused: { title: 'Core: answers that are 429 meanwhile', unit: '%', must: { below: 1 } },
      recovery: {
        title: 'Core: windows until a quota that was cut is kept to again',
        unit: 'windows',
        must: { below: 2 },
      },
      silentUsed: {
        title: 'Core: share of the quota that is used, without headers',
        unit: 'of 1',
        must: { atLeast: 0.95 },
      },
      silentRefused: { title: 'Core: answers that are 429 meanwhile', unit: '%', must: { below: 3 } },
    },
  },
  {
    script: 'core/size.ts',
    goals: {
      client: { title: 'Core: a client that makes five calls, without zod, gzip', unit: 'kB', must: { atMost: 16 } },
    },
  },
  {
    script: 'core/iterate.ts',
    goals: {
      memory: { title: 'Core: memory while iterating 1,000,000 subscriptions', unit: 'MB', must: { below: 150 } },
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
      memory: { title: 'Core: memory while importing 1,000,000 rows', unit: 'MB', must: { below: 200 } },
    },
  },
  {
    script: 'core/watch.ts',
    goals: {
      bytes: {
        title: 'Core: state of a watch over 1,000,000 subscriptions, a subscription',
        unit: 'bytes',
        must: { atMost: 12 },
      },
      page: {
        title: 'Core: comparing a page of the scan with what is known, a subscription',
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
    script: 'sync/plan.ts',
    goals: {
      share: {
        title: 'Sync: planning 100,000 subscriptions and contacts, against parsing them from JSON',
        unit: '×',
        must: { atMost: 1 },
      },
    },
  },
  {
    script: 'sandbox/requests.ts',
    goals: {
      requests: {
        title: 'Sandbox: 10,000 requests in process, half creates, half pages of ten',
        unit: 'ms',
        must: { below: 1000 },
      },
      reset: { title: 'Sandbox: reset and empty seed', unit: 'ms', must: { below: 5 } },
    },
  },
  {
    script: 'sandbox/start.ts',
    goals: { start: { title: 'Sandbox: start of the command to its first answer', unit: 'ms', must: { below: 400 } } },
  },
  {
    script: 'sandbox/million.ts',
    goals: {
      depth: {
        title: 'Sandbox: a page of 100 anywhere in 1,000,000, against the first',
        unit: '×',
        must: { below: 3 },
      },
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
      share: { title: 'Relay: the same against a bare node:http echo', unit: '×', must: { atLeast: 0.25 } },
      latency: {
        title: "Relay: p99 of that, against four times the echo's and one sync",
        unit: '×',
        must: { atMost: 1 },
      },
      memory: { title: 'Relay: memory a second after its start', unit: 'MB', must: { atMost: 110 } },
    },
  },
  {
    script: 'relay/scale.ts',
    goals: {
      sqliteBytes: { title: 'Relay: a waiting signup on the disk, SQLite', unit: 'bytes', must: { atMost: 1500 } },
      sqliteExpiredBytes: {
        title: 'Relay: the same once it is delivered and erased',
        unit: 'bytes',
        must: { atMost: 600 },
      },
      postgresBytes: {
        title: 'Relay: a waiting signup on the disk, PostgreSQL',
        unit: 'bytes',
        must: { atMost: 1800 },
      },
      postgresExpiredBytes: {
        title: 'Relay: the same once it is delivered and erased',
        unit: 'bytes',
        must: { atMost: 800 },
      },
      sqliteRate: {
        title: 'Relay: signups with consent a second, SQLite, 32 callers',
        unit: '/s',
        must: { atLeast: 2000 },
      },
      postgresRate: { title: 'Relay: the same, PostgreSQL beside it', unit: '/s', must: { atLeast: 500 } },
      postgresUncounted: {
        title: 'Relay: the same without the limit per visitor, which is counted in the database',
        unit: '/s',
        must: { atLeast: 800 },
      },
      sqliteIdle: { title: 'Relay: memory when idle, SQLite', unit: 'MB', must: { atMost: 95 } },
      postgresIdle: { title: 'Relay: memory when idle, PostgreSQL', unit: 'MB', must: { atMost: 95 } },
    },
  },
  {
    script: 'relay/backlog.ts',
    goals: {
      p99: {
        title: 'Relay: p99 with 100,000 waiting and delivery running, against none',
        unit: '×',
        must: { atMost: 2 },
      },
    },
  },
  {
    script: 'relay/known-address.ts',
    goals: {
      sqliteStore: {
        title: 'Relay: known address slower or faster than a new one, SQLite store',
        unit: 'from 0.5',
        must: { atMost: 0.25 },
      },
      sqliteRelay: { title: 'Relay: the same through POST /signup', unit: 'from 0.5', must: { atMost: 0.2 } },
      postgresStore: {
        title: 'Relay: known address slower or faster than a new one, PostgreSQL store',
        unit: 'from 0.5',
        must: { atMost: 0.25 },
      },
      postgresRelay: { title: 'Relay: the same through POST /signup', unit: 'from 0.5', must: { atMost: 0.2 } },
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
        title: 'Relay: calls for each 1,000 of 100,000 waiting, until they are confirmed',
        unit: 'calls',
        must: { atMost: 15 },
      },
      fresh: {
        title: 'Relay: a new signup behind them, until the API has created the subscription',
        unit: 's',
        must: { atMost: 5 },
      },
    },
  },
  {
    script: 'widget/size.ts',
    goals: {
      script: { title: 'Tag: the script, brotli', unit: 'B', must: { atMost: 14_000 } },
      npm: { title: 'Tag: the package beside Lit, brotli', unit: 'B', must: { atMost: 9000 } },
    },
  },
  {
    script: 'widget/build.ts',
    goals: { build: { title: 'Tag: build of the package', unit: 's', must: { atMost: 3 } } },
  },
  {
    script: 'widget/load.ts',
    goals: {
      script: {
        title: 'Tag: script time on a processor four times slower, of that of Ghost',
        unit: 'of 1',
        must: { atMost: 0.1 },
      },
      heap: { title: 'Tag: memory', unit: 'MB', must: { atMost: 0.5 } },
      requests: { title: 'Tag: requests', unit: 'requests', must: { atMost: 1 } },
      cookies: { title: 'Tag: cookies', unit: 'cookies', must: { atMost: 0 } },
      fonts: { title: 'Tag: fonts', unit: 'fonts', must: { atMost: 0 } },
      shift: { title: 'Tag: layout shift, with its place kept', unit: 'CLS', must: { atMost: 0 } },
    },
  },
  {
    script: 'n8n/creates.ts',
    needs: 'n8n',
    goals: {
      creates: {
        title: "n8n: 2,000 creates, against n8n's own HTTP Request node",
        unit: '× the time',
        must: { atMost: 0.8 },
      },
    },
  },
  {
    script: 'n8n/bulk-import.ts',
    needs: 'n8n',
    goals: {
      speed: {
        title: 'n8n: Bulk Import of 20,000 items, against one by one',
        unit: '× as fast',
        must: { atLeast: 100 },
      },
      mapped: {
        title: 'n8n: the same with two expressions a row',
        unit: '× as fast',
        must: { atLeast: 30 },
      },
      memory: {
        title: "n8n: what that adds to the memory of n8n's process at most",
        unit: 'MB',
        must: { atMost: 600 },
      },
    },
  },
  {
    script: 'n8n/sync.ts',
    needs: 'n8n',
    goals: {
      requests: {
        title: 'n8n: requests of a sync of 100,000, against a page of 100 and a batch of 1,000',
        unit: '×',
        must: { atMost: 1.1 },
      },
      memory: {
        title: 'n8n: memory of that above the same workflow without the node',
        unit: 'MB',
        must: { atMost: 250 },
      },
      health: { title: 'n8n: longest answer of /healthz meanwhile', unit: 'ms', must: { atMost: 1000 } },
      again: { title: 'n8n: writes of the run after', unit: 'writes', must: { atMost: 0 } },
      compare: {
        title: 'n8n: sync of 20,000 with 20,000, against Compare Datasets',
        unit: '× as fast',
        must: { atLeast: 20 },
      },
      bundle: { title: 'n8n: files that the sync node loads, gzip', unit: 'kB', must: { atMost: 60 } },
    },
  },
  {
    script: 'n8n/polls.ts',
    needs: 'n8n',
    goals: {
      idle: {
        title: 'n8n: requests of an idle poll, whatever the size of the publication',
        unit: 'requests',
        must: { atMost: 1 },
      },
      fresh: { title: 'n8n: requests of a poll with 1,000 new subscriptions', unit: 'requests', must: { atMost: 12 } },
    },
  },
];
