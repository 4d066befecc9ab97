import type { ReplicaPlace } from '../../storage/tables/meta.ts';
import type { PortCalls } from '../../support/port-calls.ts';
import type { ClusterCalls, ReplicaCalls, RowMessage, StateMessage } from '../client/replica-protocol.ts';
import type { LogRow } from '../sql/rows.ts';

export type ReplicaPort = PortCalls<ReplicaCalls, ClusterCalls>;

/** The cluster thread's client of the writer's replica. */
export class ReplicaClient {
  readonly #port: ReplicaPort;
  readonly #onApplied: (position: number) => void;
  #place: ReplicaPlace | null = null;

  /** @param onApplied called whenever it has applied rows */
  constructor(port: ReplicaPort, onApplied: (position: number) => void) {
    this.#port = port;
    this.#onApplied = onApplied;
  }

  /** @throws Error before the replica is open */
  get place(): ReplicaPlace {
    if (this.#place === null) throw new Error('the replica is not open yet');
    return this.#place;
  }

  get isOpen(): boolean {
    return this.#place !== null;
  }

  /** Notes another position: a later one, or any after a state was taken over. */
  moved(place: ReplicaPlace): void {
    const hasMoved = this.#place?.position !== place.position;
    this.#place = place;
    if (hasMoved) this.#onApplied(place.position);
  }

  /** @returns null when the rows were applied; otherwise why they were not */
  async follow(
    rows: readonly LogRow[],
  ): Promise<Exclude<ReplicaCalls['follow']['result'], { kind: 'applied' }> | null> {
    const answer = await this.#port.ask('follow', rows.map(toRowMessage));
    if (answer.kind !== 'applied') return answer;
    this.moved(answer.place);
    return null;
  }

  /**
   * Replaces the replica's content by a state.
   * @param batches encoded entries; if they throw, the replica stays unchanged
   * @returns how many entries were written or removed
   */
  async become(state: StateMessage, batches: AsyncIterable<Uint8Array>): Promise<number> {
    await this.#port.ask('beginState', state);
    try {
      for await (const batch of batches) await this.#port.ask('addState', batch);
    } catch (fault) {
      await this.#port.ask('giveUpState', null);
      throw fault;
    }
    const written = await this.#port.ask('endState', null);
    this.moved(state.place);
    return written;
  }
}

/** Copies the bytes: the driver's Buffers share memory with everything in the same packet. */
export function toRowMessage({ position, node, batch, format, changes, checksum }: LogRow): RowMessage {
  return {
    position,
    node,
    batch,
    format,
    changes: Uint8Array.from(changes),
    checksum: Uint8Array.from(checksum),
  };
}
