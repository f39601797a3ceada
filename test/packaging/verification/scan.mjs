/**
 * One leg of n8n's scanner, run on a folder: `node scan.mjs FOLDER source|tarball`. The other parts of it need a
 * published package.
 */
import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';

const [folder, leg] = process.argv.slice(2);
const { passed, message, details } = await analyzePackage(
  folder,
  leg === 'source' ? SOURCE_FILE_PATTERNS : ['**/*.js', 'package.json'],
);
if (!passed) {
  console.log(`${message}\n${details ?? ''}`);
  process.exitCode = 1;
}
