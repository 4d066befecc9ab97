/** Something that must be true is not. */
class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/**
 * Says what must be true here, if the code is right: a bound that is kept, a state that a message is allowed in, what two
 * threads agree on. What comes from outside (a client, a file, a setting) is not asserted but refused, with a message.
 *
 * Where an assertion fails nobody knows what else is wrong, so its thread ends, in the order in which any fault ends it: a
 * worker leaves and is replaced, and the end of the writer or the main thread is that of the process. That is better than
 * to go on, and count or answer wrongly. The fault is thrown here, and once more as an uncaught exception: each request
 * has a wrapper around it that would answer 500 and let the thread go on.
 *
 * Assertions stay in production. One that holds costs a comparison, and must allocate nothing: `what` is a constant.
 */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) fail(what);
}

function fail(what: string): never {
  const fault = new AssertionError(`this does not hold: ${what}`);
  queueMicrotask(() => {
    throw fault;
  });
  throw fault;
}
