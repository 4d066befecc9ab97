/** A place among the snapshots. */
export interface PinHold {
  end(): void;
}

/** The holder that a shared place is counted for; null where there is none. */
export interface Holder {
  /** The token or the member that asked. */
  readonly asker: string | null;
  readonly project: string | null;
  /** The member who owns a personal project, where it is one. */
  readonly organisation: string | null;
  readonly address: string | null;
}

/**
 * Bounds the snapshots that answers of all workers keep: each keeps pages from reuse and takes one of LMDB's readers.
 */
export interface PinRoom {
  /** @returns a place, to be given back; null when there is no room, or the holder has its share already */
  take(holder: Holder): PinHold | null;
  give(place: PinHold): void;
}
