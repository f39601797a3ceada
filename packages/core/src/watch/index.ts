/** Change detection: pure reducers over pages, and the poll that drives them. Host-free. */
export {
  created,
  startCreated,
  type CreatedPage,
  type CreatedState,
  type CreatedStep,
  type CreatedWalk,
} from './created.ts';
export type { Dated, Frontier } from './frontier.ts';
export { pollCreated, type CreatedPoll, type CreatedPollResult } from './poll.ts';
