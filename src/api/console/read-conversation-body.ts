import type { TSchema } from 'typebox';
import { readConsoleBody } from '../../contracts/console/console-body.ts';
import type { ConsoleReply } from './console-reply.ts';

/** Bodies of conversations are small: a secret, a name, a password. */
const conversationBodyBytesMax = 16 * 1024;

/** @returns the body, of its operation's shape; null when it has not, and the request has been answered so. */
export function readConversationBody<T>(
  reply: ConsoleReply,
  schema: TSchema,
  bytes: Uint8Array | null,
): T | null {
  if (bytes !== null && bytes.length > conversationBodyBytesMax) {
    const detail = `The request body is larger than ${conversationBodyBytesMax} bytes, which nobody needs here.`;
    reply.refuse({ code: 'payload-too-large', detail });
    return null;
  }
  const read = readConsoleBody(schema, bytes);
  if (read.ok) return read.value as T;
  reply.refuse(read.problem);
  return null;
}
