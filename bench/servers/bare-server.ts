/**
 * The limit: a bare uWebSockets.js server that gives a constant answer, with the headers of an evaluation. Its first
 * argument names the file with the body. Prints its port.
 */
import { createBareApp, listenAndPrint } from './bare-app.ts';

listenAndPrint(createBareApp(process.argv[2] ?? ''));
