import { isIP } from 'node:net';

/** A mail server and how it is spoken to. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS where it is offered. */
  readonly isSecure: boolean;
  readonly user: string | null;
  readonly password: string;
  /** On this machine: nobody in between, so certificates are not checked. */
  readonly isLocal: boolean;
}

const defaultPorts = { smtp: 587, smtps: 465 };

/** @param url as the setting has checked it: `smtp://` or `smtps://`, with credentials percent-encoded */
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
