/** Every path of the relay, as one route of SvelteKit. */
import process from 'node:process';
import { answer, stop } from '../../../../relay.ts';

export const fallback = ({ request, getClientAddress }) => answer(request, getClientAddress());

// Of the adapter for Node, after its last request.
process.once('sveltekit:shutdown', () => void stop());
