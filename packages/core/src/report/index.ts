/** The report on sources: which of them bring readers who stay. Pure. */
export * from './sources.ts';
export * from './history.ts';
export * from './types.ts';
