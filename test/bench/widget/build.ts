/** Measures the time of a build of the tag's package. */
import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../scripts/root.ts';
import { median, reportFigures, timed } from '../figure.ts';

const rounds = 5;
const widget = join(root, 'widget');
const tools = [widget, root].map((folder) => join(folder, 'node_modules', '.bin'));
const env = { ...process.env, PATH: [...tools, process.env['PATH']].join(delimiter) };

const seconds: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const build = () => promisify(execFile)(process.execPath, ['scripts/build.ts'], { cwd: widget, env });
  seconds.push((await timed(build)) / 1000);
}
reportFigures({
  build: {
    value: median(seconds),
    detail: `bundles, types, manifest and README; median of ${rounds}: ${seconds.map((each) => each.toFixed(1)).join(', ')}`,
  },
});
