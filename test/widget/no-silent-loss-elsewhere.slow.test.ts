/** The table of no silent loss in the other engines and in old browsers, and a fault at every call. */
import { describe } from 'vitest';
import { oldBrowsers } from '../../widget/test/losses.ts';
import { enginesToTest } from '../support/browsers/engines.ts';
import { installNpmChromium, isNpmChromiumPossible } from '../support/browsers/npm-chromium.ts';
import { describeFaults, stories } from './loss/inject.ts';
import { describeTable } from './loss/walk.ts';
import { openWindow, windows } from './window.ts';

describe.each(enginesToTest().filter(({ name }) => name !== 'chromium'))('in $title', ({ name }) =>
  describeTable(windows[name], false),
);

describe.skipIf(!isNpmChromiumPossible).each(oldBrowsers)('in $title', ({ version }) =>
  describeTable(async () => openWindow('chromium', await installNpmChromium(version)), false),
);

describe('a fault at every call', () => describeFaults(stories.slice(0, 1), 'calls'));
describe('a fault at each place in the source', () => describeFaults(stories.slice(1), 'places'));
