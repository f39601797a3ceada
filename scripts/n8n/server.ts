/** How an n8n of ours is set, and when it takes requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUrl } from '../chain/servers.ts';
import type { Running } from './process.ts';

/** Where an n8n keeps everything, and where it listens. */
export interface Place {
  readonly userFolder: string;
  readonly port: number;
  /** Port of the broker that hands code to its runners. */
  readonly broker: number;
}

/** Longest time from the start to the first answer, in milliseconds. */
const startLimit = 90_000;

/** Variables of an n8n that serves this machine alone and tells nobody about it. */
export function settingsOf({ userFolder, port, broker }: Place): Readonly<Record<string, string>> {
  return {
    N8N_USER_FOLDER: userFolder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(broker),
    N8N_SECURE_COOKIE: 'false',
    // The address that services are told to send people back to: the session's cookie is of this host.
    N8N_EDITOR_BASE_URL: serverUrl(port),
    WEBHOOK_URL: serverUrl(port),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    GENERIC_TIMEZONE: 'UTC',
  };
}

/** @throws where it ends or stays silent instead of answering, with what it printed last */
export async function untilReady(url: string, running: Running): Promise<void> {
  let ended: number | string | undefined;
  void running.ended.then((how) => (ended = how));
  for (const deadline = Date.now() + startLimit; Date.now() < deadline; await sleep(250)) {
    if (ended !== undefined) throw new Error(`n8n ended with ${ended} instead of starting:\n${running.output()}`);
    const response = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
  }
  throw new Error(`n8n was not ready within ${startLimit / 1000} s:\n${running.output()}`);
}
