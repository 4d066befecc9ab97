import { type JsonFault, positionOf, scanJson } from '../../support/json-scan.ts';
import { type JsonMembers, type JsonValue, jsonMembersOf, kindOf, rootOf } from '../../support/json-value.ts';
import { isLabelKey } from '../flag/flag-labels.ts';
import { isStateKey } from '../flag/state-fields.ts';
import { problemsListedMax, shown } from '../problem-list.ts';

/** Depth of arrays and objects in a body (decisions). */
const bodyDepthMax = 32;
/** The largest body that is read; the worker stops there (specification: 1 MiB). */
export const bodyBytesMax = 1024 * 1024;

/** The body of a request. Each route reports `empty` in its own words. */
export type RequestBody =
  | { readonly kind: 'object'; readonly members: JsonMembers }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly problem: string };

type JsonText =
  | { readonly kind: 'text'; readonly text: string }
  | Exclude<RequestBody, { readonly kind: 'object' }>;

// A byte order mark is not JSON: it is kept, so that the scan finds it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a body as a JSON object, in time linear in its length for any content. White space alone is empty.
 *
 * @param bytes null when there was no body.
 */
export function parseBody(bytes: Uint8Array | null): RequestBody {
  const read = readJsonText(bytes);
  if (read.kind !== 'text') return read;
  return { kind: 'object', members: jsonMembersOf(rootOf(read.text), isBodyKey, problemsListedMax) };
}

/** The text of a body that is a JSON object: valid, and not nested too deeply. White space alone is empty. */
export function readJsonText(bytes: Uint8Array | null): JsonText {
  const text = bytes === null ? '' : decode(bytes);
  if (text === null) return unreadable('the request body is not valid UTF-8');
  if (/^[ \t\n\r]*$/.test(text)) return { kind: 'empty' };
  const fault = scanJson(text, bodyDepthMax);
  if (fault !== null) return unreadable(describeFault(text, fault));
  const value = rootOf(text);
  if (kindOf(value) === 'object') return { kind: 'text', text };
  return unreadable(`the request body must be a JSON object, and it is ${nameOfKind(value)}`);
}

/** The keys of any body; each route decides which of them it accepts. */
function isBodyKey(key: string): boolean {
  return isStateKey(key) || isLabelKey(key) || key === 'environments';
}

function unreadable(problem: string): Extract<RequestBody, { kind: 'unreadable' }> {
  return { kind: 'unreadable', problem };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function describeFault(text: string, fault: JsonFault): string {
  const { line, column } = positionOf(text, fault.offset);
  const place = `line ${line}, column ${column}`;
  if (fault.kind === 'too-deep') {
    return `the request body nests arrays and objects deeper than ${bodyDepthMax} levels at ${place}`;
  }
  const character = text.codePointAt(fault.offset);
  const found = character === undefined ? 'it ends' : `${nameOfCharacter(character)} is unexpected`;
  return `the request body is not valid JSON: ${found} at ${place}`;
}

/** The character itself, or its number if it is not visible. */
function nameOfCharacter(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  if (/[\p{C}\p{Z}]/u.test(text)) return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  return `"${shown(text)}"`;
}

function nameOfKind(value: JsonValue): string {
  const kind = kindOf(value);
  if (kind === 'null') return 'null';
  return kind === 'array' ? 'an array' : `a ${kind}`;
}
