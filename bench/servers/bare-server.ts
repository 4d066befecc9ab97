/**
 * The limit: a bare uWebSockets.js server that gives a constant answer, with the headers of an evaluation. Its first
 * argument names the file with the body. Prints its port.
 */
import { createBareApp, listenAndTell } from './bare-app.ts';

listenAndTell(createBareApp(process.argv[2] ?? ''));
