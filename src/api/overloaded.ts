/** The detail of a 503 that is given at once: every queue is bounded. */
export const overloaded = 'The service has as many requests in flight as it may. Retry in a moment.';
/** The detail of a 503 that is given before anything was asked: each connection takes a descriptor. */
export const tooManyConnections = 'The service has as many connections as it may. Retry in a moment.';
