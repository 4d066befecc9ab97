import { App, type HttpResponse, type TemplatedApp, us_socket_local_port } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { evaluationHeaders } from '../../src/operations/answer-headers.ts';

/** Methods of uWebSockets.js, missing in its types, that hand connections from one thread's app to another's. */
export interface HandingApp extends TemplatedApp {
  /** @returns a descriptor that identifies this app to the other thread */
  getDescriptor(): unknown;
  /** Adds an app. This app's new connections go to the added apps round robin. */
  addChildAppDescriptor(descriptor: unknown): void;
}

/** @returns an app without routes */
export function createApp(): HandingApp {
  return App() as HandingApp;
}

/**
 * @param file holds the body
 * @returns an app that answers `/health`, and every evaluation with this body and the headers of an evaluation. It answers
 *   OFREP when it has received the request's whole body and parsed it
 */
export function createBareApp(file: string): HandingApp {
  const bytes = readFileSync(file);
  /** The faster form: bytes of a long body need no conversion; the text of a short one costs less than a view of bytes. */
  const body = bytes.length > 1024 ? bytes : bytes.toString('utf8');
  const answer = (response: HttpResponse): void => {
    response.writeHeader(evaluationHeaders.name, evaluationHeaders.value);
    response.end(body);
  };
  const parseAndAnswer = (response: HttpResponse): void => {
    response.onAborted(() => undefined);
    response.onData((piece, isLast) => {
      // A body of this load comes in one piece.
      if (!isLast) throw new Error('the body came in several pieces');
      JSON.parse(Buffer.from(piece).toString('latin1'));
      answer(response);
    });
  };
  const app = createApp();
  app.post('/projects/:projectId/ofrep/v1/evaluate/flags/:key', parseAndAnswer);
  app.get('/v1/flags/:flagId', answer).get('/v1/flags/project/:projectId', answer);
  app.get('/health', (response) => void response.end('{}'));
  return app;
}

/** Listens on a free port of 127.0.0.1 and prints it. */
export function listenAndPrint(app: TemplatedApp): void {
  app.listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port is free');
    process.stdout.write(`${JSON.stringify({ port: us_socket_local_port(socket) })}\n`);
  });
}
