import type { ConnectionRules } from '../http/connection-rules.ts';
import { Exchange, type ExchangeClass } from '../http/exchange.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import { FlagAnswer, type FlagAnswerParts } from './answers/flag-evaluation.ts';
import { LeasedFlagAnswer, leasedCrowded, leasedExchange, leasedWriter } from './answers/leased-answers.ts';

/** What a node of a cluster answers with in its own way. A service alone has nothing of it on the way of a request. */
export interface Attachment {
  /** What requests of the APIs are answered through. */
  readonly apiExchange: ExchangeClass;
  flagAnswer(parts: FlagAnswerParts): FlagAnswer;
  writer(port: WriterPort): WriterPort;
  crowded(answer: ConnectionRules['crowded']): ConnectionRules['crowded'];
  /** Whether what is stored here is current, as far as others have acknowledged it. */
  isAttached(): boolean;
}

const alone: Attachment = {
  apiExchange: Exchange,
  flagAnswer: (parts) => new FlagAnswer(parts),
  writer: (port) => port,
  crowded: (answer) => answer,
  isAttached: () => true,
};

/** @param leaseMemory of a `LeaseCell`; null: the service is alone */
export function attachmentOf(leaseMemory: SharedArrayBuffer | null): Attachment {
  if (leaseMemory === null) return alone;
  const lease = new LeaseCell(leaseMemory);
  return {
    apiExchange: leasedExchange(lease),
    flagAnswer: (parts) => new LeasedFlagAnswer(parts, lease),
    writer: (port) => leasedWriter(port, lease),
    crowded: (answer) => leasedCrowded(answer, lease),
    isAttached: () => lease.isValid(),
  };
}
