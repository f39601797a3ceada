/** The settings of a Worker in RELAY_CONFIG. */
import { expect, it } from 'vitest';
import { readWorkerConfig, type WorkerVariables } from '../../src/worker/worker-config.ts';
import { environment } from '../running-relay.ts';

/** Why a configuration is refused. */
function errorOf(config: WorkerVariables[string]): string {
  try {
    readWorkerConfig({ ...environment, RELAY_CONFIG: config });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

it.each([
  ['JSON', JSON.stringify({ forms: { jobs: { tier: 'free' } } })],
  ['an object', { forms: { jobs: { tier: 'free' } } }],
])('reads RELAY_CONFIG as %s', (_form, config) => {
  expect(readWorkerConfig({ ...environment, RELAY_CONFIG: config }).forms).toMatchObject({
    jobs: { pinned: { tier: 'free' } },
  });
});

it('refuses RELAY_CONFIG in YAML, without repeating it', () => {
  const error = errorOf('forms:\n  shop:\n    api_key: quite-secret\n');
  expect(error).toContain('RELAY_CONFIG is not valid JSON, which it must be on a Worker.');
  expect(error).not.toContain('quite-secret');
});

it('names what is wrong with it', () => {
  expect(errorOf(JSON.stringify({ log_levl: 'info', forms: { jobs: 3 } }))).toMatch(
    /RELAY_CONFIG: there is no setting "log_levl" \(is "log_level" meant\?\)\.\s.*RELAY_CONFIG: the form "jobs" must contain/s,
  );
});

it('says of a wrong secret that it is wrong, not that it is missing', () => {
  const config = { secret: 'short', form_token: true };
  expect(errorOf(config)).toMatch(/errors:\n {2}- RELAY_CONFIG: "secret" must be 24 characters or more[^\n]*$/);
});

it('reads the calls of an invocation, by default those of the free plan', () => {
  expect(readWorkerConfig(environment).worker).toEqual({ subrequests: 50 });
  expect(readWorkerConfig({ ...environment, RELAY_SUBREQUESTS: 1000 }).worker).toEqual({ subrequests: 1000 });
  expect(() => readWorkerConfig({ ...environment, RELAY_SUBREQUESTS: '9' })).toThrow(
    'RELAY_SUBREQUESTS must be a number from 10 to 1000000',
  );
});

it('reads where its objects are', () => {
  const worker = { subrequests: 50, jurisdiction: 'eu', location: 'weur' };
  const set = { RELAY_JURISDICTION: 'eu', RELAY_LOCATION: 'weur' };
  expect(readWorkerConfig({ ...environment, ...set }).worker).toEqual(worker);
  expect(() => readWorkerConfig({ ...environment, RELAY_JURISDICTION: 'EU', RELAY_LOCATION: 'Paris' })).toThrow(
    /RELAY_JURISDICTION must be eu, us or fedramp\.\s.*RELAY_LOCATION must be wnam, enam, .* or me\./s,
  );
});

it('refuses a list in a file, which it has not', () => {
  expect(() => readWorkerConfig({ ...environment, RELAY_BLOCKED_DOMAINS: './domains.txt' })).toThrow(
    'RELAY_BLOCKED_DOMAINS is a setting of a machine: remove it from the Worker.',
  );
});
