/** Whom a place of a room that all share is counted for; null where there is none. */
export interface Holder {
  /** The token, or the member, that asked. */
  readonly asker: string | null;
  readonly project: string | null;
  /** Null of a personal project too. */
  readonly organisation: string | null;
  readonly address: string | null;
}

/** Snapshots of their own that answers may keep, of all workers: each pins pages and takes one of LMDB's readers. */
export interface PinRoom {
  /** @returns a place, to be given back; null when there is no room, or the holder has its share of it */
  take(holder: Holder): number | null;
  give(place: number): void;
}
