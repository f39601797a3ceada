/** What the script takes in place of `later.ts`: there is no other file to wait for. */
import type * as signup from './signup.ts';
import { Signup, dress, recall } from './signup.ts';

export const later = async (): Promise<typeof signup> => ({ Signup, dress, recall });
