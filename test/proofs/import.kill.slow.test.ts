/**
 * A bulk import from a CSV file, its process killed (SIGKILL) again and again. 50,000 rows and five kills
 * by default; the whole is
 * `IMPORT_ROWS=1000000 IMPORT_KILLS=20 npm test -- test/proofs/import.kill`. What reached
 * the service is judged by a server's own count, which knows nothing of the journal.
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
/**
 * A heap as in a small container: otherwise V8 lets garbage pile up to what it thinks the machine can spare, whatever
 * the import needs.
 */
const flags = [
  '--conditions=source',
  '--disable-warning=ExperimentalWarning',
  '--max-old-space-size=64',
  '--max-semi-space-size=2',
];
/** Calls under way at once, by default. */
const underWay = 4;

/**
 * Every row has an address of its own, but: each 997th has that of the row before it, each 1009th has none that can be
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

interface Told {
  /** The last line, where the process lived to say it. */
  readonly end: { readonly result: Record<string, unknown>; readonly megabytes: number } | undefined;
  /** Highest memory seen, in MB. */
  readonly megabytes: number;
}

/** One process, from its start to its end or to the kill after so many calls and milliseconds. */
async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  receiver: Receiver,
  killAt: { readonly calls: number; readonly ms: number } | undefined,
  onTaken: (first: number, rows: number) => void,
): Promise<Told> {
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
  let end: Told['end'];
  for await (const line of createInterface({ input: started.stdout })) {
    const said = JSON.parse(line) as { taken?: [number, number] } & NonNullable<Told['end']>;
    if (said.taken) onTaken(...said.taken);
    else end = said;
  }
  await closed;
  receiver.onCall = () => undefined;
  return { end, megabytes: Math.max(megabytes, end?.megabytes ?? 0) };
}

test(
  `${size} rows, killed ${kills} times: every row of an acknowledged batch exactly once, none skipped`,
  { timeout: 60_000 + size },
  async () => {
    const folder = scratchFolder();
    const csv = join(folder, 'people.csv');
    await writeCsv(csv);
    // What Node makes of TypeScript is kept, as a build would: the compiler is no part of what is measured.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
    execFileSync(process.execPath, [...flags, '--eval', `import(${JSON.stringify(child)}).catch(() => undefined)`], {
      env,
    });
    const receiver = await receive(size);
    onTestFinished(() => receiver.stop());

    /** Rows the importer said were taken; the header is row 1 of the file. */
    const acknowledged = new Set<number>();
    const repeats: number[] = [];
    const takenOnce = (first: number): void => {
      if (acknowledged.has(first)) repeats.push(first);
      acknowledged.add(first);
    };
    // Few enough calls before each kill that something is left for the next.
    const kill = fc.record({
      calls: fc.integer({ min: 1, max: Math.max(1, Math.floor(size / 1000 / (kills + 2))) }),
      ms: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5 })),
    });
    const attempts = fc.sample(kill, { numRuns: kills * 3 + 2, unbiased: true });
    const begun = performance.now();
    let megabytes = 0;
    let killed = 0;
    let sentAgain = 0;
    let end: Told['end'];
    for (const killAt of attempts) {
      if (end) break;
      const before = receiver.calls.length;
      const known = new Set(acknowledged);
      const told = await run(
        [csv, join(folder, 'journal'), receiver.baseUrl],
        env,
        receiver,
        killed < kills ? killAt : undefined,
        takenOnce,
      );
      megabytes = Math.max(megabytes, told.megabytes);
      end = told.end;
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
    expect(killed, 'the kills came in time').toBeGreaterThan(kills / 2);
    const wrong: number[] = [];
    let twice = 0;
    for (let n = 1; n <= size; n += 1) {
      const times = receiver.taken[n] ?? 0;
      if (isSent(n) ? times === 0 : times > 0) wrong.push(n);
      if (times > 1) twice += 1;
    }
    expect(wrong, 'no row is skipped, and none is sent that should not be').toEqual([]);
    // Twice only what was under way at a kill: the same calls once more, whole.
    const whole = new Map<number, readonly number[]>();
    for (const { first, last, rows } of receiver.calls) {
      expect([last, rows], 'a call is repeated whole').toEqual(whole.get(first) ?? [last, rows]);
      whole.set(first, [last, rows]);
    }
    expect(sentAgain).toBeLessThanOrEqual(kills * underWay);
    expect(twice).toBeLessThanOrEqual(kills * underWay * 1000);
    const sent = Array.from({ length: size }, (_, index) => index + 1).filter(isSent).length;
    expect(end?.result).toMatchObject({ outcome: 'complete', read: size, accepted: sent, failed: 0 });
    expect(megabytes).toBeLessThan(200);
    const seconds = (performance.now() - begun) / 1000;
    process.stdout.write(
      `${size} rows, ${killed} kills, ${receiver.calls.length} calls, ${sentAgain} of them once more, ${seconds.toFixed(1)} s, highest RSS ${Math.round(megabytes)} MB\n`,
    );
  },
);
