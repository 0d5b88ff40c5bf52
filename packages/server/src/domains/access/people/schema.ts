import { type Static, Type } from 'typebox'
import { roles } from '../../../kernel/caller.ts'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { type Person, statuses } from './person.ts'

const role = OneOf(roles, { description: 'Role of the person in every workspace of the organization.' })

export const PersonObject = Type.Object(
  {
    id: IdOf('person'),
    object: Type.Literal('person'),
    email: Type.String({
      description: 'Email address that the person signs in with.',
      examples: ['ada@example.com'],
    }),
    name: nullable(Type.String({ description: 'Name of the person.' })),
    role,
    status: OneOf(statuses, { description: 'A `deactivated` person cannot sign in.' }),
    totp_enabled: Type.Boolean({
      description: 'Whether the person must enter a one-time code in addition to the password.',
    }),
    last_seen_at: nullableWithNullExample({
      ...Time,
      description: 'Time the person last used the dashboard. Null if there is none.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'Person', description: 'A user of the dashboard.' },
)

export const PersonPath = Type.Object({ person_id: IdOf('person') })

export const UpdatePerson = Type.Object(
  {
    role,
    keep_api_tokens: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the API tokens that the person created stay valid when they are no longer ADMIN. By default they are revoked, in all workspaces.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type UpdatePerson = Static<typeof UpdatePerson>

export const SignOutPerson = Type.Object(
  {
    remove_passkeys: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether to remove the passkeys of the person as well. A passkey allows signing in without a password.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SignOutPerson = Static<typeof SignOutPerson>

export function present(person: Person): Static<typeof PersonObject> {
  return {
    id: person.id,
    object: 'person',
    email: person.email,
    name: person.name,
    role: person.role,
    status: person.status,
    totp_enabled: person.hasTotp,
    last_seen_at: person.lastSeenAt?.toISOString() ?? null,
    created_at: person.createdAt.toISOString(),
    updated_at: person.updatedAt.toISOString(),
  }
}
