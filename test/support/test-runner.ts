/** Vitest's runner, except that the time-out of a test or hook says what it waited for. */
import { type RunnerTestSuite, TestRunner } from 'vitest';
import { endWaits } from './waits.ts';

export default class extends TestRunner {
  override async onAfterRetryTask(...[test, options]: Parameters<TestRunner['onAfterRetryTask']>): Promise<void> {
    await super.onAfterRetryTask(test, options);
    endWaits(test.result?.errors);
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    endWaits(suite.result?.errors);
  }
}
