/**
 * The pages "A workflow in n8n" and "Newsletter and CRM in step", from top to bottom in one n8n, as `npm run n8n`
 * starts it. What is pressed, entered and looked for are the words of the pages. A picture of a step that fails is
 * written to .output/n8n.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@newsletter-kit/core';
import type { ElementHandle, Page } from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.ts';
import { sandboxAccount, serverUrl } from '../../scripts/servers.ts';
import { readSteps, walk, type Actions } from '../docs/steps.ts';
import { notice, openBrowser, subscribe } from '../e2e/visitor.ts';
import { starter } from '../scripts/starter.ts';
import { freeNumbers } from '../support/free-ports.ts';
import { guidePicture, openPanel, openWorkflow, picture } from './harness/editor.ts';
import { Rest, type Execution } from './harness/rest.ts';
import {
  enter as enterOn,
  isSeen,
  pointAt as pointOn,
  press as pressOn,
  pressAt as pressBeside,
  see as seeOn,
} from './harness/screen.ts';

/** Parts of the editor. */
const creator = '[data-test-id=node-creator]';
const panel = '[data-test-id=node-parameters]';
const output = '[data-test-id=output-panel]';
const credential = '[data-test-id=editCredential-modal]';
const list = '.el-select-dropdown, .el-popper';
const plus = '[data-test-id=canvas-handle-plus]';

let page: Page;
let rest: Rest;
let api: Client;
/** Where n8n, demo site and sandbox listen. */
let at: Readonly<Record<'n8n' | 'demo' | 'sandbox', string>>;
/** The home folder of n8n's user, and the folder in it from which n8n reads files. */
let home: string;
let files: string;
/** The account that the command printed. */
let account: readonly string[];
/** The last word of the dialogs after *Publish*, which only the first step of the page names. */
let gotIt = '';
/** The workflows of the pages, by what they do. */
const workflows = { triggered: '', sync: '' };
/** The node of the import. */
let importNode = '';
/** The text of the button beside a trigger. */
let executeWord = '';
/** How many contacts the preview planned. */
let created = 0;
/** The addresses of the contacts that step 5 changes. */
let renamed = '';
let optedOut = '';

const see = (word: string, within?: string) => seeOn(page, word, within);
const press = (word: string, within?: string) => pressOn(page, word, within);
const enter = (label: string, text: string, within?: string) => enterOn(page, label, text, within);

