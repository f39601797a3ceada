/** Identifiers of signups: UUID version 7 (RFC 9562, section 5.7), so that new rows land beside each other on the disk. */
import { randomBytes } from 'node:crypto';

/** @param now - milliseconds since the Unix epoch; the identifier sorts by it */
export function signupId(now: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
