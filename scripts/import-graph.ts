/**
 * Which tests reach a file: by imports, and by paths that a file names, such as that of a program which a test starts.
 * Of everything in git, committed or not. Imports of types alone do not count: the type check follows those.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { listFiles } from './git.ts';
import { withoutScriptComments } from './lines-and-words.ts';

/** Who names each file or folder of a clone. All paths are relative to the clone, with slashes. */
export interface ImportGraph {
  /** The files that import it, or have its path in a text. */
  readonly usedBy: ReadonlyMap<string, ReadonlySet<string>>;
  /** The files of which others import types, and nothing but types. */
  readonly typesOnly: ReadonlySet<string>;
}

/** A test that reaches a file, and over how many files: 1 for a test that imports it. */
export interface RelatedTest {
  readonly file: string;
  readonly distance: number;
}

const modules = /\.[cm]?[jt]sx?$/;
/** Other files that name further files: pages and components. */
const pages = /\.(html|astro|vue|svelte|css)$/;
const bundlers = /(^|\/)vite\.config\.[cm]?[jt]s$/;
/** Statements that import or export types alone. */
const typeImport = /^(?:import|export) type [^'"]*?\bfrom (['"])(.+?)\1/gms;
/** The ends of all other imports. */
const imports = /(?:\bfrom |\bimport(?: |\())(['"]).+?\1/g;
/** Text between quotes, without blanks, that can be a path or the name of a package. */
const quoted = /(["'`])((?:\.{1,2}\/|[/#])?[\w@.-]+(?:\/[\w@.-]*)*)\1/g;

/** @param path - of a file of tests, of any runner */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** @param folder - of a clone @returns its graph */
export function readImports(folder: string): ImportGraph {
  const files = listFiles(folder);
  const tree = readTree(folder, files);
  const usedBy = new Map<string, Set<string>>();
  const typed = new Set<string>();
  for (const file of files) {
    const names = modules.test(file) ? namesInModule(tree, file) : pages.test(file) ? namesInPage(tree, file) : [];
    for (const name of [...names, ...inputsOf(tree, file)]) {
      const { path, isType = false } = typeof name === 'string' ? { path: name } : name;
      for (const target of targetsOf(tree, path)) {
        if (target === file) continue;
        if (isType) typed.add(target);
        else usedBy.set(target, (usedBy.get(target) ?? new Set()).add(file));
      }
    }
  }
  return { usedBy, typesOnly: new Set([...typed].filter((file) => !usedBy.has(file))) };
}

/** A part of package.json: paths, perhaps by conditions, perhaps by names. */
type Published = string | { readonly [name: string]: Published };

interface Manifest {
  readonly name?: string;
  readonly exports?: Readonly<Record<string, Published>>;
  readonly imports?: Readonly<Record<string, Published>>;
}

/** What is in git. */
interface Tree {
  readonly folder: string;
  readonly files: ReadonlySet<string>;
  /** The files that stand in each folder itself; none for one that contains folders alone. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
  /** By the folders of the packages. */
  readonly manifests: ReadonlyMap<string, Manifest>;
}

function readTree(folder: string, files: readonly string[]): Tree {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    let above = dirname(file);
    folders.set(above, [...(folders.get(above) ?? []), file]);
    while (above !== '.') {
      above = dirname(above);
      if (!folders.has(above)) folders.set(above, []);
    }
  }
  const manifests = files
    .filter((file) => basename(file) === 'package.json')
    .map((file) => [dirname(file), JSON.parse(readText(folder, file)) as Manifest] as const);
  return { folder, files: new Set(files), folders, manifests: new Map(manifests) };
}

const readText = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

const namesIn = (text: string): string[] => [...text.matchAll(quoted)].map(([, , name = '']) => name);

function namesInPage(tree: Tree, file: string): string[] {
  return namesIn(readText(tree.folder, file)).flatMap((name) => pathsOf(tree, file, name));
}

/** Comments name nothing, and scripts name files in order to build them. */
function namesInModule(tree: Tree, file: string): { path: string; isType: boolean }[] {
  const text = withoutScriptComments(readText(tree.folder, file), file);
  const types = [...text.matchAll(typeImport)].map(([, , name = '']) => name);
  const rest = text.replaceAll(typeImport, '');
  const values = /(^|\/)scripts\//.test(file) ? rest.match(imports)?.join('\n') : rest;
  const toPaths = (names: readonly string[], isType: boolean) =>
    [...new Set(names)].flatMap((name) => pathsOf(tree, file, name).map((path) => ({ path, isType })));
  return [...toPaths(types, true), ...toPaths(namesIn(values ?? ''), false)];
}

/** The paths that a name can mean: of a package of ours, beside the file, or from the folder of the repository. */
function pathsOf({ manifests }: Tree, file: string, name: string): string[] {
  if (name.startsWith('/')) return [name.slice(1)];
  if (name.startsWith('#')) {
    let folder = dirname(file);
    while (folder !== '.' && !manifests.has(folder)) folder = dirname(folder);
    return publishedPaths(folder, manifests.get(folder)?.imports?.[name]);
  }
  for (const [folder, manifest] of manifests)
    if (manifest.name?.startsWith('@') && (name === manifest.name || name.startsWith(`${manifest.name}/`)))
      return publishedPaths(folder, manifest.exports?.[`.${name.slice(manifest.name.length)}`]);
  const beside = posix.join(dirname(file), name).replace(/\/$/, '');
  return /^\.{1,2}\//.test(name) ? [beside] : [name.replace(/\/$/, ''), beside];
}

function publishedPaths(folder: string, published: Published = {}): string[] {
  return typeof published === 'string'
    ? [posix.join(folder, published)]
    : Object.values(published).flatMap((each) => publishedPaths(folder, each));
}

/** What a bundler reads besides: the pages beside its configuration, and the package that it builds. */
function inputsOf({ folders, folder }: Tree, file: string): string[] {
  if (!bundlers.test(file)) return [];
  const beside = folders.get(dirname(file)) ?? [];
  const manifest = beside.find((path) => basename(path) === 'package.json');
  return [
    ...beside.filter((path) => path.endsWith('.html')),
    ...(manifest ? namesIn(readText(folder, manifest)).map((name) => posix.join(dirname(file), name)) : []),
  ];
}

/**
 * The nodes of the graph that a path stands for: the file or folder, and for what is built its source, or else the
 * configuration of the bundler that writes it.
 */
function targetsOf({ files, folders }: Tree, path: string): readonly string[] {
  if (files.has(path)) return [path];
  // A folder of one name, such as `docs`, is mostly a word.
  if (folders.has(path)) return path.includes('/') ? [path] : [];
  const [, parent = '', inside] = /^(?:(.+)\/)?dist\/(.+)$/.exec(path) ?? [];
  if (inside === undefined) return [];
  const name = inside.replace(/\.js$/, '.ts');
  const source = [posix.join(parent, name), posix.join(parent, 'src', name)].find((each) => files.has(each));
  if (source) return [source];
  const configurations = [posix.join(parent, inside), posix.join(parent, dirname(inside)), parent || '.'].flatMap(
    (place) => folders.get(place)?.filter((each) => bundlers.test(each)) ?? [],
  );
  return configurations.slice(0, 1);
}

/** The tests that reach a file, the nearest first; itself where it is one. */
export function relatedTests(graph: ImportGraph, file: string): readonly RelatedTest[] {
  return [...usersOf(graph, file)].flatMap(([path, distance]) => (isTest(path) ? [{ file: path, distance }] : []));
}

/** Whether a bundler's configuration builds from a file. */
export function isBuiltInto(graph: ImportGraph, file: string, configuration: string): boolean {
  return usersOf(graph, file).has(configuration);
}

/**
 * Whatever reaches a file, and over how many files, the nearest first. A file that is no module is also reached by what
 * names a folder around it.
 */
function usersOf({ usedBy }: ImportGraph, file: string): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]]);
  if (!modules.test(file))
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) distances.set(folder, 0);
  // A Map also walks over what is added meanwhile.
  for (const [each, distance] of distances) {
    if (isTest(each)) continue;
    for (const other of usedBy.get(each) ?? []) if (!distances.has(other)) distances.set(other, distance + 1);
  }
  return distances;
}
