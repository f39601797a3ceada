/** The Vite configuration of a package's pages: every HTML file of the folder, built into files with fixed names. */
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defaultClientConditions, type UserConfig } from 'vite';

/** Options of {@link pagesConfig}. */
export interface PagesOptions {
  /** The folder of the HTML files. */
  readonly folder: string;
  /** The path of the built files on the server, absolute (`/page/`) or relative to the page (`operator/`). */
  readonly urlPrefix: string;
  /** The folder that is built, from `folder`. Default: `../dist/page` */
  readonly outDir?: string;
}

/**
 * No inline code and no data URLs, because the pages' Content-Security-Policy allows neither. The target is browsers
 * since 2024, because the palette uses `light-dark()`.
 */
export function pagesConfig({ folder, urlPrefix, outDir = '../dist/page' }: PagesOptions): UserConfig {
  return {
    root: folder,
    publicDir: false,
    // The pages are built before the packages that they import.
    resolve: { conditions: ['@newsletter-kit/source', ...defaultClientConditions] },
    build: {
      outDir: resolve(folder, outDir),
      emptyOutDir: true,
      target: ['chrome123', 'firefox120', 'safari17.5'],
      assetsDir: '',
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: globSync('*.html', { cwd: folder }).map((name) => join(folder, name)),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          assetFileNames: '[name][extname]',
          // The licence of Lit requires its notice in published files.
          comments: { legal: true },
        },
      },
    },
    experimental: { renderBuiltUrl: (name) => urlPrefix + name },
  };
}
