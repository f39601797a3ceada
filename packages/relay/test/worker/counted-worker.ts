/** The relay's Worker, whose object counts what Cloudflare charges for: requests, and rows read and written. */
import worker, { RelayObject as Relay, type RelayObjectState, type WorkerEnvironment } from '../../src/worker/index.ts';

/** What was charged for; `GET /charged` answers with it, and begins anew. */
export interface Charged {
  /** Requests to the object and its alarms. */
  requests: number;
  rowsRead: number;
  rowsWritten: number;
}

/** The answer to `GET /charged`. */
export interface ChargedSoFar extends Charged {
  /** Whether no alarm is set: nothing more happens without a request. */
  readonly isIdle: boolean;
}

interface Cursor {
  readonly rowsRead: number;
  readonly rowsWritten: number;
  toArray(): never[];
}

/** The same storage, counting. A value by its key is a row, and so is setting an alarm. */
function counting(
  storage: RelayObjectState['storage'],
  charged: Charged,
  alarm: { isSet: boolean; isSetAgain: boolean },
): RelayObjectState['storage'] {
  const sql = {
    exec(...statement: Parameters<RelayObjectState['storage']['sql']['exec']>) {
      const cursor = storage.sql.exec(...statement) as Cursor;
      const rows = cursor.toArray();
      charged.rowsRead += cursor.rowsRead;
      charged.rowsWritten += cursor.rowsWritten;
      return { toArray: () => rows };
    },
  };
  return {
    sql,
    transactionSync: (work) => storage.transactionSync(work),
    sync: () => storage.sync(),
    setAlarm(at) {
      charged.rowsWritten += 1;
      alarm.isSet = alarm.isSetAgain = true;
      return storage.setAlarm(at);
    },
    get(name) {
      charged.rowsRead += 1;
      return storage.get(name);
    },
    put(name, value) {
      charged.rowsWritten += 1;
      return storage.put(name, value);
    },
  };
}

export class RelayObject {
  readonly #relay: Relay;
  readonly #charged: Charged = { requests: 0, rowsRead: 0, rowsWritten: 0 };
  /** Whether an alarm is set, also while it runs; and whether it was set since it began to run. */
  readonly #alarm = { isSet: false, isSetAgain: false };

  constructor({ storage }: RelayObjectState, environment: WorkerEnvironment) {
    this.#relay = new Relay({ storage: counting(storage, this.#charged, this.#alarm) }, environment);
  }

  fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === '/charged') {
      const answer = Response.json({ ...this.#charged, isIdle: !this.#alarm.isSet } satisfies ChargedSoFar);
      Object.assign(this.#charged, { requests: 0, rowsRead: 0, rowsWritten: 0 });
      return Promise.resolve(answer);
    }
    this.#charged.requests += 1;
    return this.#relay.fetch(request);
  }

  async alarm(): Promise<void> {
    this.#charged.requests += 1;
    this.#alarm.isSetAgain = false;
    await this.#relay.alarm();
    this.#alarm.isSet = this.#alarm.isSetAgain;
  }
}

export default {
  ...worker,
  fetch(request: Request, environment: WorkerEnvironment): Promise<Response> {
    if (new URL(request.url).pathname !== '/charged') return worker.fetch(request, environment);
    const objects = environment.RELAY_OBJECTS;
    return objects.get(objects.idFromName(String(environment['NEWSLETTER_PUBLICATION_ID']))).fetch(request);
  },
};
