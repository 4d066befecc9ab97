import type { TSchema } from 'typebox';
import { readConsoleBody } from '../../contracts/console/console-body.ts';
import type { ConsoleReply } from './console-reply.ts';

/** @returns the body, of its operation's shape; null when it has not, and the request has been answered so. */
export function readConversationBody<T>(
  reply: ConsoleReply,
  schema: TSchema,
  bytes: Uint8Array | null,
): T | null {
  const read = readConsoleBody(schema, bytes);
  if (read.ok) return read.value as T;
  reply.refuse(read.problem);
  return null;
}
