/** Sandbox, relay and demo site as data: port, arguments, environment and readiness check. */

/** The ports of the three servers. */
export interface Ports {
  readonly demo: number;
  readonly sandbox: number;
  readonly relay: number;
}

/** The name of a server, also the key of its port. */
export type ServerName = keyof Ports;

/** Settings of the three servers: `npm start` has fixed ports and a permanent store, a test has neither. */
export interface ServerSettings {
  readonly ports: Ports;
  /** The relay's store: `sqlite:` and the path of a file. */
  readonly relayStore: string;
  /** The sandbox's database file. Default: the environment's. */
  readonly sandboxStore?: string;
  /** What receives the posts of the demo's form, as its pages name it. Default: the relay. */
  readonly receiver?: 'relay' | 'n8n';
  /** The address that the demo's form posts to. Default: the relay's. */
  readonly signupEndpoint?: string;
  /** The command that started the servers; a second start whose ports are in use prints it. */
  readonly command?: string;
}

/** How to start one of the servers. */
export interface ServerPlan {
  readonly name: ServerName;
  /** The name as it is printed. */
  readonly title: string;
  /** The variable that sets its port. */
  readonly portVariable: string;
  readonly usualPort: number;
  /** Entry file, from the root of the repository. */
  readonly entry: string;
  readonly args: (settings: ServerSettings) => readonly string[];
  readonly env: (settings: ServerSettings) => Readonly<Record<string, string>>;
  /** A path that answers 200 once the server is ready. */
  readonly ready: string;
}

/** The account in the sandbox's seeds; docs and tests use these fixed names. */
export const sandboxAccount = {
  key: 'sandbox-key',
  publicationId: 'pub_00000000-0000-4000-8000-000000000001',
  /** An app without a secret, for OAuth 2.0 with PKCE. */
  publicApp: 'sandbox-public',
} as const;

/** By their names, in the order they start. */
export const plans: Readonly<Record<ServerName, ServerPlan>> = {
  sandbox: {
    name: 'sandbox',
    title: 'Sandbox (the newsletter API)',
    portVariable: 'SANDBOX_PORT',
    usualPort: 4010,
    entry: 'packages/sandbox/src/main.ts',
    args: ({ ports, sandboxStore }) => [
      '--port',
      String(ports.sandbox),
      '--seed',
      'demo',
      ...(sandboxStore ? ['--db', sandboxStore] : []),
    ],
    // The demo reads the control, which needs no token on this machine.
    env: () => ({ SANDBOX_CONTROL_TOKEN: '' }),
    ready: '/_sandbox/requests',
  },
  relay: {
    name: 'relay',
    title: 'Relay (keeps the API key)',
    portVariable: 'RELAY_PORT',
    usualPort: 4020,
    entry: 'packages/relay/src/main.ts',
    args: () => ['serve'],
    env: ({ ports, relayStore }) => ({
      RELAY_PORT: String(ports.relay),
      RELAY_LOG_FORMAT: 'plain',
      // Beside settings that a page without a script cannot satisfy, such as RELAY_PROOF=always, it is switched off.
      RELAY_PAGE: process.env['RELAY_PAGE'] ?? 'true',
      RELAY_STORE: relayStore,
      // A person who tries the demo signs up with one address again and again.
      RELAY_LIMIT_IP: '0',
      RELAY_LIMIT_ADDRESS: '0',
      RELAY_ALLOWED_ORIGINS: ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${ports.demo}`).join(','),
      NEWSLETTER_API_URL: `${serverUrl(ports.sandbox)}/v2`,
      NEWSLETTER_API_KEY: sandboxAccount.key,
      NEWSLETTER_PUBLICATION_ID: sandboxAccount.publicationId,
    }),
    ready: '/readyz',
  },
  demo: {
    name: 'demo',
    title: 'Demo site',
    portVariable: 'DEMO_PORT',
    usualPort: 4000,
    entry: 'examples/demo/server.ts',
    args: () => [],
    env: ({ ports, receiver = 'relay', signupEndpoint = `${serverUrl(ports.relay)}/signup`, command = '' }) => ({
      DEMO_PORT: String(ports.demo),
      SANDBOX_URL: serverUrl(ports.sandbox),
      SIGNUP_ENDPOINT: signupEndpoint,
      SIGNUP_RECEIVER: receiver,
      STARTED_BY: command,
    }),
    ready: '/',
  },
};

export const servers: readonly ServerPlan[] = Object.values(plans);

/** The address of a server on this machine. */
export function serverUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}
