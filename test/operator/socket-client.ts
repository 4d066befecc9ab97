import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { operatorProtocolVersion } from '../../src/operator/operator-protocol.ts';
import { eventually } from '../support/expectations.ts';

/** The fields of a request's head; the defaults make a valid request. */
export interface Head {
  readonly method?: string;
  readonly protocol?: string;
  readonly storeId: string;
  /** The body's length; null leaves it out. */
  readonly bytes?: number | null;
  /** Further header lines, each with its end. */
  readonly more?: string;
}

/** A client of the operator's socket that sends given bytes and keeps all that it receives. */
export class SocketClient {
  readonly socket: Socket;
  text = '';

  constructor(t: Test, socketPath: string) {
    this.socket = connect(socketPath);
    this.socket.on('error', () => this.socket.destroy());
    this.socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('latin1');
    });
    t.teardown(() => this.socket.destroy());
  }

  /** Sends the head of a request, whose body waits for the server's permission. */
  ask(verb: string, { method = 'POST', protocol, storeId, bytes = 2, more = '' }: Head): void {
    const length = bytes === null ? '' : `Content-Length: ${bytes}\r\n`;
    this.socket.write(
      `${method} /${verb} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n${length}` +
        `Burgee-Protocol: ${protocol ?? operatorProtocolVersion}\r\nBurgee-Store: ${storeId}\r\n${more}\r\n`,
    );
  }

  /** Resolves when this text has been received. */
  expect(part: string): Promise<void> {
    return eventually(() => this.text.includes(part), 5000, `no ${part}, but ${this.text}`);
  }

  /** Resolves when the server asks for the body. */
  continued(): Promise<void> {
    return this.expect('100 Continue');
  }
}
