/** The seed `empty`: the publication, the keys and the OAuth clients, and nobody subscribed. */
import { publicationId } from '../fixed.ts';
import type { Seed } from './seed.ts';

/** 1 November 2023, 09:00 UTC. */
const founded = 1_698_829_200;

export const empty: Seed = {
  publications: [{ id: publicationId, name: 'The Harbour Letter', created: founded }],
};
