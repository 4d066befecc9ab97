import type { CustomFetchOptions } from 'openid-client';

/** Metadata and keys of a provider are some kilobytes. */
const bodyBytesMax = 1024 * 1024;

/** Requests to the provider, bounded in time and in the size of the answer. */
export class BoundedFetch {
  readonly #timeoutMs: number;
  readonly #underWay = new Set<AbortController>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** @throws Error when the provider cannot be reached, is too slow, or sends too much */
  async send(url: string, { method, headers, body, redirect }: CustomFetchOptions): Promise<Response> {
    const controller = new AbortController();
    const late = new Error(`no answer within ${this.#timeoutMs / 1000} seconds`);
    const timer = setTimeout(() => controller.abort(late), this.#timeoutMs);
    this.#underWay.add(controller);
    try {
      const request = { method, headers, body: body ?? null, redirect, signal: controller.signal };
      const response = await fetch(url, request);
      const { status, statusText } = response;
      const bytes = await readBounded(response);
      const whole = bytes.length === 0 ? null : bytes;
      return new Response(whole, { status, statusText, headers: response.headers });
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(controller);
    }
  }

  /** Ends requests under way: the service stops. */
  close(): void {
    for (const controller of this.#underWay) controller.abort(new Error('the service stops'));
  }
}

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early closes the connection.
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > bodyBytesMax) throw new Error(`the answer has more than ${bodyBytesMax} bytes`);
  }
  return new Uint8Array(Buffer.concat(parts));
}