const website = '4. Subscribe visitors who sign up on your website';
const subscriber = '3. Start a workflow for each new subscription';
const crm = 'In step in ten minutes';
const spreadsheet = '5. Import a spreadsheet';
const actions: Actions = {
  'See one run, 1': async ({ name, text }) => {
    await page.goto(text(), { waitUntil: 'domcontentloaded' });
    const [email = '', password = ''] = account;
    await enter('Email', email);
    await enter('Password', password);
    await page.keyboard.press('Enter');
    await see(name());
  },
  'See one run, 2': async ({ name }) => {
    const [open, confirm] = [name(), name()];
    gotIt = name();
    await publish(open, confirm);
  },
  'See one run, 3': async ({ name, text }) => {
    await signUp(text(), 'first@example.com');
    await showsExecution(name());
    await showsSubscriber(text(), 'first@example.com');
  },
  '1. Install the nodes': async ({ name, text }) => {
    await pressIcon('[data-test-id=main-sidebar-settings]', name());
    await press(name());
    await press(name());
    await enter(name(), text(/^n8n-nodes/), '[role=dialog]');
    // The package is there already.
    await see(name(), '[role=dialog]');
    await page.keyboard.press('Escape');
  },
  '2. Connect': async ({ name, text }) => {
    const [byKey, byOAuth, connect] = [name(), name(), name()];
    await page.goto(at.n8n, { waitUntil: 'domcontentloaded' });
    await pressIcon('[data-test-id=project-home-menu-item]', name());
    await press(name());
    await see(byKey);
    await see(byOAuth);
    const [create, type, next, save] = [name(), name(), name(), name()];
    await press(create);
    await newCredential(type, next);
    await pressBeside(page, name(), credential);
    for (const service of [name(), name()]) await see(service, list);
    const other = name();
    await press(other, list);
    const baseUrl = name();
    await enter(baseUrl, `${at.sandbox}/v2`, credential);
    await enter(name(), text(/-key$/), credential);
    const publication = name();
    await enter(publication, text(/^pub_0/), credential);
    await press(save, credential);
    await see('Connection tested successfully', credential);
    // Told once more, for an n8n in a container.
    expect([name(), name()]).toEqual(['Local Sandbox', other]);
    await page.keyboard.press('Escape');

    expect(name()).toBe(create);
    await press(create);
    await newCredential(name(), next);
    await see(name(), credential);
    await enter(name(), text(/-public$/), credential);
    await see(name(), credential);
    await pressBeside(page, name(), credential);
    await press(name(), list);
    await enter(name(), at.sandbox, credential);
    await enter(name(), `${at.sandbox}/v2`, credential);
    await enter(name(), sandboxAccount.publicationId, credential);
    await see(name(), credential);
    await press(name(), credential);
    const consent = new Promise<Page | null>((resolve) => page.once('popup', resolve));
    expect(name()).toBe(connect);
    await press(connect, credential);
    const popup = await consent;
    if (popup) await pressOn(popup, 'Allow');
    await see('Account connected', credential);
    expect(name()).toBe('Client ID');
    await page.keyboard.press('Escape');
  },
  [`${subscriber}, 1`]: async ({ name, text }) => {
    await addFirst(name(), text());
    await press(name(), creator);
    await see(name(), creator);
    await press(name(), creator);
  },
  [`${subscriber}, 2`]: async ({ name }) => {
    await press(name());
    await see('subscriptionCreated', output);
    await leavePanel();
  },
  [`${subscriber}, 3`]: async ({ name, text }) => {
    expect(name()).toBe('+');
    const node = name();
    await add(node);
    await press(node, creator);
    for (const field of [text(), text()]) {
      await pointOn(page, field, '[data-test-id=ndv-input-panel]');
      await page.mouse.down();
      const area = await page.waitForSelector('[data-test-id=assignment-collection-drop-area]', { visible: true });
      const box = await area?.boundingBox();
      if (!box) throw new Error('There is nowhere to drag it to.');
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 });
      await page.mouse.up();
      await see(`{{ $json.${field} }}`, panel);
    }
    await leavePanel();
  },
  [`${subscriber}, 4`]: async ({ name }) => {
    await publish(name());
    workflows.triggered = openedWorkflow();
    await openPanel(page, 'Newsletter Trigger');
    await pressBeside(page, name(), panel);
    await see(name(), list);
    await page.keyboard.press('Escape');
    await leavePanel();
  },
  [website]: async ({ name }) => {
    await openWorkflow(page, at.n8n, 'signupForm');
    const word = name();
    await pressBeside(page, name(), 'body', '[data-test-id=version-menu-button]');
    await press(word, '[role=menu]');
    await press(word, '[role=dialog]');
    await see('Publish');
  },
  [`${website}, 1`]: async ({ name, text }) => {
    await addFirst(name(), text());
    await press(name(), creator);
    await press(name(), creator);
    await enter(name(), text('signup'), panel);
    await enter(name(), text(/^http/), panel);
    await leavePanel();
  },
  [`${website}, 2`]: async ({ name, text }) => {
    expect(name()).toBe('+');
    await add(text());
    await press(name(), creator);
    await press(name(), creator);
    const field = name();
    await pointOn(page, field, panel);
    await press(name(), panel);
    const expression = text(/json/);
    await enter(field, expression, panel);
    await press('Parameters');
    await see(expression, panel);
    // n8n saves by itself, a moment later; a workflow that is published before that lacks the change.
    await expect.poll(async () => JSON.stringify((await rest.workflow(openedWorkflow())).nodes)).toContain(expression);
    // n8n shows one or the other: it depends on which of its requests is answered first.
    const [retry, fields] = [name(), 'Add custom field to send'];
    const shows = (word: string) => isSeen(page, word, panel);
    await expect.poll(async () => (await shows(retry)) || (await shows(fields))).toBe(true);
    if (await shows(retry)) await press(retry, panel);
    await see(fields, panel);
    await see(name(), panel);
    await leavePanel();
  },
  [`${website}, 3`]: async ({ name }) => {
    await publish(name());
    await openPanel(page, 'Newsletter Signup Trigger');
    await press(name(), panel);
    await press(name(), panel);
    await see(`${at.n8n}/webhook/signup`, panel);
    await leavePanel();
  },
  [`${website}, 4`]: async ({ name }) => {
    const before = await rest.executionIds(workflows.triggered);
    await signUp(at.demo, 'second@example.com');
    await showsExecution(name());
    await expect.poll(() => find('second@example.com')).toMatchObject({ status: 'active' });
    await expect.poll(async () => (await rest.executionIds(workflows.triggered)).length).toBeGreaterThan(before.length);
  },
  [`${spreadsheet}, 1`]: async ({ text }) => {
    const rows = [`${text('Email Address')},first_name`, 'ada@example.com,Ada', 'grace.example.com,Grace'];
    files = join(home, text('.n8n-files'));
    await mkdir(files);
    await writeFile(join(files, 'subscribers.csv'), `${rows.join('\n')}\n`);
  },
  [`${spreadsheet}, 2`]: async ({ name, text }) => {
    await addFirst(name());
    await press(name(), creator);
    expect(name()).toBe('+');
    const read = name();
    await add(read);
    await press(read, creator);
    await press(name(), creator);
    await enter(name(), join(files, text(/\.csv$/).replace(/^.*\//, '')), panel);
    await leavePanel();
    expect(name()).toBe('+');
    const extract = name();
    await add(extract);
    await press(extract, creator);
    await press(name(), creator);
    await leavePanel();
    for (const online of [name(), name()]) {
      await add(online);
      await see(online, creator);
      await page.keyboard.press('Escape');
      await page.waitForSelector(creator, { hidden: true });
    }
  },
  [`${spreadsheet}, 3`]: async ({ name, text }) => {
    expect(name()).toBe('+');
    await add(text());
    await press(name(), creator);
    importNode = name();
    await press(importNode, creator);
    await pressBeside(page, name(), panel);
    const automatically = name();
    await see(name(), list);
    await press(automatically, list);
    await leavePanel();
  },
  [`${spreadsheet}, 4`]: async ({ name, text }) => {
    await press(name());
    await openPanel(page, importNode);
    for (const heading of [text('import_status'), 'accepted', 'rejected', text('reason')]) await see(heading, output);
    await pressBeside(page, name(), panel);
    await see(name(), list);
    await page.keyboard.press('Escape');
    await leavePanel();
  },
  [`${crm}, 1`]: async ({ name, text }) => {
    await page.goto(text(), { waitUntil: 'domcontentloaded' });
    await see(name());
    workflows.sync = openedWorkflow();
    await openPanel(page, name());
    await see(name(), panel);
    await leavePanel();
  },
  [`${crm}, 2`]: async ({ name, text }) => {
    const trigger = name();
    executeWord = name();
    const { output: items } = await execute(trigger);
    const [table, mode, sync, preview] = [name(), name(), name(), name()];
    await openPanel(page, sync);
    await see(mode, panel);
    await see(preview, panel);
    await leavePanel();
    await openPanel(page, name());
    await see(`${text('Would')} …`, output);
    await guidePicture(page, 'sync-report', { width: 1366, height: 640 });
    await leavePanel();
    const planned = name();
    await openPanel(page, planned);
    await press('Table', output);
    for (const heading of ['what', 'person', 'change', 'why']) await see(heading, output);
    await guidePicture(page, 'sync-planned', { width: 1366, height: 640 });
    await leavePanel();
    created = items(planned).length;
    expect(items('Report')).toMatchObject([{ held: null, counts: { contacts: 0, contactCreates: created } }]);
    // The editor shows a run that was not saved only until it is left.
    await page.goto(`${at.n8n}/home/datatables`, { waitUntil: 'domcontentloaded' });
    await see(table);
    await openWorkflow(page, at.n8n, workflows.sync);
  },
  [`${crm}, 3`]: async ({ name }) => {
    await openPanel(page, name());
    await pressBeside(page, name(), panel);
    await press(name(), list);
    await leavePanel();
    const trigger = name();
    const applied = await execute(trigger);
    expect(applied.output('Create contacts')).toHaveLength(created);
    expect(applied.output('Check answers', 1)).toMatchObject([{ refused: 0 }]);
    // The contacts that were created have ids now.
    const again = await execute(trigger);
    expect([3, 4].map((index) => again.output('Sync', index).length)).toEqual([0, created]);
    const last = await execute(trigger);
    expect([3, 4].map((index) => last.output('Sync', index))).toEqual([[], []]);
  },
  [`${crm}, 4`]: async ({ name, text }) => {
    await pressIcon('[data-test-id=project-home-menu-item]', name());
    await press(name());
    await press(name());
    [renamed = '', optedOut = ''] = await Promise.all([cellText(0, 'email'), cellText(2, 'email')]);
    await editCell(0, text(), async () => {
      await page.keyboard.down('Control');
      await page.keyboard.press('a');
      await page.keyboard.up('Control');
      await page.keyboard.sendCharacter('Augusta');
    });
    await editCell(2, text(), () => page.keyboard.press('Space'));
  },
  [`${crm}, 5`]: async ({ name, text }) => {
    await openWorkflow(page, at.n8n, workflows.sync);
    await execute(name());
    expect(await find(renamed)).toMatchObject({ status: 'active', name: 'Augusta' });
    expect(await find(optedOut)).toMatchObject({ status: 'inactive' });
    const editor = page;
    page = await editor.browser().newPage();
    await page.setViewport({ width: 390, height: 844 });
    await page.goto(text(), { waitUntil: 'domcontentloaded' });
    await press('first@example.com');
    await enter(name(), 'Grace');
    await press('Close');
    await press('second@example.com');
    await press(name(), 'dialog');
    await expect.poll(() => find('first@example.com')).toMatchObject({ name: 'Grace' });
    await expect.poll(() => find('second@example.com')).toMatchObject({ status: 'inactive' });
    await page.close();
    page = editor;
    await page.bringToFront();
    const changed = await execute(name());
    expect(changed.output('Update contacts')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ email: 'first@example.com', first_name: 'Grace' }),
        expect.objectContaining({ email: 'second@example.com', newsletter_status: 'inactive', do_not_mail: true }),
      ]),
    );
  },
  [`${crm}, 6`]: async ({ name }) => publish(name()),
};

