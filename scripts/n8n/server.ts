/** The settings of an n8n on this machine, and the wait until it is ready. */
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUrl } from '../servers.ts';
import type { Running } from './process.ts';

/** The folder and ports of an n8n. */
export interface N8nLocation {
  readonly userFolder: string;
  readonly port: number;
  /** The port of the task broker. */
  readonly broker: number;
}

/** Time limit for the start, in milliseconds. */
const startLimit = 90_000;

/** Variables of an n8n that listens on this machine alone and sends no telemetry. */
export function settingsOf({ userFolder, port, broker }: N8nLocation): Readonly<Record<string, string>> {
  return {
    N8N_USER_FOLDER: userFolder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(broker),
    N8N_SECURE_COOKIE: 'false',
    // The base of redirect addresses; the session's cookie belongs to this host.
    N8N_EDITOR_BASE_URL: serverUrl(port),
    WEBHOOK_URL: serverUrl(port),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    GENERIC_TIMEZONE: 'UTC',
  };
}

/** @throws Error with the last lines of its output where it ends, or is not ready in time */
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
