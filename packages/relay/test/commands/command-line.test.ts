/** The command line of `newsletter-relay`, in this process. */
import { expect, it } from 'vitest';
import { runCommands } from '../../src/command-line.ts';
import { withCapturedOutput, withEnvironment } from '../../../../test/support/captured-output.ts';

async function run(args: readonly string[]) {
  const { result: code, ...written } = await withCapturedOutput(() => withEnvironment({}, () => runCommands(args)));
  return { code, ...written };
}

it.each([
  [
    ['redrive', '--help'],
    ['Usage: newsletter-relay redrive [options]', '--since <when>', '--dry-run'],
  ],
  [['erase', '-h'], ['Usage: newsletter-relay erase [options] <address>']],
  [['help', 'person'], ['Usage: newsletter-relay person [options] <address>']],
  [['--help'], ['Usage: newsletter-relay COMMAND', 'RELAY_ALLOWED_ORIGINS', 'redrive']],
  [['--version'], ['0.']],
  [['completion', 'bash'], ['complete -F _newsletter_relay newsletter-relay']],
  [['completion', 'words', '--', 'redr'], ['redrive\t']],
  [['completion', 'words', '--', 'dead', '--state', 'rev'], ['review\n']],
])('prints its help, version and completion for %o', async (args, texts) => {
  const { code, stdout } = await run(args);
  expect(code ?? 0).toBe(0);
  for (const text of texts) expect(stdout).toContain(text);
});

it.each([
  [[], 'Usage: newsletter-relay COMMAND'],
  [['restart'], "unknown command 'restart'"],
  [['constructor'], "unknown command 'constructor'"],
  [['serve', '--port=1'], "unknown option '--port=1'\nSee newsletter-relay serve --help."],
  [['redrive', '--sinc', '2h'], '(Did you mean --since?)'],
  [['staus'], '(Did you mean status?)'],
  [['pause', 'now'], 'too many arguments'],
  [['redrive'], 'Select signups: for example'],
  [['redrive', '--since', 'soon'], '"since" must be a moment'],
  [['dead', '--state', 'lost'], '"state" must be one or more of'],
  [['erase'], "missing required argument 'address'"],
])('says what is wrong with %o', async (args, sentence) => {
  const { code, stdout, stderr } = await run(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(sentence);
});

it('lists every missing setting, and ends with 1', async () => {
  const { code, stderr } = await run(['serve']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^newsletter-relay: The configuration has errors:\n( {2}- [A-Z_]+ .*\n){4}$/);
});
