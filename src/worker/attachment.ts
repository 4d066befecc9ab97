import type { ConnectionRules } from '../http/connection-rules.ts';
import { Exchange, type ExchangeClass } from '../http/exchange.ts';
import type { HeaderBlock } from '../http/header-block.ts';
import { detachedHeaders } from '../operations/answer-headers.ts';
import { LeaseCell } from '../support/lease-cell.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import { FlagAnswer, type FlagAnswerParts } from './answers/flag-evaluation.ts';

/** The parts in which a node of a cluster answers differently. A service alone runs none of this code for a request. */
export interface Attachment {
  /** The class of exchange for requests of the APIs. */
  readonly apiExchange: ExchangeClass;
  flagAnswer(parts: FlagAnswerParts): FlagAnswer;
  writer(port: WriterPort): WriterPort;
  crowded(answer: ConnectionRules['crowded']): ConnectionRules['crowded'];
  /** Whether the state stored here has every change that was acknowledged anywhere. */
  readonly isAttached: () => boolean;
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

/**
 * `FlagAnswer` on a node of a cluster: an answer without a lease says that it may lack changes. The lease is checked
 * before the state is read. A check afterwards would prove nothing: after the read, the node may have caught up and
 * renewed its lease.
 */
class LeasedFlagAnswer extends FlagAnswer {
  readonly #lease: LeaseCell;

  constructor(parts: FlagAnswerParts, lease: LeaseCell) {
    super(parts);
    this.#lease = lease;
  }

  override answer(segment: string, query: string): this {
    const isAttached = this.#lease.isValid();
    const answer = super.answer(segment, query);
    if (!isAttached) this.headers = detachedHeaders(this.headers);
    return answer;
  }

  override fail(): this {
    super.fail();
    if (!this.#lease.isValid()) this.headers = detachedHeaders(this.headers);
    return this;
  }
}

/**
 * @returns the exchange for requests of the APIs on a node of a cluster. It checks the lease when the request has arrived,
 * before anything is read for it, and again when it is answered. If either check fails, the answer says `detached`.
 */
function leasedExchange(lease: LeaseCell): ExchangeClass {
  return class LeasedExchange extends Exchange {
    #isDetached = !lease.isValid();

    override answer(status: number, headers: HeaderBlock, body: string | Uint8Array): void {
      super.answer(status, this.#told(headers), body);
    }

    override begin(status: number, headers: HeaderBlock): void {
      super.begin(status, this.#told(headers));
    }

    #told(headers: HeaderBlock): HeaderBlock {
      this.#isDetached ||= !lease.isValid();
      return this.#isDetached ? detachedHeaders(headers) : headers;
    }
  };
}

/** @returns the answer to a connection for which there is no room, by the node's lease at that moment */
function leasedCrowded(
  { headers, body }: ConnectionRules['crowded'],
  lease: LeaseCell,
): ConnectionRules['crowded'] {
  return {
    get headers() {
      return lease.isValid() ? headers : detachedHeaders(headers);
    },
    body,
  };
}

/** Sends the writer nothing without a lease: the node could not report the outcome. */
function leasedWriter(writer: WriterPort, lease: LeaseCell): WriterPort {
  const cutOff = { kind: 'cut-off' } as const;
  return {
    write: async (call) => (lease.isValid() ? await writer.write(call) : cutOff),
    recordDenial: async (denial) => (lease.isValid() ? await writer.recordDenial(denial) : cutOff),
  };
}
