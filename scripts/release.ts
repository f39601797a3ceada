/**
 * `npm run release`: the two steps of a release that GitHub does not do. `version` prepares its commit; `files` makes
 * everything that npm and the release get, which `.github/workflows/publish.yml` publishes.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { buildAll } from './build.ts';
import { run } from './command.ts';
import { pnpm } from './install.mjs';
import { packPublished, publishedNames } from './pack.ts';
import { root } from './root.ts';
import { zipPlugin, zipScript } from './script-zip.ts';
import { UserError } from './user-error.mjs';

/** Which script a page on the web may load: an address that never changes its content, and the hash of that content. */
export interface Release {
  readonly version: string;
  /** Of `signup-form.js`, as an `integrity` attribute has it. */
  readonly hash: string;
}

const usage = `npm run release -- version          raises the versions by the changesets, builds, and writes the hash of the script
                                    into docs/src/content/docs/website/csp.md; commit what it changes
npm run release -- files [FOLDER]   builds and writes what npm and the release get into FOLDER, .output/release by default
    --tag TAG                       refuses a tag, or a hash on the page, that is not this version's`;

/** @param args - the step and its arguments */
export async function release([step, ...args]: readonly string[]): Promise<boolean> {
  if (step === 'version' && args.length === 0) return prepareVersion();
  const { folder, tag } = readFilesArguments(args);
  if (step === 'files') return makeFiles(folder, tag);
  throw new UserError('npm run release has two steps, version and files.', usage);
}

function readFilesArguments(args: readonly string[]): { readonly folder: string; readonly tag: string | undefined } {
  const at = args.indexOf('--tag');
  const folders = at < 0 ? args : args.toSpliced(at, 2);
  const [folder = join('.output', 'release'), ...others] = folders;
  if (others.length > 0 || folder.startsWith('-')) throw new UserError(`There is no option ${folder}.`, usage);
  return { folder: resolve(root, folder), tag: at < 0 ? undefined : args[at + 1] };
}

const dist = join(root, 'widget', 'dist');
const script = 'signup-form.js';
const page = join(root, 'docs', 'src', 'content', 'docs', 'website', 'csp.md');
const section = /(?<=<!-- release -->\n\n)[\s\S]*?(?=\n\n<!-- \/release -->)/;

/** What the page says about the script of a release. */
export function describeRelease({ version, hash }: Release): string {
  return `\`\`\`html
<script
  src="https://cdn.jsdelivr.net/npm/@newsletter-kit/signup@${version}/dist/${script}"
  integrity="${hash}"
  crossorigin="anonymous"
  async
></script>
\`\`\``;
}

/** The release that a text of the page names; undefined before the first. */
export function releaseOf(text: string): Release | undefined {
  const [, version] = /@newsletter-kit\/signup@([^/]+)\//.exec(section.exec(text)?.[0] ?? '') ?? [];
  const [hash] = /sha384-[\w+/=]{64}/.exec(section.exec(text)?.[0] ?? '') ?? [];
  return version && hash ? { version, hash } : undefined;
}

/** Raises the versions, and lets the page name the script of the new one. */
async function prepareVersion(): Promise<boolean> {
  if (!(await run('changeset', ['version']))) return false;
  if (!(await run('npx', ['--yes', pnpm, 'install', '--lockfile-only'], { quiet: true }))) return false;
  if (!(await buildAll())) return false;
  const built = await builtRelease();
  const text = await readFile(page, 'utf8');
  await writeFile(
    page,
    text.replace(section, () => describeRelease(built)),
  );
  console.log(`✓ Version ${built.version}: read the changelogs, and commit.`);
  return true;
}

async function builtRelease(): Promise<Release> {
  const { version } = await readJson<{ version: string }>(join(root, 'package.json'));
  const hashes = await readJson<Record<string, string>>(join(dist, 'integrity.json'));
  const hash = hashes[script];
  if (!hash) throw new Error(`widget/dist/integrity.json has no hash of ${script}.`);
  return { version, hash };
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8')) as T;
}

/** Builds everything once, and writes it into an empty folder: `npm` has what npm gets, and the release gets all. */
async function makeFiles(folder: string, tag: string | undefined): Promise<boolean> {
  const { version } = await readJson<{ version: string }>(join(root, 'package.json'));
  if (tag !== undefined && tag !== `v${version}`)
    throw new UserError(`The tag is ${tag}, and the version ${version}.`, `Tag the commit v${version}.`);
  if (!(await buildAll())) return false;
  const built = await builtRelease();
  if (tag !== undefined) await compareWithPage(built);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (!(await packPublished(folder))) return false;
  await writeFile(join(folder, `signup-form-${built.version}.zip`), await zipScript());
  await writeFile(join(folder, `signup-form-wordpress-${built.version}.zip`), await zipPlugin());
  await writeFile(join(folder, 'integrity.json'), await readFile(join(dist, 'integrity.json')));
  if (!(await listComponents(folder, built.version))) return false;
  const names = (await readdir(folder)).toSorted();
  const sums = await Promise.all(names.map(async (name) => `${await sha256(join(folder, name))}  ${name}\n`));
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''));
  for (const name of [...names, 'SHA256SUMS']) console.log(`✓ ${join(relative(root, folder), name)}`);
  return true;
}

/** @throws UserError where the page names something else than what was built */
async function compareWithPage(built: Release): Promise<void> {
  const named = releaseOf(await readFile(page, 'utf8'));
  if (named?.version === built.version && named.hash === built.hash) return;
  throw new UserError(
    `${relative(root, page)} names ${named ? `version ${named.version} with ${named.hash}` : 'no release'}, and built was ${built.version} with ${built.hash}.`,
    'Run "npm run release -- version" on this commit, commit what it changes, and tag that.',
  );
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

interface Component {
  readonly 'bom-ref': string;
}

interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: Component[];
  readonly dependencies: { readonly ref: string; dependsOn?: string[] }[];
}

/** Writes a CycloneDX file for each package, with what `npm install` of it brings. */
async function listComponents(folder: string, version: string): Promise<boolean> {
  const filters = publishedNames.flatMap((name) => ['--filter', name]);
  const list = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--prod', '--split', ...filters];
  const out = join(folder, '%s-%v.cdx.json');
  if (!(await run('npx', ['--yes', pnpm, ...list, '--out', out], { quiet: true }))) return false;
  // The n8n package contains parts of core that need nothing else.
  const core = await readJson<Sbom>(join(folder, `newsletter-kit-core-${version}.cdx.json`));
  const path = join(folder, `n8n-nodes-newsletter-kit-${version}.cdx.json`);
  const nodes = await readJson<Sbom>(path);
  const { 'bom-ref': ref } = core.metadata.component;
  nodes.components.push(core.metadata.component);
  nodes.dependencies.push({ ref });
  const own = nodes.dependencies.find((entry) => entry.ref === nodes.metadata.component['bom-ref']);
  if (own) own.dependsOn = [...(own.dependsOn ?? []), ref];
  await writeFile(path, `${JSON.stringify(nodes, null, 2)}\n`);
  return true;
}
