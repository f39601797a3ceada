/** Vitest's runner, with the time limit of each file; the error of a time-out says what the test or hook waited for. */
import { type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest';
import { underLoad } from './time-limit.ts';
import { endWaits } from './waits.ts';

/** Limit of a slow test or its hooks. The one of the configuration is for fast tests. */
const slowMs = 240_000;

export default class extends TestRunner {
  readonly #own = { testTimeout: this.config.testTimeout, hookTimeout: this.config.hookTimeout };

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file);
    const limitMs = file.filepath.endsWith('.slow.test.ts') ? slowMs : underLoad(this.#own.testTimeout);
    Object.assign(this.config, { testTimeout: limitMs, hookTimeout: limitMs });
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    // The next runner of this process has the same configuration.
    Object.assign(this.config, this.#own);
  }

  override async onAfterRetryTask(...[test, options]: Parameters<TestRunner['onAfterRetryTask']>): Promise<void> {
    await super.onAfterRetryTask(test, options);
    endWaits(test.result?.errors);
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    endWaits(suite.result?.errors);
  }
}
