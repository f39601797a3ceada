/** A real WordPress on PHP's own server, with SQLite: installed from its package, and used as a command line does. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { installLocked } from '../../scripts/n8n/locked.ts';
import { root } from '../../scripts/root.ts';
import { UserError } from '../../scripts/user-error.mjs';
import { findProgram } from '../support/browsers/find.ts';

const here = join(root, 'test/examples/wordpress');
const version = '6.5';

/** The password of each user, whose name is the role. */
export const password = 'a-password-of-the-tests';
export const roles = ['administrator', 'editor', 'author', 'contributor'] as const;

/**
 * Whether WordPress can run here. It needs PHP with SQLite, which no package of npm brings.
 *
 * @throws UserError in CI where it cannot
 */
export async function canRun(): Promise<boolean> {
  const modules = findProgram(['php']) ? (await promisify(execFile)('php', ['-m'])).stdout : '';
  if (/^pdo_sqlite$/m.test(modules)) return true;
  const missing = 'PHP with SQLite is missing, and WordPress needs it.';
  const help = 'Install it (Debian: "sudo apt-get install php-cli php-sqlite3") and run the command again.';
  if (process.env['CI']) throw new UserError(missing, help);
  console.log(`– left out the tests in WordPress: ${missing} ${help}`);
  return false;
}

export interface Site {
  readonly folder: string;
  readonly url: string;
  /** Runs PHP in WordPress. @param input - is `$input` there @returns what the code returns */
  run<Result>(code: string, input?: unknown): Promise<Result>;
}

export interface WebServer {
  readonly origin: string;
  /** Installs a WordPress. @param path - of the site, such as `/letters`; empty at the root */
  install(path: string, theme: string): Promise<Site>;
  /** What PHP has complained about in the files of this folder. */
  complaints(folder: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function startWebServer(port: number): Promise<WebServer> {
  await installLocked({
    folder: here,
    title: 'WordPress (350 MB)',
    needs: 'the npm registry and about 350 MB of disk',
  });
  const files = await mkdtemp(join(tmpdir(), 'newsletter-wordpress-'));
  const log = join(files, 'php.log');
  const served = join(files, 'served');
  await mkdir(served);
  // Browsers ask for it.
  await writeFile(join(served, 'favicon.ico'), '');
  const settings = ['-d', `error_log=${log}`, '-d', 'log_errors=1', '-d', 'display_errors=0'];
  const server = spawn('php', [...settings, '-S', `127.0.0.1:${port}`, '-t', served], { stdio: 'ignore' });
  const ended = once(server, 'close');
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    async install(path, theme) {
      const folder = join(served, path);
      await unpackWordPress(folder);
      const site: Site = {
        folder,
        url: origin + path,
        async run(code, input = null) {
          const program = `$_SERVER += ['HTTP_HOST' => '127.0.0.1:${port}', 'REQUEST_URI' => '/', 'REQUEST_METHOD' => 'GET'];
            require '${folder}/wp-load.php';
            $input = json_decode(stream_get_contents(STDIN), true);
            fwrite(STDOUT, "\\n" . json_encode((function () use ($input) { ${code} })()));`;
          const running = promisify(execFile)('php', [...settings, '-r', program], { maxBuffer: 1e8 });
          running.child.stdin?.end(JSON.stringify(input));
          const { stdout } = await running;
          return JSON.parse(stdout.split('\n').at(-1) ?? '');
        },
      };
      await site.run(installation, { url: site.url, theme, password, roles });
      return site;
    },
    async complaints(folder) {
      const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n');
      return lines.filter((line) => line.includes(folder));
    },
    async close() {
      server.kill();
      await ended;
      await rm(files, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** WordPress has no tables yet: it loads as its installer does. */
const installation = `
  require ABSPATH . 'wp-admin/includes/upgrade.php';
  wp_install('The Harbour Letter', 'administrator', 'administrator@example.com', true, '', $input['password']);
  switch_theme($input['theme']);
  update_option('siteurl', $input['url']);
  update_option('home', $input['url']);
  foreach ($input['roles'] as $role)
    if (!username_exists($role))
      wp_insert_user(['user_login' => $role, 'user_pass' => $input['password'], 'user_email' => "$role@example.com", 'role' => $role]);
  return true;`;

async function unpackWordPress(folder: string): Promise<void> {
  const builds = join(here, 'node_modules/@wp-playground/wordpress-builds');
  await mkdir(folder, { recursive: true });
  // Scripts, styles and pictures of WordPress; the zip has the rest.
  await cp(join(builds, `public/wp-${version}`), folder, { recursive: true });
  await unzip(join(builds, `src/wordpress/wp-${version}.zip`), folder);
  const content = join(folder, 'wp-content');
  // The database of the package has a site of its own.
  await rm(join(content, 'database'), { recursive: true });
  const plugin = join(content, 'plugins/sqlite-database-integration');
  await unzip(
    join(builds, 'src/sqlite-database-integration/sqlite-database-integration.zip'),
    join(plugin, '..'),
    (path) => path.replace('sqlite-database-integration-main/', 'sqlite-database-integration/'),
  );
  await cp(join(plugin, 'db.copy'), join(content, 'db.php'));
  await mkdir(join(content, 'mu-plugins'));
  await cp(join(here, 'imitations.php'), join(content, 'mu-plugins/imitations.php'));
  await cp(join(here, 'classic'), join(content, 'themes/classic'), { recursive: true });
  const sample = await readFile(join(folder, 'wp-config-sample.php'), 'utf8');
  const constants = {
    WP_DEBUG: true,
    WP_DEBUG_DISPLAY: false,
    DISABLE_WP_CRON: true,
    WP_HTTP_BLOCK_EXTERNAL: true,
    AUTOMATIC_UPDATER_DISABLED: true,
    FS_METHOD: "'direct'",
  };
  const defined = Object.entries(constants).map(([name, value]) => `define('${name}', ${value});`);
  // Inside WordPress, which has no tables at first, the installer may run without its page.
  defined.push("if (PHP_SAPI === 'cli' && !is_dir(__DIR__ . '/wp-content/database')) define('WP_INSTALLING', true);");
  await writeFile(join(folder, 'wp-config.php'), sample.replace("define( 'WP_DEBUG', false );", defined.join('\n')));
}

/** @param rename - the name of a file, by that in the archive */
async function unzip(archive: string, folder: string, rename = (path: string): string => path): Promise<void> {
  const files = unzipSync(await readFile(archive));
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) continue;
    const file = join(folder, rename(path));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
