/** Every figure that `npm run bench` reports, with what it must reach. */

export interface Goal {
  readonly title: string;
  readonly unit: string;
  /** The figure must stay below. */
  readonly below: number;
}

/** One process that measures; it tells a figure for each goal, under the goal's name. */
export interface Measurement {
  /** File beside this one. */
  readonly script: string;
  readonly goals: Readonly<Record<string, Goal>>;
}

export const measurements: readonly Measurement[] = [
  {
    script: 'sandbox/requests.ts',
    goals: {
      requests: { title: 'Sandbox: 10,000 requests in process, half creates, half pages of ten', unit: 'ms', below: 1000 },
      reset: { title: 'Sandbox: reset and empty seed', unit: 'ms', below: 5 },
    },
  },
  { script: 'sandbox/start.ts', goals: { start: { title: 'Sandbox: start of the command to its first answer', unit: 'ms', below: 400 } } },
  {
    script: 'sandbox/million.ts',
    goals: {
      depth: { title: 'Sandbox: a page of 100 anywhere in 1,000,000, against the first', unit: '×', below: 3 },
      memory: { title: 'Sandbox: memory with 1,000,000 subscriptions', unit: 'MB', below: 400 },
    },
  },
];
