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

it.each([TypeError, RangeError, ReferenceError, SyntaxError])('a %s is a defect of the relay', (Defect) => {
  const defect = new Defect('Map.groupBy is not a function');
  expect([isStoreFailure(defect), storeError('read', defect)]).toEqual([false, defect]);
  expect(storeError('read', defect)).toBe(defect);
});
