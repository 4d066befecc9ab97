/** Loaded before a server: nobody counts for the console how often a flag was on and off. */
import { EvaluationTallies } from '../../src/worker/evaluation/evaluation-tallies.ts';

EvaluationTallies.prototype.count = () => undefined;
EvaluationTallies.prototype.collect = () => null;
EvaluationTallies.prototype.collectRest = () => null;
