/** A failure that a person can mend: what happened and what to do, without a stack trace. */
export class Complaint extends Error {
  /**
   * @param {string} happened - one sentence
   * @param {string} remedy - one sentence
   */
  constructor(happened, remedy) {
    super(`✗ ${happened}\n  ${remedy}`);
    this.name = 'Complaint';
  }
}
