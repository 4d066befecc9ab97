// The first import of every script: whatever comes after runs on a Node that Burgee runs on.
import { chooseNode } from '../choose-node.cjs';

chooseNode();
