import { type Static, Type } from 'typebox'
import { type Caller, type Role, roles } from '../../../kernel/caller.ts'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Overlap,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import type { ApiToken, ShownToken } from './api-token.ts'
import { statuses } from './machine.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Display name.',
  examples: ['Shop server'],
})
const kind = OneOf(['secret', 'publishable'], {
  description:
    '`secret`: for your server. `publishable`: safe to use in the browser, with very limited permissions.',
})

const members = {
  id: IdOf('api_token'),
  object: Type.Literal('api_token'),
  name,
  kind,
  role: nullableWithExample(
    OneOf(roles, { description: 'Role that determines the permissions. Null for a publishable token.' }),
  ),
  status: OneOf(statuses, { description: 'Only `active` tokens are accepted.' }),
  hint: Type.String({
    description: 'First and last characters of the token.',
    examples: ['sk_test_…9fQ2'],
    loggable: true,
  }),
  created_by_person_id: nullableWithNullExample(
    IdOf(
      'person',
      'Person who created it: the signed-in person, or the creator of the API token used for the call. The token is revoked when this person is deactivated or is no longer ADMIN. Null if there is none.',
    ),
  ),
  expires_at: nullableWithNullExample({
    ...Time,
    description: 'Expiry time. Null if the token does not expire.',
  }),
  last_used_at: nullableWithNullExample({
    ...Time,
    description: 'Time the token was last used. Null if it has not been used.',
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const ApiTokenObject = Type.Object(members, {
  $id: 'ApiToken',
  description:
    'A credential for your server or web page. The token itself is returned only once, when it is created or rolled.',
})

export const ShownTokenObject = Type.Object(
  {
    ...members,
    token: nullable(
      Type.String({
        description: 'The token itself. It is returned only once: null if the request is repeated.',
      }),
    ),
  },
  {
    $id: 'ShownApiToken',
    description: 'An API token with its secret. No other response contains the secret.',
  },
)

export const ApiTokenPath = Type.Object({ api_token_id: IdOf('api_token') })

export const CreateApiToken = Type.Object(
  {
    name,
    kind: Type.Optional(kind),
    role: Type.Optional(OneOf(roles, { description: 'Role of a secret token.' })),
    expires_at: Type.Optional(
      nullable({ ...Time, description: 'Expiry time. Null or omitted: the token does not expire.' }),
    ),
  },
  { additionalProperties: false },
)
export type CreateApiToken = Static<typeof CreateApiToken>

export const RollApiToken = Overlap(
  3600,
  'How long the old token stays valid, in seconds. 0 invalidates it immediately.',
)
export type RollApiToken = Static<typeof RollApiToken>

export const Me = Type.Object(
  {
    object: Type.Literal('me'),
    workspace_id: IdOf('workspace'),
    mode: OneOf(['live', 'test'], { description: '`live`: real money is charged. `test`: no money moves.' }),
    api_token_id: nullable(IdOf('api_token', 'API token used for the call. Null for a signed-in person.')),
    person: nullable(
      Type.Object(
        {
          id: IdOf('person'),
          email: Type.String({ description: 'Email address of the person.' }),
          name: nullable(Type.String({ description: 'Name of the person.' })),
          role: OneOf(roles, { description: 'Role of the person.' }),
        },
        { description: 'Person signed in to the dashboard. Null for an API token.' },
      ),
    ),
    authority: Type.String({ description: 'Role of the API token, or `publishable`.', loggable: true }),
    api_version: Type.String({ description: 'API version of the responses.', loggable: true }),
    allowed_operations: Type.Array(Type.String({ loggable: true }), {
      description: 'Operations that can be called.',
    }),
  },
  { $id: 'Me', description: 'The credential used for the call, and its permissions.' },
)

export function present(token: ApiToken): Static<typeof ApiTokenObject> {
  return {
    id: token.id,
    object: 'api_token',
    name: token.name,
    kind: token.kind,
    role: token.role,
    status: token.status,
    hint: token.hint,
    created_by_person_id: token.createdBy,
    expires_at: token.expiresAt?.toISOString() ?? null,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
    created_at: token.createdAt.toISOString(),
    updated_at: token.updatedAt.toISOString(),
  }
}

export function presentShown(token: ShownToken): Static<typeof ShownTokenObject> {
  return { ...present(token), token: token.text }
}

type MePerson = {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly role: Role
}

export function presentMe({
  caller,
  person,
  allowedOperations,
}: {
  caller: Caller
  person: MePerson | null
  allowedOperations: readonly string[]
}): Static<typeof Me> {
  return {
    object: 'me',
    workspace_id: caller.workspaceId,
    mode: caller.mode,
    api_token_id: caller.tokenId,
    person:
      person === null ? null : { id: person.id, email: person.email, name: person.name, role: person.role },
    authority: caller.authority,
    api_version: caller.apiVersion ?? '',
    allowed_operations: [...allowedOperations],
  }
}
