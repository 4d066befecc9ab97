import type { FramingTargets } from './framing-case.ts';

/** How Burgee may differ from strict parsers. */
export const framingFaults = {
  many: 'Burgee reads several requests more than a strict parser',
  open: 'Burgee reads a request more, and the connection stays open',
  carriedOut: 'Burgee reads a request more and carries it out; the connection ends',
  goesOn: 'the connection stays open where a strict parser’s ends',
} as const;
export type FramingFault = keyof typeof framingFaults;

/**
 * Cases in which Burgee accepts a request that a strict parser refuses, because uWebSockets.js does not show the fault
 * (docs/contributing/gotchas.md). The example proxies in `deploy/` refuse those that can move the end of a request.
 */
export interface KnownException {
  readonly name: string;
  readonly reason: string;
  /** What the exception may cause. */
  readonly faults: readonly FramingFault[];
  /** It concerns the message in which it is alone, and neither the ones before it nor the ones after it. */
  readonly isOfOneMessage?: true;
  /** The example proxies pass it on, because it cannot move the end of a request. */
  readonly isPassedOn?: true;
  /** Bytes that show the exception while it exists. Latin-1. */
  example(targets: FramingTargets): string;
}

const everything: readonly FramingFault[] = ['many', 'open', 'carriedOut', 'goesOn'];
const host = 'Host: localhost\r\n';

function patch({ flag, secret }: FramingTargets, lines: string, body: string): string {
  return `PATCH /api/v1/flags/${flag} HTTP/1.1\r\n${host}Authorization: Bearer ${secret}\r\n${lines}\r\n${body}`;
}

export const knownExceptions: readonly KnownException[] = [
  {
    name: 'nameless-line',
    faults: everything,
    reason: 'uWebSockets.js does not see the lines after a line without a name, and frames without them',
    example: () => `GET /health HTTP/1.1\r\n${host}: hidden\r\nContent-Length: 5\r\n\r\n`,
  },
  {
    name: 'trimmed-bytes',
    faults: everything,
    reason:
      'uWebSockets.js trims non-ASCII bytes at the ends of a value like white space, before Burgee sees it',
    example: (targets) => patch(targets, 'Content-Length: \xa02\r\n', '{}'),
  },
  {
    name: 'proxy-header',
    faults: everything,
    reason:
      'uWebSockets.js reads the binary header of the PROXY protocol before any request, and does not show it',
    example: () =>
      `\r\n\r\n\0\r\nQUIT\n!\x11\0\x0c\x01\x02\x03\x04\x05\x06\x07\x08\0P\0PGET /health HTTP/1.1\r\n${host}\r\n`,
  },
  {
    name: 'chunks',
    isOfOneMessage: true,
    faults: ['carriedOut'],
    reason:
      'uWebSockets.js shows chunks without their framing: a body that looks complete is accepted, and its connection ends',
    example: (targets) =>
      patch(targets, 'Transfer-Encoding: chunked\r\n', '10\r\n{"enabled":true}XX0\r\n\r\n'),
  },
  {
    name: 'delete-byte',
    isPassedOn: true,
    faults: everything,
    reason: 'the byte 7F in a value is accepted; it cannot move the end of a request',
    example: () => `GET /health HTTP/1.1\r\n${host}X-Odd: a\x7fb\r\n\r\n`,
  },
];
