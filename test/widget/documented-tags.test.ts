/**
 * The forms in the tags of the documentation and of examples/pages are those that the playground writes.
 * `UPDATE_SNIPPETS=1` writes them.
 */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fallbackStyles } from '../../examples/demo/page/fallback-styles.ts';
import { formOf, isTag, withForm } from '../../examples/demo/page/fallback.ts';
import { html, write, type Tag } from '../../examples/demo/page/markup.ts';
import { asDiv, styled } from '../../examples/demo/page/snippets.ts';
import { root } from '../../scripts/root.ts';
import { openBrowser, type BrowserSession } from '../e2e/visitor.ts';
import { options } from './snippets.ts';

const files = globSync(['README.md', 'widget/README.md', 'docs/src/content/docs/**/*.md', 'examples/pages/*.html'], {
  cwd: root,
}).toSorted();
/** A tag, or the div in its place, with its indentation. */
const pattern = /^( *)<(newsletter-signup|div data-newsletter-signup)\b[^]*?^\1<\/(newsletter-signup|div)>/gm;
