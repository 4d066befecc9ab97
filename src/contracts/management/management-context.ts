import type { GuardContext } from '../../domain/management/guard.ts';

/** What answering a Management API request needs beside the records and the call. */
export interface ManagementContext extends GuardContext {
  /** Without a trailing slash; error bodies link to its sections. */
  readonly docsUrl: string;
}
