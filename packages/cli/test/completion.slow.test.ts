/** The completion scripts in real shells. zsh and fish are skipped where they are not installed. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run } from './command.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** What each shell runs to complete the words of `$1…`; prints one candidate per line. */
const drivers = {
  bash: `source <(newsletter completion bash)
COMP_WORDS=(newsletter "$@"); COMP_CWORD=$#
_newsletter; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compdef() { :; }; compadd() { print -l -- $values }; _files() { print -- FILES }
source <(newsletter completion zsh)
words=(newsletter "$@"); CURRENT=$(( $# + 1 ))
_newsletter`,
  fish: `newsletter completion fish | source
complete -C "newsletter $argv" | string replace -r '\\t.*' ''; true`,
} as const;

type Shell = keyof typeof drivers;
const has = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** @returns a function that completes words in a shell with `newsletter`, two profiles and a file in the folder */
function completer() {
  const folder = scratchFolder();
  const bin = join(folder, 'bin');
  const config = join(folder, 'newsletter-kit');
  for (const each of [bin, config, join(folder, 'here')]) mkdirSync(each);
  writeFileSync(
    join(bin, 'newsletter'),
    `#!/bin/sh\nexec '${process.execPath}' --conditions=@newsletter-kit/source '${main}' "$@"\n`,
  );
  chmodSync(join(bin, 'newsletter'), 0o755);
  const profile = { apiUrl: 'http://127.0.0.1:4999/v2', credential: null };
  writeFileSync(
    join(config, 'profiles.json'),
    JSON.stringify({ current: 'prod', profiles: { prod: profile, staging: profile } }),
    { mode: 0o600 },
  );
  writeFileSync(join(folder, 'here', 'people.csv'), '');
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, XDG_CONFIG_HOME: folder };
  return (shell: Shell, words: readonly string[]): readonly string[] => {
    const args = shell === 'fish' ? [words.join(' ')] : words;
    const { stdout, stderr, status } = spawnSync(
      shell,
      ['-c', drivers[shell], ...(shell === 'fish' ? [] : [shell]), ...args],
      {
        env,
        cwd: join(folder, 'here'),
        encoding: 'utf8',
      },
    );
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    return stdout.split('\n').filter(Boolean);
  };
}

describe.each(['bash', 'zsh', 'fish'] as const)('completion in %s', (shell) => {
  it.skipIf(shell !== 'bash' && !has(shell))('completes commands, options, values, operations and profiles', () => {
    const complete = completer();
    expect(complete(shell, [''])).toEqual(expect.arrayContaining(['login', 'api', 'export', 'sync', 'completion']));
    expect(complete(shell, ['ex'])).toEqual(['export']);
    expect(complete(shell, ['export', '--for'])).toEqual(['--format']);
    expect(complete(shell, ['export', '--format', ''])).toEqual(['csv', 'ndjson']);
    expect(complete(shell, ['api', 'subscriptions.bulkU'])).toEqual([
      'subscriptions.bulkUpdate',
      'subscriptions.bulkUpdatePut',
    ]);
    expect(complete(shell, ['whoami', '--profile', 's'])).toEqual(['sandbox', 'staging']);
    expect(complete(shell, ['profiles', 'use', 'p'])).toEqual(['prod']);
    expect(complete(shell, ['sync', 'apply', '--ev'])).toEqual(['--every']);
  });
});

describe('completion', () => {
  it('completes file names', () => {
    const complete = completer();
    if (has('zsh')) expect(complete('zsh', ['import', ''])).toEqual(['FILES']);
    if (has('fish')) expect(complete('fish', ['import', 'peo'])).toEqual(['people.csv']);
  });

  it('does not run typed words', () => {
    const complete = completer();
    expect(complete('bash', ['export', '$(echo --format)', '--for'])).toEqual(['--format']);
  });

  it('completes a value after =, also in the separate words that bash passes', async () => {
    const complete = completer();
    expect(complete('bash', ['export', '--format', '=', 'n'])).toEqual(['ndjson']);
    expect(complete('bash', ['export', '--format', '='])).toEqual(['csv', 'ndjson']);
    const whole = await run(['completion', 'words', '--', 'export', '--format=n']);
    expect(whole.stdout).toBe('--format=ndjson\n');
  });

  it('refuses an unknown shell', async () => {
    expect((await run(['completion', 'tcsh'])).stderr).toContain("'tcsh' is invalid");
  });
});
