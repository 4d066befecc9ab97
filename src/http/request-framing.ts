import type { RequestView } from './request-view.ts';

/**
 * Whether the headers disagree on where the body ends: such a request could be read differently by a proxy in front
 * (request smuggling), so it is refused and its connection closed. Most requests have neither header.
 */
export function hasAmbiguousLength(request: RequestView): boolean {
  if (request.header('content-length') === '' && request.header('transfer-encoding') === '') return false;
  const lengths = request.headerValues('content-length');
  const encodings = request.headerValues('transfer-encoding');
  if (lengths.some((length) => !/^\d{1,15}$/.test(length))) return true;
  if (lengths.length === 1 && encodings.length === 0) return false;
  if (new Set(lengths).size > 1 || encodings.length > 1) return true;
  if (encodings.length === 1 && lengths.length > 0) return true;
  return encodings.length === 1 && encodings[0]?.toLowerCase() !== 'chunked';
}
