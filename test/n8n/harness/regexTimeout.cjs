/**
 * Raises n8n's time limit for regular expressions, before n8n starts (`--require`). n8n validates parameters with a
 * limit of 250 ms of wall-clock time (`safe-regex.ts` of n8n-workflow 2.41): on a busy machine its process can pause
 * that long during the shortest expression, and the workflow fails with "Regular expression execution timed out".
 */
const { Script } = require('node:vm');

const { runInContext } = Script.prototype;

Script.prototype.runInContext = function (context, options) {
  return runInContext.call(this, context, options?.timeout === 250 ? { ...options, timeout: 60_000 } : options);
};
