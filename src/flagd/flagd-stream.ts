import type { ServerWritableStream } from '@grpc/grpc-js';
import { tenantOf } from '../domain/project/project.ts';
import type { SyncTarget } from '../domain/sync/sync-guard.ts';
import type { Tenant } from '../support/fair-share.ts';
import type { HeldEnvironment, Holding } from './configurations.ts';
import type { RefusedStatus } from './flagd-protocol.ts';
import type { Sender, SendRoom } from './send-room.ts';
import type { EncodedMessage, FlagsRequest } from './sync-messages.ts';

export type FlagdCall = ServerWritableStream<FlagsRequest, EncodedMessage>;

/** Who a stream is for: checked again while it is open. */
export interface StreamPlace extends Tenant {
  readonly tokenId: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
  readonly environmentNumber: number;
}

export function streamPlaceOf({ token, project, environment, environmentNumber }: SyncTarget): StreamPlace {
  const names = { ...tenantOf(project), environment: environment?.name ?? null };
  return { tokenId: token.id, ...names, environmentNumber };
}

export interface FlagdStreamParts {
  readonly call: FlagdCall;
  readonly place: StreamPlace;
  readonly room: SendRoom;
  /** It ends with its first configuration: a request for all flags, not a stream. */
  readonly isOnce: boolean;
  readonly onSent: () => void;
  /** Refuses the call, or ends the stream. */
  readonly end: (call: FlagdCall, status: RefusedStatus, detail: string) => void;
}

/**
 * An open stream. At most one configuration is on its way to its client; when it was taken, the newest one follows, if
 * there is a newer one: a slow client passes over those between.
 */
export class FlagdStream implements Sender {
  readonly place: StreamPlace;
  readonly #parts: FlagdStreamParts;
  #holding: Holding | null = null;
  /** Of the one that was sent last, or is on its way; 0: none. The message is not kept: many streams may be at old ones. */
  #sentEdition = 0;
  #sentNumber = 0;
  #known: number | null = null;
  #bytesOnTheWay = 0;
  #sendingSince = Number.POSITIVE_INFINITY;
  #isEnding = false;
  #isOver = false;

  constructor(parts: FlagdStreamParts) {
    this.place = parts.place;
    this.#parts = parts;
  }

  get projectId(): string {
    return this.place.projectId;
  }

  get accountId(): string | null {
    return this.place.accountId;
  }

  get peer(): string {
    return this.#parts.call.getPeer();
  }

  /** When its client was last sent something that it has not taken; infinite where it has taken all. */
  get sendingSince(): number {
    return this.#sendingSince;
  }

  /** The environment that it follows; null before it has begun. */
  get environment(): HeldEnvironment | null {
    return this.#holding?.environment ?? null;
  }

  /** The number of the last change that its client has taken; null: it has taken nothing yet. */
  get knownNumber(): number | null {
    const { current = null, number = 0, edition = 0 } = this.#holding ?? {};
    // A change may leave a configuration as it was: then nothing is sent.
    const hasCurrent = current?.kind === 'message' && edition === this.#sentEdition;
    if (hasCurrent && this.#bytesOnTheWay === 0) this.#known = number;
    return this.#known;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  get bytesToSend(): number {
    return this.#next()?.length ?? 0;
  }

  begin(holding: Holding): void {
    this.#holding = holding;
    this.offer();
  }

  /** There may be a configuration that its client does not have. */
  offer(): void {
    if (this.#isOver || this.#isEnding || this.#bytesOnTheWay > 0) return;
    const current = this.#holding?.current ?? null;
    if (current?.kind === 'refused') this.end(current.status, current.detail);
    else if (this.#next() !== null) this.#parts.room.ask(this);
  }

  send(bytes: number): void {
    const message = this.#next();
    const { call, room, onSent, isOnce } = this.#parts;
    // It was sent while it waited, or the environment is being read again: then it is offered the newest.
    if (message === null || this.#isOver || this.#isEnding) {
      room.give(this, bytes);
      return;
    }
    this.#sentEdition = this.#holding?.edition ?? 0;
    this.#sentNumber = this.#holding?.number ?? 0;
    this.#bytesOnTheWay = bytes;
    this.#sendingSince = performance.now();
    call.write(message, () => {
      this.#giveBack();
      this.#known = this.#sentNumber;
      onSent();
      if (isOnce && !this.#isOver && !this.#isEnding) call.end();
      else this.offer();
    });
  }

  #next(): EncodedMessage | null {
    const { current = null, edition = 0 } = this.#holding ?? {};
    return current?.kind === 'message' && edition !== this.#sentEdition ? current.message : null;
  }

  #giveBack(): void {
    const bytes = this.#bytesOnTheWay;
    if (bytes === 0) return;
    this.#bytesOnTheWay = 0;
    this.#sendingSince = Number.POSITIVE_INFINITY;
    this.#parts.room.give(this, bytes);
  }

  /** Its client is told when it has taken what is on its way. */
  end(status: RefusedStatus, detail: string): void {
    if (this.#isOver || this.#isEnding) return;
    this.#isEnding = true;
    this.#parts.room.withdraw(this);
    this.#parts.end(this.#parts.call, status, detail);
  }

  /** The call is over, for whatever reason: nothing is written any more. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#holding?.release();
    this.#parts.room.withdraw(this);
    this.#giveBack();
  }
}
