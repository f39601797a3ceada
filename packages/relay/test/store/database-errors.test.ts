/** Which errors are of the store, what they say to the operator, and which are defects of the relay. */
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/index.ts';
import { isStoreFailure, storeError } from '../../src/store/database-errors.ts';

const withCode = (code: string) => Object.assign(new Error('secret text of the server'), { code });

describe('an error of the driver', () => {
  it.each([
    [Object.assign(new Error('full'), { errcode: 13 }), 'the disk is full; free some space'],
    [Object.assign(new Error('busy'), { errcode: 5 + 256 }), 'another program holds a lock on it; close that program'],
    [new Error('database or disk is full: SQLITE_FULL'), 'the disk is full; free some space'],
    [withCode('EACCES'), 'the relay may not write there; change the permissions or name another place'],
    [
      new AggregateError([withCode('ECONNREFUSED')]),
      'nothing answers there; start PostgreSQL, or correct host and port',
    ],
    [withCode('08999'), 'the connection broke'],
    [withCode('53400'), 'PostgreSQL reported error 53400'],
    [withCode('EMFILE'), 'the system reported error EMFILE'],
    [new Error('Connection terminated unexpectedly'), 'the connection broke'],
    [
      withCode('ERR_TLS_CERT_ALTNAME_INVALID'),
      'its certificate is for another name; name the host as it does, or set sslmode=verify-ca',
    ],
    [new Error('The server does not support SSL connections'), 'it has no TLS; set ssl = on there, or sslmode=disable'],
    [new Error('Query read timeout'), 'it does not answer in time; check host, port and firewall'],
  ])('%s concerns the whole store, and says what to do', (error, said) => {
    expect(isStoreFailure(error)).toBe(true);
    expect(storeError('written', error)).toEqual(new StoreUnavailableError(`The store cannot be written: ${said}.`));
  });

  it.each([withCode('23505'), withCode('22P05'), Object.assign(new Error('constraint'), { errcode: 19 })])(
    '%s is of the one statement that met it',
    (error) => {
      expect(isStoreFailure(error)).toBe(false);
      expect(storeError('read', error)).toBeInstanceOf(StoreUnavailableError);
    },
  );

  it('that says what to do already stays what it is', () => {
    const error = new StoreUnavailableError('The file was deleted.');
    expect([isStoreFailure(error), storeError('written', error)]).toEqual([true, error]);
  });
});

it.each([
  new TypeError('Map.groupBy is not a function'),
  new RangeError('Invalid array length'),
  new ReferenceError('x is not defined'),
  new SyntaxError('Unexpected token in JSON'),
  new Error('A form belongs to no publication.'),
  Object.assign(new Error('Expected values to be equal'), { code: 'ERR_ASSERTION' }),
  Object.assign(new TypeError('cannot be bound'), { code: 'ERR_INVALID_ARG_TYPE' }),
])('%s is a defect of the relay', (defect) => {
  expect(isStoreFailure(defect)).toBe(false);
  expect(storeError('read', defect)).toBe(defect);
});
