/** Descriptions of the contract appear in the editor, in `api.md` and in the JSON Schemas. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { generate } from '../scripts/generate.ts';
import { operations, words, type OperationWords } from '../src/contract/index.ts';
import { schemas } from '../src/records/index.ts';
import { subscriptionEventTypes } from '../src/watch/index.ts';
import { expectUpToDate } from '../../../test/support/up-to-date.ts';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

it('the generated files match the records', () => {
  expectUpToDate(generate());
});

it('the page of the watch has a row for every event', () => {
  const page = readFileSync(join(packageFolder, '../../docs/src/content/docs/client/watch.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, names = '']) => names.split(', '));
  for (const type of subscriptionEventTypes) expect(rows).toContain(`\`${type}\``);
});

describe('the descriptions of the contract', () => {
  it('are sentences', () => {
    for (const [id, { parameters, description, returns, section }] of Object.entries<OperationWords>(words)) {
      const texts = Object.values(parameters).map(({ text }) => text);
      for (const text of [description, returns, section, ...texts]) expect(text, id).toMatch(/^[A-Z`].*[^ ]$/);
      for (const text of texts) expect(text, id).toMatch(/\.$/);
    }
  });

  it('every property that a schema shows has a description', () => {
    const missing: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [key, value] of Object.entries(schema)) {
        if (key === 'properties') {
          for (const [name, property] of Object.entries(value as Record<string, object>))
            if (!('description' in property)) missing.push(`${path}.${name}`);
        }
        walk(value, `${path}.${key}`);
      }
    };
    for (const { id } of operations) {
      const { answer, ...request }: { answer: z.core.$ZodType; query?: z.core.$ZodType; body?: z.core.$ZodType } =
        schemas[id];
      walk(z.toJSONSchema(answer, { io: 'output' }), `${id} answer`);
      for (const [part, schema] of Object.entries(request))
        walk(z.toJSONSchema(schema, { io: 'input' }), `${id} ${part}`);
    }
    expect(missing).toEqual([]);
  });
});

describe('the editor', () => {
  it('shows the description, parameters, answer and errors of a method, and the description of a field', async () => {
    const lines = [
      "import { createClient } from '@newsletter-kit/core';",
      "const client = createClient({ baseUrl: 'http://127.0.0.1:4010/v2' });",
      "const { data } = await client.subscriptions.create({ email: 'ada@example.com', send_welcome_email: true });",
      'console.log(data.created);',
    ];
    const [method, parameter, field] = await hover(lines, ['.create', 'send_welcome', '.created']);
    expect(method).toContain('create(params: SubscriptionCreateParams, options?: CallOptions)');
    for (const text of [
      'Create a subscription',
      'POST /publications/{publicationId}/subscriptions',
      '`subscriptions:write`',
      'Specification: Endpoints, Subscriptions',
      '`email` required',
      'RateLimitError - 429',
      'ForbiddenError - 403',
      '@example',
    ])
      expect(method?.replaceAll(/\s+/g, ' ')).toContain(text);
    expect(parameter).toContain('Whether to send the welcome e-mail of the publication. Default: `false`.');
    expect(field).toContain('in Unix seconds');
  });
});

/** What TypeScript's language server shows over each word, one character in. */
async function hover(lines: readonly string[], at: readonly string[]): Promise<string[]> {
  const uri = pathToFileURL(`${packageFolder}test/hovered.ts`).href;
  const server = languageServer();
  try {
    await server.ask('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
    server.tell('initialized', {});
    const textDocument = { uri, languageId: 'typescript', version: 1, text: lines.join('\n') };
    server.tell('textDocument/didOpen', { textDocument });
    const shown: string[] = [];
    for (const word of at) {
      const line = lines.findIndex((text) => text.includes(word));
      const position = { line, character: (lines[line] ?? '').indexOf(word) + 1 };
      const answer = await server.ask('textDocument/hover', { textDocument: { uri }, position });
      shown.push(JSON.stringify(answer));
    }
    return shown.map((text) => text.replaceAll(String.raw`\n`, '\n'));
  } finally {
    server.stop();
  }
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
}

/** TypeScript's own language server, over its standard streams. */
function languageServer() {
  const child = spawn(join(packageFolder, '..', '..', 'node_modules', '.bin', 'tsc'), ['--lsp', '--stdio'], {
    cwd: packageFolder,
    stdio: ['pipe', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let received = Buffer.alloc(0);
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const take = ({ id, method, result }: Message): void => {
    // What the server asks of the editor is answered with nothing.
    if (method !== undefined) {
      if (id !== undefined) send({ id, result: null });
    } else if (typeof id === 'number') waiting.get(id)?.(result);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/.exec(received.toString('latin1'));
      const end = (head?.[0].length ?? 0) + Number(head?.[1]);
      if (!head || received.length < end) return;
      take(JSON.parse(received.subarray(head[0].length, end).toString('utf8')) as Message);
      received = received.subarray(end);
    }
  });
  let asked = 0;
  return {
    tell: (method: string, params: object): void => send({ method, params }),
    ask(method: string, params: object): Promise<unknown> {
      const id = ++asked;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        send({ id, method, params });
      });
    },
    stop: () => child.kill(),
  };
}
