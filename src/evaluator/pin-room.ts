/** Snapshots of their own that answers may keep, of all workers: each pins pages and takes one of LMDB's readers. */
export interface PinRoom {
  take(): boolean;
  give(): void;
}
