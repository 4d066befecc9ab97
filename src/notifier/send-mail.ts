import { isIP } from 'node:net';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Mail } from './denial-mail.ts';

interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS if the server offers it. */
  readonly isSecure: boolean;
  readonly user: string | null;
  readonly password: string;
  /** The server is on this machine: nothing can intercept the connection, so its certificate is not checked. */
  readonly isLocal: boolean;
}

const defaultPorts = { smtp: 587, smtps: 465 };

/** @param url as the setting has validated it: `smtp://` or `smtps://`, with credentials percent-encoded */
export function readSmtpUrl(url: string): SmtpSettings {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: port === '' ? defaultPorts[isSecure ? 'smtps' : 'smtp'] : Number(port),
    isSecure,
    user: username === '' ? null : decodeURIComponent(username),
    password: decodeURIComponent(password),
    isLocal: host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.')),
  };
}

/** The outcome of an attempt to send a mail. */
export type SendOutcome =
  /** Recipients in `refused` are lost; those in `postponed` may be tried again. Both may be empty. */
  | { readonly kind: 'accepted'; readonly refused: readonly string[]; readonly postponed: readonly string[] }
  | {
      readonly kind: 'failed';
      /** The message of the server or of the connection. */
      readonly fault: string;
      /** Another attempt would fail as well. */
      readonly isPermanent: boolean;
      /** No mail can be sent now, neither this one nor another. */
      readonly isUnreachable: boolean;
    };

const stepTimeoutMs = 10_000;
const idleTimeoutMs = 30_000;
/** From the look-up of the server's name to its last response. */
const sendTimeoutMs = 60_000;
const responseBytesMax = 64 * 1024;

/** Codes of faults of the server or of the network, not of a mail. */
const unreachableCodes: ReadonlySet<string> = new Set([
  'ECONNECTION',
  'ETIMEDOUT',
  'ESOCKET',
  'EDNS',
  'ETLS',
  'EPROTOCOL',
  'EAUTH',
  'ENOAUTH',
]);

/** The part of nodemailer's fault that is used here. */
interface SmtpFault extends Error {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly recipient?: string | undefined;
  readonly rejectedErrors?: readonly SmtpFault[] | undefined;
}

/** Sends one mail over a connection of its own. Each step has a time limit, and so has the whole. Never rejects. */
export async function sendMail(settings: SmtpSettings, mail: Mail): Promise<SendOutcome> {
  const connection = connectionTo(settings);
  let timer: NodeJS.Timeout | undefined;
  const broken = new Promise<never>((_resolve, reject) => {
    connection.on('error', reject);
    connection.once('end', () => reject(closedEarly()));
    timer = setTimeout(() => reject(overdue()), sendTimeoutMs);
  });
  broken.catch(() => undefined);
  try {
    return await Promise.race([deliver(connection, settings, mail), broken]);
  } catch (fault) {
    return failure(fault as SmtpFault, settings);
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}

function connectionTo({ host, port, isSecure, user, isLocal }: SmtpSettings): SMTPConnection {
  return new SMTPConnection({
    host,
    port,
    secure: isSecure,
    // A password is sent over an encrypted connection only, or stays on this machine.
    requireTLS: user !== null && !isSecure && !isLocal,
    tls: { rejectUnauthorized: !isLocal },
    allowInternalNetworkInterfaces: true,
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    dnsTimeout: stepTimeoutMs,
    socketTimeout: idleTimeoutMs,
    maxResponseSize: responseBytesMax,
  });
}

async function deliver(
  connection: SMTPConnection,
  { user, password }: SmtpSettings,
  mail: Mail,
): Promise<SendOutcome> {
  const node = new MailComposer({
    ...mail,
    to: [...mail.to],
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const bytes = await node.build();
  await new Promise<void>((resolve, reject) => {
    connection.connect((fault) => (fault ? reject(fault) : resolve()));
  });
  if (user !== null) {
    await new Promise<void>((resolve, reject) => {
      connection.login({ user, pass: password }, (fault) => (fault ? reject(fault) : resolve()));
    });
  }
  const envelope = { from: node.getEnvelope().from, to: mail.to.map(({ address }) => address) };
  return new Promise((resolve, reject) => {
    connection.send(envelope, bytes, (fault, info) => {
      if (fault) reject(fault);
      else resolve({ kind: 'accepted', ...sortRejected(info?.rejectedErrors ?? []) });
      connection.quit();
    });
  });
}

function sortRejected(faults: readonly SmtpFault[]): {
  readonly refused: readonly string[];
  readonly postponed: readonly string[];
} {
  const addresses = (of: readonly SmtpFault[]) => of.flatMap(({ recipient }) => recipient ?? []);
  return {
    refused: addresses(faults.filter(isFinal)),
    postponed: addresses(faults.filter((fault) => !isFinal(fault))),
  };
}

/** A response 5yz. Without a response code the connection failed, which says nothing about the mail. */
function isFinal({ responseCode }: SmtpFault): boolean {
  return responseCode !== undefined && responseCode >= 500;
}

function failure(fault: SmtpFault, settings: SmtpSettings): SendOutcome {
  const { code = '', rejectedErrors = [] } = fault;
  const message = withoutPassword(fault.message, settings);
  const isUnreachable = unreachableCodes.has(code);
  const isRejected = rejectedErrors.length > 0 ? rejectedErrors.every(isFinal) : isFinal(fault);
  return { kind: 'failed', fault: message, isPermanent: isRejected && !isUnreachable, isUnreachable };
}

/** Removes credentials: a server may repeat what it received, in clear text or in its encoding. */
function withoutPassword(message: string, { user, password }: SmtpSettings): string {
  if (password === '') return message;
  const sent = [`\0${user}\0${password}`, password].map((text) => Buffer.from(text).toString('base64'));
  return [...sent, password].reduce((text, secret) => text.replaceAll(secret, '…'), message);
}

function closedEarly(): SmtpFault {
  return Object.assign(new Error('the mail server closed the connection'), { code: 'ECONNECTION' });
}

function overdue(): SmtpFault {
  return Object.assign(new Error(`the mail server took longer than ${sendTimeoutMs / 1000} seconds`), {
    code: 'ETIMEDOUT',
  });
}
