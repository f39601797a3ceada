/** Records writes, syncs and answers of a process in order, and computes the contents of its disk after a power cut. */

/** One thing the process did. Its place in the list is when it was done. */
export type DiskEvent =
  | { readonly kind: 'write'; readonly file: string; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly file: string; readonly size: number }
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'remove'; readonly file: string }
  /** What came in on a connection. */
  | { readonly kind: 'in'; readonly connection: string; readonly data: Buffer }
  /** What went out. */
  | { readonly kind: 'out'; readonly connection: string; readonly data: Buffer };

/**
 * What {@link readTrace} needs strace to write down. The traced process stays the child of whoever started it, for
 * signals to reach.
 */
export const straceOptions = [
  '-D',
  '-f',
  '-y',
  '-xx',
  '-s',
  '70000',
  '-e',
  'trace=read,readv,write,writev,pwrite64,ftruncate,fsync,fdatasync,unlink',
] as const;

const call = /^(\w+)\((?:(\d+)<((?:\\x[0-9a-f]{2})*)>)?(.*)\) += (-?\d+)/s;

/** Reads a trace of strace, as {@link straceOptions} make it. Calls that failed did nothing. */
export function readTrace(trace: string): DiskEvent[] {
  const begun = new Map<string, string>();
  const events: DiskEvent[] = [];
  for (const line of trace.split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      begun.set(thread, rest.slice(0, -'<unfinished ...>'.length).trimEnd());
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1];
    const event = eventOf(resumed === undefined ? rest : `${begun.get(thread) ?? ''}${resumed}`);
    if (event) events.push(event);
  }
  return events;
}

function eventOf(text: string): DiskEvent | undefined {
  const [, name = '', , hexPath = '', args = '', result = '-1'] = call.exec(text) ?? [];
  const done = Number(result);
  if (done < 0) return undefined;
  const file = bytes(hexPath).toString();
  const data = bytes([...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => hex).join('')).subarray(0, done);
  const last = Number(/, (\d+)$/.exec(args)?.[1]);
  switch (name) {
    case 'pwrite64':
      return { kind: 'write', file, offset: last, data };
    case 'ftruncate':
      return { kind: 'truncate', file, size: last };
    case 'fsync':
    case 'fdatasync':
      return { kind: 'sync', file };
    case 'unlink':
      return { kind: 'remove', file: bytes(/"(.*?)"/.exec(args)?.[1] ?? '').toString() };
    case 'read':
    case 'readv':
    case 'write':
    case 'writev':
      return file.startsWith('socket:')
        ? { kind: name.startsWith('read') ? 'in' : 'out', connection: file, data }
        : undefined;
    default:
      return undefined;
  }
}

/**
 * What the disk holds when the power goes right after event `cut`: everything that was synced by then. What was not may
 * have reached it all the same, in any order and in part; `luck` says so for each.
 */
export function diskAfter(events: readonly DiskEvent[], cut: number, luck: () => boolean): Map<string, Buffer> {
  const lastSync = new Map<string, number>();
  events.slice(0, cut + 1).forEach((event, at) => event.kind === 'sync' && lastSync.set(event.file, at));
  const disk = new Map<string, Growing>();
  events.slice(0, cut + 1).forEach((event, at) => {
    if (event.kind === 'in' || event.kind === 'out' || event.kind === 'sync') return;
    if (at > (lastSync.get(event.file) ?? -1) && !luck()) return;
    if (event.kind === 'remove') disk.delete(event.file);
    else disk.set(event.file, changed(disk.get(event.file) ?? { room: Buffer.alloc(1 << 16), size: 0 }, event));
  });
  return new Map([...disk].map(([file, { room, size }]) => [file, room.subarray(0, size)]));
}

/** A file that grows: what it holds is the beginning of its room, and the rest of that is zeros. */
interface Growing {
  readonly room: Buffer;
  readonly size: number;
}

function changed({ room, size }: Growing, event: Extract<DiskEvent, { kind: 'write' | 'truncate' }>): Growing {
  if (event.kind === 'truncate') return { room: room.fill(0, event.size), size: event.size };
  const end = event.offset + event.data.length;
  const larger = end > room.length ? Buffer.concat([room], 2 * end) : room;
  event.data.copy(larger, event.offset);
  return { room: larger, size: Math.max(size, end) };
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}
