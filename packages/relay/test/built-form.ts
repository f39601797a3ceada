/** A small form as the relay's build copies it, in as many versions as a test needs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';
import { copyTag } from '../scripts/tag.ts';

/** @param version - what each of its files contains @returns the folder */
export function buildForm(version: string): string {
  const [widget, target] = [scratchFolder(), scratchFolder()];
  const files = {
    'dist/signup-form.js': `load(\`signup.js\`,import(\`./signup.js\`));load("dialog.js",import("./dialog.js"))//${version}`,
    'dist/signup-landing.js': `load('dialog.js',import('./dialog.js'))//${version}`,
    'dist/signup-form-complete.js': 'everything',
    'dist/signup.js': `load('proof.js',import('./proof.js'))//${version}`,
    'dist/dialog.js': `dialog ${version}`,
    'dist/proof.js': `proof ${version}`,
    'dist/languages/de.js': `de ${version}`,
    'themes/ink.css': `ink ${version}`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(widget, name)), { recursive: true });
    writeFileSync(join(widget, name), text);
  }
  copyTag(widget, target);
  return target;
}

/** Paths of parts that a file of the form names. */
export const partsIn = (text: string): string[] => [...new Set(text.match(/parts\/[0-9a-f]+\/[\w-]+\.js/g))];
