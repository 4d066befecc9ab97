import type { OperationParameter } from './operation.ts';

export const projectInPath: OperationParameter = {
  name: 'project_id',
  in: 'path',
  required: true,
  description: 'Project id.',
  example: 'Qm4ZtR9bNdk3VvX0aPq7',
};

export const environmentInPath: OperationParameter = {
  name: 'environment',
  in: 'path',
  required: true,
  description: 'Environment name.',
  example: 'production',
};