/** Presses *Publish*, confirms, and closes what n8n says then. */
async function publish(open: string, confirm = open): Promise<void> {
  await press(open);
  await press(confirm, '[role=dialog]');
  await press(gotIt, '[role=dialog]');
  await see('Published');
}

/** Presses a picture without a text, whose name appears beside it. */
async function pressIcon(icon: string, word: string): Promise<void> {
  await page.waitForSelector(icon, { visible: true });
  await page.hover(icon);
  await see(word, '[role=tooltip], [data-reka-popper-content-wrapper]');
  await page.click(icon);
}

/** Opens the list of nodes of a new workflow, and searches in it. */
async function addFirst(word: string, query = ''): Promise<void> {
  await page.goto(`${at.n8n}/workflow/new`, { waitUntil: 'domcontentloaded' });
  await pressBeside(page, word, 'body', 'button');
  await search(query);
}

/** Presses the **+** behind the last node, and searches in the list of nodes. */
async function add(query: string): Promise<void> {
  await page.locator(plus).click();
  await search(query);
}

async function search(query: string): Promise<void> {
  const bar = await page.waitForSelector('[data-test-id=node-creator-search-bar]', { visible: true });
  await bar?.type(query);
}

async function newCredential(type: string, next: string): Promise<void> {
  await see('Add new credential');
  await page.keyboard.type(type);
  await press(type, list);
  await press(next);
}

