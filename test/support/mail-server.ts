import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Lifetime } from './lifetime.ts';

/** A message as the mail server accepted it. */
export interface ReceivedMail {
  readonly to: readonly string[];
  readonly raw: string;
  /** Unfolded header lines with lower-case names; a name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The mail server's reply to a recipient or a message; null accepts. */
export type Refusal = { readonly code: number; readonly text: string } | null;

export interface MailServer {
  readonly port: number;
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Transactions that reached the message, accepted or not. */
  readonly offered: number;
  judgeRecipient: (address: string) => Refusal;
  /** It may wait; the client then gets no reply. */
  judgeMessage: () => Promise<Refusal> | Refusal;
  /** @returns once this many messages have been accepted */
  received(count: number): Promise<void>;
  /** @returns once this many messages have been offered */
  wasOffered(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A real SMTP server on 127.0.0.1, without TLS. It ends with the test. @param port 0 takes any free port */
export async function startMailServer(t: Lifetime, port = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const watchers = new Set<() => void>();
  let offered = 0;
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  const tell = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo: ({ address }, _session, done) => done(asFault(mailServer.judgeRecipient(address))),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        offered += 1;
        tell();
        const fault = asFault(await mailServer.judgeMessage());
        if (fault === null) mails.push(asMail(chunks, session.envelope.rcptTo));
        done(fault);
        tell();
      });
    },
  });
  // A killed client ends its connection, which some tests cause.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const { port: taken } = server.server.address() as AddressInfo;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  t.teardown(close);
  const mailServer: MailServer = {
    port: taken,
    url: `smtp://127.0.0.1:${taken}`,
    mails,
    get offered() {
      return offered;
    },
    judgeRecipient: () => null,
    judgeMessage: () => null,
    received: (count) => until(() => mails.length >= count),
    wasOffered: (count) => until(() => offered >= count),
    close,
  };
  return mailServer;
}

function asFault(refusal: Refusal): Error | null {
  if (refusal === null) return null;
  return Object.assign(new Error(refusal.text), { responseCode: refusal.code });
}

function asMail(chunks: readonly Buffer[], to: readonly { readonly address: string }[]): ReceivedMail {
  const raw = Buffer.concat(chunks).toString('utf8');
  const [head = ''] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { to: to.map(({ address }) => address), raw, headers };
}
