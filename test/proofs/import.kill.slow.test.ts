/**
 * A bulk import from a CSV file whose process is killed (SIGKILL) repeatedly: 50,000 rows and five kills by default,
 * `IMPORT_ROWS=1000000 IMPORT_KILLS=20 npm test -- test/proofs/import.kill` for the full proof. An independent server
 * counts the received rows; it does not use the journal.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { receive, type Receiver } from './import/receiver.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const size = Number(process.env['IMPORT_ROWS'] ?? 50_000);
const kills = Number(process.env['IMPORT_KILLS'] ?? 5);
const child = fileURLToPath(new URL('import/child.ts', import.meta.url));
/** A heap as in a small container: otherwise V8 collects garbage late on a machine with much memory. */
const flags = [
  '--conditions=@newsletter-kit/source',
  '--disable-warning=ExperimentalWarning',
  '--max-old-space-size=64',
  '--max-semi-space-size=2',
];
/** Default number of concurrent requests. */
const concurrency = 4;

/**
 * Each row has a unique address, except: each 997th row repeats the address before it, each 1009th has an invalid
 * one.
 */
const isDuplicate = (n: number): boolean => n % 997 === 0;
const isInvalid = (n: number): boolean => !isDuplicate(n) && !isDuplicate(n + 1) && n % 1009 === 0;
const isSent = (n: number): boolean => !isDuplicate(n) && !isInvalid(n);

async function writeCsv(path: string): Promise<void> {
  const file = createWriteStream(path);
  file.write('\uFEFFMail,First Name,utm_source\n');
  for (let n = 1; n <= size; n += 1) {
    const address = isInvalid(n) ? `reader${n}` : `reader${isDuplicate(n) ? n - 1 : n}@example.com`;
    if (!file.write(`${address},"Ada, the ${n}.",spring fair\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

interface Ended {
  /** The last line, if the process was not killed before it. */
  readonly end: { readonly result: Record<string, unknown>; readonly megabytes: number } | undefined;
  /** Highest memory seen, in MB. */
  readonly megabytes: number;
}

/** Runs one process until it ends, or until it is killed after a number of calls and milliseconds. */
async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  receiver: Receiver,
  killAt: { readonly calls: number; readonly ms: number } | undefined,
  onAccepted: (first: number, rows: number) => void,
): Promise<Ended> {
  const started = spawn(process.execPath, [...flags, child, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void started.kill('SIGKILL'));
  const closed = once(started, 'close');
  let megabytes = 0;
  const measure = async (): Promise<void> => {
    const status = await readFile(`/proc/${started.pid}/status`, 'utf8').catch(() => '');
    megabytes = Math.max(megabytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  };
  if (killAt) {
    const target = receiver.calls.length + killAt.calls;
    receiver.onCall = (calls) => {
      if (calls !== target) return;
      const kill = (): void => void measure().finally(() => started.kill('SIGKILL'));
      if (killAt.ms === 0) started.kill('SIGKILL');
      else setTimeout(kill, killAt.ms);
    };
  }
  let end: Ended['end'];
  for await (const line of createInterface({ input: started.stdout })) {
    const message = JSON.parse(line) as { taken?: [number, number] } & NonNullable<Ended['end']>;
    if (message.taken) onAccepted(...message.taken);
    else end = message;
  }
  await closed;
  receiver.onCall = () => undefined;
  return { end, megabytes: Math.max(megabytes, end?.megabytes ?? 0) };
}

test(
  `${size} rows, killed ${kills} times: sends every row of an acknowledged batch exactly once and skips none`,
  { timeout: 60_000 + size },
  async () => {
    const folder = scratchFolder();
    const csv = join(folder, 'people.csv');
    await writeCsv(csv);
    // Compiles the TypeScript once, so that compilation does not count as memory of the import.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
    execFileSync(process.execPath, [...flags, '--eval', `import(${JSON.stringify(child)}).catch(() => undefined)`], {
      env,
    });
    const receiver = await receive(size);
    onTestFinished(() => receiver.stop());

    /** Rows that the importer reported as accepted; the header is row 1 of the file. */
    const acknowledged = new Set<number>();
    const repeats: number[] = [];
    const countAccepted = (first: number): void => {
      if (acknowledged.has(first)) repeats.push(first);
      acknowledged.add(first);
    };
    // Few calls before each kill, so that rows are left for the next one.
    const kill = fc.record({
      calls: fc.integer({ min: 1, max: Math.max(1, Math.floor(size / 1000 / (kills + 2))) }),
      ms: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5 })),
    });
    const attempts = fc.sample(kill, { numRuns: kills * 3 + 2, unbiased: true });
    const begun = performance.now();
    let megabytes = 0;
    let killed = 0;
    let sentAgain = 0;
    let end: Ended['end'];
    for (const killAt of attempts) {
      if (end) break;
      const before = receiver.calls.length;
      const known = new Set(acknowledged);
      const ended = await run(
        [csv, join(folder, 'journal'), receiver.baseUrl],
        env,
        receiver,
        killed < kills ? killAt : undefined,
        countAccepted,
      );
      megabytes = Math.max(megabytes, ended.megabytes);
      end = ended.end;
      if (!end) killed += 1;
      const inThisRun = receiver.calls.slice(before);
      expect(
        inThisRun.filter(({ first }) => known.has(first + 1)),
        'no row is sent again once its batch was acknowledged',
      ).toEqual([]);
      sentAgain += inThisRun.filter(({ first }) =>
        receiver.calls.slice(0, before).some((call) => call.first === first),
      ).length;
    }

    expect(repeats).toEqual([]);
    expect(killed, 'most kills hit a running process').toBeGreaterThan(kills / 2);
    const wrong: number[] = [];
    let twice = 0;
    for (let n = 1; n <= size; n += 1) {
      const times = receiver.taken[n] ?? 0;
      if (isSent(n) ? times === 0 : times > 0) wrong.push(n);
      if (times > 1) twice += 1;
    }
    expect(wrong, 'no valid row is skipped, and no invalid row is sent').toEqual([]);
    // Only requests that were in flight at a kill are sent twice, as complete requests.
    const whole = new Map<number, readonly number[]>();
    for (const { first, last, rows } of receiver.calls) {
      expect([last, rows], 'a repeated call has the same rows').toEqual(whole.get(first) ?? [last, rows]);
      whole.set(first, [last, rows]);
    }
    expect(sentAgain).toBeLessThanOrEqual(kills * concurrency);
    expect(twice).toBeLessThanOrEqual(kills * concurrency * 1000);
    const sent = Array.from({ length: size }, (_, index) => index + 1).filter(isSent).length;
    expect(end?.result).toMatchObject({ outcome: 'complete', read: size, accepted: sent, failed: 0 });
    expect(megabytes).toBeLessThan(200);
    const seconds = (performance.now() - begun) / 1000;
    process.stdout.write(
      `${size} rows, ${killed} kills, ${receiver.calls.length} calls, ${sentAgain} of them once more, ${seconds.toFixed(1)} s, highest RSS ${Math.round(megabytes)} MB\n`,
    );
  },
);
