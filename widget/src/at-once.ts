/** What the script takes in place of `later.ts`: there is no other file to wait for. */
import * as signup from './signup.ts';

export const later = async (): Promise<typeof signup> => signup;
