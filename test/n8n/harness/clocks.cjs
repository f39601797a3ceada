/**
 * Moves the clocks of n8n (`--require`). At each SIGUSR2, 20 minutes pass. At each SIGWINCH, somebody sets the clock
 * back by an hour, which the clock that measures durations does not notice.
 */
require('./regexTimeout.cjs');

const minutes = (count) => count * 60_000;
let passed = 0;
let setBack = 0;
process.on('SIGUSR2', () => (passed += minutes(20)));
process.on('SIGWINCH', () => (setBack += minutes(60)));

const measured = performance.now.bind(performance);
performance.now = () => measured() + passed;

const { now } = Date;
Date.now = () => now() + passed - setBack;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [Date.now()] : given, as),
});
