/** Builds the pages, and copies the files of Swagger UI beside them as they were published. */
import { readFileSync } from 'node:fs';
import type { UserConfig } from 'vite';
import { pagesConfig } from '@newsletter-kit/pages/vite';

/** The name of each file in the package, and here. */
const swaggerUi = {
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui.css': 'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  LICENSE: 'swagger-ui-LICENSE.txt',
  NOTICE: 'swagger-ui-NOTICE.txt',
};

const published = import.meta.resolve('swagger-ui-dist/package.json');

const config: UserConfig = {
  ...pagesConfig({ folder: import.meta.dirname, urlPrefix: '/page/' }),
  plugins: [
    {
      name: 'copy-swagger-ui',
      generateBundle() {
        for (const [name, fileName] of Object.entries(swaggerUi))
          this.emitFile({ type: 'asset', fileName, source: readFileSync(new URL(name, published)) });
      },
    },
  ],
};

export default config;
