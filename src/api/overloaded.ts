/** The detail of a 503 that is given at once: every queue is bounded. */
export const overloaded = 'The service has as many requests in flight as it may. Retry in a moment.';
