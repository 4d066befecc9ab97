import { App, type HttpResponse, type TemplatedApp, us_socket_local_port } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { evaluationHeaders } from '../../src/operations/answer-headers.ts';

/** What uWebSockets.js has to hand connections from one thread's app to another's, and its types lack. */
export interface HandingApp extends TemplatedApp {
  /** @returns what names this app to the other thread */
  getDescriptor(): unknown;
  /** From now on this app's connections go to that one and those added before, in turns. */
  addChildAppDescriptor(descriptor: unknown): void;
}

/** @returns an app without routes */
export function createApp(): HandingApp {
  return App() as HandingApp;
}

/**
 * @param file has the body
 * @returns an app that answers every evaluation with this body and the headers of an evaluation, and `/health`
 */
export function createBareApp(file: string): HandingApp {
  const bytes = readFileSync(file);
  /** Whichever is faster: bytes cross as they are, short text costs less than a view of bytes. */
  const body = bytes.length > 1024 ? bytes : bytes.toString('utf8');
  const answer = (response: HttpResponse): void => {
    response.writeHeader(evaluationHeaders.name, evaluationHeaders.value);
    response.end(body);
  };
  const app = createApp();
  app.get('/v1/flags/:flagId', answer).get('/v1/flags/project/:projectId', answer);
  app.get('/health', (response) => void response.end('{}'));
  return app;
}

/** Listens on a free port of 127.0.0.1 and prints it. */
export function listenAndTell(app: TemplatedApp): void {
  app.listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port is free');
    process.stdout.write(`${JSON.stringify({ port: us_socket_local_port(socket) })}\n`);
  });
}
