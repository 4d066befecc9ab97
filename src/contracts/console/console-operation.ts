import type { TSchema } from 'typebox';
import type { Role } from '../../domain/member/member.ts';
import type { ConsolePath } from './console-paths.ts';

/**
 * Who may ask. An organisation's thing is looked up by the member's own organisation, a project's by `{projectId}`, and
 * what is not theirs is 404 like what does not exist; a role that does not suffice is 403.
 */
export type ConsoleAccess =
  | { readonly scope: 'public' }
  /** Anybody who is signed in. */
  | { readonly scope: 'member' }
  | { readonly scope: 'organisation'; readonly role: Role }
  | { readonly scope: 'project'; readonly role: Role };

/** One endpoint of the console's API. Its id is the verb that page, handler, command and tests share. */
export interface ConsoleOperation extends ConsolePath {
  readonly access: ConsoleAccess;
  /** A worker answers it from a snapshot, the writer by a change, a conversation (`api/console/`) by steps of both. */
  readonly actor: 'read' | 'writer' | 'conversation';
  /** Known query parameters, all optional; others are a 400. */
  readonly query: readonly string[];
  /** The query is another service's: the handler reads it as it came, and what it does not know is left alone. */
  readonly hasForeignQuery?: boolean;
  /** Null: it takes none. Unknown members are refused. */
  readonly body: TSchema | null;
  /** Of the answer 200 or 201. Null: 204, or a body that is no JSON. */
  readonly answer: TSchema | null;
}
