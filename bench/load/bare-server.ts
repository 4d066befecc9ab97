/**
 * The limit: a bare uWebSockets.js server that gives a constant answer, with the headers of an evaluation and as many
 * bytes. Its body is the first argument. Prints its port.
 */
import { App, us_socket_local_port } from 'uWebSockets.js';
import { evaluationHeaders } from '../../src/api/answer-headers.ts';

const body = process.argv[2] ?? '{}';
App()
  .get('/v1/flags/:flagId', (response) => {
    response.writeHeader(evaluationHeaders.name, evaluationHeaders.value);
    response.end(body);
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port is free');
    process.stdout.write(`${JSON.stringify({ port: us_socket_local_port(socket) })}\n`);
  });
