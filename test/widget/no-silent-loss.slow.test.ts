/** The table of no silent loss in Chromium, and a fault at each place in the source. */
import { describe } from 'vitest';
import { describeFaults, stories } from './loss/inject.ts';
import { describeTable } from './loss/walk.ts';
import { windows } from './window.ts';

describe('no signup is lost in silence', () => describeTable(windows.chromium, true));
describe('a fault at each place in the source', () => describeFaults(stories.slice(0, 1), 'places'));
