import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { comparableUpdate } from './card-data.ts'
import { present, UpdateWorkspace, WorkspaceObject } from './schema.ts'
import { changeWorkspace, getWorkspace } from './service.ts'

export const workspaceOperations = (deps: Deps) => [
  operation({
    id: 'workspace.get',
    method: 'GET',
    path: '/workspace',
    summary: 'Get the workspace',
    description: 'Returns the workspace of the API token.',
    response: WorkspaceObject,
    present,
    version: (workspace) => workspace.version,
    handle: ({ caller }) => getWorkspace(deps, caller),
  }),
  operation({
    id: 'workspace.update',
    method: 'PUT',
    path: '/workspace',
    summary: 'Update the workspace',
    description:
      'Changes the name, the branding of payment pages, the default API version, how the workspace collects card data, or the pages that may embed the payment element.',
    body: UpdateWorkspace,
    response: WorkspaceObject,
    errors: ['unknown_version', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    bodyForIdempotency: comparableUpdate,
    present,
    version: (workspace) => workspace.version,
    handle: ({ caller, body, ifMatch }) => changeWorkspace(deps, caller, { ...body, ifMatch }),
  }),
]
