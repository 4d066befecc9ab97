/** The error of a failed assertion. */
class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/**
 * Asserts what must be true if the code is right: a bound that is kept, a state in which a message is allowed, a fact
 * on which two threads agree. Input from outside (a client, a file, a setting) is not asserted but refused, with a
 * message.
 *
 * After a failed assertion, other state may be wrong too, so its thread ends, in the order in which any fault ends it:
 * a worker leaves and is replaced, and the end of the writer or the main thread is the end of the process. Continuing
 * with wrong counts or answers would be worse. The fault is thrown here, and once more as an uncaught exception: each
 * request has a wrapper that would answer 500 and let the thread go on.
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
