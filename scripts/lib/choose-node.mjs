// The first import of every script: the rest of the script runs on a Node that Burgee supports.
import { chooseNode } from '../choose-node.cjs';

chooseNode();
