/** An error that the user can fix: its message says what problem and what to do, without a stack trace. */
export class UserError extends Error {
  /**
   * @param {string} problem - one sentence
   * @param {string} remedy - one sentence
   */
  constructor(problem, remedy) {
    super(`✗ ${problem}\n  ${remedy}`);
    this.name = 'UserError';
  }
}
