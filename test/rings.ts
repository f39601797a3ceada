/**
 * The rings of the tests: which files decide about a change, and which run every night. A file of tests stands in the
 * ring of the first row that matches its path; `test/scripts/rings.test.ts` fails for a file without a row.
 *
 * | Ring       | Runs in                                                             |
 * | ---------- | ------------------------------------------------------------------- |
 * | fast       | `npm test`                                                          |
 * | deciding   | `.ci/run`, after the fast ones                                      |
 * | everything | `npm run test:all`, with both; GitHub nightly and before a release  |
 */
import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { root } from '../scripts/root.ts';

/** A ring; each contains the ones before it. */
export type Ring = 'fast' | 'deciding' | 'everything';

/** Ring, files, and the reason: the promise that a deciding file guards, or why a file does not decide. */
const rows: readonly (readonly [ring: Ring, files: string, reason: string])[] = [
  ['deciding', 'test/chaos/{storm,worker}.slow.test.ts', 'no signup is lost; a short storm on each store'],
  ['deciding', 'test/chaos/consent.slow.test.ts', 'nobody is re-subscribed; fewer histories than at night'],
  [
    'deciding',
    'test/proofs/consent/{consent,guards,one-person}.slow.test.ts',
    'nobody is re-subscribed in any order of a few actions',
  ],
  [
    'deciding',
    'test/proofs/sync/{histories,two-ways}.slow.test.ts',
    'the contact sync loses no edit and takes nobody for another; fewer histories than at night',
  ],
  ['deciding', 'test/proofs/report.slow.test.ts', 'the figures of the report; fewer publications than at night'],
  ['deciding', 'test/widget/no-silent-loss.slow.test.ts', 'no signup is lost in silence; one browser of five'],
  ['deciding', 'packages/relay/test/commands/durability.slow.test.ts', 'a 202 follows the sync'],
  [
    'deciding',
    'packages/relay/test/confirmation/histories.slow.test.ts',
    'the owner of a mailbox decides, and gets no more mails than promised; fewer histories than at night',
  ],
  [
    'deciding',
    'packages/relay/test/admission/secrets.slow.test.ts',
    'no secret and no address in answers, logs, metrics and foreign files',
  ],
  [
    'deciding',
    'packages/sandbox/test/command/process.slow.test.ts',
    'the process of the sandbox: signals, a crash, a full disk, its streams',
  ],
  ['deciding', 'test/packaging/n8n-{package,verification}.slow.test.ts', 'the packed n8n package passes the scanner'],
  [
    'deciding',
    'test/packaging/{packed,oldest-node}.slow.test.ts',
    'the tarballs install, resolve and run, on their oldest Node too',
  ],
  [
    'deciding',
    'test/widget/sites.slow.test.ts',
    'the form can be read and used on other people’s sites: every layout on three, the README’s snippet on all',
  ],
  ['deciding', 'test/scripts/clones.slow.test.ts', 'a check is green on every clone, whatever its path and settings'],
  [
    'deciding',
    'test/docs/newcomer.slow.test.ts',
    'the commands of the READMEs and of the first pages, and what a browser shows then, on the oldest Node',
  ],
  ['deciding', 'test/docs/layout.slow.test.ts', 'no page of the documentation hides a column or breaks a name'],
  [
    'deciding',
    'test/proofs/sync/refusals.slow.test.ts',
    'the contact sync gives nothing up and carries every no; fewer histories than at night',
  ],
  [
    'deciding',
    'test/n8n/{actions,chain,credential,lists,operations,signup,triggers}.test.ts',
    'the packed nodes in a real n8n that is started once',
  ],
  [
    'deciding',
    'test/n8n/{signupRestart,triggerLives}.test.ts',
    'what the triggers promise outlives n8n, the service and an edit; fewer lives than at night',
  ],
  [
    'everything',
    'test/n8n/*.test.ts',
    'starts, ends or photographs an n8n of its own, or repeats what a lower test proves',
  ],
  [
    'everything',
    '{packages/*,widget}/test/**/*.slow.test.ts',
    'takes many seconds, and a fast test guards the promise',
  ],
  ['everything', 'test/{chaos,docs,e2e,examples,nodes,packaging,proofs,scripts,widget}/**/*.slow.test.ts', 'the same'],
  ['fast', '{packages/*,widget}/test/**/*.test.ts', 'fast'],
  ['fast', 'test/{docs,e2e,examples,nodes,proofs,scripts,widget}/**/*.test.ts', 'fast'],
];

/** What makes the deciding ring shorter than the same files at night, as environment variables. */
export const decidingSizes = {
  CHAOS_SIGNUPS: '600',
  CHAOS_KILLS: '3',
  CONSENT_HISTORIES: '50',
  CONSENT_DEPTH: '3',
  // On each of three stores.
  MAILBOX_HISTORIES: '100',
  SYNC_REFUSALS: '5000',
  NEWCOMER_PAGES: 'README.md start/',
  PEOPLE_RUNS: '5000',
  FORM_RUNS: '5000',
  REPORT_RUNS: '50',
  SYNC_RUNS: '1000',
  TRIGGER_LIVES: 'deciding',
  SITES: 'deciding',
} as const;

/**
 * Minutes after which a run of a ring is ended, with a summary of what ran. `timeout-minutes` of the workflows is
 * longer.
 */
export const ringMinutes: Readonly<Record<Ring, number>> = { fast: 30, deciding: 50, everything: 100 };

/** @param path - of a file of tests, relative to the repository @returns undefined for a file without a row */
export function ringOf(path: string): Ring | undefined {
  return rows.find(([, files]) => matchesGlob(path, files))?.[0];
}

/** The files of one ring alone, relative to the repository and in the order of their paths. */
export function filesOf(ring: Ring): readonly string[] {
  return testFiles().filter((path) => ringOf(path) === ring);
}

/** Every file of tests, relative to the repository. */
export function testFiles(): readonly string[] {
  const exclude = (path: string): boolean => /(^|[\\/])(node_modules|dist|\..+)$/.test(path);
  return globSync('**/*.test.ts', { cwd: root, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
}

/** The rows without a file, which a renamed or deleted file leaves behind. */
export function emptyRows(): readonly string[] {
  const paths = testFiles();
  const claimed = new Set(paths.map((path) => rows.findIndex(([, files]) => matchesGlob(path, files))));
  return rows.filter((_, index) => !claimed.has(index)).map(([, files]) => files);
}