async function leavePanel(): Promise<void> {
  await page.click('[data-test-id=ndv-close-button]');
  await page.waitForSelector(panel, { hidden: true });
}

/** The ID of the workflow in the address. */
function openedWorkflow(): string {
  return /workflow\/([^/?]+)/.exec(page.url())?.[1] ?? '';
}

async function signUp(address: string, email: string): Promise<void> {
  const site = await page.browser().newPage();
  await site.goto(address, { waitUntil: 'load' });
  await subscribe(site, { email });
  await notice(site, 'success');
  await site.close();
  await page.bringToFront();
}

/** Opens the executions of the workflow, and waits for one that succeeded. */
async function showsExecution(tab: string): Promise<void> {
  await press(tab);
  await page.waitForSelector('[data-test-execution-status=success]', { visible: true });
}

async function showsSubscriber(address: string, email: string): Promise<void> {
  const window = await page.browser().newPage();
  await window.goto(address, { waitUntil: 'domcontentloaded' });
  await seeOn(window, email);
  await window.close();
}

/** Points at a trigger, presses the button beside it, and waits for the end. */
async function execute(trigger: string): Promise<Execution> {
  const before = new Set(await rest.executionIds(workflows.sync));
  await page.hover(`[data-test-id=canvas-node][data-node-name="${trigger}"]`);
  await press(executeWord, `[data-test-id="execute-workflow-button-${trigger}"]`);
  let id: string | undefined;
  await expect
    .poll(async () => (id = (await rest.executionIds(workflows.sync)).find((each) => !before.has(each))))
    .toBeDefined();
  const execution = await rest.ended(id ?? '');
  expect(execution.error).toBeUndefined();
  await page.mouse.move(700, 700);
  // n8n's notification covers the nodes.
  const notification = '.el-notification';
  await page.waitForSelector(notification, { visible: true });
  await page.$$eval(`${notification}__closeBtn`, (buttons) => buttons.forEach((each) => (each as HTMLElement).click()));
  await page.waitForSelector(notification, { hidden: true });
  return execution;
}

