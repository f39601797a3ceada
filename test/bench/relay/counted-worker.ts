/** The relay's Worker, whose object counts what Cloudflare charges for: requests, and rows read and written. */
import worker, {
  RelayObject as Relay,
  type RelayObjectState,
  type WorkerEnvironment,
} from '@newsletter-kit/relay/worker';

/** What was charged for; `GET /charged` answers with it, and begins anew. */
export interface Charged {
  /** Requests to the object and its alarms. */
  requests: number;
  rowsRead: number;
  rowsWritten: number;
}

interface Cursor {
  readonly rowsRead: number;
  readonly rowsWritten: number;
  toArray(): never[];
}

/** The same storage, counting. A value by its key is a row, and so is setting an alarm. */
function counting(storage: RelayObjectState['storage'], charged: Charged): RelayObjectState['storage'] {
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
      return storage.setAlarm(at);
    },
    deleteAlarm: () => storage.deleteAlarm(),
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

  constructor({ storage }: RelayObjectState, environment: WorkerEnvironment) {
    this.#relay = new Relay({ storage: counting(storage, this.#charged) }, environment);
  }

  fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === '/charged') {
      const answer = Response.json(this.#charged);
      Object.assign(this.#charged, { requests: 0, rowsRead: 0, rowsWritten: 0 });
      return Promise.resolve(answer);
    }
    this.#charged.requests += 1;
    return this.#relay.fetch(request);
  }

  alarm(): Promise<void> {
    this.#charged.requests += 1;
    return this.#relay.alarm();
  }
}

export default worker;
