/**
 * The limit: a bare uWebSockets.js server that gives a constant answer, with the headers of an evaluation. Its first
 * argument names the file with the body. Prints its port.
 */

import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { evaluationHeaders } from '../../src/api/answer-headers.ts';

const bytes = readFileSync(process.argv[2] ?? '');
/** Whichever is faster: bytes cross as they are, short text costs less than a view of bytes. */
const body = bytes.length > 1024 ? bytes : bytes.toString('utf8');

function answer(response: HttpResponse): void {
  response.writeHeader(evaluationHeaders.name, evaluationHeaders.value);
  response.end(body);
}

App()
  .get('/v1/flags/:flagId', answer)
  .get('/v1/flags/project/:projectId', answer)
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port is free');
    process.stdout.write(`${JSON.stringify({ port: us_socket_local_port(socket) })}\n`);
  });
