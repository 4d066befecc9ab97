import type { Exchange } from '../../http/exchange.ts';
import { evaluationHeadersFor } from '../answer-headers.ts';

/** What must work for the process to evaluate. */
export interface Health {
  /** The names of the parts that do not work; empty when all is well. */
  failingParts(): readonly string[];
}

/** `GET /health`: 200 `{"status":"ok"}` while the process can evaluate, 503 with the failing part named otherwise. */
export function readHealth(exchange: Exchange, health: Health): void {
  const failing = health.failingParts();
  const status = failing.length === 0 ? 200 : 503;
  const body = failing.length === 0 ? { status: 'ok' } : { status: 'unavailable', failing };
  exchange.answer(status, evaluationHeadersFor(status), JSON.stringify(body));
}
