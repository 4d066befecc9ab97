import { type HeaderBlock, headerBlock } from '../../http/header-block.ts';

/** What some answers of the console's API say beside status and body. */
export interface ConsoleHeaderFields {
  /** Null when there is no body. */
  readonly contentType?: string | null;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly setCookies?: readonly string[];
  /** The body is a file to be kept, by this name: letters, digits, dots and hyphens. */
  readonly fileName?: string | undefined;
  /** Of a redirect. */
  readonly location?: string;
}

/** Seconds after which a client that met an overload may try again. */
const retryAfterSeconds = 1;

/** Headers of every answer under `/console/api`: nobody keeps it, no other site may read it. */
export function consoleHeaders(
  requestId: string,
  status: number,
  fields: ConsoleHeaderFields = {},
): HeaderBlock {
  const { contentType = null, retryAfter, setCookies = [], location, fileName } = fields;
  const lines: (readonly [string, string])[] = [
    ['X-Request-Id', requestId],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
  ];
  if (contentType !== null) lines.push(['Content-Type', contentType]);
  // A proxy that gathers what it passes on would hold events back.
  if (contentType === 'text/event-stream') lines.push(['X-Accel-Buffering', 'no']);
  if (fileName !== undefined) {
    lines.push(['Content-Disposition', `attachment; filename="${fileName}"`]);
  }
  if (status === 503 || retryAfter !== undefined) {
    lines.push(['Retry-After', String(retryAfter ?? retryAfterSeconds)]);
  }
  if (location !== undefined) lines.push(['Location', location]);
  for (const cookie of setCookies) lines.push(['Set-Cookie', cookie]);
  return headerBlock(lines);
}