async function find(email: string): Promise<{ readonly status: unknown; readonly name: unknown }> {
  const [found] = (await api.subscriptions.list({ email, expand: ['custom_fields'] })).items;
  return { status: found?.status, name: found?.custom_fields?.find((field) => field.name === 'First Name')?.value };
}

/** The selector of a cell of the data table. */
async function cell(row: number, column: string): Promise<string> {
  const heading = await page.waitForFunction(
    (text) =>
      [...document.querySelectorAll('[role=columnheader]')].find((each) =>
        [...each.querySelectorAll('*')].some((part) => part.textContent.trim() === text),
      ),
    {},
    column,
  );
  const index = await (heading as ElementHandle).evaluate((each) => each.getAttribute('aria-colindex'));
  return `[role=row][row-index="${row}"] [role=gridcell][aria-colindex="${index}"]`;
}

async function cellText(row: number, column: string): Promise<string> {
  const found = await page.waitForSelector(await cell(row, column), { visible: true });
  return (await found?.evaluate((each) => each.textContent.trim())) ?? '';
}

/** Changes a cell, and waits until n8n has saved it. */
async function editCell(row: number, column: string, change: () => Promise<void>): Promise<void> {
  await page.click(await cell(row, column), { count: 2 });
  await change();
  const saved = page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && response.url().includes('/data-tables/'),
  );
  await page.keyboard.press('Enter');
  expect((await saved).ok()).toBe(true);
}

it('can be followed word for word', { timeout: 1_800_000 }, async () => {
  home = await mkdtemp(join(tmpdir(), 'newsletter-guides-'));
  const [n8n = 0, demo = 0, sandbox = 0, standIns = 0] = await freeNumbers(4);
  at = { n8n: serverUrl(n8n), demo: serverUrl(demo), sandbox: serverUrl(sandbox) };
  const env = {
    N8N_PORT: String(n8n),
    DEMO_PORT: String(demo),
    SANDBOX_PORT: String(sandbox),
    STAND_INS_PORT: String(standIns),
    HOME: home,
    // What npm has downloaded before.
    NPM_CONFIG_CACHE: join(homedir(), '.npm'),
  };
  const started = starter(['n8n', '--folder', join(home, 'n8n')], env);
  const session = await openBrowser();
  onTestFinished(async () => {
    await session.close();
    started.child.kill('SIGTERM');
    await started.ended;
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  await started.says(/Ctrl-C stops everything/);
  account = /sign in as (\S+) with (\S+)/.exec(started.output())?.slice(1) ?? [];
  const [email = '', password = ''] = account;
  rest = await Rest.signIn(at.n8n, email, password);
  const { key, publicationId } = sandboxAccount;
  api = createClient({ baseUrl: `${at.sandbox}/v2`, token: key, publicationId });
  page = await session.browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.setViewport({ width: 1366, height: 900 });

  const ports = new Map([
    ['5678', n8n],
    ['4001', demo],
    ['4011', sandbox],
  ]);
  const texts = await Promise.all(
    ['n8n', 'crm'].map((name) => readFile(join(root, `docs/src/content/docs/start/${name}.md`), 'utf8')),
  );
  const steps = texts.flatMap((text) =>
    readSteps(
      text.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (port) => String(ports.get(port) ?? port)),
      (heading) => /^\d|^See one run|^In step/.test(heading),
    ),
  );
  await walk(steps, actions, (title) => picture(page, `guide-${title.replaceAll(/\W+/g, '-').toLowerCase()}`));
});
