import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { operatorProtocolVersion } from '../../src/operator/operator-protocol.ts';
import { eventually } from '../support/expectations.ts';

/** What the head of a request says; everything has the value of a right one. */
export interface Head {
  readonly method?: string;
  readonly protocol?: string;
  readonly storeId: string;
  /** Of the body; null says nothing of it. */
  readonly bytes?: number | null;
  /** Further lines, each with its end. */
  readonly more?: string;
}

/** A client of the operator's socket that sends what it is told to, and keeps what comes. */
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

  /** Sends the head of a request, whose body is due when the server says so. */
  ask(verb: string, { method = 'POST', protocol, storeId, bytes = 2, more = '' }: Head): void {
    const length = bytes === null ? '' : `Content-Length: ${bytes}\r\n`;
    this.socket.write(
      `${method} /${verb} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n${length}` +
        `Burgee-Protocol: ${protocol ?? operatorProtocolVersion}\r\nBurgee-Store: ${storeId}\r\n${more}\r\n`,
    );
  }

  /** Resolves when this has come. */
  expect(part: string): Promise<void> {
    return eventually(() => this.text.includes(part), 5000, `no ${part}, but ${this.text}`);
  }

  /** Resolves when the server may read the body. */
  continued(): Promise<void> {
    return this.expect('100 Continue');
  }
}
