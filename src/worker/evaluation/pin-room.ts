/** The holder that a shared place is counted for; null where there is none. */
export interface Holder {
  /** The token or the member that asked. */
  readonly asker: string | null;
  readonly project: string | null;
  /** The member who owns a personal project, where it is one. */
  readonly organisation: string | null;
  readonly address: string | null;
}
