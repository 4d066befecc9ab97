import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { encodeSelector } from '../../flagd/flagd-fixture.ts';

/** A message of gRPC: a flag, its length, and its bytes. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** @returns the selector for all flags of a project without environments */
export const selectorOf = (projectId: string, secret: string): string => `${projectId},token=${secret}`;

/** Opens a connection to flagd's port. @param localAddress any of 127.0.0.0/8 */
export function openFlagdSession(port: number, localAddress: string): ClientHttp2Session {
  const createConnection = () => connectSocket({ port, host: '127.0.0.1', localAddress });
  const session = connect(`http://127.0.0.1:${port}`, { createConnection });
  session.on('error', () => session.destroy());
  return session;
}

/** Begins a call of flagd's sync. Nothing is read of it before `resume`. */
export function beginFlagdCall(
  session: ClientHttp2Session,
  method: 'SyncFlags' | 'FetchAllFlags',
  selector: string,
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/flagd.sync.v1.FlagSyncService/${method}`,
    te: 'trailers',
    'content-type': 'application/grpc',
  });
  stream.on('error', () => stream.destroy());
  stream.end(framed(encodeSelector(selector)));
  return stream;
}

/** A kept connection to flagd's port, which asks for whole configurations, one time after another. */
export class FlagdConnection {
  readonly #session: ClientHttp2Session;
  #isLost = false;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
    session.once('close', () => {
      this.#isLost = true;
    });
  }

  /** Rejects when nothing listens. */
  static open(port: number, localAddress: string): Promise<FlagdConnection> {
    return new Promise((resolve, reject) => {
      const session = openFlagdSession(port, localAddress);
      session.once('connect', () => resolve(new FlagdConnection(session)));
      session.once('error', reject);
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** @returns status 200 for gRPC's OK. Rejects when the connection is lost */
  ask(
    selector: string,
  ): Promise<{ readonly status: number; readonly body: string; readonly durationMs: number }> {
    const askedAt = performance.now();
    return new Promise((resolve, reject) => {
      const stream = beginFlagdCall(this.#session, 'FetchAllFlags', selector);
      let status = '';
      let body = '';
      // A refusal has its status in the head, as it has no message.
      for (const event of ['response', 'trailers'] as const)
        stream.on(event, (headers) => {
          status = String(headers['grpc-status'] ?? status);
          body = String(headers['grpc-message'] ?? body);
        });
      stream.once('close', () => {
        if (status === '') reject(new Error('the call ended without a status'));
        else
          resolve({
            status: status === '0' ? 200 : Number(status),
            body,
            durationMs: performance.now() - askedAt,
          });
      });
      stream.resume();
    });
  }

  destroy(): void {
    this.#session.destroy();
  }
}
