/**
 * The tests in a browser need the types of the DOM; those of Node's fetch know one name more: a body that is a stream
 * needs `duplex`.
 */
interface RequestInit {
  readonly duplex?: 'half';
}
