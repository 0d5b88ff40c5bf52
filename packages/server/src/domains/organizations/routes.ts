import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { present, UpdateWorkspace, WorkspaceObject } from './schema.ts'
import { changeWorkspace, getWorkspace } from './service.ts'

export const workspaceOperations = (deps: Deps) => [
  operation({
    id: 'workspace.get',
    method: 'GET',
    path: '/workspace',
    summary: 'Get your workspace',
    description: 'The workspace that the token belongs to.',
    answer: WorkspaceObject,
    present,
    version: (workspace) => workspace.version,
    verb: ({ caller }) => getWorkspace(deps, caller),
  }),
  operation({
    id: 'workspace.update',
    method: 'PUT',
    path: '/workspace',
    summary: 'Change your workspace',
    description:
      'Changes the name, how payment pages show you, or the version in which the workspace is answered from now on.',
    body: UpdateWorkspace,
    answer: WorkspaceObject,
    refuses: ['unknown_version', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (workspace) => workspace.version,
    verb: ({ caller, body, ifMatch }) => changeWorkspace(deps, caller, { ...body, ifMatch }),
  }),
]
