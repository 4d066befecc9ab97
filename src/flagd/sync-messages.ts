/*
 * Messages of `flagd.sync.v1.FlagSyncService`, by the field numbers of its published schema
 * (github.com/open-feature/flagd-schemas, protobuf/flagd/sync/v1/sync.proto):
 *
 *     SyncFlagsRequest, FetchAllFlagsRequest      string provider_id = 1, string selector = 2
 *     SyncFlagsResponse                           string flag_configuration = 1, google.protobuf.Struct sync_context = 2
 *     FetchAllFlagsResponse                       string flag_configuration = 1
 *     GetMetadataRequest                          nothing
 *     GetMetadataResponse                         google.protobuf.Struct metadata = 2
 */

/** An encoded message, which any number of streams can send. */
export type EncodedMessage = Buffer;

const wireTypes = { varint: 0, eightBytes: 1, lengthDelimited: 2, fourBytes: 5 } as const;
const selectorField = 2;
/** Field 2 with a length of 0: a `Struct` without members. */
const emptyStruct = Buffer.from([(2 << 3) | wireTypes.lengthDelimited, 0]);
/** A varint of 64 bits has no more bytes. */
const varintLengthMax = 10;

/** A request for flags. */
export interface FlagsRequest {
  /** Empty if the request has none; null if the request is malformed. */
  readonly selector: string | null;
}

export function decodeFlagsRequest(bytes: Uint8Array): FlagsRequest {
  return { selector: decodeSelector(bytes) };
}

function decodeSelector(bytes: Uint8Array): string | null {
  const reader = new FieldReader(bytes);
  let selector = '';
  while (!reader.isAtEnd) {
    const field = reader.next();
    if (field === null) return null;
    if (field.number === selectorField && field.text !== null) {
      try {
        selector = new TextDecoder('utf-8', { fatal: true }).decode(field.text);
      } catch {
        return null;
      }
    }
  }
  return selector;
}

/**
 * The response with a configuration, for a stream and for `FetchAllFlags`, whose clients ignore the second field. Because
 * the message has an (empty) context, providers do not call `GetMetadata` for one.
 * @param chunks the configuration's text as UTF-8
 */
export function encodeConfiguration(chunks: readonly Uint8Array[]): EncodedMessage {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const head = [(1 << 3) | wireTypes.lengthDelimited];
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) head.push((rest % 0x80) | 0x80);
  head.push(rest);
  return Buffer.concat([Buffer.from(head), ...chunks, emptyStruct]);
}

/** `GetMetadataResponse`: nothing is added to the contexts of evaluations. */
export const noMetadata: EncodedMessage = emptyStruct;

interface Field {
  readonly number: number;
  /** Null for a number. */
  readonly text: Uint8Array | null;
}

class FieldReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** @returns null when the bytes are malformed */
  next(): Field | null {
    const tag = this.#varint();
    if (tag === null || tag < 8) return null;
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case wireTypes.varint:
        return this.#varint() === null ? null : { number, text: null };
      case wireTypes.eightBytes:
        return this.#take(8) === null ? null : { number, text: null };
      case wireTypes.fourBytes:
        return this.#take(4) === null ? null : { number, text: null };
      case wireTypes.lengthDelimited: {
        const length = this.#varint();
        const text = length === null ? null : this.#take(length);
        return text === null ? null : { number, text };
      }
      default:
        return null;
    }
  }

  #varint(): number | null {
    let value = 0;
    for (let index = 0; index < varintLengthMax; index += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return null;
      this.#at += 1;
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    return null;
  }

  #take(length: number): Uint8Array | null {
    const end = this.#at + length;
    if (end > this.#bytes.length) return null;
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
