import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../support/package-root.ts';

/**
 * uWebSockets.js reads this variable once, when it is loaded; its default of 4 KiB is less than cookies and proxies
 * need. The main thread loads the addon before it starts a worker, because a worker's environment is a copy that the
 * addon does not see.
 */
export const headBytesMax = 16_384;
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(headBytesMax);
const buildName = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
/** Where packages of uWebSockets.js have their builds: the official one and most repacks next to their `package.json`. */
const buildFolders = ['dist/bin', '.'];

/**
 * The package's own module does the same. It can only be imported, so it would be loaded before the line above, or by a
 * top-level await, which the threads' bundles cannot have (decision 0073).
 * @throws Error where the package has no build for this Node and platform
 */
function loadAddon(): typeof import('uWebSockets.js') {
  const folder = packageFolder('uWebSockets.js');
  const build = buildFolders.map((name) => join(folder, name, buildName)).find(existsSync);
  if (build === undefined) {
    throw new Error(
      `${folder} has no ${buildName}, the build of the HTTP server for Node ${process.version} on this platform. docs/decisions/0058-which-node-runs-burgee.md names the package that has one.`,
    );
  }
  return createRequire(build)(build);
}

const addon = loadAddon();

/** The handle by which another thread knows an app. */
export type AppDescriptor = number | bigint | object;

/** An app with the methods that the addon has and its declarations lack. */
export interface UwsApp extends TemplatedApp {
  getDescriptor(): AppDescriptor;
  /** New connections go to the added apps, round robin. */
  addChildAppDescriptor(descriptor: AppDescriptor): void;
  removeChildAppDescriptor(descriptor: AppDescriptor): void;
}

export function createApp(): UwsApp {
  return addon.App() as unknown as UwsApp;
}

type Listen = (
  host: string,
  port: number,
  options: number,
  listener: (socket: us_listen_socket | false) => void,
) => TemplatedApp;

/** The declarations name it `ListenOptions.LIBUS_LISTEN_EXCLUSIVE_PORT`; the addon exports it bare. */
const { LIBUS_LISTEN_EXCLUSIVE_PORT } = addon as unknown as { readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number };

/** @param onListening receives false when the address cannot be listened on, for example because the port is in use */
export function listen(
  app: UwsApp,
  host: string,
  port: number,
  onListening: (socket: us_listen_socket | false) => void,
): void {
  // The addon accepts both a host and options, but the declaration lacks this form.
  (app.listen as unknown as Listen).call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, onListening);
}

export const { us_listen_socket_close: closeListenSocket, us_socket_local_port: localPort } = addon;
export type { HttpRequest, HttpResponse, us_listen_socket as ListenSocket };
