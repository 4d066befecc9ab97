import { STATUS_CODES } from 'node:http';

const lines = new Map<number, string>(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

/** @returns for example `404 Not Found` */
export function statusLine(status: number): string {
  return lines.get(status) ?? String(status);
}
