// The first import of every script: whatever comes after may use what this Node has.
import { nodeProblem } from '../node-version.cjs';

const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  console.error(problem);
  process.exit(1);
}
