import { type Static, Type } from 'typebox'
import { type Caller, type Role, roles } from '../../kernel/caller.ts'
import { IdOf, mostlyNull, nullable, OneOf, shownNullable, Time } from '../../kernel/shapes.ts'
import type { ApiToken, ShownToken } from './api-token.ts'
import { statuses } from './machine.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A name for people.',
  examples: ['Shop server'],
})
const kind = OneOf(['secret', 'publishable'], {
  description:
    'A secret token stays on your server. A publishable one may stand in a page and opens next to nothing.',
})

const members = {
  id: IdOf('api_token'),
  object: Type.Literal('api_token'),
  name,
  kind,
  role: shownNullable(OneOf(roles, { description: 'What it may do; null for a publishable token.' })),
  status: OneOf(statuses, { description: 'Only one that is `active` is taken.' }),
  hint: Type.String({
    description: 'Beginning and end of the token.',
    examples: ['sk_test_…9fQ2'],
    loggable: true,
  }),
  expires_at: mostlyNull(Time),
  last_used_at: mostlyNull(Time),
  created_at: Time,
  updated_at: Time,
}

export const ApiTokenObject = Type.Object(members, {
  $id: 'ApiToken',
  description:
    'What a server or a page proves itself with. Its text is shown once, when it is made or rolled.',
})

export const ShownTokenObject = Type.Object(
  {
    ...members,
    token: nullable(
      Type.String({
        description: 'The token itself. It is shown this once; a repeat of the request answers null.',
      }),
    ),
  },
  { $id: 'ShownApiToken', description: 'A token with its text, which no later answer shows.' },
)

export const ApiTokenPath = Type.Object({ api_token_id: IdOf('api_token') })

export const CreateApiToken = Type.Object(
  {
    name,
    kind: Type.Optional(kind),
    role: Type.Optional(OneOf(roles, { description: 'For secret tokens: what the token may do.' })),
    expires_at: Type.Optional(nullable(Time)),
  },
  { additionalProperties: false },
)
export type CreateApiToken = Static<typeof CreateApiToken>

export const RollApiToken = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 3600,
        description: 'How long the old text goes on working. 0 ends it now.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type RollApiToken = Static<typeof RollApiToken>

export const Me = Type.Object(
  {
    object: Type.Literal('me'),
    workspace_id: IdOf('workspace'),
    mode: OneOf(['live', 'test'], { description: 'Whether the workspace moves real money.' }),
    api_token_id: nullable(IdOf('api_token', 'The token that is used; null for whoever is signed in.')),
    person: nullable(
      Type.Object(
        {
          id: IdOf('person'),
          email: Type.String({ description: 'What the person signs in with.' }),
          name: nullable(Type.String({ description: 'What the person is called.' })),
          role: OneOf(roles, { description: 'What the person may do.' }),
        },
        { description: 'Who is signed in at the dashboard; null for a server.' },
      ),
    ),
    authority: Type.String({ description: 'The role of the token, or `publishable`.', loggable: true }),
    api_version: Type.String({ description: 'The version in which you are answered.', loggable: true }),
    allowed_operations: Type.Array(Type.String({ loggable: true }), {
      description: 'Every operation that may be called.',
    }),
  },
  { $id: 'Me', description: 'Whose token this is, and what it may do.' },
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
