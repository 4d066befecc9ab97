/** Failed sign-ins of a member that one audit entry records. */
export interface FailedSignIns {
  readonly memberId: string;
  /** Null: several, each of them beyond those that have entries of their own. */
  readonly address: string | null;
  /** Of the only attempt; null for a count. */
  readonly requestId: string | null;
  readonly attempts: number;
  /** When they were counted from, Unix milliseconds. */
  readonly since: number;
}
